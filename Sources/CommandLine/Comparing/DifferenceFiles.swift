import Safelight
import SafelightGolden

/// The files of the pictures of differences.
struct DifferenceFiles: Sendable {
  private enum Names {
    case listed([String])
    case film(FilmFrameFiles)
  }

  private let names: Names
  /// The one file that is written; nil if a folder or a pattern was named.
  private let only: String?

  /// Reads `text` like the output of a run over `frames`, and makes the folder. The files replace nothing that is
  /// compared and none of `others`.
  init(_ text: String, of frames: [Frame], beside others: [String]) throws {
    let output = try FrameOutput(text, for: frames)
    let files = InputFiles(others)
    for path in output.paths { try files.refuseOutput(path) }
    try output.prepare()
    names = .listed(output.paths)
    only = output.paths == [text] ? text : nil
  }

  /// Does the same for the frames of a film, whose number is unknown.
  init(_ text: String, of film: FilmInput, beside others: [String]) throws {
    let files = try FilmFrameFiles(text, of: film, isSingle: false)
    try files.refuse(replacing: InputFiles(others, films: [film]))
    try files.prepare()
    names = .film(files)
    only = files.path(1) == text ? text : nil
  }

  /// Writes the difference of a pair, for a single pair even if nothing differs. In a folder, removes the stale picture
  /// of a pair that no longer differs.
  func write(_ comparison: PictureComparison, of pair: FramePairing.Pair, _ expected: Image) throws {
    let path = path(of: pair)
    guard comparison.status != .exact || path == only else { return try AtomicFile.remove(path) }
    let difference = try comparison.verdict?.difference ?? ImageDifference(expected: expected, actual: expected)
    try PNGFile(image: DifferencePicture(difference).image).write(to: path)
  }

  private func path(of pair: FramePairing.Pair) -> String {
    switch names {
    case .listed(let paths): paths[pair.index]
    case .film(let files): files.path(pair.index + 1)
    }
  }
}

/// The FLIP maps of an HTML page: only for the first pictures that differ, because a map takes long.
struct FlipMaps {
  private static let most = 12
  private var left: Int

  /// Prepares maps for the reports at `paths`, of which only HTML pages show them.
  init(for paths: ReportPaths) { left = paths.hasPage ? Self.most : 0 }

  /// The map of `difference`; nil once enough are drawn.
  mutating func map(of difference: ImageDifference) -> Image? {
    guard left > 0 else { return nil }
    left -= 1
    return difference.flipPicture
  }
}

extension ImageDifference {
  /// The FLIP map as an 8-bit gray picture: white marks the most visible differences.
  var flipPicture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: flipMap().map { UInt8(($0 * 255).rounded()) })
  }
}
