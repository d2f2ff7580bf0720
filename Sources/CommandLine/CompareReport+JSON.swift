import Safelight
import SafelightGolden

/// The numbers of one pair, for programs.
struct CompareFigures: Sendable {
  let max: Int
  let mean: Double
  let bias: [String: Double]
  let over: [String: Int]
  let psnr: Double?
  let ssim: Double?
  /// The share of the pixels that were left out, 0 to 1.
  let masked: Double

  /// Measures; takes time for pictures that differ, because of SSIM.
  init(_ comparison: PictureComparison) {
    let steps = [0, 1, 2, 4, 8, 16]
    masked = comparison.verdict?.difference.mask?.coverage ?? 0
    guard let difference = comparison.verdict?.difference else {
      (max, mean, psnr, ssim) = (0, 0, nil, 1)
      bias = Dictionary(uniqueKeysWithValues: comparison.channelNames.map { ($0, 0) })
      over = Dictionary(uniqueKeysWithValues: steps.map { (String($0), 0) })
      return
    }
    max = difference.maximum
    mean = difference.mean
    bias = Dictionary(uniqueKeysWithValues: zip(difference.channelNames, difference.bias))
    over = Dictionary(uniqueKeysWithValues: steps.map { (String($0), difference.over($0)) })
    psnr = difference.psnr
    ssim = difference.isIdentical ? 1 : difference.ssim()
  }
}

extension CompareReport {
  private struct Listing: Encodable {
    let differs: Bool
    let tolerance: String
    let canary: Bird?
    let frames: [Listed]
    let missing: [String]
    let extra: [String]
    let duplicates: [Int]
    let flashes: [Int]
    let shifts: [Shift]
    let summary: [String: Int]
  }

  private struct Bird: Encodable {
    let sound: Bool
    let tried: [String]
    let accepted: [String]
  }

  private struct Shift: Encodable {
    let first: Int
    let last: Int
    let delay: Int
  }

  /// A frame; the figures are there also if they are null, as all are of pictures that cannot be compared.
  private struct Listed: Encodable {
    let row: Row

    private enum Key: String, CodingKey {
      case index, name, expected, actual, status, differs, max, mean, bias, over, psnr, ssim, masked, flicker, faults,
        error
    }

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Key.self)
      try members.encode(row.pair.index, forKey: .index)
      try members.encode(row.pair.name, forKey: .name)
      try members.encode(row.pair.expected, forKey: .expected)
      try members.encode(row.pair.actual, forKey: .actual)
      try members.encode(row.status.rawValue, forKey: .status)
      try members.encode(!row.status.passes, forKey: .differs)
      try members.encodeIfPresent(row.flicker, forKey: .flicker)
      try members.encodeIfPresent(row.faults.isEmpty ? nil : row.faults, forKey: .faults)
      try members.encodeIfPresent(row.error?.description, forKey: .error)
      let figures = row.figures
      try members.encode(figures?.max, forKey: .max)
      try members.encode(figures?.mean, forKey: .mean)
      try members.encode(figures?.bias, forKey: .bias)
      try members.encode(figures?.over, forKey: .over)
      try members.encode(figures?.psnr, forKey: .psnr)
      try members.encode(figures?.ssim, forKey: .ssim)
      try members.encode(figures?.masked, forKey: .masked)
    }
  }

  /// How a pair can end.
  private static let statuses: [ComparisonStatus] = [.exact, .within, .differs, .incomparable, .unreadable]

  func json(_ comparison: SequenceComparison) throws -> String {
    try SafelightCommandLine.json(
      Listing(
        differs: !comparison.passes, tolerance: tolerance.description,
        canary: comparison.canary.map {
          Bird(sound: $0.isSound, tried: $0.tried.map(\.rawValue), accepted: $0.accepted.map(\.rawValue))
        },
        frames: frames.map { Listed(row: $0) }, missing: comparison.pairing.missing.map(\.path),
        extra: comparison.pairing.extra.map(\.path), duplicates: comparison.duplicates, flashes: comparison.flashes,
        shifts: comparison.shifts.map {
          Shift(first: $0.frames.lowerBound, last: $0.frames.upperBound - 1, delay: $0.delay)
        },
        summary: Dictionary(
          uniqueKeysWithValues: Self.statuses.map { ($0.rawValue, comparison.counts[$0]) })))
  }
}
