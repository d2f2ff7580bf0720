import Glibc
import SafelightImage

/// Plain memory behind a descriptor, a file without a name, which stands for a dma-buf where a machine has no device to
/// make one.
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

  /// How many descriptors of this process lead to the same file.
  public static func descriptorCount(of descriptor: Int32) -> Int {
    // A few more than there ever are at a time.
    (0..<Int32(4096)).filter { isSame($0, descriptor) }.count
  }

  /// The name of the file behind a descriptor, as the kernel has it without the remark that it is gone.
  public static func path(of descriptor: Int32) -> String? {
    var bytes = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/fd/\(descriptor)", &bytes, bytes.count)
    guard length > 0 else { return nil }
    let path = String(decoding: bytes.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: " ").first.map { String($0) }
  }

  /// All of a file that the kernel writes as it is read.
  public static func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&part, 1, part.count, file), count > 0 { text += part.prefix(count) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Makes the memory longer, or shorter.
  public static func setLength(_ length: Int, of descriptor: Int32) throws {
    guard ftruncate(descriptor, length) == 0 else {
      throw SafelightError(.environment, "ftruncate", why: String(cString: strerror(errno)))
    }
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

/// A DRM node on which dma-bufs can be made, where there is one.
///
/// `SAFELIGHT_TEST_DMABUF_NODE` names it, such as `/dev/dri/card0`; without it the tests that need one do not run.
/// Where it is set they fail rather than be skipped, whatever is missing.
public enum PrimaryNode {
  /// The node's path; nil where none is named.
  public static let path: String? = {
    guard let path = getenv("SAFELIGHT_TEST_DMABUF_NODE").map({ String(cString: $0) }), !path.isEmpty else {
      return nil
    }
    return path
  }()
}
