import Glibc
public import SafelightImage

/// A file that appears whole or not at all.
///
/// The bytes go to a hidden file beside the target, named `.NAME.HOST.PID.part` and locked (flock(2)), which ``commit()`` renames. Until
/// then the target is what it was before, and a file that is given up, by an error or by leaving its scope, leaves nothing
/// behind. What a killed process leaves, ``removeUnfinished(besides:)`` removes. A symbolic link stays; what it points to is replaced.
public struct AtomicFile: ~Copyable {
  /// The file to be, as errors name it.
  public let path: String
  /// The same without symbolic links.
  private let target: String
  /// Where the bytes are until the end.
  let part: String
  /// −1 once it is closed.
  package private(set) var descriptor: Int32

  /// Begins the file at `path`, in a folder that exists.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be created.
  public init(path: String) throws(SafelightError) {
    let target = try Self.target(path)
    let part = try PartFile.create(besides: target, name: path)
    self.path = path
    self.target = target
    self.part = part.path
    descriptor = part.descriptor
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unsafe unlink(part)
  }

  /// Appends `bytes`.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where they cannot be written, above all on a full disk; give the
  /// file up then.
  public func write(_ bytes: [UInt8]) throws(SafelightError) {
    if let code = writeAll(bytes, to: descriptor) { throw fileError(.transfer, path, cannotBe: "written", code: code) }
  }

  /// Closes the file and gives it its name, replacing what had it.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where the system reports only now that bytes were not written,
  /// `output` where the name cannot be given. Nothing is left behind then.
  public consuming func commit() throws(SafelightError) {
    defer {
      close(descriptor)
      descriptor = -1
    }
    // Network file systems and quotas report at a close what was not written. That of a copy does too, and leaves the lock until the
    // file has its name. Linux closes a descriptor even where close reports an error (close(2)): never twice.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    if copy < 0 || close(copy) != 0 && errno != EINTR {
      let error = fileError(.transfer, path, cannotBe: "written", code: errno)
      unsafe unlink(part)
      throw error
    }
    if unsafe rename(part, target) != 0 {
      let error = fileError(.output, path, cannotBe: "created", code: errno)
      unsafe unlink(part)
      throw error
    }
  }

  /// Throws what ``init(path:)`` would where no file can be made at `path`; changes nothing.
  public static func checkThatItCanBeMade(_ path: String) throws(SafelightError) {
    let folder = PathParts(try target(path)).folder
    if unsafe access(folder, W_OK | X_OK) != 0 { throw fileError(.output, path, cannotBe: "created", code: errno) }
  }

  /// Removes the file at `path`, if there is one.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be removed.
  public static func remove(_ path: String) throws(SafelightError) {
    if unsafe unlink(path) != 0, errno != ENOENT { throw fileError(.output, path, cannotBe: "removed", code: errno) }
  }

  /// Removes the unfinished files that killed processes of this host left beside `targets`, and returns how many those were. What a living
  /// process writes stays; so does what cannot be locked, listed or removed, which does no harm but to the room on the disk.
  public static func removeUnfinished(besides targets: [String]) -> Int {
    PartFile.removeDead(besides: targets.map(resolved))
  }

  /// Where the bytes of the file at `path` would go: behind symbolic links.
  static func resolved(_ path: String) -> String { (try? target(path)) ?? path }

  /// The file to replace, behind symbolic links. Only files are replaced: renaming would turn /dev/null into one.
  private static func target(_ path: String) throws(SafelightError) -> String {
    switch FileStatus(path)?.kind {
    case nil:
      return path
    case .file:
      guard let resolved = unsafe realpath(path, nil) else { return path }
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    case .folder:
      throw fileError(.output, path, cannotBe: "created", code: EISDIR)
    case .special:
      throw SafelightError(
        .output, path, why: "it is a device, pipe or socket; a file was to replace it", remedy: "name a file")
    }
  }
}
