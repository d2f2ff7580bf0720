internal import SafelightImage
internal import SafelightShaders

/// Puts a recording into words: gives every object a name, and keeps bytes and texts beside.
struct CaptureComposer {
  private(set) var manifest: CaptureManifest
  private(set) var blobs: [String: Capture.Blob] = [:]
  private(set) var texts: [String: String] = [:]

  /// Textures with pixels of their own and buffers, with what the recording does to them first and whether it writes them.
  private(set) var resources: [Touched] = []
  /// What the recording reads back, in order.
  private(set) var readbacks: [Received] = []

  private var names = CaptureNames()
  private var textureNames: [ResourceID: String] = [:]
  private var bufferNames: [ResourceID: String] = [:]
  private var samplerNames: [ResourceID: String] = [:]
  private var functionNames: [FunctionKey: String] = [:]
  private var pipelineNames: [ObjectIdentifier: String] = [:]
  private var readbackPlaces: [ObjectIdentifier: Int] = [:]
  private var touchedPlaces: [ResourceID: Int] = [:]

  /// A resource of the recording.
  struct Touched {
    let name: String
    let resource: ResourceTouch.Resource
    /// Whether what it held before matters.
    var isInput: Bool
    var isOutput = false
  }

  /// A readback of the recording, with the shape of its pixels where one picture fills it.
  struct Received {
    let name: String
    let readback: SafelightGPU.Readback
    var size: Size?
    var pixelFormat: PixelFormat?
  }

  private struct FunctionKey: Hashable {
    let stage: CaptureManifest.Function.Stage
    let name: String
    let text: String
    let arguments: [ShaderArgument]
  }

  init(_ recording: Recording, info: DeviceInfo) throws(SafelightError) {
    manifest = CaptureManifest(
      label: recording.label,
      device: CaptureManifest.Device(name: info.name, driver: info.driver, vendor: info.vendor, isCPU: info.isCPU))
    for entry in recording.commands {
      for touch in entry.command.touches { note(touch) }
      manifest.commands.append(try command(entry))
    }
  }

  /// Bytes of what commands carry with them.
  var byteCount: Int { blobs.values.reduce(0) { $0 + $1.bytes.count } }

  private mutating func note(_ touch: ResourceTouch) {
    let place: Int
    if let known = touchedPlaces[touch.resource.id] {
      place = known
    } else {
      place = resources.count
      touchedPlaces[touch.resource.id] = place
      let name =
        switch touch.resource {
        case .texture(let texture): self.name(texture)
        case .buffer(let buffer): self.name(buffer)
        }
      resources.append(Touched(name: name, resource: touch.resource, isInput: touch.kind != .replacement))
    }
    switch touch.kind {
    case .read: break
    case .change, .write, .replacement: resources[place].isOutput = true
    case .discard: resources[place].isOutput = false
    }
  }
}

// MARK: Objects

extension CaptureComposer {
  mutating func name(_ texture: Texture) -> String {
    if let name = textureNames[texture.lifetime.id] { return name }
    let parent = texture.parent.map { self.name($0) }
    let name = names.next("texture", texture.label)
    textureNames[texture.lifetime.id] = name
    var entry = CaptureManifest.Texture(
      name: name, label: texture.label, descriptor: texture.descriptor, parent: parent)
    if parent != nil {
      entry.levels = CaptureManifest.Span(first: texture.parentLevels.lowerBound, count: texture.parentLevels.count)
      entry.slices = CaptureManifest.Span(first: texture.parentSlices.lowerBound, count: texture.parentSlices.count)
    }
    manifest.textures.append(entry)
    return name
  }

  mutating func name(_ buffer: Buffer) -> String {
    if let name = bufferNames[buffer.lifetime.id] { return name }
    let name = names.next("buffer", buffer.label)
    bufferNames[buffer.lifetime.id] = name
    manifest.buffers.append(
      CaptureManifest.Buffer(name: name, label: buffer.label, length: buffer.length, storageMode: buffer.storageMode))
    return name
  }

  mutating func name(_ sampler: SamplerState) -> String {
    if let name = samplerNames[sampler.lifetime.id] { return name }
    let name = names.next("sampler", sampler.label)
    samplerNames[sampler.lifetime.id] = name
    manifest.samplers.append(
      CaptureManifest.Sampler(name: name, label: sampler.label, descriptor: sampler.descriptor))
    return name
  }

  mutating func name(_ readback: SafelightGPU.Readback) -> String {
    if let place = readbackPlaces[ObjectIdentifier(readback)] { return readbacks[place].name }
    let name = names.next("readback")
    readbackPlaces[ObjectIdentifier(readback)] = readbacks.count
    readbacks.append(Received(name: name, readback: readback))
    manifest.readbacks.append(CaptureManifest.Readback(name: name, length: readback.length))
    return name
  }

  /// The readback that one picture of `size` fills, so that it can be looked at.
  mutating func name(_ readback: SafelightGPU.Readback, filledBy size: Size, _ pixelFormat: PixelFormat) -> String {
    let name = name(readback)
    if let place = readbackPlaces[ObjectIdentifier(readback)] {
      readbacks[place].size = size
      readbacks[place].pixelFormat = pixelFormat
    }
    return name
  }

  mutating func name(
    _ function: ShaderFunction, _ stage: CaptureManifest.Function.Stage
  ) throws(SafelightError) -> String {
    let text = try function.completeText
    let key = FunctionKey(stage: stage, name: function.name, text: text, arguments: function.arguments)
    if let name = functionNames[key] { return name }
    let name = names.next("function", function.name)
    functionNames[key] = name
    let place = "functions/\(name).\(stage.fileExtension)"
    texts[place] = text
    manifest.functions.append(
      CaptureManifest.Function(
        name: name, function: function.name, stage: stage, text: place,
        arguments: function.arguments.map(CaptureManifest.Argument.init), constants: function.constants,
        hasTwin: function.twin != nil))
    return name
  }

  mutating func name(_ pipeline: RenderPipelineState) throws(SafelightError) -> String {
    if let name = pipelineNames[ObjectIdentifier(pipeline)] { return name }
    let (vertex, fragment) = (try name(pipeline.vertexFunction, .vertex), try name(pipeline.fragment, .fragment))
    let name = names.next("pipeline", pipeline.label)
    pipelineNames[ObjectIdentifier(pipeline)] = name
    manifest.renderPipelines.append(
      CaptureManifest.RenderPipeline(
        name: name, label: pipeline.label, vertexFunction: vertex, fragmentFunction: fragment,
        vertexDescriptor: pipeline.vertexDescriptor, colorAttachments: pipeline.colorAttachments,
        depthAttachmentPixelFormat: pipeline.depthAttachmentPixelFormat,
        stencilAttachmentPixelFormat: pipeline.stencilAttachmentPixelFormat,
        rasterSampleCount: pipeline.rasterSampleCount))
    return name
  }

  /// Keeps bytes that a command carries; `subject` names their place.
  mutating func keep(
    _ bytes: [UInt8], as subject: String, size: Size? = nil, _ pixelFormat: PixelFormat? = nil
  ) -> CaptureManifest.Bytes {
    let place = "inputs/\(names.next(subject))"
    return Self.keep(bytes, at: place, size: size, pixelFormat, in: &blobs)
  }

  /// Describes bytes, and keeps them in `blobs` where they are neither short nor zeros.
  static func keep(
    _ bytes: [UInt8], at place: String, size: Size? = nil, _ pixelFormat: PixelFormat? = nil,
    in blobs: inout [String: Capture.Blob]
  ) -> CaptureManifest.Bytes {
    var entry = CaptureManifest.Bytes(length: bytes.count)
    if bytes.allSatisfy({ $0 == 0 }) { return entry }
    if size == nil && bytes.count <= 64 && bytes.count % 4 == 0 {
      entry.words = CaptureWords.text(bytes)
    } else {
      entry.blob = place
      blobs[place] = Capture.Blob(bytes: bytes, size: size, pixelFormat: pixelFormat)
    }
    return entry
  }
}

extension ShaderFunction {
  /// The GLSL with constants and includes in their places, without what a dispatch adds; empty for a function that has none.
  fileprivate var completeText: String {
    get throws(SafelightError) { assembly.parts.isEmpty ? "" : try assembly.shader().text }
  }

  /// Its macros.
  fileprivate var constants: [String: String] {
    Dictionary(assembly.constants.map { ($0.name, $0.text) }) { _, last in last }
  }
}

extension CaptureManifest.Function.Stage {
  /// As compilers and editors know it.
  fileprivate var fileExtension: String {
    switch self {
    case .compute: "comp"
    case .vertex: "vert"
    case .fragment: "frag"
    }
  }
}

extension CaptureManifest.Argument {
  fileprivate init(_ argument: ShaderArgument) {
    switch argument {
    case .sampledTexture(let index): self.init(kind: .sampledTexture, index: index)
    case .storageTexture(let index): self.init(kind: .storageTexture, index: index)
    case .readWriteTexture(let index): self.init(kind: .readWriteTexture, index: index)
    case .readBuffer(let index): self.init(kind: .readBuffer, index: index)
    case .storageBuffer(let index): self.init(kind: .storageBuffer, index: index)
    case .bytes(let index): self.init(kind: .bytes, index: index)
    }
  }

  var argument: ShaderArgument {
    switch kind {
    case .sampledTexture: .sampledTexture(index)
    case .storageTexture: .storageTexture(index)
    case .readWriteTexture: .readWriteTexture(index)
    case .readBuffer: .readBuffer(index)
    case .storageBuffer: .storageBuffer(index)
    case .bytes: .bytes(index)
    }
  }
}

/// 32-bit words as text, for people to read.
enum CaptureWords {
  static func text(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 4).map { (at: Int) -> String in
      let word: UInt32 = (0..<4).reduce(0) { word, byte in word | UInt32(bytes[at + byte]) << UInt32(8 * byte) }
      return "\(word)"
    }.joined(separator: " ")
  }

  /// The bytes of words in decimal; nil if one of them is not a number of 32 bits.
  static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for word in text.split(separator: " ") {
      guard let number = UInt32(word) else { return nil }
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return bytes
  }
}
