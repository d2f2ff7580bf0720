internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on the CPU: copies as they are, functions through their Swift twins.
final class CPUExecutor: CommandExecutor {
  let info = DeviceInfo.cpu
  let capabilities: Capabilities

  private unowned let home: Executor
  private var textures: [ResourceID: TextureMemory] = [:]
  private var buffers: [ResourceID: BufferMemory] = [:]

  init(options: DeviceOptions, home: Executor) {
    self.home = home
    let unlimited = Capabilities(
      maximumTextureSize: 1 << 20, maximumThreadsPerThreadgroup: 1024, maximumThreadgroupWidth: 1024,
      maximumThreadgroupHeight: 1024, maximumThreadgroupMemoryLength: 65536, maximumStorageBuffers: 16,
      maximumStorageTextures: 16, maximumBufferLength: 1 << 31, maximumUniformLength: 65536)
    capabilities = options.limits.map { unlimited.clamped(to: $0) } ?? unlimited
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let size):
      try pipeline.check(size, capabilities)
      _ = try twin(of: pipeline.function)
    case .render(let pipeline): _ = try twin(of: pipeline.fragment)
    }
  }

  func finish(_ label: String) {}

  func close() {
    textures = [:]
    buffers = [:]
  }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    switch command {
    case .pushDebugGroup, .popDebugGroup: break
    case .dispatch(let dispatch):
      try dispatch.check(capabilities)
      try run(dispatch.pipeline.function, dispatch.bindings, grid: dispatch.threads, target: nil)
    case .draw(let draw): try perform(draw)
    case .clear(let pass):
      if case .clear(let red, let green, let blue, let alpha) = pass.loadAction {
        clear(memory(pass.texture), to: [red, green, blue, alpha])
      }
    case .upload(let upload): perform(upload)
    case .readTexture(let read): perform(read, result: &result)
    case .writeBuffer(let buffer, let offset, let bytes):
      memory(buffer).bytes.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .fillBuffer(let buffer, let range, let value):
      memory(buffer).bytes.replaceSubrange(range, with: repeatElement(value, count: range.count))
    case .readBuffer(let buffer, let range, let readback):
      result.readbacks[ObjectIdentifier(readback)] = Array(memory(buffer).bytes[range])
    }
  }

  // MARK: Commands

  private func perform(_ draw: Command.Draw) throws(SafelightError) {
    guard draw.vertexStart == 0, draw.vertexCount == 4 else {
      throw SafelightError(
        .unsupported, draw.pipeline.fragment.name,
        why: "a twin paints the whole target, a draw of part of the strip does not",
        remedy: "draw vertices 0 to 3 on the CPU executor")
    }
    let target = memory(draw.pass.texture)
    try run(draw.pipeline.fragment, draw.bindings, grid: target.size, target: target)
  }

  /// Integer samples are cut off, normalised ones rounded, as the other executor and OpenGL ES do (ES 3.2 §2.3.4.2).
  private func clear(_ target: TextureMemory, to value: [Float]) {
    let format = target.pixelFormat
    let pixel = value.prefix(format.samplesPerPixel).flatMap { value in
      let sample = format.sample(normalized: value)
      return (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
    }
    target.bytes = (0..<target.size.area).flatMap { _ in pixel }
  }

  private func run(
    _ function: ShaderFunction, _ bindings: Bindings, grid: Size, target: TextureMemory?
  ) throws(SafelightError) {
    let twin = try twin(of: function)
    let arguments = TwinArguments(
      grid: grid, colorAttachment: target, textures: bindings.textures.mapValues { memory($0) },
      buffers: bindings.buffers.mapValues { memory($0) }, bytes: bindings.bytes)
    do {
      try twin.body(arguments)
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.driver, function.name, why: "its Swift twin failed: \(error)", remedy: "correct the twin")
    }
  }

  private func twin(of function: ShaderFunction) throws(SafelightError) -> ShaderTwin {
    guard let twin = function.twin else {
      throw SafelightError(
        .unsupported, function.name, why: "it has no Swift twin, so the CPU executor cannot run it",
        remedy: "give the function a twin, or use a GPU device")
    }
    return twin
  }

  private func perform(_ upload: Command.Upload) {
    let target = memory(upload.texture)
    if upload.source.size == upload.image.size && upload.source.size == target.size {
      target.bytes = upload.image.bytes
      return
    }
    copyRows(
      upload.source.size, bytesPerPixel: target.pixelFormat.bytesPerPixel,
      from: upload.image.bytes, upload.source, rowBytes: upload.image.bytesPerRow,
      to: &target.bytes, upload.destination, rowBytes: target.bytesPerRow)
  }

  private func perform(_ read: Command.TextureRead, result: inout ReplayResult) {
    let source = memory(read.texture)
    let key = ObjectIdentifier(read.readback)
    if read.region.size == source.size && read.readbackSize == source.size {
      result.readbacks[key] = source.bytes
      return
    }
    var bytes = result.readbacks.removeValue(forKey: key) ?? [UInt8](repeating: 0, count: read.readback.length)
    let pixel = source.pixelFormat.bytesPerPixel
    copyRows(
      read.region.size, bytesPerPixel: pixel, from: source.bytes, read.region, rowBytes: source.bytesPerRow,
      to: &bytes, read.destination, rowBytes: read.readbackSize.width * pixel)
    result.readbacks[key] = bytes
  }

  private func copyRows(
    _ size: Size, bytesPerPixel: Int, from source: [UInt8], _ sourceRegion: Region, rowBytes sourceRow: Int,
    to target: inout [UInt8], _ targetRegion: Region, rowBytes targetRow: Int
  ) {
    let count = size.width * bytesPerPixel
    for y in 0..<size.height {
      let from = (sourceRegion.y + y) * sourceRow + sourceRegion.x * bytesPerPixel
      let to = (targetRegion.y + y) * targetRow + targetRegion.x * bytesPerPixel
      target.replaceSubrange(to..<to + count, with: source[from..<from + count])
    }
  }

  // MARK: Storage

  private func memory(_ texture: Texture) -> TextureMemory {
    let id = texture.lifetime.id
    if let memory = textures[id] { return memory }
    let memory = TextureMemory(size: texture.size, pixelFormat: texture.pixelFormat)
    textures[id] = memory
    texture.lifetime.settle(in: home)
    return memory
  }

  private func memory(_ buffer: Buffer) -> BufferMemory {
    let id = buffer.lifetime.id
    if let memory = buffers[id] { return memory }
    let memory = BufferMemory(length: buffer.length)
    buffers[id] = memory
    buffer.lifetime.settle(in: home)
    return memory
  }
}
