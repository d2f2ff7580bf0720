internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on the CPU: copies as they are, functions through their Swift twins.
final class CPUExecutor: CommandExecutor {
  let info = DeviceInfo.cpu
  let capabilities: Capabilities

  unowned let home: Executor
  var textures: [ResourceID: TextureMemory] = [:]
  var buffers: [ResourceID: BufferMemory] = [:]

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

  // MARK: Storage

  func memory(_ texture: Texture) -> TextureMemory {
    let id = texture.lifetime.id
    if let memory = textures[id] { return memory }
    let memory = TextureMemory(size: texture.size, pixelFormat: texture.pixelFormat)
    textures[id] = memory
    texture.lifetime.settle(in: home)
    return memory
  }

  func memory(_ buffer: Buffer) -> BufferMemory {
    let id = buffer.lifetime.id
    if let memory = buffers[id] { return memory }
    let memory = BufferMemory(length: buffer.length)
    buffers[id] = memory
    buffer.lifetime.settle(in: home)
    return memory
  }
}
