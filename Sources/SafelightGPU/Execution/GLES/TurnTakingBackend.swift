package import Dispatch
internal import Glibc
internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// Workaround "one llvmpipe context at a time".
///
/// Symptom: SIGSEGV in `lp_scene_is_resource_referenced`. To map a texture or a buffer llvmpipe looks whether a scene
/// of any context of the display uses it, while the thread of another context frees that scene
/// (llvmpipe_flush_resource, lp_scene_end_rasterization; later versions lock the scene). Driver: llvmpipe, Mesa 22.3.6,
/// once in about six runs of the whole suite. Test: TwoDevicesDeviceTests proves the turns, and does what crashed, but
/// too rarely crashes by itself. Remove it once every supported Mesa has that lock.
///
/// The contexts of a process take turns, a call of this type each; llvmpipe uses all CPUs for one context anyway.
final class TurnTakingBackend: Backend {
  private let commands: GLESBackend
  private let turn: DispatchSemaphore

  /// `commands`, taking turns with those of other contexts where its driver needs that.
  static func wrapping(_ commands: GLESBackend) -> any Backend {
    commands.info.isLlvmpipe ? TurnTakingBackend(commands) : commands
  }

  private init(_ commands: GLESBackend) {
    self.commands = commands
    turn = ContextTurn.ofThisProcess
  }

  private func inTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    turn.wait()
    defer { turn.signal() }
    return try body()
  }

  // MARK: Without a call to the driver

  var info: DeviceInfo { commands.info }
  var capabilities: Capabilities { commands.capabilities }
  var worksInHostMemory: Bool { commands.worksInHostMemory }
  var statistics: DeviceStatistics { commands.statistics }
  var isLost: Bool { commands.isLost }
  func begin() { commands.begin() }
  func refresh(except newer: [Buffer]) { commands.refresh(except: newer) }
  func simulateLoss() { commands.simulateLoss() }

  // MARK: In turn

  func share(_ buffer: Buffer) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try commands.share(buffer) }
  }

  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    try inTurn { () throws(SafelightError) in try commands.copyReason(of: texture) }
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try commands.fill(texture, from: rows) }
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try commands.drain(texture, into: rows) }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    try inTurn { () throws(SafelightError) in try commands.export(texture) }
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    turn.wait()
    defer { turn.signal() }
    try commands.perform(command, label: label, result: &result)
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try commands.prepare(pipeline) }
  }

  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    let preparation = try inTurn { () throws(SafelightError) in try commands.beginCompiling(pipeline) }
    return preparation.map { TurnTakingPreparation($0, turn) }
  }

  func mark() throws(SafelightError) -> TimeMark { try inTurn { () throws(SafelightError) in try commands.mark() } }
  func seconds(at marks: [TimeMark]) -> [Double]? { inTurn { commands.seconds(at: marks) } }
  func reuse(_ marks: [TimeMark]) { inTurn { commands.reuse(marks) } }
  func flush() throws(SafelightError) { try inTurn { () throws(SafelightError) in try commands.flush() } }

  func finish(_ label: String) throws(SafelightError) {
    try inTurn { () throws(SafelightError) in try commands.finish(label) }
  }

  func release(_ id: ResourceID) { inTurn { commands.release(id) } }
  func erase(_ id: ResourceID) { inTurn { commands.erase(id) } }
  func close() { inTurn { commands.close() } }
  func rebuild() throws(SafelightError) { try inTurn { () throws(SafelightError) in try commands.rebuild() } }

  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    try inTurn { () throws(SafelightError) in try commands.bareDispatches(pipeline, count: count) }
  }
}

/// A preparation that asks the driver in turn.
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

/// The turn for which contexts of llvmpipe wait.
package enum ContextTurn {
  private static let kept = Mutex<(process: pid_t, turn: DispatchSemaphore)?>(nil)

  /// That of this process: a fork has one of its own, since another thread of its parent may hold the parent's.
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
