internal import SafelightFrames
internal import SafelightImage

extension ComparisonReport.Case {
  /// The metrics that cost nothing beside the comparison itself; the others stand in the terms that asked for them.
  public struct Metrics: Codable, Hashable, Sendable {
    /// A sample that differs most.
    public struct Place: Codable, Hashable, Sendable {
      /// Column, from the left.
      public let x: Int
      /// Row, from the top.
      public let y: Int
      /// `gray`, `red`, `green`, `blue` or `alpha`.
      public let channel: String
      /// The expected sample.
      public let expected: Int
      /// The actual sample.
      public let actual: Int
    }

    /// Pixels that count: all that no mask hides.
    public let pixels: Int
    /// The greatest difference of two samples.
    public let maximum: Int
    /// Where that is; nil for identical pictures.
    public let place: Place?
    /// The mean absolute difference, in steps.
    public let mean: Double
    /// The mean signed difference of each channel, in steps.
    public let bias: [String: Double]
    /// In decibels; nil for identical pictures.
    public let psnr: Double?
    /// Pixels that differ by more than 0, 1 and 3 steps.
    public let over: [String: Int]
    /// From 0 to less than 1: the greatest difference and the share of pixels that differ, which order cases of one status.
    let damage: Double

    init(_ difference: ImageDifference) {
      pixels = difference.pixels
      maximum = difference.maximum
      place = difference.place.map {
        Place(
          x: $0.x, y: $0.y, channel: $0.channelName,
          expected: $0.expected, actual: $0.actual)
      }
      mean = difference.mean
      bias = Dictionary(zip(difference.channelNames, difference.bias)) { first, _ in first }
      psnr = difference.psnr
      over = [0, 1, 3].reduce(into: [:]) { over, k in over["\(k)"] = difference.over(k) }
      let peak = Double(difference.expected.pixelFormat.maximum)
      damage = (Double(maximum) / peak + Double(difference.over(0)) / Double(pixels)) * 0.499
    }
  }

  /// One demand of a tolerance.
  public struct Term: Codable, Hashable, Sendable {
    /// As the tolerance writes it: `over(1)<=0.1%`.
    public let text: String
    /// What was measured, in ``unit``; nil where there is no number: PSNR of identical pictures, SSIM of too small ones.
    public let measured: Double?
    /// The most that passes, or the least where more is better.
    public let limit: Double
    /// `%`, `px`, or empty for a plain number.
    public let unit: String
    /// True where the demand is met.
    public let passes: Bool

    init(_ term: Verdict.Term) {
      text = term.text
      measured = term.measured
      limit = term.limit
      unit = term.term.unit.rawValue
      passes = term.passes
    }
  }
}

/// The pictures of a case, as PNG files: compact, and still every sample as it was.
struct ReportPictures: Sendable {
  /// In the order of the page: `expected`, `actual`, `flip`, `mask`.
  let files: [(role: String, bytes: [UInt8])]

  init(expected: Image?, actual: Image?, flip: Image?, mask: Image?) throws {
    let pictures = [("expected", expected), ("actual", actual), ("flip", flip), ("mask", mask)]
    files = try pictures.compactMap { role, picture in
      guard let picture else { return nil }
      return (role, try PNGEncoder.encode(PNGFile(image: picture.samplesAlone), compression: .balanced))
    }
  }

  var byteCount: Int { files.reduce(0) { $0 + $1.bytes.count } }
}

extension ImageMask {
  /// White where pixels are left out.
  var picture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: isHidden.map { $0 ? 255 : 0 })
  }
}
