import Glibc
import SafelightImage

/// Folders on disk.
enum Folder {
  /// The names of the files in `folder` that `matches` accepts, links to files included, in no order. Hidden files,
  /// whose names begin with a dot, are passed over.
  static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder) { bytes, isPlain in
      guard let name = String(validating: bytes, as: UTF8.self) else {
        let readable = String(decoding: bytes, as: UTF8.self)
        // Nothing is silently passed over: a picture that cannot be named is an error.
        guard matches(readable) else { return }
        throw SafelightError(
          .input, path(folder, readable), why: "its name is not UTF-8",
          remedy: "rename the file, for example with convmv")
      }
      guard matches(name) else { return }
      // Links, and file systems that do not tell, cost a second look.
      if isPlain || FileStatus(path(folder, name))?.kind == .file { names.append(name) }
    }
    return names
  }

  /// The names of everything in `folder` that is not hidden and whose name is UTF-8, in no order.
  static func names(in folder: String) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder) { bytes, _ in
      if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
    }
    return names
  }

  /// The names of what is hidden in `folder` and whose name is UTF-8, in no order.
  static func hiddenNames(in folder: String) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder, hidden: true) { bytes, _ in
      if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
    }
    return names
  }

  /// Calls `body` with the name of everything in `folder` that is not hidden, or is, and whether the system says at once that it is a file.
  private static func forEachEntry(
    of folder: String, hidden: Bool = false, _ body: ([UInt8], _ isPlain: Bool) throws -> Void
  ) throws {
    guard let stream = unsafe opendir(folder) else {
      throw fileError(.missingInput, folder, cannotBe: "opened", code: errno)
    }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw fileError(.transfer, folder, cannotBe: "read", code: errno) }
        return
      }
      let bytes = unsafe name(of: entry)
      if (bytes.first == UInt8(ascii: ".")) == hidden {
        try body(bytes, unsafe Int(entry.pointee.d_type) == Int(DT_REG))
      }
    }
  }

  /// Makes `folder` and the folders above it, where they are missing.
  static func make(_ folder: String) throws {
    if FileStatus(folder)?.kind == .folder { return }
    let trimmed = String(folder.reversed().drop { $0 == "/" }.reversed())
    let parent = PathParts(trimmed).prefix
    if !parent.isEmpty && parent != trimmed { try make(parent) }
    if unsafe mkdir(trimmed, 0o777) != 0 {
      let code = errno
      // Another process may have been faster.
      if code == EEXIST {
        if FileStatus(folder)?.kind == .folder { return }
        throw SafelightError(
          .output, trimmed, why: "it is a file, and a folder was to be made there", remedy: "name another folder")
      }
      throw fileError(.output, folder, cannotBe: "created", code: code)
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // The entry ends where its name does, before the 256 bytes that its type declares.
    let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(entry) + start, count: 256)
    return unsafe Array(bytes.prefix { $0 != 0 })
  }
}
