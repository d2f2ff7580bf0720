import Safelight
import SafelightGolden

struct DifferenceFiles: Sendable {
  /// The file of the pair at an index.
  private let path: @Sendable (Int) -> String
  /// The one file that is written; nil if a folder or a pattern was named.
  private let only: String?

  /// Reads `text` like the output of a run over `frames`, and makes the folder. The files replace nothing that is
  /// compared and none of `others`.
  init(_ text: String, of frames: [Frame], beside others: [String]) throws {
    let output = try FrameOutput(text, for: frames)
    let files = InputFiles(others)
    for path in output.paths { try files.refuseOutput(path) }
    try output.prepare()
    let paths = output.paths
    path = { paths[$0] }
    only = paths == [text] ? text : nil
  }

  /// Does the same for the frames of a film, whose number is unknown.
  init(_ text: String, of film: VideoInput, beside others: [String]) throws {
    let files = try VideoFrameFiles(text, of: film, isSingle: false)
    try files.refuse(replacing: InputFiles(others, films: [film]))
    try files.prepare()
    path = { files.path($0 + 1) }
    only = files.path(1) == text ? text : nil
  }

  /// Writes the difference of a pair, for a single pair even if nothing differs. In a folder, removes the stale picture
  /// of a pair that no longer differs.
  func write(_ comparison: PictureComparison, of pair: FramePairing.Pair, _ expected: Image) throws {
    let path = path(pair.index)
    guard comparison.status != .exact || path == only else { return try AtomicFile.remove(path) }
    let difference = try comparison.verdict?.difference ?? ImageDifference(expected: expected, actual: expected)
    try PNGFile(image: DifferencePicture(difference).image).write(to: path)
  }
}

extension ImageDifference {
  /// The most FLIP maps on an HTML page, because one takes long.
  static let mostFlipMaps = 12

  /// The FLIP map as an 8-bit gray picture: white marks the most visible differences.
  var flipPicture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: flipMap().map { UInt8(($0 * 255).rounded()) })
  }
}
