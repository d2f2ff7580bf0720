import Dispatch
import Glibc
package import SafelightImage

/// The limits of the system on a process's threads and descriptors. A program tries them before its work begins, since
/// Dispatch waits forever for a thread that the system refuses, and swift-subprocess traps if it runs out of
/// descriptors while it starts a child. A trial does not see what other threads take between it and the work.
package enum ProcessLimits {
  /// Makes `count` threads, all at once, and ends them.
  ///
  /// - Throws: ``SafelightError`` of kind `resources` if the system refuses one.
  package static func requireThreads(_ count: Int) throws(SafelightError) {
    let (made, code) = makeThreads(count, stack: nil)
    guard code != 0 else { return }
    let reason = unsafe String(cString: strerror(code))
    let needed = "up to \(count + 1) are needed, and after \(made + 1) the system gives no more: \(reason)"
    // With small stacks there are enough, so address space is what lacks.
    let lacksSpace = makeThreads(count, stack: 1 << 17).code == 0
    var data = rlimit()
    let lacksData = unsafe getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &data) == 0 && data.rlim_cur < 1 << 30
    throw SafelightError(
      .resources, "too few threads", why: needed,
      remedy: lacksSpace || lacksData
        ? "raise the limit on memory (ulimit -\(lacksData ? "d" : "v")), or take smaller stacks (ulimit -s 1024)"
        : "raise the limit (ulimit -u, or pids.max of the control group), or run it on fewer CPUs (taskset)")
  }

  /// Makes `count` threads with `stack` bytes each, all at once, and ends them. Returns how many there were, and the
  /// code of the error for the next.
  private static func makeThreads(_ count: Int, stack: Int?) -> (made: Int, code: Int32) {
    let end = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { unsafe attributes.deallocate() }
    unsafe pthread_attr_init(attributes)
    defer { unsafe pthread_attr_destroy(attributes) }
    if let stack { unsafe pthread_attr_setstacksize(attributes, stack) }
    var code: Int32 = 0
    while threads.count < count && code == 0 {
      var thread = pthread_t()
      let box = unsafe Unmanaged.passRetained(end)
      code = unsafe pthread_create(
        &thread, attributes,
        { argument in
          if let argument = unsafe argument {
            unsafe Unmanaged<DispatchSemaphore>.fromOpaque(argument).takeRetainedValue().wait()
          }
          return nil
        }, box.toOpaque())
      if code == 0 { threads.append(thread) } else { unsafe box.release() }
    }
    for _ in threads { end.signal() }
    for thread in threads { pthread_join(thread, nil) }
    return (threads.count, code)
  }

  /// Makes `count` descriptors, all at once, of which each is standard error, and closes them.
  ///
  /// - Throws: ``SafelightError`` of kind `resources`, about `what`, if the system refuses one.
  package static func requireDescriptors(_ count: Int, for what: String) throws(SafelightError) {
    var opened: [Int32] = []
    var code: Int32 = 0
    while opened.count < count && code == 0 {
      let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      if descriptor >= 0 { opened.append(descriptor) } else { code = errno }
    }
    for descriptor in opened { close(descriptor) }
    // Without standard error there is nothing to try it with.
    guard code != EBADF else { return }
    let reason = unsafe String(cString: strerror(code))
    try ensure(
      code == 0, .resources, what,
      why: "it needs up to \(count) more open files, and the system allows \(opened.count): \(reason)",
      remedy: "raise the number of open files (ulimit -n)")
  }
}
