import Glibc
package import SafelightImage

/// True where both paths are one file, or would be once it is made: links, `./` and `..` make one look like two.
public func isOneFile(_ path: String, _ other: String) -> Bool {
  if let status = FileStatus(path), let other = FileStatus(other) { return status.identity == other.identity }
  let (one, two) = (PathParts(AtomicFile.resolved(path)), PathParts(AtomicFile.resolved(other)))
  guard one.name == two.name, let folder = FileStatus(one.folder) else { return false }
  return folder.identity == FileStatus(two.folder)?.identity
}

/// What stands at a path; symbolic links are followed.
struct FileStatus {
  enum Kind {
    case file
    case folder
    /// A device, pipe or socket.
    case special
  }

  /// Two paths with equal identities are one file.
  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  let kind: Kind
  let identity: Identity
  let byteCount: Int
  /// How many names the file has.
  let linkCount: Int
  /// When its bytes were last changed, in nanoseconds.
  let modified: Int

  /// Looks at `path`; nil where nothing is there, or nothing that this process may see,
  /// as `errno` says.
  init?(_ path: String) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    self.init(info)
  }

  /// Looks at an open file.
  init?(descriptor: Int32) {
    var info = stat()
    guard unsafe fstat(descriptor, &info) == 0 else { return nil }
    self.init(info)
  }

  /// True where `path` is a symbolic link, or one of several names of a file.
  static func isLink(_ path: String) -> Bool {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return false }
    return info.st_mode & S_IFMT == S_IFLNK || info.st_nlink > 1
  }

  /// What the symbolic link at `path` says; nil where there is none.
  static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private init(_ info: stat) {
    switch info.st_mode & S_IFMT {
    case S_IFREG: self.kind = .file
    case S_IFDIR: self.kind = .folder
    default: self.kind = .special
    }
    self.identity = Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    self.byteCount = Int(info.st_size)
    self.linkCount = Int(info.st_nlink)
    self.modified = info.st_mtim.tv_sec * 1_000_000_000 + info.st_mtim.tv_nsec
  }
}

/// A path cut at its last slash.
package struct PathParts: Hashable {
  /// All up to and with the last slash; empty where there is none.
  package let prefix: String
  /// What follows; empty where the path ends in a slash.
  package let name: String

  package init(_ path: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    self.prefix = String(path[..<start])
    self.name = String(path[start...])
  }

  /// The folder, as system calls want it.
  package var folder: String { prefix.isEmpty ? "." : prefix }

  /// The path of another file in the same folder.
  package func sibling(_ name: String) -> String { prefix + name }

  /// What follows the last dot of the name, in lower case; empty where there is none.
  package var fileExtension: String {
    dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
  }

  /// The name up to its last dot.
  package var stem: String { dot.map { String(name[..<$0]) } ?? name }

  /// The last dot that does not hide the file.
  private var dot: String.Index? {
    name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 }
  }
}

/// The path of `name` in `folder`.
package func path(_ folder: String, _ name: String) -> String {
  folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
}

/// The error for a system call that failed on `path`.
///
/// `operation` completes "cannot be …": opened, created, written.
package func fileError(_ kind: SafelightError.Kind, _ path: String, cannotBe operation: String, code: Int32)
  -> SafelightError
{
  let reason = unsafe String(cString: strerror(code))
  return SafelightError(kind, path, why: "cannot be \(operation): \(reason)", remedy: remedy(for: code))
}

private func remedy(for code: Int32) -> String {
  switch code {
  case ENOENT, ENOTDIR: "check the name and that its folder exists"
  case EACCES, EPERM: "ask for permission, or choose another folder"
  case EROFS: "choose a folder on a disk that can be written"
  case ENOSPC, EDQUOT, EFBIG: "make room on the disk, then run it again"
  case EISDIR: "name a file instead of a folder"
  case ENAMETOOLONG: "choose a shorter name"
  case EMFILE, ENFILE: "raise the number of open files (ulimit -n)"
  case EPIPE: "let the program that reads it run to the end, and look at what it says"
  case EIO, ESTALE: "check the disk or the network share, then run it again"
  default: "check the path and the disk, then run it again"
  }
}

/// Repeats a system call as long as a signal interrupts it; returns its result, −1 with `errno` set where it failed.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
