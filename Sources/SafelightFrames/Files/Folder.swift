import Glibc
import SafelightImage

/// Folders on disk.
package enum Folder {
  /// True where a folder, or a link to one, stands at `path`.
  package static func exists(_ path: String) -> Bool { FileStatus(path)?.kind == .folder }

  /// The names of the files in `folder` that `matches` accepts, links included, in no order. Hidden files,
  /// whose names begin with a dot, are passed over, and so are folders.
  ///
  /// Links that lead nowhere, as where a disk is not mounted, are among them: reading them says so. Pipes, sockets and devices are passed over
  /// too.
  package static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    try filesAndSpecial(in: folder, where: matches).names
  }

  /// The same, and the names of the pipes, sockets and devices that `matches` accepts, in order.
  static func filesAndSpecial(
    in folder: String, where matches: (String) -> Bool
  ) throws -> (names: [String], special: [String]) {
    let (names, unreadable, special) = try filesAndOthers(in: folder, where: matches)
    // Nothing is silently passed over: a picture that cannot be named is an error.
    if let name = unreadable.first { throw notUTF8(name, in: folder) }
    return (names, special.sorted())
  }

  /// The same, the names that are not UTF-8 and would be accepted, as bytes, and those of pipes, sockets and devices.
  static func filesAndOthers(
    in folder: String, where matches: (String) -> Bool
  ) throws -> (names: [String], notUTF8: [[UInt8]], special: [String]) {
    var (names, others, special): ([String], [[UInt8]], [String]) = ([], [], [])
    try forEachEntry(of: folder) { bytes, isPlain in
      guard let name = String(validating: bytes, as: UTF8.self) else {
        if matches(String(decoding: bytes, as: UTF8.self)) { others.append(bytes) }
        return
      }
      guard matches(name) else { return }
      // Links, and file systems that do not tell, cost a second look.
      switch isPlain ? .file : FileStatus(path(folder, name))?.kind {
      case .file, nil: names.append(name)
      case .special: special.append(name)
      case .folder: break
      }
    }
    return (names, others, special)
  }

  /// Why what stands at `path` is no picture, whatever its name.
  static func notAFile(_ path: String) -> SafelightError {
    SafelightError(
      .input, path, why: "it is a device, pipe or socket",
      remedy: "remove it, or name files")
  }

  /// Why the file `name` in `folder` cannot be read.
  static func notUTF8(_ name: [UInt8], in folder: String) -> SafelightError {
    SafelightError(
      .input, path(folder, String(decoding: name, as: UTF8.self)), why: "its name is not UTF-8",
      remedy: "rename the file, for example with convmv")
  }

  /// The names of everything in `folder` that is not hidden and whose name is UTF-8, in no order.
  static func names(in folder: String) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder) { bytes, _ in
      if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
    }
    return names
  }

  /// The names of what is hidden in `folder` and whose name is UTF-8, in no order.
  static func hiddenNames(in folder: String) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder, hidden: true) { bytes, _ in
      if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
    }
    return names
  }

  /// Calls `body` with the name of everything in `folder` that is not hidden, or is, and whether the system says at once that it is a file.
  private static func forEachEntry(
    of folder: String, hidden: Bool = false, _ body: ([UInt8], _ isPlain: Bool) throws -> Void
  ) throws {
    guard let stream = unsafe opendir(folder) else {
      throw fileError(.missingInput, folder, cannotBe: "opened", code: errno)
    }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw fileError(.transfer, folder, cannotBe: "read", code: errno) }
        return
      }
      let bytes = unsafe name(of: entry)
      if (bytes.first == UInt8(ascii: ".")) == hidden {
        try body(bytes, unsafe Int(entry.pointee.d_type) == Int(DT_REG))
      }
    }
  }

  /// Makes `folder` and the folders above it, where they are missing.
  package static func make(_ folder: String) throws {
    if FileStatus(folder)?.kind == .folder { return }
    let trimmed = String(folder.reversed().drop { $0 == "/" }.reversed())
    let parent = PathParts(trimmed).prefix
    if !parent.isEmpty && parent != trimmed { try make(parent) }
    if unsafe mkdir(trimmed, 0o777) != 0 {
      let code = errno
      // Another process may have been faster.
      if code == EEXIST {
        if FileStatus(folder)?.kind == .folder { return }
        throw isFile(trimmed)
      }
      throw fileError(.output, folder, cannotBe: "created", code: code)
    }
  }

  /// Throws what ``make(_:)`` would for a folder that cannot be made; changes nothing.
  static func checkThatItCanBeMade(_ folder: String) throws {
    var place = folder
    while true {
      // With a slash behind it a file is not found.
      let trimmed = String(place.reversed().drop { $0 == "/" }.reversed())
      if let status = FileStatus(trimmed.isEmpty ? place : trimmed) {
        guard status.kind == .folder else { throw isFile(trimmed) }
        if place != folder, unsafe access(place, W_OK | X_OK) != 0 {
          throw fileError(.output, folder, cannotBe: "created", code: errno)
        }
        return
      }
      if place == "." || trimmed.isEmpty { throw fileError(.output, folder, cannotBe: "created", code: errno) }
      place = PathParts(trimmed).folder
    }
  }

  private static func isFile(_ path: String) -> SafelightError {
    SafelightError(
      .output, path, why: "it is a file, and a folder was to be made there", remedy: "name another folder")
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // The entry ends where its name does, before the 256 bytes that its type declares.
    let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(entry) + start, count: 256)
    return unsafe Array(bytes.prefix { $0 != 0 })
  }

  /// True where `path` lies, or would lie, below the folder `folder`.
  public static func holds(_ folder: String, _ path: String) -> Bool {
    guard let outer = FileStatus(folder), outer.kind == .folder, FileStatus(path)?.identity != outer.identity else {
      return false
    }
    // The nearest folder that is there, behind links, and those above it.
    var place = path
    while FileStatus(place) == nil, place != "." {
      let slashless = place.count > 1 && place.hasSuffix("/") ? String(place.dropLast()) : place
      place = PathParts(slashless).folder
    }
    var known: Set<FileStatus.Identity> = []
    while let status = FileStatus(place), known.insert(status.identity).inserted {
      if status.identity == outer.identity { return true }
      place += "/.."
    }
    return false
  }
}

/// The files below a folder, hidden ones left out. A link back to a folder that it lies in is not followed: what is
/// there is taken.
package enum FileTree {
  /// The paths, from `folder`, of the files that `matches` accepts by their names, in natural order.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where a folder cannot be opened, `input` where a name is not UTF-8.
  package static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    try filesAndSpecial(in: folder, where: matches).names
  }

  /// The same, and the paths of the pipes, sockets and devices that `matches` accepts, in order.
  static func filesAndSpecial(
    in folder: String, where matches: (String) -> Bool
  ) throws -> (names: [String], special: [String]) {
    var (found, special): ([String], [String]) = ([], [])
    var waiting: [(inner: String, above: [FileStatus.Identity])] = [("", [])]
    while let (inner, above) = waiting.popLast() {
      let place = inner.isEmpty ? folder : path(folder, inner)
      let here = try Folder.filesAndSpecial(in: place, where: matches)
      found += here.names.map { path(inner, $0) }
      special += here.special.map { path(inner, $0) }
      let known = above + [FileStatus(place)?.identity].compactMap { $0 }
      waiting += try AtomicFolder.folders(in: place).compactMap { name in
        guard let identity = FileStatus(path(place, name))?.identity, !known.contains(identity) else { return nil }
        return (path(inner, name), known)
      }
    }
    // Swift compares text by what it means, a file system by its bytes: é has two spellings.
    var known: Set<String> = []
    for name in found where !known.insert(name).inserted {
      throw SafelightError(
        .input, path(folder, name), why: "two files have this name in two spellings of Unicode", remedy: "rename one")
    }
    return (NaturalOrder.sorted(found), special.sorted())
  }
}
