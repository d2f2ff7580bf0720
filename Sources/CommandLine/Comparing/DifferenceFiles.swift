import Safelight
import SafelightGolden

/// Where the pictures of differences go.
struct DifferenceFiles: Sendable {
  private enum Names {
    case listed([String])
    case film(FilmFrameFiles)
  }

  private let names: Names
  /// The one file that is written; nil if a folder or a pattern was named.
  private let only: String?

  /// Reads `text` as the outputs of a run of `frames` are read, and makes the folder. Nothing that is compared is replaced, nor are `others`.
  init(_ text: String, of frames: [Frame], beside others: [String]) throws {
    let output = try FrameOutput(text, for: frames, of: others.map { Frame(index: 0, number: 1, path: $0) })
    try output.prepare()
    names = .listed(output.paths)
    only = output.paths == [text] ? text : nil
  }

  /// Does the same for the frames of a film, of which nobody knows how many there are.
  init(_ text: String, of film: FilmInput, beside others: [String]) throws {
    let files = try FilmFrameFiles(text, of: film, isSingle: false)
    try files.refuse(replacing: InputFiles(others, films: [film]))
    try files.prepare()
    names = .film(files)
    only = files.path(1) == text ? text : nil
  }

  /// Writes the difference of a pair, that of a single pair also if nothing differs. An older one in a folder, which would lie, goes then.
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

/// FLIP's maps for a page: of the first pictures that differ, because a map takes long.
struct FlipMaps {
  private static let most = 12
  private var left: Int

  /// For reports at `paths`, of which pages alone show maps.
  init(for paths: ReportPaths) { left = paths.hasPage ? Self.most : 0 }

  /// The map of `difference`; nil where no more are drawn.
  mutating func map(of difference: ImageDifference) -> Image? {
    guard left > 0 else { return nil }
    left -= 1
    return difference.flipPicture
  }
}

extension ImageDifference {
  /// FLIP's map in grey of 8 bits: white where an eye sees the most.
  var flipPicture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: flipMap().map { UInt8(($0 * 255).rounded()) })
  }
}
