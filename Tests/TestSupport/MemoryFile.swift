import Glibc
import SafelightImage

/// Plain memory behind a descriptor (`memfd_create`), which stands for a dma-buf where a machine has no device to make one.
public enum MemoryFile {
  /// Makes `length` bytes of `value`; the descriptor is the caller's to close.
  public static func make(length: Int, value: UInt8 = 0) throws -> Int32 {
    let descriptor = memfd_create("safelight", UInt32(MFD_CLOEXEC))
    guard descriptor >= 0, ftruncate(descriptor, length) == 0 else {
      throw SafelightError(.environment, "memfd_create", why: String(cString: strerror(errno)))
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

  /// True for an open descriptor.
  public static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }
}
