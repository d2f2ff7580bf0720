internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on an OpenGL ES context.
final class GLESExecutor: CommandExecutor {
  let info: DeviceInfo
  let capabilities: Capabilities

  let context: Context
  unowned let home: Executor
  var textures: [ResourceID: TextureObject] = [:]
  var buffers: [ResourceID: BufferObject] = [:]
  var programs: [ProgramKey: ProgramObject] = [:]
  /// The buffers behind `setBytes`, by index; rewritten for each command.
  var uniforms: [Int: BufferObject] = [:]
  var barriers = BarrierPlan()

  /// A pipeline with the size that it was compiled for. Pipelines are kept alive by ``keptPipelines``, so that an
  /// identifier never means two of them.
  struct ProgramKey: Hashable {
    var pipeline: ObjectIdentifier
    var threadsPerThreadgroup: Size
  }

  var keptPipelines: [ObjectIdentifier: AnyObject] = [:]

  /// Opens `candidate`; call on the executor's thread.
  init(_ candidate: DeviceCandidate, options: DeviceOptions, home: Executor) throws(SafelightError) {
    let context = try Context(
      candidate, options: ContextOptions(isDebugging: options.isDebugging, logger: options.logger))
    self.context = context
    self.home = home
    capabilities = options.limits.map { context.capabilities.clamped(to: $0) } ?? context.capabilities
    info = DeviceInfo(
      name: context.renderer, driver: context.version, vendor: context.vendor, platform: candidate.platform,
      index: candidate.index, node: candidate.node, isSoftware: context.isSoftware, isCPU: false)
  }

  func close() {
    textures = [:]
    buffers = [:]
    programs = [:]
    uniforms = [:]
    keptPipelines = [:]
    context.close()
  }

  func finish(_ label: String) throws(SafelightError) {
    try wait(label)
    try context.checkReset()
  }

  /// Waits with a limit; reads that wait by themselves come after it, as they would wait for a hung GPU for ever.
  func wait(_ label: String) throws(SafelightError) {
    try Fence.wait(context, seconds: 30, during: label)
  }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
    barriers.forget(id)
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let size):
      try pipeline.check(size, capabilities)
      _ = try program(pipeline, size)
    case .render(let pipeline): _ = try program(pipeline)
    }
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    switch command {
    case .pushDebugGroup(let name): context.pushDebugGroup(name)
    case .popDebugGroup: context.popDebugGroup()
    case .dispatch(let dispatch): try perform(dispatch)
    case .draw(let draw): try perform(draw)
    case .clear(let pass):
      try order([BarrierPlan.Use(resource: pass.texture.lifetime.id, access: .renderTarget)])
      try begin(pass, try object(pass.texture))
    case .upload(let upload): try perform(upload)
    case .readTexture(let read): try perform(read, result: &result)
    case .writeBuffer(let buffer, let offset, let bytes):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferUpdate)])
      try object(buffer).write(bytes, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferUpdate)])
      try object(buffer).write([UInt8](repeating: value, count: range.count), at: range.lowerBound)
    case .readBuffer(let buffer, let range, let readback):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferRead)])
      try wait("readback")
      result.readbacks[ObjectIdentifier(readback)] = try object(buffer).read(range)
    }
    try context.check(label)
  }

  /// Puts the barrier in front of a command that its uses need.
  func order(_ uses: [BarrierPlan.Use]) throws(SafelightError) {
    let mask = barriers.barrier(before: uses)
    if !mask.isEmpty { try context.memoryBarrier(mask) }
  }
}
