internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on the CPU: copies as they are, functions through their Swift twins.
final class CPUExecutor: CommandExecutor {
  let info = DeviceInfo.cpu
  let capabilities: Capabilities

  unowned let home: Executor
  var textures: [ResourceID: TextureMemory] = [:]
  var buffers: [ResourceID: BufferMemory] = [:]
  /// Buffers of other devices that have received what the process wrote, in the recording under way.
  var refreshed: Set<ResourceID> = []
  var transferAllocations = 0
  let worksInHostMemory = true

  init(options: DeviceOptions, home: Executor) {
    self.home = home
    let unlimited = Capabilities(
      maximumTextureSize: 1 << 20, maximumThreadsPerThreadgroup: 1024, maximumThreadgroupWidth: 1024,
      maximumThreadgroupHeight: 1024, maximumThreadgroupMemoryLength: 65536, maximumStorageBuffers: 16,
      maximumStorageTextures: 16, maximumBufferLength: 1 << 31, maximumUniformLength: 65536,
      bufferOffsetAlignment: 4, features: .all.subtracting([.dmaBufferImport, .dmaBufferExport]),
      shaderExtensions: .all, render: .cpu)
    capabilities = options.limits.map { unlimited.clamped(to: $0) } ?? unlimited
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let variant):
      try variant.check(pipeline.function, capabilities)
      _ = try twin(of: pipeline.function)
    case .render(let pipeline):
      try pipeline.check(capabilities)
      _ = try pipeline.vertexFunction.reflection(nil)
      _ = try pipeline.fragment.reflection(nil)
      _ = try twin(of: pipeline.vertexFunction)
      _ = try twin(of: pipeline.fragment)
    }
  }

  func begin() { refreshed = [] }

  func refresh(except newer: [Buffer]) { refreshed = Set(newer.map(\.lifetime.id)) }

  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    try prepare(pipeline)
    return nil
  }

  func mark() -> TimeMark { TimeMark() }

  /// The commands were carried out where they were performed, so the host's clock is the device's.
  func seconds(at marks: [TimeMark]) -> [Double]? { marks.map(\.hostTime) }

  func reuse(_ marks: [TimeMark]) {}

  func flush() {}

  func finish(_ label: String) throws(SafelightError) { try checkLoss() }

  private func checkLoss() throws(SafelightError) {
    guard isLost else { return }
    throw SafelightError(.driver, info.name, why: "its memory was lost by a simulation", remedy: "run again")
  }

  private(set) var isLost = false

  func simulateLoss() { isLost = true }

  func rebuild() {
    close()
    isLost = false
  }

  func close() {
    textures = [:]
    buffers = [:]
  }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    // Before anything is done: the process shares the memory.
    try checkLoss()
    switch command {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost: break
    // The executor of recordings sees to these.
    case .signalEvent, .waitForEvent, .sampleCounters: break
    case .dispatch(let dispatch):
      let grid = try grid(of: dispatch)
      try run(
        dispatch.pipeline.function, dispatch.bindings, grid: grid.size, depth: grid.depth, variant: dispatch.variant,
        target: nil)
    case .draw(let draw): try perform(draw)
    case .clear(let pass): clear(pass)
    case .store(let pass): store(pass)
    case .upload(let upload): perform(upload)
    case .readTexture(let read): perform(read, result: &result)
    case .copyTexture(let copy): perform(copy)
    case .copyBufferToTexture(let copy): upload(copy)
    case .copyTextureToBuffer(let copy): download(copy)
    case .generateMipmaps(let texture): generateMipmaps(texture)
    case .writeBuffer(let buffer, let offset, let bytes): write(bytes, to: buffer, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory(buffer).bytes[range]).initializeMemory(
        as: UInt8.self, repeating: value)
    case .copyBuffer(let copy): perform(copy)
    case .readBuffer(let buffer, let range, let readback): read(buffer, range, into: readback, result: &result)
    // The process and the twins work in the same memory.
    case .synchronize: break
    }
  }
}
