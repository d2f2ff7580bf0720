import Glibc
public import SafelightImage

/// The PNG files of a folder, and then those that arrive in it, as inotify(7) tells.
///
/// A file has arrived when it was closed after writing, or got its name by renaming or linking; whoever writes slowly does well to write
/// elsewhere on the same disk and rename. Files that are there already, and those found by listing the folder because too much happened at
/// once, may still be being written: they are held back until they are closed or have not changed for a second. Subfolders and hidden files
/// are passed over. Of network file systems the kernel tells only what this machine does there.
///
/// Not for use by several threads at once.
public final class FolderWatch {
  /// The folder.
  public let folder: String
  private let descriptor: Int32
  /// True where the folder is to be listed: at first, and when more happened than the kernel could remember.
  private var isToBeListed = true
  /// What has been handed out and is still there, so that a listing tells only of what is new.
  private var handedOut: [String: Version] = [:]
  /// Listed files that may still be being written, and since when they are as they are.
  private var held: [String: (version: Version, since: ContinuousClock.Instant)] = [:]
  /// How long a listed file must not have changed.
  private let standstill: Duration
  private var newRefusals: [SafelightError] = []
  /// Names that are no text, told of once.
  private var refused: Set<[UInt8]> = []

  /// Listed files with equal versions are taken for the same. One that is written twice within a tick of the clock has equal ones too, so
  /// where the kernel tells of a file it is not asked.
  private struct Version: Hashable {
    let identity: FileStatus.Identity
    let byteCount: Int
    let modified: Int

    init(_ status: FileStatus) {
      identity = status.identity
      byteCount = status.byteCount
      modified = status.modified
    }
  }

  /// Begins to watch `folder`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` where there is no such folder, `environment` where the system's watches are used up.
  public convenience init(_ folder: String) throws { try self.init(folder, standstill: .seconds(1)) }

  /// The same; `standstill` is how long a listed file must not have changed.
  package init(_ folder: String, standstill: Duration) throws {
    self.folder = folder
    self.standstill = standstill
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw Self.exhausted(folder, "max_user_instances", code: errno) }
    let interest =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
    guard unsafe inotify_add_watch(descriptor, folder, UInt32(interest) | UInt32(IN_ONLYDIR)) >= 0 else {
      let code = errno
      close(descriptor)
      throw code == ENOSPC
        ? Self.exhausted(folder, "max_user_watches", code: code)
        : fileError(.missingInput, folder, cannotBe: "watched", code: code)
    }
  }

  deinit { close(descriptor) }

  /// The files that have come since the last call, in the order in which they came; at first those that are there, in natural order. Does
  /// not wait.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` where the folder is gone, `transfer` where watching or listing it fails.
  public func arrivals() throws -> [String] {
    var arrived: [String] = []
    while let events = try events() {
      for event in events {
        if let file = try take(event) { arrived.append(file) }
      }
    }
    if isToBeListed {
      arrived = try NaturalOrder.sorted(arrived + list())
    } else if isWaiting {
      arrived += NaturalOrder.sorted(standing(Array(held.keys)))
    }
    // One that came twice is read once, as it is then.
    var seen: Set<String> = []
    return arrived.filter { seen.insert($0).inserted }
  }

  /// How many files are remembered: no more than there are.
  package var rememberedCount: Int { handedOut.count + held.count }

  /// True while files are held back that may still be being written.
  public var isWaiting: Bool { !held.isEmpty }

  /// Why files that have come since the last call cannot be read: their names are not UTF-8. Each is told of once.
  public func refusals() -> [SafelightError] {
    defer { newRefusals = [] }
    return newRefusals
  }

  /// All files that are there in another version than was handed out, and stand still.
  private func list() throws -> [String] {
    isToBeListed = false
    let (names, others, _) = try Folder.filesAndOthers(in: folder, where: FrameInput.isPNGName)
    newRefusals += others.filter { !refused.contains($0) }.map { Folder.notUTF8($0, in: folder) }
    refused = Set(others)
    let present = Set(names)
    handedOut = handedOut.filter { present.contains($0.key) }
    held = held.filter { present.contains($0.key) }
    return standing(names)
  }

  /// Those of `names` that are there in another version than was handed out, and stand still.
  private func standing(_ names: [String]) -> [String] {
    names.compactMap { name in
      guard let status = FileStatus(path(folder, name)), status.kind == .file, handedOut[name] != Version(status)
      else {
        held[name] = nil
        return nil
      }
      return standsStill(name, status) ? handOut(name, status) : nil
    }
  }

  /// False where a listed file may still be being written; then it is held back.
  private func standsStill(_ name: String, _ status: FileStatus) -> Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let age = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - .nanoseconds(status.modified)
    if age >= standstill { return true }
    // Clocks of servers go wrong, and some programs set times that are yet to come.
    if let held = held[name], held.version == Version(status) { return .now - held.since >= standstill }
    held[name] = (Version(status), .now)
    return false
  }

  private func handOut(_ name: String, _ status: FileStatus) -> String {
    held[name] = nil
    handedOut[name] = Version(status)
    return path(folder, name)
  }

  private struct Event {
    let mask: Int32
    let name: ArraySlice<UInt8>
  }

  /// What the kernel has to tell, or a part of it; nil where that is nothing.
  private func events() throws -> [Event]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      uninterrupted { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    }
    if count < 0 && errno == EAGAIN { return nil }
    guard count >= 0 else { throw fileError(.transfer, folder, cannotBe: "watched", code: errno) }
    // Each has a fixed part, and a name that is filled up with zeros (inotify(7)).
    let fixed = MemoryLayout<inotify_event>.size
    var events: [Event] = []
    var place = 0
    while place + fixed <= count {
      let event = unsafe bytes.withUnsafeBytes {
        unsafe $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
      }
      let end = min(count, place + fixed + Int(event.len))
      events.append(Event(mask: Int32(bitPattern: event.mask), name: bytes[place + fixed..<end].prefix { $0 != 0 }))
      place = end
    }
    return events
  }

  /// The path of the file that an event hands out.
  private func take(_ event: Event) throws -> String? {
    let mask = event.mask
    if mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0 {
      throw SafelightError(
        .missingInput, folder, why: "the folder was removed or renamed while it was watched",
        remedy: "make it again, then run it again")
    }
    if mask & IN_Q_OVERFLOW != 0 { isToBeListed = true }
    guard let name = String(validating: event.name, as: UTF8.self) else {
      // A listing says which file it is.
      isToBeListed = true
      return nil
    }
    if mask & (IN_DELETE | IN_MOVED_FROM) != 0 {
      (handedOut[name], held[name]) = (nil, nil)
      return nil
    }
    guard !name.isEmpty, !name.hasPrefix("."), FrameInput.isPNGName(name), mask & IN_ISDIR == 0 else { return nil }
    // A link is whole at once; all else that is created is written first.
    if mask & IN_CREATE != 0 && !FileStatus.isLink(path(folder, name)) { return nil }
    guard let status = FileStatus(path(folder, name)), status.kind == .file else { return nil }
    return handOut(name, status)
  }

  private static func exhausted(_ folder: String, _ limit: String, code: Int32) -> SafelightError {
    SafelightError(
      .environment, folder, why: "cannot be watched: \(unsafe String(cString: strerror(code)))",
      remedy: "raise fs.inotify.\(limit) (sysctl), or end other programs that watch folders")
  }
}

/// Where the files of a watched folder go: another folder, in which they keep their names.
public struct WatchedOutput: Hashable, Sendable {
  private let folder: String
  private let watched: String

  /// Reads `text`, the name of a folder, and makes it where it is missing.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for anything else, and for the folder `watched` itself, where outputs would be taken for
  ///   arrivals; `output` where the folder cannot be made.
  public init(_ text: String, watching watched: String) throws {
    let isFolder = FileStatus(text)?.kind == .folder
    guard isFolder || FilmOutput(text) == nil && !FramePattern.isPattern(text) && !FrameInput.isPNGName(text) else {
      throw SafelightError(
        .usage, text, why: "what arrives in a watched folder goes to a folder", remedy: "name a folder with -o")
    }
    try FrameOutput(text, for: []).prepare()
    if let place = FileStatus(text), place.identity == FileStatus(watched)?.identity {
      throw SafelightError(
        .usage, text, why: "outputs in the watched folder would be taken for arrivals",
        remedy: "name another folder with -o")
    }
    folder = text
    self.watched = watched
  }

  /// Makes sure that a file written beside the run, such as a report, can take the place of nothing that arrives or is made, and that its
  /// folder is there.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` where it lies in one of the two folders or is named as a PNG file, `output` where it cannot
  ///   be made.
  public func checkSideFile(_ path: String) throws {
    try FrameOutput.checkSideFile(path, beside: [])
    let places = Set([path, AtomicFile.resolved(path)].compactMap { FileStatus(PathParts($0).folder)?.identity })
    if [watched, folder].compactMap({ FileStatus($0)?.identity }).contains(where: places.contains) {
      throw SafelightError(
        .usage, path, why: "it lies where frames arrive or go", remedy: "write it to another folder")
    }
    if FrameInput.isPNGName(path) {
      throw SafelightError(
        .usage, path, why: "it is named as a picture", remedy: "name it otherwise, such as report.json")
    }
  }

  /// Throws a ``SafelightError`` of kind `usage` where something that arrives could take the place of the file `input`, which the run reads.
  public func refuse(replacing input: String) throws {
    for place in [input, AtomicFile.resolved(input)].map(PathParts.init)
    where FrameInput.isPNGName(place.name) && isOneFile(place.folder, folder) {
      throw InputFiles.error(folder, replaces: input)
    }
  }

  /// The file that `frame` goes to.
  public func path(for frame: Frame) -> String { SafelightFrames.path(folder, frame.name) }
}
