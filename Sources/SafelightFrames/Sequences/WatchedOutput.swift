import SafelightImage

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
