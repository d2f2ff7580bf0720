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

/// A hidden file beside its target, locked by the process that writes it for as long as that lives.
///
/// The lock (flock(2)) ends with the process, however it ends, so what a killed one leaves behind can be told from what another writes.
/// File systems without such locks keep what is left behind.
struct PartFile {
  let path: String
  let descriptor: Int32

  /// Creates one for `target`, which errors call `name`.
  ///
  /// Another process may have the same number in another container, and a killed one leaves its file: a name in use is never taken over.
  static func create(besides target: String, name: String) throws(SafelightError) -> PartFile {
    let place = PathParts(target)
    let names = PartName(of: place.name)
    for attempt in 0..<1000 {
      let part = place.sibling(names.name(attempt))
      let descriptor = uninterrupted { unsafe open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
      if descriptor >= 0 {
        if isLocked(descriptor) { return PartFile(path: part, descriptor: descriptor) }
        // Who removes dead parts saw it before it was locked, and removes it.
        close(descriptor)
      } else if errno != EEXIST {
        throw fileError(.output, name, cannotBe: "created", code: errno)
      }
    }
    throw SafelightError(
      .output, name, why: "a thousand unfinished copies of it stand beside it",
      remedy: "remove the files \(names.name(0)) and the like in its folder")
  }

  /// Locks a new file; false where it is about to be removed, or was.
  private static func isLocked(_ descriptor: Int32) -> Bool {
    let result = uninterrupted { flock(descriptor, LOCK_EX | LOCK_NB) }
    if result != 0 { return errno != EWOULDBLOCK }
    return FileStatus(descriptor: descriptor)?.linkCount != 0
  }

  /// Removes what dead processes of this host left beside `targets` unfinished; returns how many. Living ones keep theirs, and so do
  /// folders that cannot be listed.
  static func removeDead(besides targets: [String]) -> Int {
    var count = 0
    for (folder, targets) in Dictionary(grouping: targets.map { PathParts($0) }, by: \.folder) {
      let names = Dictionary(
        targets.map { PartName(of: $0.name) }.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      let hidden = (try? Folder.hiddenNames(in: folder)) ?? []
      for name in hidden {
        guard let key = PartName.stem(of: name), names[key]?.isOfThisHost(name) == true else { continue }
        if removeIfDead(SafelightFrames.path(folder, name)) { count += 1 }
      }
    }
    return count
  }

  private static func removeIfDead(_ path: String) -> Bool {
    // For writing: network file systems lock for the sole use of one only what is open so.
    let descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard let opened = FileStatus(descriptor: descriptor), opened.kind == .file,
      uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0
    else { return false }
    // Its writer may have finished meanwhile. Now that the lock is here, nobody else gives the name to another file.
    guard FileStatus(path)?.identity == opened.identity else { return false }
    return unsafe unlink(path) == 0
  }
}

/// The names of unfinished files: `.NAME.HOST.PID.part` beside the target, and `.NAME.HOST.PID-2.part` where that is taken.
///
/// The host is part of it because process numbers, and on some network file systems locks too, mean something on one host alone.
struct PartName {
  private let beginning: String

  /// Those of this process for the target `name`.
  init(of name: String) {
    // A name has at most 255 bytes (NAME_MAX).
    let stem = String(decoding: name.utf8.prefix(170), as: UTF8.self)
    beginning = ".\(stem).\(Self.host)."
  }

  /// The name for the `attempt`th time, from 0.
  func name(_ attempt: Int) -> String {
    beginning + (attempt == 0 ? "\(getpid())" : "\(getpid())-\(attempt)") + Self.ending
  }

  /// True where a process of this host would name its unfinished file so, whatever its number.
  func isOfThisHost(_ name: String) -> Bool {
    guard name.hasPrefix(beginning), name.hasSuffix(Self.ending) else { return false }
    let number = name.utf8.dropFirst(beginning.utf8.count).dropLast(Self.ending.utf8.count)
    let parts = number.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
  }

  /// The part of an unfinished file's name that all processes of this host share, as far as `name` has it: what to look it up by.
  static func stem(of name: String) -> Substring? {
    guard name.hasPrefix("."), name.hasSuffix(ending) else { return nil }
    guard let dot = name.dropLast(ending.count).lastIndex(of: ".") else { return nil }
    return name[...dot]
  }

  /// The name of the target whose unfinished file `name` is; nil where it is none.
  static func target(of name: String) -> Substring? {
    guard let stem = stem(of: name)?.dropFirst().dropLast(), let dot = stem.lastIndex(of: ".") else { return nil }
    return stem[..<dot]
  }

  /// What all names for one target begin with.
  var key: Substring { beginning[...] }

  private static let ending = ".part"

  /// The host's name, with nothing in it that parts names.
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
