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

  // MARK: Of executors

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
