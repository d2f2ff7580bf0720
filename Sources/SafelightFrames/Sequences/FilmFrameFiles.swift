import SafelightImage

/// Where the frames of a film go as pictures, of which nobody knows how many there will be.
public struct FilmFrameFiles: Hashable, Sendable {
  private enum Form: Hashable {
    case file(String)
    /// In a folder; empty for that of the pattern.
    case pattern(FramePattern, in: String)
  }

  private let form: Form
  private let output: FrameOutput

  /// Reads `text`: a folder, in which frames are named after `film`, `clip.000001.png` and on, or `rocket.png` for a
  /// picture; a printf pattern, which takes the frame's number, or a picture's among several; or a `.png` file, where
  /// the film is a picture or `isSingle` says that one frame is chosen, and `-` for it on standard output where
  /// `isStreamable`.
  ///
  /// Throws what ``FrameOutput/init(_:for:of:)`` throws, and a ``SafelightError`` of kind `usage` for several frames in one file.
  public init(
    _ text: String, of film: FilmInput, number: Int = 1, isSingle: Bool, isStreamable: Bool = false
  ) throws {
    let place = PathParts(text)
    // No input: there is no file that could be replaced.
    let one = Frame(index: 0, number: 1, path: "")
    if FramePattern.isPattern(place.name) && FileStatus(text)?.kind != .folder {
      let pattern = try FramePattern(text)
      form = film.isPicture ? .file(pattern.path(number)) : .pattern(pattern, in: "")
      output = try FrameOutput(text, for: [one])
    } else if text == "-" && isStreamable || place.fileExtension == "png" && FileStatus(text)?.kind != .folder {
      guard isSingle || film.isPicture else {
        // Such as a text file that was named by mistake.
        let isGuess = if case .ffmpeg(.file(let path)) = film { !FilmInput.isPictureOrFilm(path) } else { false }
        throw SafelightError(
          .usage, text,
          why: (isGuess ? "\(film.name) is taken for a film, since its name is not that of a picture, and " : "")
            + "the frames of a film cannot go to one file",
          remedy: "name a folder, a pattern such as frame.%06d.png, or choose a single frame")
      }
      form = .file(text)
      output = try FrameOutput(text, for: [one], isStreamable: isStreamable)
    } else {
      output = try FrameOutput(text, for: [one])
      let stem = film.stem
      form =
        film.isPicture
        ? .file(SafelightFrames.path(text, stem + ".png"))
        : .pattern(try FramePattern(stem.replacing("%", with: "%%") + ".%06d.png"), in: text)
    }
  }

  /// The file of frame `number`.
  public func path(_ number: Int) -> String {
    switch form {
    case .file(let path): path
    case .pattern(let pattern, let folder): SafelightFrames.path(folder, pattern.path(number))
    }
  }

  /// Makes the folder where one was named, and makes sure that it is there otherwise.
  public func prepare() throws { try output.prepare() }

  /// A frame that is there already; nil where none is.
  public var existing: String? {
    get throws {
      switch form {
      case .file(let path): return fileExists(path) ? path : nil
      case .pattern(let pattern, let folder):
        let place = SafelightFrames.path(folder, pattern.folder)
        return try names(of: pattern, in: place).min().map { SafelightFrames.path(place, $0) }
      }
    }
  }

  /// The frames that are there behind number `last`, in order.
  public func leftOver(behind last: Int) throws -> [String] {
    guard case .pattern(let pattern, let folder) = form else { return [] }
    let place = SafelightFrames.path(folder, pattern.folder)
    let names = try names(of: pattern, in: place).filter { (pattern.number(in: $0) ?? 0) > last }
    return NaturalOrder.sorted(names).map { SafelightFrames.path(place, $0) }
  }

  /// Throws a ``SafelightError`` of kind `usage` where a frame that `selection` takes, or any, would replace one of `inputs`.
  public func refuse(replacing inputs: InputFiles, _ selection: FrameSelection? = nil) throws {
    switch form {
    case .file(let path): try inputs.refuseOutput(path)
    case .pattern(let pattern, let folder):
      let place = SafelightFrames.path(folder, pattern.folder)
      for name in try names(of: pattern, in: place) {
        guard let number = pattern.number(in: name), selection?.contains(number - 1) ?? true else { continue }
        try inputs.refuseOutput(SafelightFrames.path(place, name))
      }
    }
  }

  /// The names of the frames that are in the folder `place`.
  private func names(of pattern: FramePattern, in place: String) throws -> [String] {
    let place = place.isEmpty ? "." : place
    guard FileStatus(place)?.kind == .folder else { return [] }
    return try Folder.names(in: place).filter {
      pattern.number(in: $0) != nil && fileExists(SafelightFrames.path(place, $0))
    }
  }

  /// The files that were begun there, by whatever process, and have not got their names.
  public var unfinished: [String] {
    switch form {
    case .file(let path): return [path]
    case .pattern(let pattern, let folder):
      let place = SafelightFrames.path(folder, pattern.folder)
      let names = (try? Folder.hiddenNames(in: place.isEmpty ? "." : place)) ?? []
      let targets = Set(names.compactMap { PartName.target(of: $0).map(String.init) })
      return targets.filter { pattern.number(in: $0) != nil }.map { SafelightFrames.path(place, $0) }
    }
  }
}
