internal import Glibc
internal import SafelightImage
internal import Synchronization

/// The files of an archive. Several processes may use one folder: a file appears whole or not at all.
struct ArchiveFolder {
  static let suffix = ".program"
  private static let temporarySuffix = ".part"

  let path: String

  /// Makes the folder and those above it, accessible to this user only.
  init(making path: String) throws(SafelightError) {
    self.path = path
    var end = path.startIndex
    while end != path.endIndex {
      end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      _ = unsafe mkdir(String(path[..<end]), 0o700)
    }
    guard unsafe access(path, R_OK | W_OK | X_OK) == 0 else {
      throw SafelightError(
        .output, "archive '\(path)'", why: unsafe String(cString: strerror(errno)),
        remedy: "name a folder that you may write to")
    }
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw SafelightError(.output, "archive '\(path)'", why: "it is not a folder", remedy: "name a folder")
    }
  }

  /// Returns the bytes of a file; nil if it does not exist or has more than `limit` bytes.
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

  /// Writes a file under another name and renames it; returns an error and removes the file if that fails.
  func write(_ bytes: [UInt8], to name: String) -> SafelightError? {
    let part =
      "\(path)/\(name).\(getpid()).\(Self.next.wrappingAdd(1, ordering: .relaxed).oldValue)\(Self.temporarySuffix)"
    func failure(_ code: Int32) -> SafelightError {
      _ = unsafe unlink(part)
      return SafelightError(
        .output, "archive '\(path)'",
        why: "a compiled program could not be stored: \(unsafe String(cString: strerror(code)))",
        remedy: "make room on the disk of the folder, or open the device without an archive")
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

  /// Sets a file's time to now, so that ``trim(to:)`` removes it last.
  func touch(_ name: String) { _ = unsafe utimensat(AT_FDCWD, "\(path)/\(name)", nil, 0) }

  struct File {
    let name: String
    let length: Int
    let nanoseconds: Int
    let isTemporary: Bool
  }

  /// The files of the archive, oldest first, without other files in the folder.
  var files: [File] {
    // If the folder cannot be read, the next `write` reports why.
    guard let names = fileNames(inFolder: path) else { return [] }
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

  /// Removes the least recently used files beyond `limit` bytes, and temporary ones that a process left when it died.
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

  private static let next = Atomic<UInt64>(0)
}

/// Returns the visible names in the folder at `path`, in no order; nil with `errno` set if it cannot be read.
func fileNames(inFolder path: String) -> [String]? {
  guard let stream = unsafe opendir(path) else { return nil }
  defer { unsafe closedir(stream) }
  // The entry ends where its name does, before the 256 bytes that its type declares.
  let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
  var names: [String] = []
  errno = 0
  while let entry = unsafe readdir(stream) {
    let name = unsafe String(cString: (UnsafeRawPointer(entry) + start).assumingMemoryBound(to: CChar.self))
    if !name.hasPrefix(".") { names.append(name) }
  }
  return errno == 0 ? names : nil
}
