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
