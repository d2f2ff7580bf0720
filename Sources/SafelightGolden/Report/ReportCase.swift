public import SafelightImage

extension ComparisonReport {
  /// Two pictures that were compared, or should have been.
  public struct Case: Codable, Hashable, Sendable {
    /// What a reader looks for: `blur/radius 2`, `shot 0017`.
    public let name: String
    /// What came of it.
    public let status: ComparisonStatus
    /// How urgently somebody should look, from 0 (exact): the whole part is the status, the rest the damage.
    public let severity: Double
    /// The tolerance; nil where nothing was compared.
    public let tolerance: String?
    /// What the tolerance asked for, one by one.
    public let terms: [Term]
    /// What was measured; nil where nothing was compared.
    public let metrics: Metrics?
    /// The verdict in words, enough without a picture.
    public let text: String
    /// Columns; nil where there is no picture to say so.
    public let width: Int?
    /// Rows.
    public let height: Int?
    /// `gray`, `grayAlpha`, `rgb` or `rgba`.
    public let channels: String?
    /// Bits in a sample.
    public let depth: Int?

    /// The sequence that this is a frame of; its frames become one entry with a chart.
    public var sequence: String?
    /// The frame's number in ``sequence``.
    public var frame: Int?
    /// How much more than expected the picture changes from the frame before, in steps of its depth.
    public var flicker: Double?
    /// The device of the actual picture, where it is not the report's.
    public var device: String?
    /// The file of the expected picture.
    public var expectedPath: String?
    /// The file of the actual picture.
    public var actualPath: String?
    /// The command that compares again.
    public var reproduce: String?
    /// The command that makes the actual picture the golden one.
    public var approve: String?
    /// Why pictures that belong here are not in the report; nil where they are.
    public internal(set) var picturesLeftOut: String?
  }
}

extension ComparisonReport.Case {
  /// A case that was compared, with the verdict on it.
  public init(_ name: String, _ difference: ImageDifference, _ verdict: Verdict) {
    let status: ComparisonStatus = difference.isIdentical ? .exact : verdict.passes ? .within : .differs
    self.init(name, status, like: difference.expected, verdict.description, verdict, Metrics(difference))
  }

  /// A case in which nothing was compared, or whose comparison is worth nothing, and why in `text`; `like` is a picture that it is about.
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
}

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
