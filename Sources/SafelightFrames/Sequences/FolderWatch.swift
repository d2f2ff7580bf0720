import Glibc
public import SafelightImage

/// The PNG files of a folder, followed by those that arrive in it, as inotify(7) reports.
///
/// A file has arrived when it is closed after writing, or gets its name by renaming or linking; slow writers should
/// write elsewhere on the same disk and rename. Files that already exist, and those found by listing the folder after
/// too many events at once, may still be being written: they are held back until they are closed or unchanged for a
/// second. Subfolders and hidden files are skipped. Of network file systems the kernel reports only changes by this
/// machine.
///
/// Only one thread at a time may use it.
public final class FolderWatch {
  /// The folder.
  public let folder: String
  private let descriptor: Int32
  /// True if the folder must be listed: at first, and after more events than the kernel could queue.
  private var isToBeListed = true
  /// The reported files that still exist, so that a listing reports only new ones. Files that the kernel reports are
  /// not compared.
  private var handedOut: [String: FileStatus.Version] = [:]
  /// Listed files that may still be being written, and since when they are unchanged.
  private var held: [String: (version: FileStatus.Version, since: ContinuousClock.Instant)] = [:]
  /// The time for which a listed file must be unchanged.
  private let standstill: Duration
  private var newRefusals: [SafelightError] = []
  /// Names that are not UTF-8, reported once.
  private var refused: Set<[UInt8]> = []
  /// Names of links without a file, of pipes and of devices, reported once.
  private var passedOver: Set<String> = []

  /// Begins to watch `folder`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if the folder does not exist, `environment` if the system's
  ///   watches are used up.
  public convenience init(_ folder: String) throws { try self.init(folder, standstill: .seconds(1)) }

  package init(_ folder: String, standstill: Duration) throws {
    self.folder = folder
    self.standstill = standstill
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { throw Self.exhausted(folder, "max_user_instances", code: errno) }
    let interest = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
    guard unsafe inotify_add_watch(descriptor, folder, UInt32(interest) | UInt32(IN_ONLYDIR)) >= 0 else {
      let code = errno
      close(descriptor)
      throw code == ENOSPC
        ? Self.exhausted(folder, "max_user_watches", code: code)
        : fileError(.missingInput, folder, cannotBe: "watched", code: code)
    }
  }

  deinit { close(descriptor) }

  /// Returns the files that have arrived since the last call, in order of arrival; at first the existing ones, in
  /// natural order. Does not wait.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if the folder was removed, `transfer` if watching or listing
  ///   it fails.
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
    // A file that arrived twice is read once, in its latest version.
    var seen: Set<String> = []
    return arrived.filter { seen.insert($0).inserted }
  }

  /// The number of remembered files, at most the number of existing ones.
  package var rememberedCount: Int { handedOut.count + held.count }
  /// True while files are held back that may still be being written.
  public var isWaiting: Bool { !held.isEmpty }

  /// Returns the errors for what has arrived since the last call and cannot be read, because its name is not UTF-8 or
  /// it is no file; each is reported once.
  public func refusals() -> [SafelightError] {
    defer { newRefusals = [] }
    return newRefusals
  }

  /// Returns all files in another version than was reported, if they are unchanged for long enough.
  private func list() throws -> [String] {
    isToBeListed = false
    var others: Set<[UInt8]> = []
    let (names, special) = try Folder.contents(
      of: folder, onNotUTF8: { others.insert($0) }, where: SequenceInput.isPNGName)
    for name in special { _ = status(of: name) }
    newRefusals += others.subtracting(refused).map { Folder.notUTF8($0, in: folder) }
    refused = others
    let present = Set(names)
    handedOut = handedOut.filter { present.contains($0.key) }
    held = held.filter { present.contains($0.key) }
    return standing(names)
  }

  /// Returns those of `names` that exist in another version than was reported, if they are unchanged for long enough.
  private func standing(_ names: [String]) -> [String] {
    names.compactMap { name in
      guard let status = status(of: name), handedOut[name] != status.version else {
        held[name] = nil
        return nil
      }
      return standsStill(name, status) ? handOut(name, status) : nil
    }
  }

  /// Returns false if a listed file may still be being written, and holds it back.
  private func standsStill(_ name: String, _ status: FileStatus) -> Bool {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let age = Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) - status.modified
    if age >= standstill { return true }
    // Servers' clocks may be wrong, and some programs set times in the future.
    if let held = held[name], held.version == status.version { return .now - held.since >= standstill }
    held[name] = (status.version, .now)
    return false
  }

  private func handOut(_ name: String, _ status: FileStatus) -> String {
    held[name] = nil
    handedOut[name] = status.version
    return path(folder, name)
  }

  private struct Event {
    let mask: Int32
    let name: ArraySlice<UInt8>
  }

  /// Reads pending events of the kernel, perhaps not all; nil if there are none.
  private func events() throws -> [Event]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      uninterrupted { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    }
    if count < 0 && errno == EAGAIN { return nil }
    guard count >= 0 else { throw fileError(.transfer, folder, cannotBe: "watched", code: errno) }
    // Each has a fixed part, and a name padded with zeros (inotify(7)).
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

  /// Returns the path of a file that an event reports as arrived.
  private func take(_ event: Event) throws -> String? {
    let mask = event.mask
    try ensure(
      mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) == 0, .missingInput, folder,
      why: "the folder was removed or renamed while it was watched", remedy: "create it again, then start again")
    if mask & IN_Q_OVERFLOW != 0 { isToBeListed = true }
    guard let name = String(validating: event.name, as: UTF8.self) else {
      // A listing finds the file.
      isToBeListed = true
      return nil
    }
    if mask & (IN_DELETE | IN_MOVED_FROM) != 0 {
      (handedOut[name], held[name]) = (nil, nil)
      return nil
    }
    guard !name.isEmpty, !name.hasPrefix("."), SequenceInput.isPNGName(name), mask & IN_ISDIR == 0 else { return nil }
    // A link is complete at once; other new files are still to be written.
    if mask & IN_CREATE != 0 && !FileStatus.isLink(path(folder, name)) { return nil }
    return status(of: name).map { handOut(name, $0) }
  }

  /// Returns the status of the file `name`; nil if there is none. A link without a file, a pipe and a device each add
  /// an error to ``refusals()``.
  private func status(of name: String) -> FileStatus? {
    let path = path(folder, name)
    let status = FileStatus(path)
    if status?.kind == .file {
      passedOver.remove(name)
      return status
    }
    guard status == nil ? FileStatus.isLink(path) : status?.kind == .special, passedOver.insert(name).inserted else {
      return nil
    }
    newRefusals.append(
      status == nil
        ? SafelightError(
          .missingInput, path, why: "it is a link to a file that does not exist",
          remedy: "restore the file, or remove the link")
        : Folder.notAFile(path))
    return nil
  }

  private static func exhausted(_ folder: String, _ limit: String, code: Int32) -> SafelightError {
    SafelightError(
      .environment, folder, why: "cannot be watched: \(unsafe String(cString: strerror(code)))",
      remedy: "raise fs.inotify.\(limit) (sysctl), or end other programs that watch folders")
  }
}

/// The output folder for the files of a watched folder, in which they keep their names.
public struct WatchedOutput: Hashable, Sendable {
  private let folder: String
  private let watched: String

  /// Interprets `text`, the name of a folder, and creates it if it is missing.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for anything else, and for the folder `watched` itself, whose outputs
  ///   would be taken for arrivals; `output` if the folder cannot be created.
  public init(_ text: String, watching watched: String) throws {
    let isFolder = FileStatus(text)?.kind == .folder
    try ensure(
      isFolder || VideoOutput(text) == nil && !FramePattern.isPattern(text) && !SequenceInput.isPNGName(text), .usage,
      text, why: "files of a watched folder can be written only to a folder", remedy: "name an output folder")
    try FrameOutput(text, for: []).prepare()
    if let place = FileStatus(text), place.identity == FileStatus(watched)?.identity {
      throw SafelightError(
        .usage, text, why: "outputs in the watched folder would be taken for new inputs",
        remedy: "name another output folder")
    }
    folder = text
    self.watched = watched
  }

  /// Checks that a file written beside the run, such as a report, can be created and cannot replace a frame that
  /// arrives or is written.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it lies in one of the two folders or has the extension of a PNG
  ///   file, `output` if it cannot be created.
  public func checkSideFile(_ path: String) throws {
    try FrameOutput.checkSideFile(path, beside: [])
    let places = Set([path, AtomicFile.resolved(path)].compactMap { FileStatus(PathParts($0).folder)?.identity })
    try ensure(
      places.isDisjoint(with: [watched, folder].compactMap { FileStatus($0)?.identity }), .usage, path,
      why: "it is in a folder where frames arrive or are written", remedy: "write it to another folder")
  }

  /// Throws a ``SafelightError`` of kind `usage` if an arriving file could replace the file `input`, which the run
  /// reads.
  public func refuse(replacing input: String) throws {
    for place in [input, AtomicFile.resolved(input)].map(PathParts.init)
    where SequenceInput.isPNGName(place.name) && isOneFile(place.folder, folder) {
      throw InputFiles.error(folder, replaces: input)
    }
  }

  /// Returns the output path of `frame`.
  public func path(for frame: Frame) -> String { SafelightFrames.path(folder, frame.name) }
}
