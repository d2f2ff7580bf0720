internal import Glibc
internal import SafelightImage
internal import Synchronization

/// The files of an archive. Any number of processes may use one folder: a file appears whole or not at all.
struct ArchiveFolder {
  static let suffix = ".program"
  private static let temporarySuffix = ".part"

  let path: String

  /// Makes the folder, for this user alone, with those above it.
  init(making path: String) throws(SafelightError) {
    self.path = path
    var end = path.startIndex
    while end != path.endIndex {
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      _ = unsafe mkdir(String(path[..<end]), 0o700)
    }
    guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
      throw SafelightError(
        .output, "archive '\(path)'", why: String(errno: errno), remedy: "name a folder that you may write to")
    }
    guard isFolder(path) else {
      throw SafelightError(.output, "archive '\(path)'", why: "it is no folder", remedy: "name a folder")
    }
  }

  /// All of a file; nil where there is none, or more than `limit` bytes.
  func read(_ name: String, limit: Int) -> [UInt8]? {
    guard let file = unsafe fopen("\(path)/\(name)", "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = unsafe fread(&part, 1, part.count, file), count > 0 {
      bytes += part[..<count]
      guard bytes.count <= limit else { return nil }
    }
    return unsafe ferror(file) == 0 ? bytes : nil
  }

  /// Writes a file beside its place and renames it; returns why where that fails, and leaves nothing behind.
  func write(_ bytes: [UInt8], to name: String) -> SafelightError? {
    let part =
      "\(path)/\(name).\(getpid()).\(Self.next.wrappingAdd(1, ordering: .relaxed).oldValue)\(Self.temporarySuffix)"
    func failure(_ code: Int32) -> SafelightError {
      _ = unsafe unlink(part)
      return SafelightError(
        .output, "archive '\(path)'", why: "a program was not kept: \(String(errno: code))",
        remedy: "make room in the folder, or do without it")
    }
    let file = unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return failure(errno) }
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(file, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        Glibc.close(file)
        return failure(code)
      }
      written += count
    }
    guard Glibc.close(file) == 0, unsafe rename(part, "\(path)/\(name)") == 0 else { return failure(errno) }
    return nil
  }

  func remove(_ name: String) { _ = unsafe unlink("\(path)/\(name)") }

  /// Marks a file as used just now, so that it is the last to go.
  func touch(_ name: String) { _ = unsafe utimensat(AT_FDCWD, "\(path)/\(name)", nil, 0) }

  /// A file of the archive.
  struct File {
    let name: String
    let length: Int
    let nanoseconds: Int
    let isTemporary: Bool
  }

  /// The files of the archive, oldest first; whatever else lies in the folder is nobody's business here.
  var files: [File] {
    // A folder that cannot be read has nothing to offer, and `write` says why.
    guard let names = Folder.names(in: path) else { return [] }
    var files: [File] = []
    for name in names {
      let isTemporary = name.hasSuffix(Self.temporarySuffix) && name.contains("\(Self.suffix).")
      guard name.hasSuffix(Self.suffix) || isTemporary else { continue }
      var status = stat()
      guard unsafe stat("\(path)/\(name)", &status) == 0 else { continue }
      files.append(
        File(
          name: name, length: Int(status.st_size),
          nanoseconds: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec, isTemporary: isTemporary))
    }
    return files.sorted { ($0.nanoseconds, $0.name) < ($1.nanoseconds, $1.name) }
  }

  /// Removes the files that were used longest ago until the others fit into `limit` bytes, and what a process that died left
  /// half-written an hour ago.
  func trim(to limit: Int) {
    let files = files
    let anHourAgo = (time(nil) - 3600) * 1_000_000_000
    for file in files where file.isTemporary && file.nanoseconds < anHourAgo { remove(file.name) }
    let programs = files.filter { !$0.isTemporary }
    var length = programs.reduce(0) { $0 + $1.length }
    for program in programs where length > limit {
      remove(program.name)
      length -= program.length
    }
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static let next = Atomic<UInt64>(0)
}
