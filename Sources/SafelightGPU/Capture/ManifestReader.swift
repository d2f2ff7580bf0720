internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

/// Makes a recording from a manifest.
///
/// Captures come from disk, perhaps from strangers, so everything that an encoder would trap on is an error of the
/// input here.
struct ManifestReader {
  let capture: Capture
  let device: Device
  let twins: TwinLibrary
  private(set) var expectations: [CaptureReplay.Expectation] = []
  /// Readbacks, with the shape of the picture that fills them, by name.
  var readbacks: [String: CaptureRead] = [:]

  private var textures: [String: Texture] = [:]
  private var buffers: [String: Buffer] = [:]
  private var samplers: [String: SamplerState] = [:]
  private var functions: [String: ShaderFunction] = [:]
  private var computePipelines: [String: ComputePipelineState] = [:]
  private var renderPipelines: [String: RenderPipelineState] = [:]

  init(_ capture: Capture, device: Device, twins: TwinLibrary) {
    self.capture = capture
    self.device = device
    self.twins = twins
  }

  var manifest: CaptureManifest { capture.manifest }

  /// Returns commands that write the inputs, the capture's own commands, and commands that read the outputs.
  mutating func recording() throws(SafelightError) -> Recording {
    for label in manifest.missingInputs ?? [] {
      throw SafelightError(
        .unsupported, "texture '\(label)'",
        why: """
          an earlier command buffer left depths, stencils or several samples a pixel in it, which OpenGL ES cannot \
          read, so the capture does not hold them
          """, remedy: "clear it in the command buffer that is captured, and capture again")
    }
    try makeResources()
    var recording = Recording(label: capture.label)
    for contents in manifest.inputs {
      guard let command = try input(contents) else { continue }
      recording.append(command, label: "inputs")
    }
    var openGroups = 0
    var made: Set<ResourceID> = []
    for (number, captured) in manifest.commands.enumerated() {
      let command: Command
      do throws(SafelightError) {
        command = try self.command(captured)
        if let fault = command.fault { throw capture.fault("command", why: fault) }
        switch command {
        case .pushDebugGroup: openGroups += 1
        case .popDebugGroup: openGroups -= 1
        default: break
        }
        try require(openGroups >= 0, "popDebugGroup", "no group is open")
      } catch {
        throw error.during("command \(number + 1) of '\(captured.encoder)'")
      }
      recording.append(command, label: captured.encoder)
      for access in recording.commands[recording.commands.count - 1].accesses where access.kind.makesContents {
        made.insert(access.resource.id)
      }
    }
    try require(openGroups == 0, "commands", "a debug group is left open")
    struct OutputKey: Hashable {
      let resource: String
      let image: TextureImage?
    }
    var listed: Set<OutputKey> = []
    for contents in manifest.outputs {
      let isNew = listed.insert(OutputKey(resource: contents.resource, image: contents.image)).inserted
      try require(isNew, contents.name, "the output is listed twice")
      try expect(contents, made, &recording)
    }
    return recording
  }

  func require(_ condition: Bool, _ subject: String, _ why: @autoclosure () -> String) throws(SafelightError) {
    if !condition { throw capture.fault(subject, why: why()) }
  }
}

// MARK: Resources

extension ManifestReader {
  private mutating func makeResources() throws(SafelightError) {
    for entry in manifest.textures {
      try add(entry.name, entry.parent == nil ? texture(entry) : view(entry), to: \.textures)
    }
    for entry in manifest.buffers {
      let buffer = try device.makeBuffer(length: entry.length, storageMode: entry.storageMode, label: entry.label)
      try add(entry.name, buffer, to: \.buffers)
    }
    for entry in manifest.samplers {
      try add(entry.name, try device.makeSamplerState(entry.descriptor, label: entry.label), to: \.samplers)
    }
    for entry in manifest.functions {
      let function = try function(entry)
      try add(entry.name, function, to: \.functions)
      computePipelines[entry.name] = ComputePipelineState(function)
    }
    for entry in manifest.renderPipelines { try add(entry.name, renderPipeline(entry), to: \.renderPipelines) }
    for entry in manifest.readbacks {
      try require((0...1 << 32).contains(entry.length), entry.name, "\(entry.length) bytes are no valid length")
      try add(entry.name, CaptureRead(Readback(length: entry.length), name: entry.name), to: \.readbacks)
    }
  }

  private mutating func add<Value>(
    _ name: String, _ value: Value, to table: WritableKeyPath<ManifestReader, [String: Value]>
  ) throws(SafelightError) {
    try require(self[keyPath: table][name] == nil, name, "the name is given twice")
    self[keyPath: table][name] = value
  }

  private func texture(_ entry: CaptureManifest.Texture) throws(SafelightError) -> Texture {
    let descriptor = entry.descriptor
    let numbers = [
      descriptor.size.width, descriptor.size.height, descriptor.depth, descriptor.arrayLength,
      descriptor.mipmapLevelCount, descriptor.sampleCount,
    ]
    try require(numbers.allSatisfy((1...1 << 20).contains), entry.name, "its size is invalid")
    if let fault = descriptor.shapeFault { throw capture.fault(entry.name, why: fault) }
    let (limit, needed) = (1 << 32, descriptor.byteCount)
    try require(needed <= limit, entry.name, "it needs \(needed) bytes; captures hold textures of \(limit) at most")
    return try device.makeTexture(descriptor, label: entry.label)
  }

  private func view(_ entry: CaptureManifest.Texture) throws(SafelightError) -> Texture {
    guard let parent = textures[entry.parent ?? ""], let levels = entry.levels, let slices = entry.slices else {
      throw capture.fault(entry.name, why: "the texture of which it is a view is not listed before it")
    }
    let whole = parent.descriptor
    let isInside =
      levels.isInside(whole.mipmapLevelCount) && slices.isInside(whole.sliceCount())
      && whole.pixelFormat.canBeViewed(as: entry.descriptor.pixelFormat)
    try require(isInside, entry.name, "it shows levels, slices or a format that its texture does not have")
    var shape = entry.descriptor
    shape.arrayLength = slices.count
    shape.depth = whole.depth
    try require(shape.sliceCount() == slices.count, entry.name, "its type does not have \(slices.count) slices")
    return parent.makeTextureView(
      pixelFormat: entry.descriptor.pixelFormat, textureType: entry.descriptor.textureType,
      levels: levels.first..<levels.first + levels.count, slices: slices.first..<slices.first + slices.count,
      label: entry.label)
  }

  private func function(_ entry: CaptureManifest.Function) throws(SafelightError) -> ShaderFunction {
    guard let text = capture.texts[entry.text] else {
      throw capture.fault(entry.name, why: "its text \(entry.text) is missing")
    }
    let twin =
      twins.twin(entry.function, constants: entry.constants)
      ?? ShaderFunction.builtIn.first { $0.name == entry.function }?.twin
    try require(
      entry.arguments.allSatisfy { (0..<32).contains($0.index) }, entry.name, "an argument's index is not 0 to 31")
    // The assembly writes the version itself. The line stays as a comment, so that messages state lines of the text.
    let contents = text.hasPrefix("#version") ? "//" + text : text
    // A text of its own, so that messages name it.
    let parts = text.isEmpty ? [] : [ShaderText(name: entry.text, contents: contents)]
    return ShaderFunction(
      name: entry.function, assembly: ShaderAssembly(parts), arguments: entry.arguments.map(\.argument), twin: twin)
  }

  /// Returns the function `name` with the twin of the kernel's pass `origin`; nil if the function can run as it is.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the device is the CPU and knows no twin.
  func function(_ name: String, recordedBy origin: String?) throws(SafelightError) -> ShaderFunction? {
    let function = try function(name)
    guard device.info.isCPU, function.twin == nil else { return nil }
    let text = manifest.functions.first { $0.name == name }.flatMap { capture.texts[$0.text] } ?? ""
    guard let twin = origin.flatMap({ twins.passes?($0, text, function.arguments) }) else {
      if let origin, twins.passes != nil {
        throw SafelightError(
          .unsupported, function.name, why: "no kernel here makes the pass '\(origin)' with this text",
          remedy: "put back the files that the call names, use the version of the capture, or replay on a device with "
            + "OpenGL ES")
      }
      throw SafelightError(
        .unsupported, function.name,
        why: "a capture holds only GLSL, and "
          + (twins.names.isEmpty
            ? "no twins of functions are known" : "the known twins are \(twins.names.joined(separator: ", "))"),
        remedy: "add the function to the TwinLibrary of the replay, or replay on a device with OpenGL ES")
    }
    return function.withTwin(twin)
  }

  // MARK: By name

  func texture(_ name: String) throws(SafelightError) -> Texture { try find(name, in: textures) }
  func buffer(_ name: String) throws(SafelightError) -> Buffer { try find(name, in: buffers) }
  func sampler(_ name: String) throws(SafelightError) -> SamplerState { try find(name, in: samplers) }
  func function(_ name: String) throws(SafelightError) -> ShaderFunction { try find(name, in: functions) }
  func readback(_ name: String) throws(SafelightError) -> Readback { try find(name, in: readbacks).readback }
  func computePipeline(_ name: String) throws(SafelightError) -> ComputePipelineState {
    try find(name, in: computePipelines)
  }
  func renderPipeline(_ name: String) throws(SafelightError) -> RenderPipelineState {
    try find(name, in: renderPipelines)
  }

  private func find<Value>(_ name: String, in table: [String: Value]) throws(SafelightError) -> Value {
    guard let value = table[name] else { throw capture.fault("'\(name)'", why: "nothing of this name is listed") }
    return value
  }
}

// MARK: Contents

extension ManifestReader {
  /// Returns the command that writes an input; nil for zeros, which the resource holds anyway.
  private func input(_ contents: CaptureManifest.Contents) throws(SafelightError) -> Command? {
    if contents.bytes.blob == nil && contents.bytes.words == nil { return nil }
    guard let image = contents.image else {
      let buffer = try buffer(contents.resource)
      let bytes = try capture.bytes(contents.bytes, of: contents.name, count: buffer.length)
      return .writeBuffer(buffer, offset: 0, bytes: bytes)
    }
    let texture = try texture(contents.resource)
    let upload = CapturedCommand.Upload(
      texture: contents.resource, image: image, region: Region(size: texture.descriptor.size(atLevel: image.level)),
      pixelFormat: texture.pixelFormat, pixels: contents.bytes)
    return .upload(try self.upload(upload, of: contents.name))
  }

  /// Adds the read of an output to the recording; a readback needs none.
  private mutating func expect(
    _ contents: CaptureManifest.Contents, _ made: Set<ResourceID>, _ recording: inout Recording
  ) throws(SafelightError) {
    // A resource that no command writes is equal whatever the commands do.
    let unwritten = "no command writes it, so there is nothing to compare"
    let read: CaptureRead
    if let image = contents.image {
      let texture = try texture(contents.resource)
      try require(made.contains(texture.hazard), contents.name, unwritten)
      let region = Region(size: texture.descriptor.size(atLevel: image.level))
      try check(region, of: image, in: texture, contents.name)
      read = CaptureRead(texture, image, name: contents.name, of: contents.resource)
    } else if let readback = readbacks[contents.resource] {
      read = readback
    } else {
      let buffer = try buffer(contents.resource)
      try require(made.contains(buffer.lifetime.id), contents.name, unwritten)
      read = CaptureRead(buffer, name: contents.name)
    }
    if let command = read.command { recording.append(command, label: "outputs") }
    expectations.append(CaptureReplay.Expectation(contents: contents, read: read))
  }

  /// Throws if pixels of `region` cannot be copied; called before their bytes are counted, which might overflow.
  func check(
    _ region: Region, of image: TextureImage, in texture: Texture, _ subject: String
  ) throws(SafelightError) {
    if let fault = texture.fault(region, of: image, for: "copy") { throw capture.fault(subject, why: fault) }
  }
}

extension CaptureManifest.Span {
  /// True if it is a part of `0..<count` and not empty.
  fileprivate func isInside(_ count: Int) -> Bool {
    (0..<count).contains(first) && (1...count).contains(self.count) && first + self.count <= count
  }
}

extension Recording {
  fileprivate mutating func append(_ command: Command, label: String) {
    if encoders.last != label { encoders.append(label) }
    commands.append(
      Entry(label: label, command: command, callSite: CallSite(#fileID, #line), encoder: encoders.count - 1))
  }
}
