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
