import SafelightFrames
public import SafelightImage

/// The comparisons of a run, for people and for programs: one page of HTML, `report.json`, JUnit's XML.
///
/// Cases are added as they are found. Their pictures are encoded at once, so that memory is bounded by ``pictureLimit``
/// and not by the length of a sequence.
///
/// ```swift
/// var report = ComparisonReport(title: "goldens", device: device.info.name)
/// try report.add(.init("blur/radius 2", difference, verdict), difference)
/// try report.write(html: "report.html")
/// ```
public struct ComparisonReport: Sendable {
  /// The version of `report.json`. Fields may be added within a version; a changed meaning makes a new version.
  public static let schema = 1
  /// The heading.
  public let title: String
  /// The version of the program, if known.
  public let version: String?
  /// The device and driver of the actual pictures, in a line.
  public let device: String?
  /// The outcome of the damaged copies that every run compares too: "caught in 12 cases".
  public var canary: String?
  /// True if the pictures of passing cases are kept too.
  public let keepsPassing: Bool
  /// The limit of encoded pictures, in bytes. Beyond it the least severe cases lose their pictures, and say so.
  public let pictureLimit: Int
  /// The cases, in the order of their addition.
  public internal(set) var cases: [Case] = []
  /// The PNG files of cases that have some, by index in ``cases``, in the order of the page: `expected`, `actual`,
  /// `flip`, `mask`.
  private(set) var pictures: [Int: [(role: String, bytes: [UInt8])]] = [:]
  /// The duration of each case in microseconds, by index in ``cases``. It is not in the JSON, which is the same for the
  /// same pictures.
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

  /// Adds a case with the available pictures; those of a passing case are left out unless ``keepsPassing``.
  ///
  /// - Parameters:
  ///   - flip: FLIP's map of the pair, in gray: 0 for no visible difference, the depth's maximum for 1.
  ///   - mask: The mask; masked pixels are hatched and show no difference.
  ///   - duration: The duration of the comparison.
  /// - Throws: ``SafelightError`` of kind `limit` if a picture cannot be encoded.
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
    let images = [("expected", expected), ("actual", actual), ("flip", flip), ("mask", mask?.picture)]
    // Compact, with every sample as it was.
    let files = try images.compactMap { role, image in
      try image.map { (role, try PNGEncoder.encode(PNGFile(image: $0.samplesAlone), compression: .balanced)) }
    }
    guard !files.isEmpty else { return }
    pictures[place] = files
    pictureBytes += files.reduce(0) { $0 + $1.1.count }
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
      pictureBytes -= given.reduce(0) { $0 + $1.bytes.count }
      cases[least].picturesLeftOut =
        "The report holds \(pictureLimit >> 20) MiB of pictures; worse cases take precedence."
    }
  }

  /// The number of cases with each status.
  public var counts: ComparisonCounts { ComparisonCounts(cases.map(\.status)) }
  /// True if any case fails.
  public var fails: Bool { cases.contains { $0.status.fails } }

  /// The counts in a line: "40 compared: 31 exact, 6 within, 3 differ; 2 missing; 1 skipped".
  public var summary: String {
    let counts = counts
    let head = counts.compared == 0 ? "nothing compared" : "\(counts)"
    let rest: [ComparisonStatus] = [.unsound, .damaged, .unreadable, .incomparable, .missing, .extra, .skipped]
    return ([head] + counts.texts(rest)).joined(separator: "; ")
  }
}

extension ComparisonReport: Codable {
  private enum Key: String, CodingKey { case schema, title, version, device, canary, count, summary, cases }

  /// Encodes everything but the pictures, with the summary and the counts.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.schema, forKey: .schema)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(version, forKey: .version)
    try container.encodeIfPresent(device, forKey: .device)
    try container.encodeIfPresent(canary, forKey: .canary)
    try container.encode(summary, forKey: .count)
    let counts = counts
    let numbers = ComparisonStatus.allCases.map { ($0.rawValue, counts[$0]) }
    try container.encode(Dictionary(numbers) { first, _ in first }, forKey: .summary)
    try container.encode(cases, forKey: .cases)
  }

  /// Decodes a report of this schema; it has no pictures.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let schema = try container.decode(Int.self, forKey: .schema)
    try ensure(
      schema == Self.schema, .input, "report", why: "its schema is \(schema); this version reads \(Self.schema)",
      remedy: "read it with the version that wrote it")
    self.init(
      title: try container.decode(String.self, forKey: .title),
      version: try container.decodeIfPresent(String.self, forKey: .version),
      device: try container.decodeIfPresent(String.self, forKey: .device),
      canary: try container.decodeIfPresent(String.self, forKey: .canary))
    cases = try container.decode([Case].self, forKey: .cases)
  }

  /// Returns the bytes of `report.json`: a line for every field, in the order of their names, and a final line feed.
  public func json() throws -> [UInt8] { try jsonFile() }
}

extension ImageMask {
  /// A picture that is white in the pixels that are left out.
  var picture: Image { Image(size: size, channels: .gray, depth: .bits8, bytes: isHidden.map { $0 ? 255 : 0 }) }
}
