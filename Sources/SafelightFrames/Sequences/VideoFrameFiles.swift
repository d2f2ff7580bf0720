import SafelightImage

/// The picture files for the frames of a film, whose number is not known in advance.
public struct VideoFrameFiles: Hashable, Sendable {
  private enum Target: Hashable {
    case file(String)
    case pattern(FramePattern)
  }

  private let form: Target

  /// Interprets `text`: a folder, in which frames are named after `film`, `clip.000001.png` and on, or `rocket.png` for
  /// a picture; a printf pattern, which takes the frame's number, or that of a picture among several; or, if the film
  /// is a picture or `isSingle`, a `.png` file, and `-` for standard output if `isStreamable`.
  ///
  /// - Throws: The errors of ``FrameOutput/init(_:for:of:)``, and a ``SafelightError`` of kind `usage` for several
  ///   frames in one file.
  public init(_ text: String, of film: VideoInput, number: Int = 1, isSingle: Bool, isStreamable: Bool = false) throws {
    switch try FrameOutput.form(text, count: 1, isStreamable) {
    case .pattern(let pattern): form = film.isPicture ? .file(pattern.path(number)) : .pattern(pattern)
    case .file(let path):
      guard isSingle || film.isPicture else {
        // For example, a text file that was named by mistake.
        let isGuess = if case .ffmpeg(.file(let path)) = film { !VideoInput.isPictureOrFilm(path) } else { false }
        throw SafelightError(
          .usage, text,
          why: (isGuess ? "\(film.name) is taken for a film, since its extension is not that of a picture, and " : "")
            + "the frames of a film cannot go to one file",
          remedy: "name a folder or a pattern such as frame.%06d.png, or choose a single frame")
      }
      form = .file(path)
    case .folder(let folder):
      let stem = film.stem
      form =
        film.isPicture
        ? .file(SafelightFrames.path(folder, stem + ".png"))
        : .pattern(try FramePattern(stem.replacing("%", with: "%%") + ".%06d.png").below(folder))
    }
  }

  /// Returns the path of frame `number`.
  public func path(_ number: Int) -> String {
    switch form {
    case .file(let path): path
    case .pattern(let pattern): pattern.path(number)
    }
  }

  /// Creates the folder of the files if it is missing.
  public func prepare() throws { try Folder.make(PathParts(path(1)).folder) }

  /// The path of a frame that already exists; nil if there is none.
  public var existing: String? { get throws { try frames.map(\.path).min() } }

  /// Returns the paths of existing frames with numbers above `last`, in order.
  public func leftOver(behind last: Int) throws -> [String] {
    NaturalOrder.sorted(try frames.filter { $0.number ?? .min > last }.map(\.path))
  }

  /// Throws a ``SafelightError`` of kind `usage` if a frame, or the folder of the frames, may have the name of
  /// `report`.
  package func refuse(report: String) throws {
    try FrameOutput.checkSideFile(report, beside: [], outputs: [path(1)])
    guard case .pattern(let pattern) = form, let number = pattern.number(in: PathParts(report).name), number > 0
    else { return }
    try FrameOutput.checkSideFile(report, beside: [], outputs: [path(number)])
  }

  /// Throws a ``SafelightError`` of kind `usage` if a frame of `selection`, or any, would replace one of `inputs`.
  public func refuse(replacing inputs: InputFiles, _ selection: FrameSelection? = nil) throws {
    for (number, path) in try frames {
      if let number, let selection, !selection.contains(number - 1) { continue }
      try inputs.refuseOutput(path)
    }
  }

  /// The paths of the frames that exist, with their numbers if the files are numbered.
  private var frames: [(number: Int?, path: String)] {
    get throws {
      switch form {
      case .file(let path): return fileExists(path) ? [(nil, path)] : []
      case .pattern(let pattern):
        guard Folder.exists(pattern.place) else { return [] }
        return try Folder.names(in: pattern.place).compactMap { name in
          guard let number = pattern.number(in: name), fileExists(pattern.folder + name) else { return nil }
          return (number, pattern.folder + name)
        }
      }
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
