internal import CLinux
internal import Glibc
package import SafelightImage

/// A number that only grows, in memory that processes share by a file descriptor (`memfd_create`, `futex`).
///
/// Safe to use from any thread and process. A process that dies leaves it whole: nothing is ever locked.
@safe package final class SharedCounter: Sendable {
  /// The memory; closed with the last reference.
  package let descriptor: Int32
  /// `nonisolated(unsafe)`: the address never changes, and what lies there is only touched by atomic operations once it is made.
  private nonisolated(unsafe) let counter: UnsafeMutablePointer<safelight_counter>

  /// `safelite` in memory order: who maps another file by mistake is told so.
  private static var magic: UInt64 { 0x6574_696c_6566_6173 }
  private static var length: Int { sysconf(Int32(_SC_PAGESIZE)) }

  /// Makes a counter of `value`.
  package convenience init(_ value: UInt64) throws(SafelightError) {
    let (closeOnExec, allowSealing): (UInt32, UInt32) = (1, 2)
    let descriptor = unsafe memfd_create("safelight shared event", closeOnExec | allowSealing)
    // It cannot shrink under the feet of those who map it.
    guard descriptor >= 0, ftruncate(descriptor, Self.length) == 0,
      fcntl(descriptor, Self.addSeals, Self.shrinkSeal) == 0
    else {
      defer { if descriptor >= 0 { close(descriptor) } }
      throw Self.refused("no memory to share")
    }
    try self.init(mapping: descriptor)
    unsafe counter.pointee.value = value
    unsafe counter.pointee.magic = Self.magic
  }

  /// Joins the counter behind `descriptor`, which stays the caller's (`F_DUPFD_CLOEXEC`).
  package convenience init(sharing descriptor: Int32) throws(SafelightError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Self.refused("descriptor \(descriptor) cannot be duplicated") }
    let seals = fcntl(copy, Self.getSeals)
    guard seals >= 0, seals & Self.shrinkSeal != 0 else {
      close(copy)
      throw Self.foreign("descriptor \(descriptor) is not memory that was sealed against shrinking")
    }
    try self.init(mapping: copy)
    guard unsafe counter.pointee.magic == Self.magic else {
      throw Self.foreign("descriptor \(descriptor) is no event of Safelight's")
    }
  }

  /// Takes `descriptor` over, also where it throws.
  private init(mapping descriptor: Int32) throws(SafelightError) {
    guard lseek(descriptor, 0, SEEK_END) >= Self.length else {
      close(descriptor)
      throw Self.foreign("the descriptor's file is shorter than a page")
    }
    guard let base = unsafe mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      unsafe base != MAP_FAILED
    else {
      defer { close(descriptor) }
      throw Self.refused("its memory cannot be mapped")
    }
    self.descriptor = descriptor
    unsafe counter = base.bindMemory(to: safelight_counter.self, capacity: 1)
  }

  deinit {
    unsafe munmap(counter, Self.length)
    close(descriptor)
  }

  package var value: UInt64 { unsafe safelight_counter_value(counter) }

  /// Raises it to at least `value` and wakes who waits; a smaller value changes nothing.
  package func raise(to value: UInt64) { unsafe safelight_counter_raise(counter, value) }

  /// How often it changed, for ``wait(after:)``.
  package var changes: UInt32 { unsafe safelight_counter_changes(counter) }

  /// Blocks until something changed after ``changes`` was read; may return early.
  package func wait(after changes: UInt32) { unsafe safelight_counter_wait(counter, changes) }

  /// Wakes all who wait, without a change of the value.
  package func wake() { unsafe safelight_counter_wake(counter) }

  /// F_ADD_SEALS, F_GET_SEALS and F_SEAL_SHRINK (linux/fcntl.h).
  private static var addSeals: Int32 { 1033 }
  private static var getSeals: Int32 { 1034 }
  private static var shrinkSeal: Int32 { 2 }

  /// Why the system said no; closed descriptors and those opened for reading alone are the caller's.
  private static func refused(_ what: String) -> SafelightError {
    let code = errno
    let why = "\(what): \(unsafe String(cString: strerror(code)))"
    guard code == EBADF || code == EACCES || code == EPERM else {
      return SafelightError(
        .environment, "shared event", why: why, remedy: "raise the limits on memory and open files (ulimit -n)")
    }
    return SafelightError(
      .input, "shared event", why: why, remedy: "pass an open descriptor, opened for reading and writing")
  }

  private static func foreign(_ why: String) -> SafelightError {
    SafelightError(.input, "shared event", why: why, remedy: "pass the descriptor of a SharedEventHandle")
  }
}
