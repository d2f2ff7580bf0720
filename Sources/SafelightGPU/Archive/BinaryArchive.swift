internal import Glibc
internal import SafelightGLES
public import SafelightImage
internal import SafelightMachine
internal import Synchronization

/// Compiled programs on disk, for the next run; Metal's `MTLBinaryArchive`.
///
/// A program is identified by its driver, the driver's version and its full text; other programs compile as without an
/// archive. A file that is damaged or that the driver refuses is replaced by a newly compiled program. Several devices
/// and processes may share a folder. Only trusted users should be able to write to it, as programs are code. A driver
/// may offer no binaries (`GL_NUM_PROGRAM_BINARY_FORMATS` may be 0), which ``Report/unsupported`` counts. Safe to use
/// from any thread.
public final class BinaryArchive: Sendable {
  /// The numbers of programs that devices requested, by result.
  public struct Report: Hashable, Sendable {
    /// Programs loaded from the archive.
    public var restored = 0
    /// Programs that had no file.
    public var missing = 0
    /// Files whose checksum did not match.
    public var damaged = 0
    /// Intact programs that the driver refused.
    public var refused = 0
    /// Programs written.
    public var kept = 0
    /// Programs of a driver that offers no binaries: they compile at every run.
    public var unsupported = 0
    /// Programs that could not be written; see ``lastFailure``.
    public var failed = 0
    /// The error of the last program that could not be written.
    public var lastFailure: SafelightError?

    package init() {}
  }

  /// The folder of the files.
  public let folder: String
  /// The maximum size of all files together, in bytes; the least recently used are removed first.
  public let maximumLength: Int

  private let files: ArchiveFolder
  private let account = Mutex(Report())

  /// Opens the archive in `folder`, and makes the folder if needed; throws if it cannot be written to.
  public init(folder: String, maximumLength: Int = 64 << 20) throws(SafelightError) {
    trap(unless: maximumLength > 0, "an archive of \(maximumLength) bytes keeps nothing; pass a maximumLength above 0")
    files = try ArchiveFolder(making: folder)
    self.folder = folder
    self.maximumLength = maximumLength
  }

  /// Opens the archive in the folder that `SAFELIGHT_CACHE` names; nil if the variable is not set.
  static func ofEnvironment() throws(SafelightError) -> BinaryArchive? {
    guard let folder = MachineReadings.ofThisProcess.variable("SAFELIGHT_CACHE"), !folder.isEmpty else { return nil }
    return try BinaryArchive(folder: folder)
  }

  /// The results since the archive was opened.
  public var report: Report { account.withLock { $0 } }

  /// The size of all programs in it, in bytes.
  public var length: Int { files.files.filter { !$0.isTemporary }.reduce(0) { $0 + $1.length } }

  /// Removes every program.
  public func removeAll() {
    for file in files.files where !file.isTemporary { files.remove(file.name) }
  }

  // MARK: For backends

  package func binary(for key: Key) -> ProgramBinary? {
    let file = files.read(key.fileName, limit: maximumLength)
    let binary = file.flatMap { ArchiveEntry.decoded($0, key: key) }
    if binary == nil { account.withLock { $0[keyPath: file == nil ? \Report.missing : \Report.damaged] += 1 } }
    return binary
  }

  package func noteRestored(_ key: Key) {
    files.touch(key.fileName)
    account.withLock { $0.restored += 1 }
  }

  func noteUnsupported() { account.withLock { $0.unsupported += 1 } }

  func refuse(_ key: Key) {
    files.remove(key.fileName)
    account.withLock { $0.refused += 1 }
  }

  package func keep(_ binary: ProgramBinary, for key: Key) -> SafelightError? {
    let bytes = ArchiveEntry.encoded(binary, key: key)
    let failure =
      bytes.count > maximumLength
      ? SafelightError(
        .limit, "archive '\(folder)'",
        why: "a program of \(bytes.count) bytes exceeds the archive's limit of \(maximumLength)",
        remedy: "open the archive with a larger maximumLength")
      : files.write(bytes, to: key.fileName)
    account.withLock { account in
      account.kept += failure == nil ? 1 : 0
      account.failed += failure == nil ? 0 : 1
      account.lastFailure = failure ?? account.lastFailure
    }
    files.trim(to: maximumLength)
    return failure
  }
}

/// The file format of a program.
///
/// Drivers may crash on damaged binaries, so no byte of a file reaches one before its checksum is verified:
///
///     magic 8 | version 4 | format 4 | length 8 | key 32 | SHA-256 of all of these and the blob 32 | blob
///
/// Numbers are little-endian. The key detects a file that was renamed.
package enum ArchiveEntry {
  private static let magic = Array("SLPROG\r\n".utf8)
  private static let version: UInt32 = 1
  private static let headerLength = 8 + 4 + 4 + 8 + 32

  package static func encoded(_ binary: ProgramBinary, key: BinaryArchive.Key) -> [UInt8] {
    let header =
      magic + bytes(version) + bytes(binary.format) + bytes(UInt64(binary.bytes.count)) + key.digest
    return header + digest(header, binary.bytes[...]) + binary.bytes
  }

  /// Returns the program in `file`; nil if any byte was changed.
  package static func decoded(_ file: [UInt8], key: BinaryArchive.Key) -> ProgramBinary? {
    let begin = headerLength + SHA256.byteCount
    guard file.count > begin, Array(file[..<8]) == magic, number(file[8..<12]) == UInt64(version),
      number(file[16..<24]) == UInt64(file.count - begin), Array(file[24..<headerLength]) == key.digest,
      digest(Array(file[..<headerLength]), file[begin...]) == Array(file[headerLength..<begin])
    else { return nil }
    return ProgramBinary(format: UInt32(number(file[12..<16])), bytes: Array(file[begin...]))
  }

  private static func digest(_ header: [UInt8], _ blob: ArraySlice<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(header)
    hash.update(blob)
    return hash.finalize()
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension BinaryArchive {
  /// The identity of a program: its driver, full texts and stages.
  package struct Key: Hashable {
    let digest: [UInt8]

    package init(digest: [UInt8]) { self.digest = digest }

    /// Hashes texts with their lengths, so that different lists never hash alike.
    package init(_ texts: [String]) {
      var hash = SHA256()
      for text in texts {
        let bytes = Array(text.utf8)
        unsafe withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { unsafe hash.update($0) }
        hash.update(bytes)
      }
      digest = hash.finalize()
    }

    package var fileName: String { digest.hexadecimal + ArchiveFolder.suffix }
  }
}

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
    let modified: Duration
    let isTemporary: Bool
  }

  /// The files of the archive, oldest first, without other files in the folder.
  var files: [File] {
    // If the folder cannot be read, the next `write` reports why.
    guard let names = fileNames(inFolder: path) else { return [] }
    let files = names.compactMap { name -> File? in
      let isTemporary = name.hasSuffix(Self.temporarySuffix) && name.contains("\(Self.suffix).")
      var status = stat()
      guard name.hasSuffix(Self.suffix) || isTemporary, unsafe stat("\(path)/\(name)", &status) == 0 else { return nil }
      return File(
        name: name, length: Int(status.st_size),
        modified: .seconds(status.st_mtim.tv_sec) + .nanoseconds(status.st_mtim.tv_nsec), isTemporary: isTemporary)
    }
    return files.sorted { ($0.modified, $0.name) < ($1.modified, $1.name) }
  }

  /// Removes the least recently used files beyond `limit` bytes, and temporary ones that a process left when it died.
  func trim(to limit: Int) {
    let files = files
    let anHourAgo = Duration.seconds(time(nil) - 3600)
    for file in files where file.isTemporary && file.modified < anHourAgo { remove(file.name) }
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
