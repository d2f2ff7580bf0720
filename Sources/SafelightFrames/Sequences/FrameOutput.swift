import SafelightImage

/// The output files of the frames, determined before any work is done.
public struct FrameOutput: Hashable, Sendable {
  /// One path for each frame, in their order; all different.
  public let paths: [String]
  private let folder: String

  /// Interprets `text`: a folder (names are kept, but a PNG file called `a.jpg` becomes `a.png`), a printf pattern
  /// (`out.%04d.png`, which takes ``Frame/number``), for a single frame a `.png` file, and `-` for standard output if
  /// `isStreamable`.
  ///
  /// `inputs` are all frames of which `frames` are a part, if that is more: results may depend on them, and other runs
  /// may take other parts to the same folder. Of `frames` this process writes those at the places `written`, nil for
  /// all; whether others would replace an input is not examined.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if frames would get the same path, an output would replace an input,
  ///   or a name asks for another format than PNG.
  public init(
    _ text: String, for frames: [Frame], of inputs: [Frame] = [], written: Range<Int>? = nil, isStreamable: Bool = false
  ) throws {
    switch try Self.form(text, count: frames.count, isStreamable) {
    case .file(let path): (paths, folder) = ([path], PathParts(path).folder)
    case .pattern(let pattern): (paths, folder) = (frames.map { pattern.path($0.number) }, PathParts(text).folder)
    case .folder(let folder):
      func place(_ frame: Frame) -> String { path(folder, Self.pictureName(frame.place)) }
      self.paths = frames.map(place)
      self.folder = folder
      // Parts of one input, each in a run of its own, would replace one another's files.
      try Self.refuseCollisions(inputs, inputs.map(place))
    }
    try Self.refuseCollisions(frames, paths)
    // A file that does not exist replaces nothing.
    let existing = paths[written ?? paths.indices].filter(fileExists)
    guard !existing.isEmpty else { return }
    let files = InputFiles((inputs.isEmpty ? frames : inputs).map(\.path))
    for path in existing { try files.refuseOutput(path) }
  }

  /// Throws what ``init(_:for:of:written:isStreamable:)`` would throw for the name alone, whatever the frames.
  package static func checkName(_ text: String) throws { _ = try form(text, count: 1, true) }

  /// Creates the folders of the files.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if one cannot be created.
  public func prepare() throws {
    for folder in Set(paths.map { PathParts($0).folder } + [folder]).sorted() { try Folder.make(folder) }
  }

  /// Checks that the folder exists or can be created; changes nothing.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if ``prepare()`` would throw it.
  public func check() throws { try Folder.checkThatItCanBeMade(folder) }

  /// Checks, before hours of work are wasted, that a file written beside the frames, such as a plot, can be created and
  /// replaces neither an input nor an output.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if it would replace one, `output` if its folder is missing or closed,
  ///   or its path is not that of a file.
  public static func checkSideFile(_ path: String, beside frames: [Frame], outputs: [String] = []) throws {
    let parent = PathParts(path).folder
    try ensure(
      FileStatus(parent)?.kind == .folder, .output, parent,
      why: "there is no such folder" + (PathParts(path).name.isEmpty ? "" : " to write \(PathParts(path).name) into"),
      remedy: "create the folder, or check its name")
    try ensure(
      !outputs.contains { PathParts($0).folder == path + "/" }, .usage, path, why: "it is the folder of the frames",
      remedy: "choose another name, such as \(path).json")
    if let other = firstFile(frames.map(\.path) + outputs, sameAs: AtomicFile.resolved(path)) {
      throw SafelightError(
        .usage, path, why: "it would replace the frame \(other)",
        remedy: "write it to another folder, or under another name")
    }
    try AtomicFile.checkThatItCanBeMade(path)
  }

  enum Target {
    case file(String)
    case pattern(FramePattern)
    case folder(String)
  }

  /// File extensions of pictures and films that people may expect to be written; a folder of such a name would puzzle
  /// them.
  private static let otherFormats: Set<String> = [
    "y4m", "mp4", "mkv", "mov", "avi", "webm", "m4v", "nut", "ts", "mpg", "mpeg", "m2v", "m2ts", "mts", "vob", "flv",
    "f4v", "ogv", "wmv", "3gp", "mxf", "h264", "264", "h265", "265", "hevc", "ivf", "raw", "rgb", "rgba", "yuv",
    "gray", "gif", "apng", "jpg", "jpeg", "tif", "tiff", "exr", "webp", "bmp", "avif", "heic", "jxl", "dpx", "ppm",
    "pgm",
  ]

  /// Returns `place`, the path of a frame in its folder, with the file extension of what is written there.
  private static func pictureName(_ place: String) -> String {
    let kind = PathParts(place).fileExtension
    if kind.isEmpty { return place + ".png" }
    return otherFormats.contains(kind) ? "\(place.dropLast(kind.utf8.count))png" : place
  }

  /// Returns what `text` names as the output of `count` frames; throws the errors of the initializer about the name.
  static func form(_ text: String, count: Int, _ isStreamable: Bool) throws -> Target {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      let name = text.isEmpty ? "output" : text == "-" ? "standard output" : text
      return SafelightError(.usage, name, why: why, remedy: remedy)
    }
    guard !text.isEmpty else { throw refused("its name is empty", "name a folder, a pattern or a .png file") }
    if text == "-" && isStreamable {
      if count != 1 {
        throw refused("\(count) frames cannot go to standard output as PNG", "name a folder, or write Y4M")
      }
      return .file(text)
    }
    let parts = PathParts(text)
    let status = FileStatus(text)
    if status?.kind == .folder { return .folder(text) }
    if VideoOutput.isFilmName(text), FramePattern.isPattern(text) {
      throw refused(
        "a film is one file, but a name with % stands for many, one for each picture",
        "write the film to a path without %, or write pictures, such as frame.%04d.png")
    }
    if text == "-" || status == nil && !text.hasSuffix("/") && otherFormats.contains(parts.fileExtension) {
      throw refused(
        "only PNG files can be written, or films with one of the extensions "
          + VideoOutput.kinds.map { ".\($0)" }.joined(separator: ", "),
        "choose one of these, or write frame.%06d.png and convert the frames with ffmpeg")
    }
    if FramePattern.isPattern(parts.name) {
      let pattern = try FramePattern(text)
      guard parts.fileExtension == "png" else {
        throw refused("pictures can be written only as PNG files", "end the pattern in .png")
      }
      return .pattern(pattern)
    }
    if text.hasSuffix("/") { return .folder(text) }
    if parts.fileExtension == "png" {
      guard count == 1 else {
        if FramePattern.isPattern(parts.prefix) { _ = try FramePattern(text) }
        let pattern = "\(text.dropLast(4).replacing("%", with: "%%")).%04d.png"
        throw refused("\(count) frames cannot go to one file", "name a folder, or a pattern such as \(pattern)")
      }
      return .file(text)
    }
    try ensure(
      status == nil, .output, text, why: "it exists and is neither a folder nor a .png file",
      remedy: "name another folder")
    // A folder `clip.mp5` would puzzle whoever meant `clip.mp4`.
    let (kind, kinds) = (parts.fileExtension, ["png", "y4m"] + FFmpegWriter.kinds)
    if kind.contains(where: \.isLetter), let nearest = NearestNames.find(kind, among: kinds).first {
      throw refused(
        "no picture or film has the extension .\(kind)",
        "correct it, perhaps to .\(nearest), or if a folder is meant, end its name in a slash: \(text)/")
    }
    return .folder(text)
  }

  private static func refuseCollisions(_ frames: [Frame], _ paths: [String]) throws {
    var owners: [String: Int] = [:]
    for (index, path) in paths.enumerated() {
      guard let other = owners.updateValue(index, forKey: AtomicFile.resolved(path)) else { continue }
      // Strings are equal if they look alike (Unicode's canonical equivalence), even with other bytes.
      let (isLink, isAlike) = (paths[other] != path, !paths[other].utf8.elementsEqual(path.utf8))
      let (reason, remedy) =
        isLink
        ? ("; \(paths[other]) is the same file by a link", "remove the link, or write to another folder")
        : isAlike
          ? ("; their names look alike and differ only in how Unicode encodes them (NFC or NFD)", "rename one of them")
          : ("", "write to a pattern such as frame.%04d.png, or write each to a folder of its own")
      throw SafelightError(
        .usage, path, why: "both \(frames[other].path) and \(frames[index].path) would be written there\(reason)",
        remedy: remedy)
    }
  }
}
