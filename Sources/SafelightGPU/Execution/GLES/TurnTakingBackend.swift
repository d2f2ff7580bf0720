package import Dispatch
internal import Glibc
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Workaround "one llvmpipe context at a time".
///
/// Symptom: SIGSEGV in `lp_scene_is_resource_referenced`. To map a texture or buffer, llvmpipe checks whether a scene
/// of any context of the display uses it, while the thread of another context frees that scene
/// (llvmpipe_flush_resource, lp_scene_end_rasterization; later versions lock the scene). Driver: llvmpipe, Mesa 22.3.6,
/// once in about six runs of the whole suite. Test: TwoDevicesDeviceTests proves the turns and repeats what crashed,
/// but crashes too rarely by itself. Remove it once every supported Mesa has that lock.
///
/// The contexts of a process take turns, one call of this type each; llvmpipe uses all CPUs for one context anyway.
final class TurnTakingBackend: Backend {
  private let backend: GLESBackend
  private let turn: DispatchSemaphore

  /// Returns `backend`, taking turns with other contexts if its driver needs that.
  static func wrapping(_ backend: GLESBackend) -> any Backend {
    backend.info.isLlvmpipe ? TurnTakingBackend(backend) : backend
  }

  private init(_ backend: GLESBackend) {
    self.backend = backend
    turn = ContextTurn.ofThisProcess
  }

  private func inTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    turn.wait()
    defer { turn.signal() }
    return try body()
  }

  // MARK: Without a call to the driver

  var info: DeviceInfo { backend.info }
  var capabilities: Capabilities { backend.capabilities }
  var worksInHostMemory: Bool { backend.worksInHostMemory }
  var statistics: DeviceStatistics { backend.statistics }
  var isLost: Bool { backend.isLost }
  func begin() { backend.begin() }
  func refresh(except newer: [Buffer]) { backend.refresh(except: newer) }
  func simulateLoss() { backend.simulateLoss() }

  // MARK: In turn

  func share(_ buffer: Buffer) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try backend.share(buffer) }
  }

  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    try inTurn { () throws(SafelightError) in try backend.copyReason(of: texture) }
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try backend.fill(texture, from: rows) }
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try backend.drain(texture, into: rows) }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try inTurn { () throws(SafelightError) in try backend.export(texture) }
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    turn.wait()
    defer { turn.signal() }
    try backend.perform(command, label: label, result: &result)
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try backend.prepare(pipeline) }
  }

  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    let preparation = try inTurn { () throws(SafelightError) in try backend.beginCompiling(pipeline) }
    return preparation.map { TurnTakingPreparation($0, turn) }
  }

  func mark() throws(SafelightError) -> TimeMark { try inTurn { () throws(SafelightError) in try backend.mark() } }
  func seconds(at marks: [TimeMark]) -> [Double]? { inTurn { backend.seconds(at: marks) } }
  func reuse(_ marks: [TimeMark]) { inTurn { backend.reuse(marks) } }
  func flush() throws(SafelightError) { try inTurn { () throws(SafelightError) in try backend.flush() } }

  func finish(_ label: String) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try backend.finish(label) }
  }

  func release(_ id: ResourceID) { inTurn { backend.release(id) } }
  func erase(_ id: ResourceID) { inTurn { backend.erase(id) } }
  func close() { inTurn { backend.close() } }
  func rebuild() throws(SafelightError) { try inTurn { () throws(SafelightError) in try backend.rebuild() } }

  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    try inTurn { () throws(SafelightError) in try backend.bareDispatches(pipeline, count: count) }
  }
}

private final class TurnTakingPreparation: PipelinePreparation {
  private let preparation: any PipelinePreparation
  private let turn: DispatchSemaphore

  init(_ preparation: any PipelinePreparation, _ turn: DispatchSemaphore) {
    self.preparation = preparation
    self.turn = turn
  }

  func advance() throws(SafelightError) -> Bool {
    turn.wait()
    defer { turn.signal() }
    return try preparation.advance()
  }
}

/// The turn that llvmpipe contexts wait for.
package enum ContextTurn {
  private static let kept = Mutex<(process: pid_t, turn: DispatchSemaphore)?>(nil)

  /// The turn of this process. A fork has its own, as another thread may hold the parent's during the fork.
  package static var ofThisProcess: DispatchSemaphore {
    kept.withLock { kept in
      let process = getpid()
      if let kept, kept.process == process { return kept.turn }
      let turn = DispatchSemaphore(value: 1)
      kept = (process, turn)
      return turn
    }
  }
}
