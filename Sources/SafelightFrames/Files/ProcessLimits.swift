import Dispatch
import Glibc
package import SafelightImage

/// What the system lends to a process. It is asked for before work begins that cannot do without: Dispatch waits
/// forever for a thread, and a child process that runs out of descriptors as it is started traps.
package enum ProcessLimits {
  /// Makes `count` threads, all at once, and ends them.
  ///
  /// - Throws: ``SafelightError`` of kind `resources` if the system refuses one.
  package static func requireThreads(_ count: Int) throws(SafelightError) {
    let end = DispatchSemaphore(value: 0)
    var threads: [pthread_t] = []
    var code: Int32 = 0
    while threads.count < count && code == 0 {
      var thread = pthread_t()
      let box = unsafe Unmanaged.passRetained(end)
      code = unsafe pthread_create(
        &thread, nil,
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
    let reason = unsafe String(cString: strerror(code))
    try ensure(
      code == 0, .resources, "too few threads",
      why: "up to \(count + 1) are needed, and after \(threads.count + 1) the system gives no more: \(reason)",
      remedy: "raise the limit (ulimit -u, or pids.max of the control group), or run it on fewer CPUs (taskset)")
  }

  /// Opens `count` descriptors, all at once, and closes them.
  ///
  /// - Throws: ``SafelightError`` of kind `resources`, about `what`, if the system refuses one.
  package static func requireDescriptors(_ count: Int, for what: String) throws(SafelightError) {
    var opened: [Int32] = []
    var code: Int32 = 0
    while opened.count < count && code == 0 {
      let descriptor = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if descriptor >= 0 { opened.append(descriptor) } else { code = errno }
    }
    for descriptor in opened { close(descriptor) }
    let reason = unsafe String(cString: strerror(code))
    try ensure(
      code == 0, .resources, what,
      why: "it needs up to \(count) more open files, and the system allows \(opened.count): \(reason)",
      remedy: "raise the number of open files (ulimit -n)")
  }
}
