internal import CLinux
internal import Glibc
package import SafelightImage

/// A number that never decreases, in memory that processes share by a file descriptor (`memfd_create`, `futex`).
///
/// Safe to use from any thread and process. It has no lock, so a process that dies leaves it intact.
@safe package final class SharedCounter: Sendable {
  /// The descriptor of the memory; closed when the last reference is released.
  package let descriptor: Int32
  /// `nonisolated(unsafe)`: the address never changes, and after `init` its contents are only accessed atomically.
  private nonisolated(unsafe) let counter: UnsafeMutablePointer<safelight_counter>

  /// `safelite` in memory order, to detect other files.
  private static var magic: UInt64 { 0x6574_696c_6566_6173 }
  private static var length: Int { sysconf(Int32(_SC_PAGESIZE)) }

  /// Makes a counter with a value.
  package convenience init(_ value: UInt64) throws(SafelightError) {
    guard let descriptor = FixedSizeMemory.make("safelight shared event", length: Self.length) else {
      throw Self.refused("no memory to share")
    }
    try self.init(mapping: descriptor)
    unsafe counter.pointee.value = value
    unsafe counter.pointee.magic = Self.magic
  }

  /// Joins the counter behind `descriptor`, which the caller keeps (`F_DUPFD_CLOEXEC`).
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the descriptor is not a counter's.
  package convenience init(sharing descriptor: Int32) throws(SafelightError) {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Self.refused("descriptor \(descriptor) cannot be duplicated") }
    guard FixedSizeMemory.isSealed(copy) else {
      close(copy)
      throw Self.foreign("descriptor \(descriptor) is not memory that was sealed against shrinking")
    }
    try self.init(mapping: copy)
    guard unsafe counter.pointee.magic == Self.magic else {
      throw Self.foreign("descriptor \(descriptor) is not an event of Safelight")
    }
  }

  /// Takes over `descriptor`, even if it throws.
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

  /// Raises the value to at least `value` and wakes waiting threads; a smaller value has no effect.
  package func raise(to value: UInt64) { unsafe safelight_counter_raise(counter, value) }

  /// The number of changes so far, for ``wait(after:)``.
  package var changes: UInt32 { unsafe safelight_counter_changes(counter) }

  /// Blocks until a change after `changes`; may return early.
  package func wait(after changes: UInt32) { unsafe safelight_counter_wait(counter, changes) }

  /// Wakes all waiting threads without changing the value.
  package func wake() { unsafe safelight_counter_wake(counter) }

  /// The error for a failed system call; closed and read-only descriptors are the caller's fault.
  private static func refused(_ what: String) -> SafelightError {
    let code = errno
    let why = "\(what): \(unsafe String(cString: strerror(code)))"
    guard code == EBADF || code == EACCES || code == EPERM else {
      return SafelightError(
        .environment, "shared event", why: why, remedy: "raise the limits on memory and open files (ulimit -n)")
    }
    return SafelightError(
      .input, "shared event", why: why, remedy: "pass an open descriptor that can be read and written")
  }

  private static func foreign(_ why: String) -> SafelightError {
    SafelightError(.input, "shared event", why: why, remedy: "pass the descriptor of a SharedEventHandle")
  }
}

/// Files in memory that cannot shrink (`memfd_create`, `F_ADD_SEALS`), so that mappings of them stay valid.
enum FixedSizeMemory {
  /// Makes a file of zeros, which the caller must close; nil, with `errno` set, if the system refuses it.
  static func make(_ name: String, length: Int) -> Int32? {
    let (closeOnExec, allowSealing): (UInt32, UInt32) = (1, 2)
    let descriptor = unsafe memfd_create(name, closeOnExec | allowSealing)
    guard descriptor >= 0 else { return nil }
    guard ftruncate(descriptor, length) == 0, fcntl(descriptor, addSeals, shrinkSeal) == 0 else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    return descriptor
  }

  /// True if the file cannot shrink.
  static func isSealed(_ descriptor: Int32) -> Bool {
    let seals = fcntl(descriptor, getSeals)
    return seals >= 0 && seals & shrinkSeal != 0
  }

  /// F_ADD_SEALS, F_GET_SEALS and F_SEAL_SHRINK (linux/fcntl.h).
  private static let (addSeals, getSeals, shrinkSeal): (Int32, Int32, Int32) = (1033, 1034, 2)
}
