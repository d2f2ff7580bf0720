internal import Logging
internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on an OpenGL ES context.
final class GLESBackend: Backend {
  let info: DeviceInfo
  let capabilities: Capabilities

  /// The context in use; another one after a loss.
  var context: Context
  let candidate: DeviceCandidate
  let options: ContextOptions
  /// The device's own clock; nil where the driver has none.
  var clock: DeviceClock?
  /// Lost contexts with memory that the process may still look at.
  var retired: [RetiredContext] = []
  unowned let home: DeviceThread
  var textures: [ResourceID: TextureObject] = [:]
  var buffers: [ResourceID: BufferObject] = [:]
  var programs: [ProgramKey: ProgramObject] = [:]
  /// The same programs by their texts: pipelines of equal functions share one.
  var programsByText: [[String]: ProgramObject] = [:]
  let archive: BinaryArchive?
  let logger: Logger
  /// The buffers behind `setBytes`, by index; rewritten for each command.
  var uniforms: [Int: BufferObject] = [:]
  var samplers: [ResourceID: SamplerObject] = [:]
  /// Textures over shared memory that the driver does not take, with what it said.
  var copied: [ResourceID: SafelightError] = [:]
  var barriers = BarrierPlan()
  /// Buffers that have received what the process wrote, in the recording under way.
  var refreshed: Set<ResourceID> = []
  /// Buffers whose contents the process expects on completion of the recording under way.
  var written: [ResourceID: Buffer] = [:]
  /// Memory in which channels are swapped.
  var staging: [UInt8] = []
  var transferAllocations = 0
  let worksInHostMemory = false
  /// Made at the first pass.
  var drawing: DrawingObjects?

  /// A pipeline with what it was compiled for. Pipelines are kept alive by ``keptPipelines``, so that an
  /// identifier never means two of them.
  struct ProgramKey: Hashable {
    var pipeline: ObjectIdentifier
    var variant: ComputeVariant?
  }

  var keptPipelines: [ObjectIdentifier: AnyObject] = [:]

  /// Opens `candidate`; call on the device's thread.
  init(_ candidate: DeviceCandidate, options: DeviceOptions, home: DeviceThread) throws(SafelightError) {
    let contextOptions = ContextOptions(
      isDebugging: options.isDebugging, priority: options.priority, logger: options.logger)
    let context = try Context(candidate, options: contextOptions)
    self.context = context
    archive = options.archive
    logger = options.logger
    self.candidate = candidate
    self.options = contextOptions
    clock = DeviceClock(context)
    self.home = home
    let capabilities = options.limits.map { context.capabilities.clamped(to: $0) } ?? context.capabilities
    self.capabilities = capabilities
    context.features = capabilities.features
    info = DeviceInfo(
      name: context.renderer, driver: context.version, vendor: context.vendor, platform: candidate.platform,
      index: candidate.index, node: candidate.node, registryID: candidate.registryID,
      isSoftware: context.isSoftware, isCPU: false, priority: context.priority)
  }

  func close() {
    drop()
    if !retired.contains(where: { $0.context === context }) { context.close() }
    closeRetired()
  }

  /// Lets go of everything that belongs to the context.
  func drop() {
    drawing = nil
    clock = nil
    barriers = BarrierPlan()
    textures = [:]
    buffers = [:]
    programs = [:]
    programsByText = [:]
    uniforms = [:]
    samplers = [:]
    copied = [:]
    written = [:]
    keptPipelines = [:]
  }

  func flush() throws(SafelightError) {
    try context.flush()
  }

  func begin() {
    refreshed = []
    written = [:]
  }

  func refresh(except newer: [Buffer]) {
    // Of managed buffers no byte comes over but those that the process says it wrote.
    refreshed = Set(newer.filter { $0.storageMode != .managed }.map(\.lifetime.id))
  }

  func finish(_ label: String) throws(SafelightError) {
    try orderCopyBack()
    try wait(label)
    // What a lost context hands out must not reach the process.
    try context.checkReset()
    try copyBack()
  }

  /// Waits with a limit; reads that wait by themselves come after it, as they would wait for a hung GPU for ever.
  func wait(_ label: String) throws(SafelightError) {
    try FenceSync.wait(context, seconds: 30, during: label)
  }

  func release(_ id: ResourceID) {
    if let texture = textures[id] { drawing?.target.forget(texture) }
    textures[id] = nil
    buffers[id] = nil
    samplers[id] = nil
    copied[id] = nil
    barriers.forget(id)
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    try order(command.touches.lazy.map(\.use))
    switch command {
    case .pushDebugGroup(let name): context.pushDebugGroup(name)
    case .popDebugGroup: context.popDebugGroup()
    case .insertDebugSignpost(let text): context.insertDebugSignpost(text)
    // DeviceThread carries these out.
    case .signalEvent, .waitForEvent, .sampleCounters: break
    case .dispatch(let dispatch): try perform(dispatch)
    case .draw(let draw): try perform(draw)
    case .clear(let pass): try clear(pass)
    case .store(let pass): try store(pass)
    case .upload(let upload): try perform(upload)
    case .readTexture(let read): try perform(read, result: &result)
    case .copyTexture(let copy): try perform(copy)
    case .copyBufferToTexture(let copy): try upload(copy)
    case .copyTextureToBuffer(let copy): try download(copy)
    case .generateMipmaps(let texture): try generateMipmaps(texture)
    case .writeBuffer(let buffer, let offset, let bytes): try write(bytes, to: buffer, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      try write([UInt8](repeating: value, count: range.count), to: buffer, at: range.lowerBound)
    case .copyBuffer(let copy): try perform(copy)
    case .readBuffer(let buffer, let range, let readback): try read(buffer, range, into: readback, result: &result)
    case .synchronize(let buffer):
      _ = try object(buffer)
      willWrite(buffer, synchronizes: true)
    }
    try context.check(label)
  }

  /// Puts the barrier in front of a command that its uses need.
  func order(_ uses: some Collection<BarrierPlan.Use>) throws(SafelightError) {
    let mask = barriers.barrier(before: uses)
    if !mask.isEmpty { try context.memoryBarrier(mask) }
  }
}

/// A lost context whose buffers the process has as memory: it may look at them as long as the device is open.
struct RetiredContext {
  let context: Context
  var buffers: [BufferObject]
}

extension GLESBackend {
  var isLost: Bool { context.lossReason != nil }

  func simulateLoss() { context.simulateLoss() }

  func rebuild() throws(SafelightError) {
    let mapped = buffers.values.filter { unsafe $0.mapped != nil }
    drop()
    let old = context
    if !mapped.isEmpty { retired.append(RetiredContext(context: old, buffers: mapped)) }
    context = try Context(candidate, options: options)
    context.features = capabilities.features
    clock = DeviceClock(context)
    if !retired.contains(where: { $0.context === old }) { close(old) }
  }

  /// Closes what outlived its context, when nobody may look at it any more.
  func closeRetired() {
    for index in retired.indices {
      retired[index].context.makeCurrent()
      retired[index].buffers = []
      retired[index].context.close()
    }
    retired = []
  }

  private func close(_ old: Context) {
    old.makeCurrent()
    old.close()
    context.makeCurrent()
  }
}

extension GLESBackend {
  func mark() throws(SafelightError) -> TimeMark { try clock?.mark() ?? TimeMark() }

  func seconds(at marks: [TimeMark]) -> [Double]? {
    let queries = marks.compactMap(\.query)
    return queries.count == marks.count ? clock?.seconds(at: queries) : nil
  }

  func reuse(_ marks: [TimeMark]) {
    for mark in marks {
      if let query = mark.query { clock?.reuse(query) }
    }
  }
}

extension GLESBackend {
  func erase(_ id: ResourceID) {
    do throws(SafelightError) {
      if let texture = textures[id] {
        // Cleared by drawing, or by an upload where the format cannot be drawn into.
        try order([
          BarrierPlan.Use(resource: id, access: .renderTarget), BarrierPlan.Use(resource: id, access: .textureUpdate),
        ])
        try texture.clearAll()
      }
      if let buffer = buffers[id] {
        try order([BarrierPlan.Use(resource: id, access: .bufferUpdate)])
        try buffer.write([UInt8](repeating: 0, count: buffer.length), at: 0)
      }
      try context.check("erasing a resource")
    } catch {
      // What cannot be erased is made anew, and what keeps it from that is told by the command that needs it.
      release(id)
    }
  }
}

extension GLESBackend {
  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    let program = try program(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1)))
    try finish("bare dispatches")
    let start = ThreadClock.now
    for _ in 0..<count {
      try program.use()
      try program.setThreadsPerGrid(Size(1, 1))
      try context.dispatch(threadgroups: Size(1, 1))
    }
    try context.flush()
    let seconds = ThreadClock.now - start
    try finish("bare dispatches")
    return seconds
  }
}
