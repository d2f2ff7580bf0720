internal import Glibc

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
