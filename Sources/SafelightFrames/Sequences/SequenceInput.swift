import Glibc
import SafelightImage

/// One input as named on a command line, and the files found for it.
package struct SequenceInput {
  /// The files: a single file, those of a folder or a glob in natural order, or those of a pattern by their numbers.
  var paths: [String]
  /// The paths relative to the named folder, if they are more than names.
  var places: [String]?
  /// The numbers of a pattern, in ascending order; nil for other inputs.
  var numbers: [Int]?
  /// Pipes, sockets and devices with the name of a picture.
  var passedOver: [String] = []
  /// Files of a folder or a glob with the extension of other pictures or films.
  var otherKinds: [String] = []
  /// Folders in a folder or a glob that hold PNG files, if they are not searched.
  var innerFolders: [String] = []

  /// Finds the files; if `isRecursive`, also those in folders of a folder.
  init(_ text: String, isRecursive: Bool) throws {
    try ensure(
      !text.isEmpty, .usage, "input", why: "its name is empty", remedy: "name a PNG file, a folder or a pattern")
    if text == "-", try StandardInput.isPNG {
      self.init(paths: [StandardInput.picturePath])
      places = ["stdin.png"]
      return
    }
    if text == "-" || text.contains("://") { throw Self.unsupported(text) }
    let status = FileStatus(text)
    let code = status == nil ? errno : 0
    switch status?.kind {
    case .folder: try self.init(folder: text, isRecursive)
    case .file:
      // Without the usual extension, the first bytes decide.
      guard try Self.isPNGName(text) || PNGSignature.begins(fileAt: text) else { throw Self.unsupported(text) }
      self.init(paths: [text])
    case .special: throw Self.unsupported(text)
    case nil:
      if Self.isGlob(text) {
        try self.init(glob: text)
      } else if FramePattern.isPattern(text) {
        try self.init(pattern: FramePattern(text))
      } else {
        throw Self.missing(text, code: code)
      }
    }
  }

  private init(paths: [String]) { self.paths = paths }

  private static func missing(_ text: String, code: Int32) -> SafelightError {
    // It may exist but be out of reach: in a closed folder, or behind circular links.
    if code != ENOENT && code != ENOTDIR || FileStatus.linkTarget(text) != nil { return cannotOpen(text, code: code) }
    let remedy = "check the name; relative names are looked up in the current folder"
    return SafelightError(.missingInput, text, why: "no such file or folder", remedy: remedy)
  }

  private static func unsupported(_ text: String) -> SafelightError {
    SafelightError(
      .unsupported, text == "-" ? "standard input" : text, why: "only PNG files can be read here",
      remedy: "convert it to PNG files first")
  }

  static func isPNGName(_ name: String) -> Bool { PathParts(name).fileExtension == "png" }

  private init(folder: String, _ isRecursive: Bool) throws {
    var others: [String] = []
    func isFrame(_ name: String) -> Bool {
      if Self.isPNGName(name) { return true }
      others.append(name)
      return false
    }
    let (names, special) =
      try isRecursive ? FileTree.contents(of: folder, where: isFrame) : Folder.contents(of: folder, where: isFrame)
    let folders = isRecursive ? [] : NaturalOrder.sorted(try AtomicFolder.folders(in: folder))
    let inner = folders.map { path(folder, $0) }.filter(Self.holdsFrames)
    guard !names.isEmpty else { throw Self.withoutPNG(folder, others: others + special, inner: inner) }
    let sorted = NaturalOrder.sorted(names)
    paths = sorted.map { path(folder, $0) }
    places = isRecursive ? sorted : nil
    passedOver = special.map { path(folder, $0) }
    otherKinds = NaturalOrder.sorted(others.filter(VideoInput.isPictureOrFilm)).map { path(folder, $0) }
    innerFolders = inner
  }

  /// Returns whether `folder` holds PNG files; one that cannot be opened counts as holding none.
  private static func holdsFrames(_ folder: String) -> Bool {
    (try? Folder.files(in: folder, where: isPNGName))?.isEmpty == false
  }

  private init(pattern: FramePattern) throws {
    let (names, special) = try Folder.contents(of: pattern.place) { pattern.number(in: $0) != nil }
    let frames = names.compactMap { name in pattern.number(in: name).map { (number: $0, name: name) } }
      .sorted { $0 < $1 }
    try ensure(
      !frames.isEmpty, .missingInput, pattern.description,
      why: "no file matches the pattern; \(pattern.path(1)) would", remedy: "check the name and the number of digits")
    numbers = frames.map(\.number)
    paths = frames.map { pattern.folder + $0.name }
    passedOver = special.map { pattern.folder + $0 }
  }

  package static func isGlob(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
  }

  private static func withoutPNG(_ folder: String, others: [String], inner: [String]) -> SafelightError {
    if let inner = inner.first {
      return SafelightError(
        .missingInput, folder, why: "the folder itself holds no .png file",
        remedy: "name the folder that holds the frames, such as \(inner), or search subfolders too",
        setting: .recursion)
    }
    let kinds = Set(others.filter(VideoInput.isPictureOrFilm).map { PathParts($0).fileExtension })
    let count = others.count == 1 ? "1 file" : "\(others.count) files"
    return SafelightError(
      .missingInput, folder,
      why: others.isEmpty ? "the folder is empty" : "the folder holds no .png file, only \(count) of other kinds",
      remedy: kinds.min().map { "name files other than PNGs one by one: \(path(folder, "*.\($0)")), without quotes" }
        ?? "name the folder that holds the frames")
  }

  /// Throws if a folder in which `pattern` is searched for exists but may not be read: glob(3) treats it as empty.
  private static func checkFolders(of pattern: String) throws {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    for (depth, part) in parts.enumerated() where isGlob(part) {
      let parent = parts[..<depth].joined(separator: "/")
      let folders = isGlob(parent) ? try matches(parent) : [parent.isEmpty ? depth == 0 ? "." : "/" : parent]
      for folder in folders {
        switch FileStatus(folder)?.kind {
        case .file, .special: continue
        case .folder: if unsafe access(folder, R_OK | X_OK) == 0 { continue }
        case nil: if errno == ENOENT || errno == ENOTDIR { continue }
        }
        throw fileError(.missingInput, folder, cannotBe: "read", code: errno)
      }
    }
  }

  /// Returns the names that match `pattern`, in no order.
  private static func matches(_ pattern: String) throws -> [String] {
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    let status = unsafe Glibc.glob(pattern, GLOB_NOSORT, { $1 == ENOENT || $1 == ENOTDIR ? 0 : 1 }, &found)
    if status == GLOB_NOMATCH { return [] }
    if status == GLOB_ABORTED { throw fileError(.missingInput, pattern, cannotBe: "searched", code: errno) }
    try ensure(status == 0, .transfer, pattern, why: "the search for matching files failed")
    return try (0..<Int(unsafe found.gl_pathc)).compactMap { index in
      guard let match = unsafe found.gl_pathv[index] else { return nil }
      return try required(
        unsafe String(validatingCString: match), .input, unsafe String(cString: match), why: "its name is not UTF-8",
        remedy: "rename the file, for example with convmv")
    }
  }

  private init(glob pattern: String) throws {
    try Self.checkFolders(of: pattern)
    let matches = try Self.matches(pattern)
    var (paths, passedOver, others, inner): ([String], [String], [String], [String]) = ([], [], [], [])
    for path in matches {
      switch FileStatus(path)?.kind {
      case .folder: if Self.holdsFrames(path) { inner.append(path) }
      case .special where Self.isPNGName(path): passedOver.append(path)
      // Reading reports where a dangling link leads.
      case .file where Self.isPNGName(path), nil where Self.isPNGName(path): paths.append(path)
      case .file where VideoInput.isPictureOrFilm(path): others.append(path)
      case .file, .special, nil: break
      }
    }
    guard !paths.isEmpty else {
      let count = matches.count
      let names = count == 0 ? "" : ", only \(count) other \(count == 1 ? "name does" : "names do")"
      throw SafelightError(
        .missingInput, pattern, why: "no .png file matches" + names,
        remedy: VideoInput.isPictureOrFilm(pattern)
          ? "name files other than PNGs one by one: use the pattern without quotes" : "check the pattern")
    }
    self.paths = NaturalOrder.sorted(paths)
    self.passedOver = passedOver
    otherKinds = NaturalOrder.sorted(others)
    innerFolders = NaturalOrder.sorted(inner)
  }
}
