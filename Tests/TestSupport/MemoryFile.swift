import Glibc
import SafelightImage

/// Plain memory behind a descriptor, a file without a name, which stands for a dma-buf where a machine has no device to make one.
public enum MemoryFile {
  /// Makes `length` bytes of `value`; the descriptor is the caller's to close.
  public static func make(length: Int, value: UInt8 = 0) throws -> Int32 {
    var path = Array("/dev/shm/safelight-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    defer { unlink(path) }
    guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, ftruncate(descriptor, length) == 0 else {
      throw SafelightError(.environment, "/dev/shm", why: String(cString: strerror(errno)))
    }
    let bytes = [UInt8](repeating: value, count: length)
    guard pwrite(descriptor, bytes, length, 0) == length else {
      throw SafelightError(.environment, "pwrite", why: String(cString: strerror(errno)))
    }
    return descriptor
  }

  /// All bytes behind a descriptor.
  public static func bytes(_ descriptor: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
    guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else {
      throw SafelightError(.environment, "pread", why: String(cString: strerror(errno)))
    }
    return bytes
  }

  /// True for two open descriptors of one file.
  public static func isSame(_ descriptor: Int32, _ other: Int32) -> Bool {
    var (first, second) = (stat(), stat())
    guard fstat(descriptor, &first) == 0, fstat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// A second descriptor of the same file.
  public static func anotherDescriptor(of descriptor: Int32) -> Int32? {
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    return other >= 0 ? other : nil
  }

  /// Closes a descriptor.
  public static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}
