import SafelightImage

/// The picture files for the frames of a film, whose number is not known in advance.
public struct FilmFrameFiles: Hashable, Sendable {
  private enum Form: Hashable {
    case file(String)
    case pattern(FramePattern)
  }

  private let form: Form
  private let output: FrameOutput

  /// Interprets `text`: a folder, in which frames are named after `film`, `clip.000001.png` and on, or `rocket.png` for
  /// a picture; a printf pattern, which takes the frame's number, or that of a picture among several; or, if the film
  /// is a picture or `isSingle`, a `.png` file, and `-` for standard output if `isStreamable`.
  ///
  /// - Throws: The errors of ``FrameOutput/init(_:for:of:)``, and a ``SafelightError`` of kind `usage` for several
  ///   frames in one file.
  public init(_ text: String, of film: FilmInput, number: Int = 1, isSingle: Bool, isStreamable: Bool = false) throws {
    let place = PathParts(text)
    if FramePattern.isPattern(place.name) && FileStatus(text)?.kind != .folder {
      let pattern = try FramePattern(text)
      form = film.isPicture ? .file(pattern.path(number)) : .pattern(pattern)
    } else if text == "-" && isStreamable || place.fileExtension == "png" && FileStatus(text)?.kind != .folder {
      guard isSingle || film.isPicture else {
        // For example, a text file that was named by mistake.
        let isGuess = if case .ffmpeg(.file(let path)) = film { !FilmInput.isPictureOrFilm(path) } else { false }
        throw SafelightError(
          .usage, text,
          why: (isGuess ? "\(film.name) is taken for a film, since its extension is not that of a picture, and " : "")
            + "the frames of a film cannot go to one file",
          remedy: "name a folder or a pattern such as frame.%06d.png, or choose a single frame")
      }
      form = .file(text)
    } else {
      let stem = film.stem
      form =
        film.isPicture
        ? .file(SafelightFrames.path(text, stem + ".png"))
        : .pattern(try FramePattern(stem.replacing("%", with: "%%") + ".%06d.png").below(text))
    }
    // A frame without an input file that could be replaced.
    output = try FrameOutput(text, for: [Frame(index: 0, number: 1, path: "")], isStreamable: isStreamable)
  }

  /// Returns the path of frame `number`.
  public func path(_ number: Int) -> String {
    switch form {
    case .file(let path): path
    case .pattern(let pattern): pattern.path(number)
    }
  }

  /// Creates the folder if one was named; otherwise checks that the folder exists.
  public func prepare() throws { try output.prepare() }

  /// The path of a frame that already exists; nil if there is none.
  public var existing: String? {
    get throws {
      switch form {
      case .file(let path): fileExists(path) ? path : nil
      case .pattern(let pattern): try Self.frames(of: pattern).map(\.path).min()
      }
    }
  }

  /// Returns the paths of existing frames with numbers above `last`, in order.
  public func leftOver(behind last: Int) throws -> [String] {
    guard case .pattern(let pattern) = form else { return [] }
    return NaturalOrder.sorted(try Self.frames(of: pattern).filter { $0.number > last }.map(\.path))
  }

  /// Throws a ``SafelightError`` of kind `usage` if a frame, or the folder of the frames, may have the name of
  /// `report`.
  package func refuse(report: String) throws {
    try FrameOutput.checkSideFile(report, beside: [], outputs: [path(1)])
    guard case .pattern(let pattern) = form, let number = pattern.number(in: PathParts(report).name),
      number > 0
    else { return }
    try FrameOutput.checkSideFile(report, beside: [], outputs: [path(number)])
  }

  /// Throws a ``SafelightError`` of kind `usage` if a frame of `selection`, or any, would replace one of `inputs`.
  public func refuse(replacing inputs: InputFiles, _ selection: FrameSelection? = nil) throws {
    switch form {
    case .file(let path): try inputs.refuseOutput(path)
    case .pattern(let pattern):
      for (number, path) in try Self.frames(of: pattern) where selection?.contains(number - 1) ?? true {
        try inputs.refuseOutput(path)
      }
    }
  }

  /// Returns the numbers and paths of the frames that exist.
  private static func frames(of pattern: FramePattern) throws -> [(number: Int, path: String)] {
    guard Folder.exists(pattern.place) else { return [] }
    return try Folder.names(in: pattern.place).compactMap { name in
      guard let number = pattern.number(in: name), fileExists(pattern.folder + name) else { return nil }
      return (number, pattern.folder + name)
    }
  }

  /// The targets of unfinished files of any process.
  public var unfinished: [String] {
    switch form {
    case .file(let path): return [path]
    case .pattern(let pattern):
      let names = (try? Folder.names(in: pattern.place, hidden: true)) ?? []
      let targets = Set(names.compactMap { PartName.target(of: $0).map(String.init) })
      return targets.filter { pattern.number(in: $0) != nil }.map { pattern.folder + $0 }
    }
  }
}
