public import SafelightImage

/// The comparison of two pictures under one tolerance: the one way to reach a verdict, for files, sequences, goldens
/// and the ``MutationTrial``.
public struct PictureComparison: Sendable {
  /// The outcome: `exact`, `within` or `differs`.
  public let status: ComparisonStatus
  /// The figures; nil if every sample is equal, which is known without any.
  public let verdict: Verdict?
  /// The pixels that were left out; nil if every pixel counts, or the pictures are known to be equal.
  public let leftOut: ImageMask?
  /// The names of the pictures' channels, as ``ImageDifference/channelNames``.
  public let channelNames: [String]

  /// Compares two pictures.
  ///
  /// - Throws: ``SafelightError`` as ``ImageDifference/init(expected:actual:mask:)`` does.
  public init(expected: Image, actual: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    try self.init(PicturePair(expected: expected, actual: actual, mask: mask), tolerance)
  }

  init(_ pair: PicturePair, _ tolerance: Tolerance) throws(SafelightError) {
    let (expected, actual, mask) = (pair.expected, pair.actual, pair.mask)
    // A mask must fit even if there is nothing to hide.
    let isEqual = mask == nil && expected.kind == actual.kind && expected.bytes.hasSameBytes(as: actual.bytes)
    self.init(
      expected.channels, isEqual ? nil : try ImageDifference(expected: expected, actual: actual, mask: mask), tolerance,
      pair.invisible)
  }

  /// Compares a part of a picture as if it were all of it.
  package init(_ part: MutationPart, actual: Image, tolerance: Tolerance) throws(SafelightError) {
    self.init(part.picture.channels, try ImageDifference(part, actual: actual), tolerance)
  }

  /// Judges `difference`; nil if the pictures are known to be equal.
  private init(
    _ channels: Channels, _ difference: ImageDifference?, _ tolerance: Tolerance, _ invisible: ImageMask? = nil
  ) {
    leftOut = invisible ?? difference?.mask
    channelNames = channels.sampleIndices.map { ImageDifference.name(of: $0, in: channels) }
    verdict = difference.map(tolerance.verdict)
    status = verdict?.status ?? .exact
  }
}

/// The outcome of comparing two pictures, from the best to the worst.
public enum ComparisonStatus: String, Codable, Hashable, Sendable, CaseIterable {
  /// No sample that counts differs.
  case exact
  /// Samples differ, within the tolerance.
  case within
  /// The pictures were not compared, for a stated reason.
  case skipped
  /// Samples differ beyond the tolerance.
  case differs
  /// An actual picture that nothing expects, or a golden's file without a row.
  case extra
  /// An expected picture without an actual one, or a golden without a file.
  case missing
  /// Size, channels or depth differ.
  case incomparable
  /// A picture that cannot be read.
  case unreadable
  /// A golden that cannot be read, or is not what was approved.
  case damaged
  /// A comparison that did not see the damage planted for it.
  case unsound

  /// True if the pictures were compared and no action is needed.
  public var passes: Bool { self == .exact || self == .within }
  /// True if somebody has to act.
  public var fails: Bool { !passes && self != .skipped }
  /// True if pixels were compared.
  public var isCompared: Bool { passes || self == .differs }
  /// The severity, from 0.
  var rank: Double { Double(Self.allCases.firstIndex(of: self) ?? 0) }

  /// The words in lines of counts.
  var words: String {
    switch self {
    case .differs: "differ"
    case .incomparable: "not comparable"
    case .unreadable: "not readable"
    case .exact, .within, .skipped, .extra, .missing, .damaged, .unsound: rawValue
    }
  }
}

/// The number of comparisons with each status.
public struct ComparisonCounts: Hashable, Sendable, CustomStringConvertible {
  private var counts: [ComparisonStatus: Int] = [:]

  /// Counts `statuses`.
  public init(_ statuses: some Sequence<ComparisonStatus> = EmptyCollection()) {
    for status in statuses { add(status) }
  }

  /// Counts one more comparison.
  public mutating func add(_ status: ComparisonStatus) { counts[status, default: 0] += 1 }

  /// Returns the number of comparisons with `status`.
  public subscript(_ status: ComparisonStatus) -> Int { counts[status] ?? 0 }

  /// The number of pictures that were compared with another.
  public var compared: Int { counts.reduce(0) { $0 + ($1.key.isCompared ? $1.value : 0) } }

  /// The beginning of every line of counts: `40 compared: 31 exact, 6 within, 3 differ`.
  public var description: String {
    "\(compared) compared: " + [.exact, .within, .differs].map(text).joined(separator: ", ")
  }

  /// Returns the count of a status in words: `2 missing`.
  public func text(_ status: ComparisonStatus) -> String { "\(self[status]) \(status.words)" }

  /// Returns ``text(_:)`` for each of `statuses` whose count is above 0.
  public func texts(_ statuses: [ComparisonStatus]) -> [String] { statuses.filter { self[$0] > 0 }.map(text) }
}

extension Image {
  /// The same samples without the meaning of their colors: comparisons look at samples, and a PNG cannot express
  /// everything, such as colors multiplied by alpha.
  package var samplesAlone: Image { replacing(bytes: bytes, color: .unspecified) }
}
