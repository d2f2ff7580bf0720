internal import Glibc
internal import SafelightGLES
public import SafelightImage
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
    guard let folder = unsafe getenv("SAFELIGHT_CACHE") else { return nil }
    let path = unsafe String(cString: folder)
    return path.isEmpty ? nil : try BinaryArchive(folder: path)
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
    guard let file = files.read(key.fileName, limit: maximumLength) else {
      account.withLock { $0.missing += 1 }
      return nil
    }
    guard let binary = ArchiveEntry.decoded(file, key: key) else {
      account.withLock { $0.damaged += 1 }
      return nil
    }
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
