import Glibc
import SafelightImage

package enum Folder {
  /// Returns whether `path` is a folder, or a link to one.
  package static func exists(_ path: String) -> Bool { FileStatus(path)?.kind == .folder }

  /// Returns the names of the files in `folder` that `matches` accepts, in no order, except hidden ones.
  ///
  /// Links are included, also those that lead nowhere, for example while a disk is not mounted: reading them reports
  /// that. Folders, pipes, sockets and devices are not.
  package static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    try contents(of: folder, where: matches).names
  }

  /// Returns the same and the sorted names of pipes, sockets and devices that `matches` accepts.
  ///
  /// `onNotUTF8` receives the bytes of other names that would be accepted. By default they are an error: no picture is
  /// silently skipped.
  static func contents(
    of folder: String, onNotUTF8: (([UInt8]) -> Void)? = nil, where matches: (String) -> Bool
  ) throws -> (names: [String], special: [String]) {
    var (names, special): ([String], [String]) = ([], [])
    try forEachEntry(of: folder) { bytes, isPlain in
      guard let name = String(validating: bytes, as: UTF8.self) else {
        guard matches(String(decoding: bytes, as: UTF8.self)) else { return }
        guard let onNotUTF8 else { throw notUTF8(bytes, in: folder) }
        return onNotUTF8(bytes)
      }
      guard matches(name) else { return }
      // Links, and file systems that do not report kinds, need a second look.
      switch isPlain ? .file : FileStatus(path(folder, name))?.kind {
      case .file, nil: names.append(name)
      case .special: special.append(name)
      case .folder: break
      }
    }
    return (names, special.sorted())
  }

  /// The error for a device, pipe or socket at `path`, which cannot be a picture whatever its name.
  static func notAFile(_ path: String) -> SafelightError {
    SafelightError(
      .input, path, why: "it is a device, pipe or socket",
      remedy: "remove it from the folder, or name the files one by one")
  }

  /// The error for the file `name` in `folder`, which cannot be read.
  static func notUTF8(_ name: [UInt8], in folder: String) -> SafelightError {
    SafelightError(
      .input, path(folder, String(decoding: name, as: UTF8.self)), why: "its name is not UTF-8",
      remedy: "rename the file, for example with convmv")
  }

  /// Returns the names in `folder` that are UTF-8, in no order: either those that are hidden or those that are not.
  static func names(in folder: String, hidden: Bool = false) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder, hidden: hidden) { bytes, _ in
      if let name = String(validating: bytes, as: UTF8.self) { names.append(name) }
    }
    return names
  }

  /// Returns the names in `folder` that are not hidden and not known to be those of files, in no order. What cannot be
  /// named is an error: no folder is silently skipped.
  static func namesBesideFiles(in folder: String) throws -> [String] {
    var names: [String] = []
    try forEachEntry(of: folder) { bytes, isPlain in
      if isPlain { return }
      guard let name = String(validating: bytes, as: UTF8.self) else { throw notUTF8(bytes, in: folder) }
      names.append(name)
    }
    return names
  }

  /// Calls `body` with each name in `folder` that is hidden, or is not, and with whether the system reports at once
  /// that it is a file.
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

  /// Creates `folder` and the folders above it if they are missing.
  package static func make(_ folder: String) throws {
    if exists(folder) { return }
    let trimmed = withoutSlashes(folder)
    let parent = PathParts(trimmed).prefix
    if !parent.isEmpty && parent != trimmed { try make(parent) }
    guard unsafe mkdir(trimmed, 0o777) != 0 else { return }
    let code = errno
    guard code == EEXIST else { throw fileError(.output, folder, cannotBe: "created", code: code) }
    // Another process may have been faster.
    if !exists(folder) { throw isFile(trimmed) }
  }

  /// Throws what ``make(_:)`` would throw if the folder cannot be created; changes nothing.
  static func checkThatItCanBeMade(_ folder: String) throws {
    var place = folder
    while true {
      // A file is not found with a trailing slash.
      let trimmed = withoutSlashes(place)
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

  private static func withoutSlashes(_ path: String) -> String { String(path.reversed().drop { $0 == "/" }.reversed()) }

  private static func isFile(_ path: String) -> SafelightError {
    SafelightError(.output, path, why: "it is a file, but a folder is needed there", remedy: "name another folder")
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> [UInt8] {
    // The entry ends with its name, before the 256 bytes that its type declares.
    let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let bytes = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(entry) + start, count: 256)
    return unsafe Array(bytes.prefix { $0 != 0 })
  }

  /// Returns whether `path` is, or would be, below the folder `folder`.
  public static func holds(_ folder: String, _ path: String) -> Bool {
    guard let outer = FileStatus(folder), outer.kind == .folder, FileStatus(path)?.identity != outer.identity else {
      return false
    }
    // The nearest existing folder, after resolving links, and those above it.
    var place = path
    while FileStatus(place) == nil, place != "." { place = PathParts(withoutSlashes(place)).folder }
    var known: Set<FileStatus.Identity> = []
    while let status = FileStatus(place), known.insert(status.identity).inserted {
      if status.identity == outer.identity { return true }
      place += "/.."
    }
    return false
  }
}

/// The files below a folder, except hidden ones. A link back to an enclosing folder is not followed.
package enum FileTree {
  /// Returns the paths, relative to `folder`, of the files whose names `matches` accepts, in natural order.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if a folder cannot be opened, `input` if a name is not UTF-8.
  package static func files(in folder: String, where matches: (String) -> Bool) throws -> [String] {
    try contents(of: folder, where: matches).names
  }

  /// Returns the same and the sorted paths of pipes, sockets and devices that `matches` accepts.
  static func contents(
    of folder: String, where matches: (String) -> Bool
  ) throws -> (names: [String], special: [String]) {
    var (found, special): ([String], [String]) = ([], [])
    var waiting: [(inner: String, above: [FileStatus.Identity])] = [("", [])]
    while let (inner, above) = waiting.popLast() {
      let place = inner.isEmpty ? folder : path(folder, inner)
      let here = try Folder.contents(of: place, where: matches)
      found += here.names.map { path(inner, $0) }
      special += here.special.map { path(inner, $0) }
      let known = above + [FileStatus(place)?.identity].compactMap { $0 }
      waiting += try AtomicFolder.folders(in: place).compactMap { name in
        guard let identity = FileStatus(path(place, name))?.identity, !known.contains(identity) else { return nil }
        return (path(inner, name), known)
      }
    }
    // Swift compares characters, a file system bytes: é has two spellings.
    var known: Set<String> = []
    for name in found where !known.insert(name).inserted {
      throw SafelightError(
        .input, path(folder, name), why: "two files have this name, spelled in two ways in Unicode",
        remedy: "rename one of them")
    }
    return (NaturalOrder.sorted(found), special.sorted())
  }
}
