public import SafelightImage

extension ComparisonReport {
  /// Two pictures that were compared, or should have been.
  public struct Case: Codable, Hashable, Sendable {
    /// The name that a reader looks for: `blur/radius 2`, `shot 0017`.
    public let name: String
    /// The outcome.
    public let status: ComparisonStatus
    /// The urgency, from 0 (exact): the integer part is the status, the fraction the damage.
    public let severity: Double
    /// The tolerance; nil if nothing was compared.
    public let tolerance: String?
    /// The terms of the tolerance.
    public let terms: [Term]
    /// The measurements; nil if nothing was compared.
    public let metrics: Metrics?
    /// The verdict in words, sufficient without a picture.
    public let text: String
    /// The number of columns; nil without a picture.
    public let width: Int?
    /// The number of rows.
    public let height: Int?
    /// `gray`, `grayAlpha`, `rgb` or `rgba`.
    public let channels: String?
    /// The bits in a sample.
    public let depth: Int?
    /// The sequence that this frame belongs to; its frames become one entry with a chart.
    public var sequence: String?
    /// The frame's number in ``sequence``.
    public var frame: Int?
    /// The excess of the picture's change since the frame before over the expected change, in steps of its depth.
    public var flicker: Double?
    /// The device of the actual picture, if it is not the report's.
    public var device: String?
    /// The file of the expected picture.
    public var expectedPath: String?
    /// The file of the actual picture.
    public var actualPath: String?
    /// The command that compares again.
    public var reproduce: String?
    /// The command that makes the actual picture the golden.
    public var approve: String?
    /// The reason why pictures are missing from the report; nil if they are there.
    public internal(set) var picturesLeftOut: String?
  }
}

extension ComparisonReport.Case {
  /// Makes a case of a comparison and its verdict.
  public init(_ name: String, _ difference: ImageDifference, _ verdict: Verdict) {
    self.init(name, verdict.status, like: difference.expected, verdict.description, verdict, Metrics(difference))
  }

  /// Makes a case in which nothing was compared, or whose comparison is worthless, with the reason in `text`; `like` is
  /// a picture of its kind.
  public init(_ name: String, _ status: ComparisonStatus, text: String, like picture: Image? = nil) {
    self.init(name, status, like: picture, text, nil, nil)
  }

  private init(
    _ name: String, _ status: ComparisonStatus, like picture: Image?, _ text: String, _ verdict: Verdict?,
    _ metrics: Metrics?
  ) {
    self.name = name
    self.status = status
    severity = status.rank + (metrics?.damage ?? 0)
    tolerance = verdict?.tolerance.description
    terms = verdict?.terms.map(Term.init) ?? []
    self.metrics = metrics
    self.text = text
    width = picture?.size.width
    height = picture?.size.height
    channels = picture?.channels.rawValue
    depth = picture?.depth.rawValue
  }

  /// The metrics that come free with the comparison; the others stand in the terms that ask for them.
  public struct Metrics: Codable, Hashable, Sendable {
    /// A sample that differs most.
    public struct Sample: Codable, Hashable, Sendable {
      /// The column, from the left.
      public let x: Int
      /// The row, from the top.
      public let y: Int
      /// `gray`, `red`, `green`, `blue` or `alpha`.
      public let channel: String
      /// The expected sample.
      public let expected: Int
      /// The actual sample.
      public let actual: Int
    }

    /// The number of pixels that no mask hides.
    public let pixels: Int
    /// The greatest difference of two samples.
    public let maximum: Int
    /// The place of that difference; nil for identical pictures.
    public let place: Sample?
    /// The mean absolute difference, in steps.
    public let mean: Double
    /// The mean signed difference of each channel, in steps.
    public let bias: [String: Double]
    /// PSNR in decibels; nil for identical pictures.
    public let psnr: Double?
    /// The number of pixels that differ by more than 0, 1 and 3 steps.
    public let over: [String: Int]
    /// The order among cases of one status, from 0 to less than 1: from the greatest difference and the share of pixels
    /// that differ.
    let damage: Double

    init(_ difference: ImageDifference) {
      pixels = difference.pixels
      maximum = difference.maximum
      place = difference.place.map {
        Sample(x: $0.x, y: $0.y, channel: $0.channelName, expected: $0.expected, actual: $0.actual)
      }
      mean = difference.mean
      bias = Dictionary(zip(difference.channelNames, difference.bias)) { first, _ in first }
      psnr = difference.psnr
      over = [0, 1, 3].reduce(into: [:]) { over, k in over["\(k)"] = difference.over(k) }
      let peak = Double(difference.expected.pixelFormat.maximum)
      damage = (Double(maximum) / peak + Double(difference.over(0)) / Double(pixels)) * 0.499
    }
  }

  /// One term of a tolerance.
  public struct Term: Codable, Hashable, Sendable {
    /// The text of the term: `over(1)<=0.1%`.
    public let text: String
    /// The measurement, in ``unit``; nil if there is no number: PSNR of identical pictures, SSIM of too small ones.
    public let measured: Double?
    /// The most that passes, or the least if more is better.
    public let limit: Double
    /// The unit: `%`, `px`, or empty for a plain number.
    public let unit: String
    /// True if the term holds.
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
