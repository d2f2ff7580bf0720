import Glibc
public import SafelightImage

/// A file that appears whole or not at all.
///
/// The bytes are written to a hidden, locked (flock(2)) file beside the target, named `.NAME.HOST.PID.part`, which
/// ``commit()`` renames. Until then the target is unchanged, and a file that is abandoned, by an error or by leaving
/// its scope, leaves nothing behind. ``removeUnfinished(besides:)`` removes the remains of killed processes. A symbolic
/// link stays; its destination is replaced.
public struct AtomicFile: ~Copyable {
  /// The path of the file, as errors name it.
  public let path: String
  /// The same path without symbolic links.
  private let target: String
  /// The path of the unfinished file.
  let part: String
  /// The descriptor of the unfinished file; −1 once it is closed.
  package private(set) var descriptor: Int32

  /// Begins the file at `path`, in a folder that exists.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be created.
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
  /// - Throws: ``SafelightError`` of kind `transfer` if they cannot be written, for example on a full disk; abandon the
  ///   file then.
  public func write(_ bytes: [UInt8]) throws(SafelightError) {
    if let code = writeAll(bytes, to: descriptor) { throw fileError(.transfer, path, cannotBe: "written", code: code) }
  }

  /// Writes `bytes` as the file at `path`, in full or not at all; throws as the three steps do.
  package static func write(_ bytes: [UInt8], to path: String) throws(SafelightError) {
    let file = try AtomicFile(path: path)
    try file.write(bytes)
    try file.commit()
  }

  /// Replaces the bytes from `offset` on; nothing may be appended afterwards.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if they cannot be written.
  package func overwrite(_ bytes: [UInt8], at offset: Int) throws(SafelightError) {
    guard lseek(descriptor, offset, SEEK_SET) >= 0 else {
      throw fileError(.transfer, path, cannotBe: "written", code: errno)
    }
    try write(bytes)
  }

  /// Closes the file and gives it its name, replacing the file that had it. On an error nothing is left behind.
  ///
  /// - Throws: ``SafelightError`` of kind `transfer` if the system reports only now that bytes were not written,
  ///   `output` if the file cannot be renamed.
  public consuming func commit() throws(SafelightError) {
    defer {
      close(descriptor)
      descriptor = -1
    }
    // Network file systems and quotas report unwritten bytes at a close, also at that of a duplicate, which keeps the
    // lock until the file has its name. Linux closes a descriptor even if close reports an error (close(2)): never
    // close twice.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    let error: SafelightError
    if copy < 0 || close(copy) != 0 && errno != EINTR {
      error = fileError(.transfer, path, cannotBe: "written", code: errno)
    } else if unsafe rename(part, target) != 0 {
      error = fileError(.output, path, cannotBe: "created", code: errno)
    } else {
      return
    }
    unsafe unlink(part)
    throw error
  }

  /// Throws what ``init(path:)`` would throw if no file can be created at `path`; changes nothing.
  static func checkThatItCanBeMade(_ path: String) throws(SafelightError) {
    let folder = PathParts(try target(path)).folder
    if unsafe access(folder, W_OK | X_OK) != 0 { throw fileError(.output, path, cannotBe: "created", code: errno) }
  }

  /// Removes the file at `path`, if it exists.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if it cannot be removed.
  public static func remove(_ path: String) throws(SafelightError) {
    if unsafe unlink(path) != 0, errno != ENOENT { throw fileError(.output, path, cannotBe: "removed", code: errno) }
  }

  /// Removes the unfinished files that killed processes of this host left beside `targets`; returns their number.
  ///
  /// Files of living processes stay. So do those that cannot be locked, listed or removed; they only take space.
  public static func removeUnfinished(besides targets: [String]) -> Int {
    PartFile.removeDead(besides: targets.map(resolved))
  }

  /// Returns the path of the file that would be written for `path`, which may be a symbolic link.
  static func resolved(_ path: String) -> String { (try? target(path)) ?? path }

  /// Resolves symbolic links. Only files are replaced: renaming would turn /dev/null into one.
  private static func target(_ path: String, depth: Int = 0) throws(SafelightError) -> String {
    switch FileStatus(path)?.kind {
    case nil:
      // A link's destination may not exist yet. Linux follows as many links (path_resolution(7)).
      guard let destination = FileStatus.linkTarget(path) else { return path }
      if depth == 40 { throw fileError(.output, path, cannotBe: "created", code: ELOOP) }
      return try target(
        destination.hasPrefix("/") ? destination : PathParts(path).sibling(destination), depth: depth + 1)
    case .file:
      guard let resolved = unsafe realpath(path, nil) else { return path }
      defer { unsafe free(resolved) }
      return unsafe String(cString: resolved)
    case .folder: throw fileError(.output, path, cannotBe: "created", code: EISDIR)
    case .special:
      throw SafelightError(
        .output, path, why: "it is a device, pipe or socket, which no file may replace", remedy: "name a regular file")
    }
  }
}

/// A hidden file beside its target, locked by its writer for the writer's lifetime.
///
/// The lock (flock(2)) ends with the process, however that ends, so remains of a killed process can be told from files
/// of a living one. On file systems without such locks they stay.
struct PartFile {
  let path: String
  let descriptor: Int32

  /// Creates one for `target`, which errors call `name`.
  ///
  /// A name in use is never taken over: a process in another container may have the same number, and a killed process
  /// leaves its file.
  static func create(besides target: String, name: String) throws(SafelightError) -> PartFile {
    let place = PathParts(target)
    let names = PartName(of: place.name)
    for attempt in 0..<1000 {
      let part = place.sibling(names.name(attempt))
      let descriptor = uninterrupted { unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      if descriptor >= 0 {
        if isLocked(descriptor) { return PartFile(path: part, descriptor: descriptor) }
        // A process that removes dead parts saw it before it was locked, and removes it.
        close(descriptor)
      } else if errno != EEXIST {
        throw fileError(.output, name, cannotBe: "created", code: errno)
      }
    }
    throw SafelightError(
      .output, name, why: "its folder holds a thousand unfinished copies of it",
      remedy: "remove the files named like \(names.name(0)) from its folder")
  }

  /// Locks a new file; returns false if another process removes it.
  private static func isLocked(_ descriptor: Int32) -> Bool {
    let result = uninterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
    if result != 0 { return errno != EWOULDBLOCK }
    return FileStatus(descriptor: descriptor)?.linkCount != 0
  }

  /// Removes the unfinished files of dead processes of this host beside `targets`; returns their number. Folders that
  /// cannot be listed are left alone.
  static func removeDead(besides targets: [String]) -> Int {
    var count = 0
    for (folder, targets) in Dictionary(grouping: targets.map { PathParts($0) }, by: \.folder) {
      let beginnings = Set(targets.map { PartName(of: $0.name).beginning[...] })
      for name in (try? Folder.names(in: folder, hidden: true)) ?? [] {
        guard let beginning = PartName.beginning(of: name), beginnings.contains(beginning) else { continue }
        if removeIfDead(SafelightFrames.path(folder, name)) { count += 1 }
      }
    }
    return count
  }

  private static func removeIfDead(_ path: String) -> Bool {
    // Opened for writing, since network file systems grant exclusive locks only then.
    let descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard let opened = FileStatus(descriptor: descriptor), opened.kind == .file,
      uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0
    else { return false }
    // Its writer may have finished meanwhile. As long as we hold the lock, nobody gives the name to another file.
    guard FileStatus(path)?.identity == opened.identity else { return false }
    return unsafe unlink(path) == 0
  }
}

/// The names of unfinished files: `.NAME.HOST.PID.part` beside the target, and `.NAME.HOST.PID-2.part` if that is
/// taken.
///
/// They hold the host because process numbers, and locks on some network file systems, are valid on one host only.
struct PartName {
  /// The beginning that all names for one target on this host share.
  let beginning: String

  init(of name: String) {
    // A name has at most 255 bytes (NAME_MAX).
    let stem = String(decoding: name.utf8.prefix(170), as: UTF8.self)
    beginning = ".\(stem).\(Self.host)."
  }

  /// Returns the name for attempt `attempt`, counted from 0.
  func name(_ attempt: Int) -> String {
    beginning + (attempt == 0 ? "\(getpid())" : "\(getpid())-\(attempt)") + Self.ending
  }

  /// Returns the ``beginning`` of the name of any process's unfinished file; nil for other names.
  static func beginning(of name: String) -> Substring? {
    guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
    let stem = name.dropLast(ending.count)
    guard let dot = stem.lastIndex(of: ".") else { return nil }
    let numbers = stem[dot...].dropFirst().split(separator: "-", omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let areNumbers = numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(digits.contains) }
    return (1...2).contains(numbers.count) && areNumbers ? name[...dot] : nil
  }

  /// Returns the name of the target whose unfinished file has `name`; nil for other names.
  static func target(of name: String) -> Substring? {
    guard let stem = beginning(of: name)?.dropFirst().dropLast(), let dot = stem.lastIndex(of: ".") else { return nil }
    return stem[..<dot]
  }

  private static let ending = ".part"

  /// The host's name, without characters that separate the parts of a name.
  private static let host: String = {
    var bytes = [CChar](repeating: 0, count: 256)
    let code = unsafe gethostname(&bytes, bytes.count - 1)
    let letters = bytes.prefix { $0 != 0 }.prefix(48).map { byte -> Character in
      let character = Character(UnicodeScalar(UInt8(bitPattern: byte)))
      return byte > 0 && (character.isLetter || character.isNumber || character == "-") ? character : "_"
    }
    return code == 0 && !letters.isEmpty ? String(letters) : "host"
  }()
}
