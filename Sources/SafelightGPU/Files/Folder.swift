internal import Glibc

/// Folders on disk.
enum Folder {
  /// The names of everything in the folder at `path` that is not hidden, in no order; nil with `errno` set where it cannot be read.
  static func names(in path: String) -> [String]? {
    guard let stream = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe name(of: entry)
      if !name.hasPrefix(".") { names.append(name) }
    }
    return errno == 0 ? names : nil
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // The entry ends where its name does, before the 256 bytes that its type declares.
    let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    return unsafe String(cString: (UnsafeRawPointer(entry) + start).assumingMemoryBound(to: CChar.self))
  }
}

extension String {
  /// The system's words for an error.
  init(errno code: Int32) {
    var words = [CChar](repeating: 0, count: 256)
    let status = unsafe strerror_r(code, &words, words.count)
    self =
      status == 0
      ? String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : "error \(code)"
  }
}
