internal import Dispatch
internal import Glibc
internal import SafelightGLES
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

/// A replay's wait for an event: who wakes it, and until when.
final class EventWait {
  let event: Event
  let value: UInt64
  let seconds: Double
  let deadline: Double
  private let number: Int?
  private let timer: any DispatchSourceTimer

  /// Calls `wake` on some thread when the event has the value and when the time is over.
  init(_ event: Event, value: UInt64, seconds: Double, wake: @escaping @Sendable () -> Void) {
    self.event = event
    self.value = value
    self.seconds = seconds
    deadline = HostClock.now + seconds
    // A timer is given up with the wait; a block handed to a queue would stay until its time.
    timer = DispatchSource.makeTimerSource()
    timer.schedule(deadline: .now() + seconds)
    timer.setEventHandler(handler: wake)
    timer.activate()
    number = event.notify(atValue: value, wake)
  }

  var isOver: Bool { event.hasReached(value) }
  /// A timer may ring a little before its time.
  var isExpired: Bool { HostClock.now >= deadline - 0.001 }

  deinit {
    timer.cancel()
    if let number { event.forget(number) }
  }
}

/// A point in the work of a device, for the time at which the device passes it.
struct TimeMark {
  /// When the host handed the point over.
  let hostTime = HostClock.now
  /// The reading of the device's own clock; nil where it has none.
  var query: TimestampQuery?
}

/// A GPU's own clock, told in seconds of the host's.
final class DeviceClock {
  private let queries: TimestampQueries
  /// Host's time minus device's.
  private var offset = 0.0
  private var compared = -Double.infinity

  /// The clock of `context`; nil where the driver has none.
  init?(_ context: Context) {
    guard let queries = TimestampQueries(context) else { return nil }
    self.queries = queries
  }

  /// Query objects made so far.
  var queryCount: Int { queries.count }

  func mark() throws(SafelightError) -> TimeMark {
    // The two clocks drift by some microseconds a second at worst.
    if HostClock.now - compared > 1 { compare() }
    return TimeMark(query: try queries.stamp())
  }

  /// The times at which the device passed `marks`, all of it being done; nil where its clock was disturbed meanwhile.
  func seconds(at marks: [TimestampQuery]) -> [Double]? {
    let seconds = marks.map { Double(queries.nanoseconds(of: $0)) * 1e-9 + offset }
    guard queries.takeDisjoint() else { return seconds }
    compare()
    return nil
  }

  /// Takes the reading of a mark back, be it read or not.
  func reuse(_ query: TimestampQuery) { queries.reuse(query) }

  private func compare() {
    compared = HostClock.now
    offset = compared - Double(queries.now) * 1e-9
  }
}

/// The host's monotonic clock: that of every time which this module states.
enum HostClock {
  /// Seconds since some fixed moment.
  static var now: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}

/// The time that the current thread spent on a CPU: what others do meanwhile does not count.
enum ThreadClock {
  /// Seconds since the thread began.
  static var now: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
