internal import SafelightGLES
internal import SafelightImage

/// A recording submitted to a device, and whom to notify.
struct Submission: Sendable {
  let recording: Recording
  let timeline: Timeline
  /// Called on the device's thread once the driver has every command; not called if one of them failed.
  let scheduled: @Sendable () -> Void
  /// Called on the device's thread at the end.
  let completed: @Sendable (Result<ReplayResult, ReplayFailure>) -> Void
  /// Returns why no command may be performed, or nil; called on the device's thread before the first command.
  var refusal: @Sendable () -> SafelightError? = { nil }
  /// Resources that the recording may use as zeros if a reset lost their contents.
  var dispensable: Set<ResourceID> = []
}

/// An order of replays: those of one timeline run one after the other.
final class Timeline: Sendable {}

/// A submission being carried out, possibly with pauses; lives on the device's thread.
final class Replay {
  let submission: Submission
  var recording: Recording { submission.recording }

  /// The index of the next command.
  var position = 0
  var result = ReplayResult()
  /// The debug groups open at `position`.
  var groups: [String] = []
  var shared = SharedState()
  var samples: [(buffer: CounterSampleBuffer, index: Int, mark: TimeMark)] = []
  var begin: TimeMark?
  var end: TimeMark?
  var wait: EventWait?
  /// True once the process may have seen part of its work.
  var hasPublished = false
  /// True once it had to start over.
  var startsOver = false
  /// True once it was retried after a lost context: there is no third attempt.
  var isRetry = false

  init(_ submission: Submission) { self.submission = submission }

  var marks: [TimeMark] { [begin, end].compactMap { $0 } + samples.map(\.mark) }

  func rewind() {
    startsOver = true
    position = 0
    result = ReplayResult()
    groups = []
    shared = SharedState()
    samples = []
    begin = nil
    end = nil
  }
}

/// The differences between shared memory and the device's copies of it, during one replay.
struct SharedState {
  /// True until the device has copied shared memory in: at the beginning, and after each wait for an event.
  var isStale = true
  /// The textures over shared memory of which the recording writes a copy.
  var copies: [Texture] = []
  /// Those of ``copies`` written since they were copied out; others may already use the memory of the rest.
  private(set) var unsent: [ResourceID: Texture] = [:]
  /// Buffers written since they were last copied to the process, whose older contents must not overwrite them.
  private var changed: [ResourceID: Buffer] = [:]

  /// Buffers whose contents on the device are newer than the process's.
  var newer: [Buffer] { Array(changed.values) }

  /// Notes that a command with `accesses` was performed.
  mutating func note(_ accesses: [ResourceAccess]) {
    for access in accesses where access.kind.makesContents {
      switch access.resource {
      case .texture(let texture):
        if copies.contains(where: { $0.lifetime === texture.lifetime }) { unsent[texture.lifetime.id] = texture }
      case .buffer(let buffer) where buffer.storageMode != .private: changed[buffer.lifetime.id] = buffer
      case .buffer: break
      }
    }
  }

  /// Notes that everything was copied out, except buffers of devices other than `thread`'s, which never are.
  mutating func published(by thread: DeviceThread) {
    unsent = [:]
    changed = changed.filter { $0.value.home !== thread }
  }
}

extension Recording {
  /// True if the commands use no resource before they wait for an event, after which shared memory is copied in anyway.
  var beginsWithWait: Bool {
    let first = commands.first { entry in
      if case .waitForEvent = entry.command { true } else { !entry.accesses.isEmpty }
    }
    guard case .waitForEvent = first?.command else { return false }
    return true
  }
}

/// The result of a replay.
public struct ReplayResult: Sendable {
  /// Seconds that the device spent on it, by the wall clock.
  public internal(set) var seconds: Double = 0

  private(set) var readbacks: [ObjectIdentifier: (readback: Readback, bytes: [UInt8])] = [:]
  var times = ReplayTimes()

  /// Returns the bytes that a command of the recording read back; nil if none did.
  public func contents(of readback: Readback) -> [UInt8]? { self[readback] }

  subscript(readback: Readback) -> [UInt8]? {
    get { readbacks[ObjectIdentifier(readback)]?.bytes }
    set { readbacks[ObjectIdentifier(readback)] = newValue.map { (readback, $0) } }
  }
}

/// The clock that measured a GPU's work.
public enum GPUTimeSource: Hashable, Sendable {
  /// The GPU's own clock (EXT_disjoint_timer_query).
  case gpu
  /// The host's clock around the work, used if the device has no clock or it was disturbed.
  case wallClock
}

/// The beginning and end of a replay, in seconds of the host's monotonic clock.
struct ReplayTimes: Sendable {
  var kernelStart = 0.0
  var kernelEnd = 0.0
  var gpuStart = 0.0
  var gpuEnd = 0.0
  var source = GPUTimeSource.wallClock
  /// Seconds of CPU time that the device's thread spent between `kernelStart` and `kernelEnd`.
  var kernelCPU = 0.0
}

/// The error of a replay, with the index of the command to blame; nil if none is.
struct ReplayFailure: Error {
  var error: SafelightError
  var command: Int?
}
