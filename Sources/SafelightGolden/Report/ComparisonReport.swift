public import SafelightImage

/// What a run has compared, for people and for programs: one page of HTML, `report.json`, JUnit's XML.
///
/// Cases are added as they are found. Their pictures are encoded at once and kept no longer than they are wanted, so that memory is bounded by
/// ``pictureLimit`` and not by the length of a sequence.
///
/// ```swift
/// var report = ComparisonReport(title: "goldens", device: device.info.name)
/// try report.add(.init("blur/radius 2", difference, verdict), difference)
/// try report.write(html: "report.html")
/// ```
public struct ComparisonReport: Sendable {
  /// The version of `report.json`. Fields may be added under one version; one that changes its meaning makes a new version.
  public static let schema = 1

  /// What was compared, as the heading says it.
  public let title: String
  /// The version of the program; nil where nobody says.
  public let version: String?
  /// The device and driver of the actual pictures, in a line.
  public let device: String?
  /// What became of the damaged copy that every run sends through itself: "caught in 12 cases".
  public var canary: String?
  /// True where pictures of cases that pass are kept too.
  public let keepsPassing: Bool
  /// Bytes of encoded pictures that are kept. Beyond, the pictures of the least severe cases are given up, which those cases say.
  public let pictureLimit: Int
  /// In the order in which they were added.
  public internal(set) var cases: [Case] = []
  /// The pictures of cases that have some, by the case's place in ``cases``.
  private(set) var pictures: [Int: ReportPictures] = [:]
  /// How long each case took, in microseconds, by its place in ``cases``. No JSON has it, which is the same for the same pictures.
  private(set) var microseconds: [Int: Int64] = [:]
  private var pictureBytes = 0

  /// Begins a report.
  public init(
    title: String, version: String? = nil, device: String? = nil, canary: String? = nil, keepsPassing: Bool = false,
    pictureLimit: Int = 128 << 20
  ) {
    self.title = title
    self.version = version
    self.device = device
    self.canary = canary
    self.keepsPassing = keepsPassing
    self.pictureLimit = pictureLimit
  }

  /// Adds a case with the pictures that there are; those of a case that passes are left out unless ``keepsPassing``.
  ///
  /// `flip` is FLIP's map of the pair, in grey: 0 where nobody sees a difference, the depth's maximum at 1.
  ///
  /// What `mask` leaves out is hatched, and no difference is shown there. `duration` is what the comparison took.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where a picture cannot be encoded.
  public mutating func add(
    _ one: Case, expected: Image? = nil, actual: Image? = nil, flip: Image? = nil, mask: ImageMask? = nil,
    duration: Duration? = nil
  ) throws {
    let place = cases.count
    cases.append(one)
    if let (seconds, attoseconds) = duration?.components {
      microseconds[place] = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
    guard one.status.fails || keepsPassing else { return }
    let encoded = try ReportPictures(expected: expected, actual: actual, flip: flip, mask: mask?.picture)
    guard encoded.byteCount > 0 else { return }
    pictures[place] = encoded
    pictureBytes += encoded.byteCount
    giveUpPictures()
  }

  /// Adds a case with both pictures and the mask of its comparison.
  public mutating func add(_ one: Case, _ difference: ImageDifference, flip: Image? = nil) throws {
    try add(one, expected: difference.expected, actual: difference.actual, flip: flip, mask: difference.mask)
  }

  private mutating func giveUpPictures() {
    while pictureBytes > pictureLimit,
      let least = pictures.keys.min(by: { (cases[$0].severity, -$0) < (cases[$1].severity, -$1) }),
      let given = pictures.removeValue(forKey: least)
    {
      pictureBytes -= given.byteCount
      cases[least].picturesLeftOut =
        "The report holds \(pictureLimit >> 20) MiB of pictures; worse cases took the room."
    }
  }

  /// How many cases ended how.
  public var counts: ComparisonCounts { ComparisonCounts(cases.map(\.status)) }

  /// True where a case fails.
  public var fails: Bool { cases.contains { $0.status.fails } }

  /// All in a line: "40 compared: 31 exact, 6 within, 3 differ; 2 missing; 1 skipped".
  public var summary: String {
    let counts = counts
    let head = counts.compared == 0 ? "nothing compared" : "\(counts)"
    let rest: [ComparisonStatus] = [.unsound, .damaged, .unreadable, .incomparable, .missing, .extra, .skipped]
    return ([head] + counts.texts(rest)).joined(separator: "; ")
  }
}

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
