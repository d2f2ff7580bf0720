import Safelight
import SafelightGolden

/// Where the pictures of differences go.
struct DifferenceFiles {
  private let paths: [String]
  private let isOne: Bool

  /// Reads `text` as the outputs of a run are read, and makes the folder.
  init(_ text: String, of pairing: FramePairing, mask: String?) throws {
    let actual = pairing.pairs.map { Frame(index: $0.index, number: $0.index + 1, path: $0.actual, place: $0.place) }
    let others =
      (pairing.extra + pairing.missing).map(\.path) + pairing.pairs.map(\.expected) + (mask.map { [$0] } ?? [])
    let output = try FrameOutput(text, for: actual, of: others.map { Frame(index: 0, number: 1, path: $0) })
    try output.prepare()
    paths = output.paths
    isOne = paths == [text]
  }

  /// Writes the difference of a pair, that of a single pair also if nothing differs. An older one in a folder, which would lie, goes then.
  func write(_ comparison: PictureComparison, of pair: FramePairing.Pair) throws {
    guard comparison.status != .exact || isOne else { return try AtomicFile.remove(paths[pair.index]) }
    let picture = try comparison.verdict.map { DifferencePicture($0.difference).image } ?? Self.equal(pair)
    try PNGFile(image: picture).write(to: paths[pair.index])
  }

  private static func equal(_ pair: FramePairing.Pair) throws -> Image {
    let image = try PNGFile(reading: pair.expected).image
    return try DifferencePicture(ImageDifference(expected: image, actual: image)).image
  }
}
