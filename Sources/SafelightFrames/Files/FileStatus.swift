import Glibc

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
