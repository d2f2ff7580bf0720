internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

/// Describes a recording as a manifest: gives every object a name, and keeps bytes and texts beside.
struct ManifestWriter {
  private(set) var manifest: CaptureManifest
  private(set) var blobs: [String: Capture.Blob] = [:]
  private(set) var texts: [String: String] = [:]

  /// The textures with pixels of their own and the buffers of the recording, in order of first use.
  private(set) var resources: [UsedResource] = []
  /// The readbacks of the recording, in order of first use.
  private(set) var readbacks: [CaptureRead] = []

  private var counts: [String: Int] = [:]
  private var names: [Key: String] = [:]
  private var resourceIndices: [ResourceID: Int] = [:]
  private var readbackIndices: [ObjectIdentifier: Int] = [:]

  struct UsedResource {
    let name: String
    let resource: ResourceAccess.Resource
    /// True if the recording depends on its contents before the first command.
    let isInput: Bool
    /// True if the recording leaves contents in it.
    var isOutput = false
  }

  private enum Key: Hashable {
    case resource(ResourceID)
    case pipeline(ObjectIdentifier)
    case function(ShaderStage, name: String, text: String, arguments: [ShaderArgument])
  }

  init(_ recording: Recording, info: DeviceInfo) throws(SafelightError) {
    manifest = CaptureManifest(
      label: recording.label,
      device: CaptureManifest.Device(name: info.name, driver: info.driver, vendor: info.vendor, isCPU: info.isCPU))
    for entry in recording.commands {
      for access in entry.accesses { note(access) }
      manifest.commands.append(try command(entry))
    }
  }

  var byteCount: Int { blobs.values.reduce(0) { $0 + $1.bytes.count } }

  private mutating func note(_ access: ResourceAccess) {
    let index = resourceIndices[access.resource.id] ?? resources.count
    if index == resources.count {
      resourceIndices[access.resource.id] = index
      let name =
        switch access.resource {
        case .texture(let texture): self.name(texture)
        case .buffer(let buffer): self.name(buffer)
        }
      resources.append(UsedResource(name: name, resource: access.resource, isInput: access.kind != .replacement))
    }
    switch access.kind {
    case .read: break
    case .change, .write, .replacement: resources[index].isOutput = true
    case .discard: resources[index].isOutput = false
    }
  }
}

// MARK: Objects

extension ManifestWriter {
  /// Returns a new name: a kind, a number, and as much of the label as a file name takes, such as `texture-2-source`.
  private mutating func newName(_ kind: String, _ label: String = "") -> String {
    counts[kind, default: 0] += 1
    let name = "\(kind)-\(counts[kind, default: 0])"
    let words = Capture.fileName(label, limit: 40)
    return words.isEmpty ? name : "\(name)-\(words)"
  }

  /// Returns the name of the object that `key` identifies; adds the `entry` of a new one to a list of the manifest.
  private mutating func name<Entry>(
    of key: Key, _ kind: String, _ label: String, in list: WritableKeyPath<CaptureManifest, [Entry]>,
    _ entry: (_ name: String) -> Entry
  ) -> String {
    if let known = names[key] { return known }
    let name = newName(kind, label)
    names[key] = name
    manifest[keyPath: list].append(entry(name))
    return name
  }

  private mutating func name(_ texture: Texture) -> String {
    let parent = texture.parent.map { name($0) }
    return name(of: .resource(texture.lifetime.id), "texture", texture.label, in: \.textures) { name in
      CaptureManifest.Texture(
        name: name, label: texture.label, descriptor: texture.descriptor, parent: parent,
        levels: parent.map { _ in CaptureManifest.Span(texture.parentLevels) },
        slices: parent.map { _ in CaptureManifest.Span(texture.parentSlices) })
    }
  }

  private mutating func name(_ buffer: Buffer) -> String {
    name(of: .resource(buffer.lifetime.id), "buffer", buffer.label, in: \.buffers) { name in
      CaptureManifest.Buffer(name: name, label: buffer.label, length: buffer.length, storageMode: buffer.storageMode)
    }
  }

  private mutating func name(_ sampler: SamplerState) -> String {
    name(of: .resource(sampler.lifetime.id), "sampler", sampler.label, in: \.samplers) { name in
      CaptureManifest.Sampler(name: name, label: sampler.label, descriptor: sampler.descriptor)
    }
  }

  private mutating func name(
    _ function: ShaderFunction, _ stage: ShaderStage
  ) throws(SafelightError) -> String {
    // A function without GLSL has an empty text.
    let text = function.assembly.parts.isEmpty ? "" : try function.assembly.shader().text
    let key = Key.function(stage, name: function.name, text: text, arguments: function.arguments)
    // The file extensions of the reference compiler: comp, vert and frag.
    func place(_ name: String) -> String { "functions/\(name).\(stage.rawValue.prefix(4))" }
    let name = name(of: key, "function", function.name, in: \.functions) { name in
      CaptureManifest.Function(
        name: name, function: function.name, stage: stage, text: place(name),
        arguments: function.arguments.map(CaptureManifest.Argument.init),
        constants: Dictionary(function.assembly.constants.map { ($0.name, $0.text) }) { _, last in last },
        hasTwin: function.twin != nil)
    }
    texts[place(name)] = text
    return name
  }

  private mutating func name(_ pipeline: RenderPipelineState) throws(SafelightError) -> String {
    let key = Key.pipeline(ObjectIdentifier(pipeline))
    if let known = names[key] { return known }
    let (vertex, fragment) = (try name(pipeline.vertexFunction, .vertex), try name(pipeline.fragment, .fragment))
    return name(of: key, "pipeline", pipeline.label, in: \.renderPipelines) { name in
      CaptureManifest.RenderPipeline(
        name: name, label: pipeline.label, vertexFunction: vertex, fragmentFunction: fragment,
        vertexDescriptor: pipeline.vertexDescriptor, colorAttachments: pipeline.colorAttachments,
        depthAttachmentPixelFormat: pipeline.depthAttachmentPixelFormat,
        stencilAttachmentPixelFormat: pipeline.stencilAttachmentPixelFormat,
        rasterSampleCount: pipeline.rasterSampleCount)
    }
  }

  /// Returns the name of a readback; `size` and `pixelFormat` are given if one picture fills it.
  private mutating func name(
    _ readback: Readback, filledBy size: Size? = nil, _ pixelFormat: PixelFormat? = nil
  ) -> String {
    let index = readbackIndices[ObjectIdentifier(readback)] ?? readbacks.count
    if index == readbacks.count {
      let name = newName("readback")
      readbackIndices[ObjectIdentifier(readback)] = index
      readbacks.append(CaptureRead(readback, name: name))
      manifest.readbacks.append(CaptureManifest.Readback(name: name, length: readback.length))
    }
    if let size {
      readbacks[index].size = size
      readbacks[index].pixelFormat = pixelFormat
    }
    return readbacks[index].name
  }

  /// Keeps bytes that a command carries, under a new name of kind `kind`.
  private mutating func keep(
    _ bytes: [UInt8], as kind: String, size: Size? = nil, _ pixelFormat: PixelFormat? = nil
  ) -> CaptureManifest.Bytes {
    CaptureManifest.Bytes(bytes, at: "inputs/\(newName(kind))", size: size, pixelFormat, in: &blobs)
  }
}

extension CaptureManifest.Argument {
  fileprivate init(_ argument: ShaderArgument) {
    let (index, kinds) = (argument.index, Kind.allCases)
    self.init(kind: kinds.first { Self(kind: $0, index: index).argument == argument } ?? .bytes, index: index)
  }

  var argument: ShaderArgument {
    switch kind {
    case .sampledTexture: .sampledTexture(index)
    case .loadedTexture: .loadedTexture(index)
    case .storageTexture: .storageTexture(index)
    case .readWriteTexture: .readWriteTexture(index)
    case .readBuffer: .readBuffer(index)
    case .storageBuffer: .storageBuffer(index)
    case .bytes: .bytes(index)
    }
  }
}

extension CaptureManifest.Span {
  fileprivate init(_ range: Range<Int>) { self.init(first: range.lowerBound, count: range.count) }
}

extension CaptureManifest.Bytes {
  /// Describes bytes, and keeps them in `blobs` at `place` unless they are short or zeros.
  init(
    _ bytes: [UInt8], at place: String, size: Size?, _ pixelFormat: PixelFormat?, in blobs: inout [String: Capture.Blob]
  ) {
    self.init(length: bytes.count)
    if bytes.allSatisfy({ $0 == 0 }) { return }
    if size == nil && bytes.count <= 64 && bytes.count % 4 == 0 {
      words = stride(from: 0, to: bytes.count, by: 4).map { (start: Int) -> String in
        let word: UInt32 = bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        return "\(word)"
      }.joined(separator: " ")
    } else {
      blob = place
      blobs[place] = Capture.Blob(bytes: bytes, size: size, pixelFormat: pixelFormat)
    }
  }
}

extension Dictionary where Key == Int {
  /// Maps the values in order of the keys, so that equal recordings give their objects equal names.
  fileprivate func mapInOrder<Mapped>(_ transform: (Int, Value) -> Mapped) -> [Int: Mapped] {
    keys.sorted().reduce(into: [:]) { mapped, key in mapped[key] = self[key].map { transform(key, $0) } }
  }
}

// MARK: Commands

extension ManifestWriter {
  private mutating func command(_ entry: Recording.Entry) throws(SafelightError) -> CapturedCommand {
    var captured = CapturedCommand(encoder: entry.label, place: entry.callSite.description)
    switch entry.command {
    case .pushDebugGroup(let name): captured.pushDebugGroup = name
    case .popDebugGroup: captured.popDebugGroup = true
    case .insertDebugSignpost(let text): captured.insertDebugSignpost = text
    case .signalEvent(let event, let value):
      captured.signalEvent = CapturedCommand.EventUse(event: event.label, value: value)
    case .waitForEvent(let event, let value, seconds: _):
      captured.waitForEvent = CapturedCommand.EventUse(event: event.label, value: value)
    case .sampleCounters(let buffer, let index):
      captured.sampleCounters = CapturedCommand.CounterSample(buffer: buffer.label, index: index)
    case .dispatch(let dispatch):
      captured.dispatch = try self.dispatch(dispatch)
      captured.origin = entry.origin
    case .draw(let draw):
      captured.draw = try self.draw(draw)
      captured.origin = entry.origin
    case .clear(let pass): captured.clear = self.pass(pass)
    case .store(let pass): captured.store = self.pass(pass)
    case .upload(let upload): captured.upload = self.upload(upload)
    case .readTexture(let read):
      let (size, format) = (read.region.size, read.pixelFormat)
      captured.readTexture = CapturedCommand.TextureRead(
        texture: name(read.texture), image: read.image, region: read.region, pixelFormat: format,
        readback: read.isWhole ? name(read.readback, filledBy: size, format) : name(read.readback),
        offset: read.offset, bytesPerRow: read.bytesPerRow)
    case .copyTexture(let copy):
      captured.copyTexture = CapturedCommand.TextureCopy(
        source: name(copy.source), sourceImage: copy.sourceImage, region: copy.region,
        destination: name(copy.destination), destinationImage: copy.destinationImage, x: copy.x, y: copy.y)
    case .copyBufferToTexture(let copy): captured.copyBufferToTexture = self.copy(copy)
    case .copyTextureToBuffer(let copy): captured.copyTextureToBuffer = self.copy(copy)
    case .generateMipmaps(let texture): captured.generateMipmaps = name(texture)
    case .writeBuffer(let buffer, let offset, let bytes):
      captured.writeBuffer = CapturedCommand.BufferWrite(
        buffer: name(buffer), offset: offset, bytes: keep(bytes, as: "write"))
    case .fillBuffer(let buffer, let range, let value):
      captured.fillBuffer = CapturedCommand.BufferFill(
        buffer: name(buffer), offset: range.lowerBound, length: range.count, value: value)
    case .copyBuffer(let copy):
      captured.copyBuffer = CapturedCommand.BufferCopy(
        source: name(copy.source), sourceOffset: copy.range.lowerBound, length: copy.range.count,
        destination: name(copy.destination), offset: copy.offset)
    case .readBuffer(let buffer, let range, let readback):
      captured.readBuffer = CapturedCommand.BufferRead(
        buffer: name(buffer), offset: range.lowerBound, length: range.count, readback: name(readback))
    case .synchronize(let buffer): captured.synchronize = name(buffer)
    }
    return captured
  }

  private mutating func bound(_ buffer: Buffer, _ offset: Int) -> CapturedCommand.BoundBuffer {
    CapturedCommand.BoundBuffer(buffer: name(buffer), offset: offset)
  }

  private mutating func bindings(_ bindings: Bindings) -> CapturedCommand.Bindings {
    CapturedCommand.Bindings(
      textures: bindings.textures.mapInOrder { name($1) },
      buffers: bindings.buffers.mapInOrder { bound($1, bindings.bufferOffsets[$0] ?? 0) },
      samplers: bindings.samplers.mapInOrder { name($1) }, bytes: bindings.bytes.mapInOrder { keep($1, as: "bytes") })
  }

  private mutating func dispatch(_ dispatch: Command.Dispatch) throws(SafelightError) -> CapturedCommand.Dispatch {
    CapturedCommand.Dispatch(
      function: try name(dispatch.pipeline.function, .compute), bindings: bindings(dispatch.bindings),
      threads: dispatch.threads, depth: dispatch.depth == 1 ? nil : dispatch.depth,
      threadsPerThreadgroup: dispatch.threadsPerThreadgroup,
      threadgroupMemoryLengths: dispatch.variant.threadgroupMemoryLengths,
      indirect: dispatch.indirect.map { bound($0.buffer, $0.offset) })
  }

  private mutating func upload(_ upload: Command.Upload) -> CapturedCommand.Upload {
    let row = upload.region.bytesPerRow(upload.pixelFormat)
    let count = row * upload.region.size.height
    let isWhole = upload.offset == 0 && upload.bytesPerRow == row && upload.bytes.count == count
    let pixels =
      isWhole
      ? upload.bytes
      : (0..<upload.region.size.height).flatMap { y in
        let first = upload.offset + y * upload.bytesPerRow
        return upload.bytes[first..<first + row]
      }
    return CapturedCommand.Upload(
      texture: name(upload.texture), image: upload.image, region: upload.region, pixelFormat: upload.pixelFormat,
      pixels: keep(pixels, as: "upload", size: upload.region.size, upload.pixelFormat))
  }

  private mutating func copy(_ copy: Command.BufferTextureCopy) -> CapturedCommand.BufferTextureCopy {
    CapturedCommand.BufferTextureCopy(
      buffer: name(copy.buffer), offset: copy.offset, bytesPerRow: copy.bytesPerRow, texture: name(copy.texture),
      image: copy.image, region: copy.region)
  }

  private mutating func draw(_ draw: Command.Draw) throws(SafelightError) -> CapturedCommand.Draw {
    CapturedCommand.Draw(
      pipeline: try name(draw.pipeline), pass: pass(draw.pass), bindings: bindings(draw.bindings),
      vertexBindings: bindings(draw.vertexBindings), state: draw.state, primitives: draw.primitives,
      vertices: vertices(draw.vertices), instances: CaptureManifest.Span(draw.instances))
  }

  private mutating func vertices(_ vertices: Command.Draw.Vertices) -> CapturedCommand.Vertices {
    var captured = CapturedCommand.Vertices()
    switch vertices {
    case .consecutive(let start, let count): (captured.start, captured.count) = (start, count)
    case .indexed(let indices, let count, let baseVertex):
      (captured.count, captured.baseVertex) = (count, baseVertex)
      (captured.indices, captured.indexType) = (bound(indices.buffer, indices.offset), indices.type)
    case .indirect(let buffer, let offset): captured.indirect = bound(buffer, offset)
    case .indexedIndirect(let indices, let buffer, let offset):
      (captured.indices, captured.indexType) = (bound(indices.buffer, indices.offset), indices.type)
      captured.indirect = bound(buffer, offset)
    }
    return captured
  }

  private mutating func pass(_ pass: RenderPassDescriptor) -> CapturedCommand.Pass {
    CapturedCommand.Pass(
      attachments: pass.colorAttachments.map { attachment($0) },
      depth: pass.depth.map { depthStencil($0) }, stencil: pass.stencil.map { depthStencil($0) },
      visibilityResultBuffer: pass.visibilityResultBuffer.map { name($0) })
  }

  private mutating func depthStencil(
    _ target: any DepthStencilAttachment
  ) -> CapturedCommand.DepthStencil {
    CapturedCommand.DepthStencil(
      texture: name(target.target), image: target.image, loadAction: target.loadAction,
      storeAction: target.storeAction, clear: target.clear)
  }

  private mutating func attachment(_ attachment: RenderPassDescriptor.ColorAttachment) -> CapturedCommand.Attachment {
    let (action, color): (String, [Double]?) =
      switch attachment.loadAction {
      case .dontCare: ("dontCare", nil)
      case .load: ("load", nil)
      case .clear(let red, let green, let blue, let alpha): ("clear", [red, green, blue, alpha].map(Double.init))
      case .clearColor(let color): ("clearColor", [color.red, color.green, color.blue, color.alpha])
      }
    return CapturedCommand.Attachment(
      texture: name(attachment.target), image: attachment.image, loadAction: action, color: color,
      storeAction: attachment.storeAction, resolveTexture: attachment.resolveTexture.map { name($0) },
      resolveImage: attachment.resolveImage)
  }
}
