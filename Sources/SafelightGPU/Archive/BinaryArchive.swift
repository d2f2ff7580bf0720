internal import Glibc
internal import SafelightGLES
public import SafelightImage
internal import Synchronization

/// Compiled programs on disk, for the next run; Metal's `MTLBinaryArchive`.
///
/// A program is found again by its driver, that driver's version and its full text; all else compiles as without an archive. A
/// damaged file, and one that the driver refuses, is compiled anew and replaced. Any number of devices and processes may
/// use one folder, which should be nobody else's to write: programs are code. Drivers need not give programs out
/// (`GL_NUM_PROGRAM_BINARY_FORMATS` may be 0): ``Report/unsupported`` counts then. Safe to use from any thread.
public final class BinaryArchive: Sendable {
  /// What became of the programs that devices asked for.
  public struct Report: Hashable, Sendable {
    /// Taken from the archive.
    public var restored = 0
    /// Not there yet.
    public var missing = 0
    /// There, but not as they were written.
    public var damaged = 0
    /// Whole, but not taken by the driver.
    public var refused = 0
    /// Written.
    public var kept = 0
    /// Asked of a driver that gives no programs out: they compile at every run.
    public var unsupported = 0
    /// Not written; see ``lastFailure``.
    public var failed = 0
    /// Why the last one that was not written was not.
    public var lastFailure: SafelightError?

    package init() {}
  }

  /// Where the files are.
  public let folder: String
  /// The bytes that all files may have together; those that were used longest ago go first.
  public let maximumLength: Int

  private let files: ArchiveFolder
  private let account = Mutex(Report())

  /// Opens the archive in `folder`, which is made where it is not there; throws where it cannot be written to.
  public init(folder: String, maximumLength: Int = 64 << 20) throws(SafelightError) {
    trap(unless: maximumLength > 0, "an archive of \(maximumLength) bytes keeps nothing; give it room")
    files = try ArchiveFolder(making: folder)
    self.folder = folder
    self.maximumLength = maximumLength
  }

  /// The archive in the folder that `SAFELIGHT_CACHE` names; nil where it is not set.
  static func ofEnvironment() throws(SafelightError) -> BinaryArchive? {
    guard let folder = unsafe getenv("SAFELIGHT_CACHE") else { return nil }
    let path = unsafe String(cString: folder)
    return path.isEmpty ? nil : try BinaryArchive(folder: path)
  }

  /// What was done since the archive was opened.
  public var report: Report { account.withLock { $0 } }

  /// The bytes of all programs in it.
  public var length: Int { files.files.filter { !$0.isTemporary }.reduce(0) { $0 + $1.length } }

  /// Removes every program.
  public func removeAll() {
    for file in files.files where !file.isTemporary { files.remove(file.name) }
  }

  // MARK: Of backends

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

  /// Forgets a program that the driver does not take.
  func refuse(_ key: Key) {
    files.remove(key.fileName)
    account.withLock { $0.refused += 1 }
  }

  /// Writes a program; returns why where that failed.
  package func keep(_ binary: ProgramBinary, for key: Key) -> SafelightError? {
    let bytes = ArchiveEntry.encoded(binary, key: key)
    let failure =
      bytes.count > maximumLength
      ? SafelightError(
        .limit, "archive '\(folder)'", why: "a program of \(bytes.count) bytes exceeds its \(maximumLength)",
        remedy: "give the archive more room")
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

/// A program as it lies in a file of an archive.
///
/// Drivers may crash on a blob that is not theirs, so nothing of a file reaches one before its checksum was found right:
///
///     magic 8 | version 4 | format 4 | length 8 | key 32 | SHA-256 of all of these and the blob 32 | blob
///
/// Numbers are little-endian. The key guards against a file under another's name.
package enum ArchiveEntry {
  private static let magic = Array("SLPROG\r\n".utf8)
  private static let version: UInt32 = 1
  private static let headerLength = 8 + 4 + 4 + 8 + 32

  /// The bytes of the file.
  package static func encoded(_ binary: ProgramBinary, key: BinaryArchive.Key) -> [UInt8] {
    let header =
      magic + bytes(version) + bytes(binary.format) + bytes(UInt64(binary.bytes.count)) + key.digest
    return header + digest(header, binary.bytes[...]) + binary.bytes
  }

  /// The program in `file`; nil where a single byte is not as it was written.
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
  /// What a program was made of: the driver, the full texts and the stages.
  package struct Key: Hashable {
    let digest: [UInt8]

    package init(digest: [UInt8]) { self.digest = digest }

    /// Hashes texts with their lengths, so that none runs into the next.
    package init(_ texts: [String]) {
      var hash = SHA256()
      for text in texts {
        let bytes = Array(text.utf8)
        unsafe withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { unsafe hash.update($0) }
        hash.update(bytes)
      }
      digest = hash.finalize()
    }

    /// The name of its file.
    package var fileName: String {
      digest.hexadecimal + ArchiveFolder.suffix
    }
  }
}
