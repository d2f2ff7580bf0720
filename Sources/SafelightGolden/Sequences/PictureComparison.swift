public import SafelightImage

/// Two pictures under one tolerance: the one way in which verdicts are reached, for files, sequences, goldens and the ``Canary``.
public struct PictureComparison: Sendable {
  /// How it ended: `exact`, `within` or `differs`.
  public let status: ComparisonStatus
  /// The figures; nil where every sample is equal, which is known without any.
  public let verdict: Verdict?

  /// What the pictures' channels are called, as ``ImageDifference/channelNames``.
  public let channelNames: [String]

  /// Compares.
  ///
  /// - Throws: ``SafelightError`` as ``ImageDifference/init(expected:actual:mask:)`` does.
  public init(expected: Image, actual: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    // A mask must fit also where there is nothing to hide.
    let isEqual = mask == nil && Self.isEqual(expected, actual)
    self.init(
      expected.channels, isEqual ? nil : try ImageDifference(expected: expected, actual: actual, mask: mask), tolerance)
  }

  /// Compares a part of a picture as if it were all of it.
  package init(_ part: CanaryPart, actual: Image, tolerance: Tolerance) throws(SafelightError) {
    self.init(part.picture.channels, try ImageDifference(part, actual: actual), tolerance)
  }

  /// Nil is a difference that is known to be none.
  private init(_ channels: Channels, _ difference: ImageDifference?, _ tolerance: Tolerance) {
    channelNames = channels.sampleIndices.map { ImageDifference.name(of: $0, in: channels) }
    guard let difference else {
      (status, verdict) = (.exact, nil)
      return
    }
    let verdict = tolerance.verdict(on: difference)
    status = difference.isIdentical ? .exact : verdict.passes ? .within : .differs
    self.verdict = verdict
  }

  private static func isEqual(_ a: Image, _ b: Image) -> Bool {
    a.size == b.size && a.channels == b.channels && a.depth == b.depth && a.bytes.hasSameBytes(as: b.bytes)
  }
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

extension Image {
  /// The same samples, of which nobody says what they mean as colours: comparisons look at samples, and a PNG cannot say everything, such as
  /// that colours are multiplied by alpha.
  package var samplesAlone: Image { replacing(bytes: bytes, color: .unspecified) }
}
