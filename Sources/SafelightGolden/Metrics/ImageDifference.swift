internal import Glibc
public import SafelightImage

/// How two pictures of one kind differ.
///
/// Every metric looks at the colours and at alpha apart and gives the worse of the two, so that no colour hides a defect in alpha and no
/// tolerance is blind to it. Grey is one channel; the opaque sample that pictures without alpha carry in memory is none. Integer metrics are exact: sums of
/// integers, divided once. What is perceived is computed when asked for.
public struct ImageDifference: Sendable {
  /// What should be.
  public let expected: Image
  /// What is.
  public let actual: Image
  /// What is left out; nil where every pixel counts.
  public let mask: ImageMask?
  /// Pixels that count.
  public let pixels: Int
  /// The size that shares are of; larger than the pictures' where they are the only part of larger ones that differs.
  let extent: Size
  /// How many pixels each pixel stands for where ``extent`` itself is part of something larger.
  let weight: Double
  /// The greatest difference of two samples, of colour or alpha, in steps of the pictures' depth.
  public let maximum: Int
  /// The first pixel in scan order that differs most, and its first channel that does; nil where none differs.
  public let place: Place?
  /// Sums over each channel, in the order of ``channelNames``.
  let sums: [ChannelSums]
  /// The greatest difference in each pixel.
  let map: DifferenceMap

  /// Compares `actual` with `expected`.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` where sizes, channels or depths differ, the mask's size too; of the kind
  ///   `missingInput` where the mask leaves nothing to compare.
  public init(expected: Image, actual: Image, mask: ImageMask? = nil) throws(SafelightError) {
    try Self.check(expected, actual, mask)
    self.init(expected, actual, mask, extent: expected.size)
  }

  /// Compares a part of a picture, with the figures of the whole picture.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` where `actual` is not a picture of the part's kind.
  init(_ part: CanaryPart, actual: Image) throws(SafelightError) {
    try Self.check(part.picture, actual, nil)
    self.init(
      part.picture, actual, part.mask, extent: part.extent, pixels: part.pixels, weight: part.weight)
  }

  /// Compares two pictures of one kind that are all that differs in pictures of the size `extent`, of which `pixels`
  /// count.
  init(
    _ expected: Image, _ actual: Image, _ mask: ImageMask? = nil, extent: Size, pixels: Int? = nil, weight: Double = 1
  ) {
    self.expected = expected
    self.actual = actual
    self.mask = mask
    self.extent = extent
    self.weight = weight
    self.pixels = pixels ?? (extent.area - (mask?.hidden ?? 0))
    let (sums, map) = DifferenceMap.measure(expected, mask?.hiding(in: actual, behind: expected) ?? actual)
    self.sums = sums
    self.map = map
    maximum = map.maximum
    place = map.places(differingBy: map.maximum, limit: 1).first.map { Place($0, expected, actual, by: map.maximum) }
  }

  private static func check(_ expected: Image, _ actual: Image, _ mask: ImageMask?) throws(SafelightError) {
    func refuse(_ what: String, _ a: some CustomStringConvertible, _ b: some CustomStringConvertible) -> SafelightError
    {
      SafelightError(
        .incomparable, "pictures", why: "the expected one has \(what) \(a), the actual one \(b)",
        remedy: "compare pictures of one kind; nothing is resized or converted silently")
    }
    if expected.size != actual.size { throw refuse("the size", expected.size, actual.size) }
    if expected.channels != actual.channels {
      throw refuse("the channels", expected.channels.rawValue, actual.channels.rawValue)
    }
    if expected.depth != actual.depth { throw refuse("a depth of", expected.depth.rawValue, actual.depth.rawValue) }
    try mask?.check(expected.size)
  }

  /// Columns and rows of both pictures.
  public var size: Size { expected.size }
  /// What their samples mean.
  public var channels: Channels { expected.channels }
  /// Bits in a sample.
  public var depth: SampleDepth { expected.depth }
  /// What ``bias`` and ``Place/channel`` call the channels: gray, or red, green and blue; then alpha where there is one.
  public var channelNames: [String] { channels.sampleIndices.map { Self.name(of: $0, in: channels) } }

  static func name(of channel: Int, in channels: Channels) -> String {
    channel == 3 ? "alpha" : channels.isGray ? "gray" : ["red", "green", "blue"][channel]
  }

  /// True where no sample that counts differs.
  public var isIdentical: Bool { maximum == 0 }
  /// The greatest difference in alpha alone; 0 where there is none.
  public var maximumOfAlpha: Int { channels.hasAlpha ? sums.last?.maximum ?? 0 : 0 }
  /// The mean absolute difference of a sample, in steps.
  public var mean: Double { worse { Double($0.absolute) } }
  /// The mean signed difference, actual less expected, of each channel in the order of ``channelNames``, in steps.
  ///
  /// The only metric that tells truncation from rounding: truncated samples lie half a step below, none further than one.
  public var bias: [Double] { sums.map { Double($0.signed) / Double(pixels) } }
  /// The mean squared difference of a sample.
  public var mse: Double { worse { Double($0.squared) } }
  /// The root of ``mse``, in steps.
  public var rmse: Double { mse.squareRoot() }
  /// The ratio of the peak (255 or 65535) squared to ``mse``, in decibels; nil for identical pictures.
  public var psnr: Double? {
    let peak = Double(expected.pixelFormat.maximum)
    return isIdentical ? nil : 10 * log10(peak * peak / mse)
  }

  /// The mean over the colours or over alpha, whichever is greater.
  private func worse(_ value: (ChannelSums) -> Double) -> Double {
    let colors = channels.hasAlpha ? sums.dropLast() : sums[...]
    let mean = colors.reduce(0) { $0 + value($1) } / Double(colors.count * pixels)
    guard channels.hasAlpha, let alpha = sums.last else { return mean }
    return max(mean, value(alpha) / Double(pixels))
  }

  /// Pixels in which a sample, of colour or alpha, differs by more than `k` steps.
  public func over(_ k: Int) -> Int { map.over(k) }
}

/// What came of comparing two pictures, from the best to the worst.
public enum ComparisonStatus: String, Codable, Hashable, Sendable, CaseIterable {
  /// No sample that counts differs.
  case exact
  /// Some differ, and the tolerance lets them.
  case within
  /// They were not compared, for a reason that somebody gave.
  case skipped
  /// More differ than the tolerance lets.
  case differs
  /// There is an actual picture that nobody expects, or a golden's file without a row.
  case extra
  /// An expected picture has no actual one, or a golden no file.
  case missing
  /// Size, channels or depth differ.
  case incomparable
  /// A picture cannot be read.
  case unreadable
  /// The golden cannot be read, or is not what was approved.
  case damaged
  /// The comparison did not see the damage that was planted for it.
  case unsound

  /// True where they were compared and nothing is to be done.
  public var passes: Bool { self == .exact || self == .within }

  /// True where somebody has to act.
  public var fails: Bool { !passes && self != .skipped }

  /// True where pixels were compared.
  public var isCompared: Bool { passes || self == .differs }

  /// How bad it is, from 0.
  var rank: Double { Double(Self.allCases.firstIndex(of: self) ?? 0) }

  /// As lines that count say it.
  var words: String {
    switch self {
    case .differs: "differ"
    case .incomparable: "not comparable"
    case .unreadable: "not readable"
    case .exact, .within, .skipped, .extra, .missing, .damaged, .unsound: rawValue
    }
  }
}

/// How many comparisons ended how.
public struct ComparisonCounts: Hashable, Sendable, CustomStringConvertible {
  private var counts: [ComparisonStatus: Int] = [:]

  /// Counts `statuses`.
  public init(_ statuses: some Sequence<ComparisonStatus> = EmptyCollection()) {
    for status in statuses { add(status) }
  }

  /// Counts one more.
  public mutating func add(_ status: ComparisonStatus) { counts[status, default: 0] += 1 }

  /// How many ended so.
  public subscript(_ status: ComparisonStatus) -> Int { counts[status] ?? 0 }

  /// How many pictures were compared with another.
  public var compared: Int { counts.reduce(0) { $0 + ($1.key.isCompared ? $1.value : 0) } }

  /// For people, how every line that counts begins: `40 compared: 31 exact, 6 within, 3 differ`.
  public var description: String {
    "\(compared) compared: " + [.exact, .within, .differs].map(text).joined(separator: ", ")
  }

  /// `2 missing`.
  public func text(_ status: ComparisonStatus) -> String { "\(self[status]) \(status.words)" }

  /// ``text(_:)`` of those of `statuses` that there are.
  public func texts(_ statuses: [ComparisonStatus]) -> [String] { statuses.filter { self[$0] > 0 }.map(text) }
}
