internal import SafelightGLES
internal import SafelightImage

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
