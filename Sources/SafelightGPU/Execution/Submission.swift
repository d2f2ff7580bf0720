internal import SafelightImage

/// A recording on its way to a device, and whom to tell.
struct Submission: Sendable {
  let recording: Recording
  /// The queue whose order it keeps.
  let lane: Lane
  /// Called on the device's thread once every command was handed over; not where one of them failed.
  let scheduled: @Sendable () -> Void
  /// Called on the device's thread at the end.
  let completed: @Sendable (Result<ReplayResult, ReplayFailure>) -> Void
  /// Asked on the device's thread before the first command: why none is to be performed.
  var refusal: @Sendable () -> SafelightError? = { nil }
  /// Resources that it uses as zeros where a reset took what they held.
  var dispensable: Set<ResourceID> = []
}

/// The identity of an order: what shares a lane runs one after the other.
final class Lane: Sendable {}

/// A submission while it is carried out, which may be in several goes; lives on the device's thread.
final class Replay {
  let submission: Submission
  var recording: Recording { submission.recording }

  /// The number of the next command.
  var position = 0
  var result = ReplayResult()
  /// Groups that are open at `position`.
  var groups: [String] = []
  /// What it has brought in of memory that others share, and not handed out yet.
  var shared = SharedState()
  /// Readings of the clock by encoders.
  var samples: [(buffer: CounterSampleBuffer, index: Int, mark: TimeMark)] = []
  var begin: TimeMark?
  var end: TimeMark?
  /// The event that it is held back for.
  var wait: EventWait?
  /// True once the process may have seen a part of its work.
  var hasPublished = false
  /// True once it had to begin anew.
  var isAnotherTry = false
  /// True once the context was lost under it: it is not tried a third time.
  var isRetry = false

  init(_ submission: Submission) { self.submission = submission }

  /// All readings of the clock.
  var marks: [TimeMark] { [begin, end].compactMap { $0 } + samples.map(\.mark) }
}
