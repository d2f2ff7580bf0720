import Glibc
import SafelightImage

/// A file that appears whole or not at all.
///
/// The bytes go to a hidden file beside the target, named `.NAME.PID.part`, which ``commit()`` renames. Until then
/// the target is what it was before, and a file that is given up, by an error or by leaving its scope, leaves nothing
/// behind. A symbolic link stays; what it points to is replaced.
public struct AtomicFile: ~Copyable {
  /// The file to be, as errors name it.
  public let path: String
  /// The same without symbolic links.
  private let target: String
  /// Where the bytes are until the end.
  private let part: String
  /// −1 once it is closed.
  package private(set) var descriptor: Int32

  /// Begins the file at `path`, in a folder that exists.
  ///
  /// Throws a ``SafelightError`` of kind `output` where it cannot be created.
  public init(path: String) throws {
    let target = try Self.target(path)
    let (part, descriptor) = try Self.createPart(of: target, path: path)
    self.path = path
    self.target = target
    self.part = part
    self.descriptor = descriptor
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
  public func write(_ bytes: [UInt8]) throws {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      // One call writes 2 GiB at most, and less where a signal or a quota intervenes (write(2)).
      while written < bytes.count {
        let count = uninterrupted {
          unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        }
        if count < 0 { return errno }
        written += count
      }
      return 0
    }
    if code != 0 { throw fileError(.transfer, path, cannotBe: "written", code: code) }
  }

  /// Closes the file and gives it its name, replacing what had it.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where the system reports only now that bytes were not written,
  /// `output` where the name cannot be given. Nothing is left behind then.
  public consuming func commit() throws {
    // Linux closes the descriptor even where close reports an error (close(2)): never twice.
    let closed = close(descriptor)
    descriptor = -1
    if closed != 0 && errno != EINTR {
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

  /// The file to replace, behind symbolic links. Only files are replaced: renaming would turn /dev/null into one.
  private static func target(_ path: String) throws -> String {
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

  /// Creates the hidden file. Another process may have the same number in another container, and a killed one leaves
  /// its file: a name in use is never taken over.
  private static func createPart(of target: String, path: String) throws -> (name: String, descriptor: Int32) {
    let place = PathParts(target)
    // A name has at most 255 bytes (NAME_MAX).
    let stem = String(decoding: place.name.utf8.prefix(200), as: UTF8.self)
    for attempt in 0..<1000 {
      let number = attempt == 0 ? "\(getpid())" : "\(getpid())-\(attempt)"
      let part = place.sibling(".\(stem).\(number).part")
      let descriptor = uninterrupted { unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      if descriptor >= 0 { return (part, descriptor) }
      if errno != EEXIST { throw fileError(.output, path, cannotBe: "created", code: errno) }
    }
    throw SafelightError(
      .output, path, why: "a thousand unfinished copies of it stand beside it",
      remedy: "remove the files .\(stem).*.part in its folder")
  }
}
