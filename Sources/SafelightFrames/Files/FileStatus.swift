import Glibc
package import SafelightImage

/// Returns whether both paths name the same file, or would once it is created: links, `./` and `..` give a file several
/// names.
public func isOneFile(_ path: String, _ other: String) -> Bool {
  if let status = FileStatus(path), let other = FileStatus(other) { return status.identity == other.identity }
  let (one, two) = (PathParts(AtomicFile.resolved(path)), PathParts(AtomicFile.resolved(other)))
  guard one.name == two.name, let folder = FileStatus(one.folder) else { return false }
  return folder.identity == FileStatus(two.folder)?.identity
}

/// Returns the first of `others` that is the file at `path`. There may be a million others, so the file system is asked
/// about as few of them as possible.
func firstFile(_ others: [String], sameAs path: String) -> String? {
  if let status = FileStatus(path) { return others.first { FileStatus($0)?.identity == status.identity } }
  // A file that does not exist can only be one that does not exist either.
  let name = PathParts(path).name
  return others.first { PathParts($0).name == name && isOneFile(path, $0) }
}

/// The status of the file at a path; symbolic links are followed.
struct FileStatus {
  enum Kind {
    case file
    case folder
    /// A device, pipe or socket.
    case special
  }

  struct Identity: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  let kind: Kind
  let identity: Identity
  let byteCount: Int
  let linkCount: Int
  /// The time when its bytes were last changed, since 1970.
  let modified: Duration

  /// The version of a file. One that is written twice within a tick of the clock keeps its version.
  struct Version: Hashable {
    let identity: Identity
    let byteCount: Int
    let modified: Duration
  }

  var version: Version { Version(identity: identity, byteCount: byteCount, modified: modified) }

  /// Reads the status of `path`; nil if it does not exist or this process may not see it, as `errno` says.
  init?(_ path: String) { self.init { unsafe stat(path, &$0) } }

  init?(descriptor: Int32) { self.init { unsafe fstat(descriptor, &$0) } }

  /// Returns whether `path` is a symbolic link, or one of several names of a file.
  static func isLink(_ path: String) -> Bool {
    linkTarget(path) != nil || FileStatus(path).map { $0.linkCount > 1 } ?? false
  }

  /// Returns the destination of the symbolic link at `path`; nil if it is not a symbolic link.
  static func linkTarget(_ path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private init?(_ read: (inout stat) -> Int32) {
    var info = stat()
    guard read(&info) == 0 else { return nil }
    switch info.st_mode & S_IFMT {
    case S_IFREG: self.kind = .file
    case S_IFDIR: self.kind = .folder
    default: self.kind = .special
    }
    self.identity = Identity(device: UInt64(info.st_dev), inode: UInt64(info.st_ino))
    self.byteCount = Int(info.st_size)
    self.linkCount = Int(info.st_nlink)
    self.modified = .seconds(info.st_mtim.tv_sec) + .nanoseconds(info.st_mtim.tv_nsec)
  }
}

/// A path split at its last slash.
package struct PathParts: Hashable {
  /// The path up to and including the last slash; empty if there is none.
  package let prefix: String
  /// The rest of the path; empty if it ends in a slash.
  package let name: String

  package init(_ path: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    self.prefix = String(path[..<start])
    self.name = String(path[start...])
  }

  /// The folder, as system calls expect it.
  package var folder: String { prefix.isEmpty ? "." : prefix }

  /// Returns the path of another file in the same folder.
  package func sibling(_ name: String) -> String { prefix + name }

  /// The part of the name after its last dot, in lower case; empty if there is none.
  package var fileExtension: String { dot.map { name[name.index(after: $0)...].lowercased() } ?? "" }
  /// The name up to its last dot.
  package var stem: String { dot.map { String(name[..<$0]) } ?? name }
  /// The last dot, unless it is the first character, which hides a file.
  private var dot: String.Index? { name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } }
}

package func path(_ folder: String, _ name: String) -> String {
  folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
}

/// Returns the error for a system call that failed on `path`.
///
/// `operation` completes "cannot be …": opened, created, written. What the system has too little of is of kind
/// `resources`.
package func fileError(
  _ kind: SafelightError.Kind, _ path: String, cannotBe operation: String, code: Int32
) -> SafelightError {
  let reason = unsafe String(cString: strerror(code))
  let isShortage = [EMFILE, ENFILE, ENOMEM].contains(code)
  return SafelightError(
    isShortage ? .resources : kind, path, why: "cannot be \(operation): \(reason)", remedy: remedy(for: code))
}

private func remedy(for code: Int32) -> String {
  switch code {
  case ENOENT, ENOTDIR: "check the name and that its folder exists"
  case EACCES, EPERM: "ask for permission, or choose another folder"
  case EROFS: "choose a folder on a writable disk"
  case ENOSPC, EDQUOT: "make room on the disk, then run it again"
  case EFBIG: "raise the limit on the size of files (ulimit -f), or choose a disk that holds larger ones"
  case EISDIR: "name a file instead of a folder"
  case ENAMETOOLONG: "choose a shorter name"
  case EMFILE, ENFILE: "raise the number of open files (ulimit -n)"
  case ENOMEM: "give it more memory, or run it where there is more"
  case EPIPE: "check why the program that reads it ended early"
  case EIO, ESTALE: "check the disk or the network share, then run it again"
  default: "check the path and the disk, then run it again"
  }
}

/// Repeats a system call while signals interrupt it; returns its result, −1 with `errno` set if it failed.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
