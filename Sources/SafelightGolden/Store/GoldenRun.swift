import SafelightFrames
public import SafelightImage

/// The record of comparing all goldens, for people, for reports and for ``GoldenFolder/inspect(after:)``.
public struct GoldenRun: Codable, Sendable {
  /// The record of one picture.
  public struct Row: Codable, Hashable, Sendable {
    /// The golden's name.
    public let name: String
    /// The variant that was compared with; nil for the default.
    public let variant: String?
    /// The outcome.
    public let status: ComparisonStatus
    /// The tolerance that it was judged by.
    public let tolerance: String?
    /// The tightest tolerance of the same kind that it would pass.
    public let smallest: String?
    /// The reason why it does not pass, or further remarks.
    public let text: String?
    /// The share of pixels that a mask leaves out; nil without one.
    public let masked: Double?
    /// For a missing golden, the extra picture with exactly its pixels; nil if there is none.
    public let renamedTo: String?
    /// For an extra picture, the missing golden with exactly its pixels; nil if there is none.
    public let renamedFrom: String?
    /// True for an extra picture that is allowed; nil otherwise.
    public let allowed: Bool?
  }

  /// A row for each golden or candidate, in natural order.
  public private(set) var goldens: [Row] = []
  /// A canary for each tolerance in use.
  public private(set) var canaries: [GoldenMutationTrial] = []
  /// The number of comparisons that there should be, if known.
  public let expected: Int?
  /// The requested goldens, as they were typed; nil for all.
  public let only: [String]?

  /// Begins an empty record of `expected` comparisons, if the number is known, of all goldens or of those that `only`
  /// means.
  public init(expecting expected: Int? = nil, only: [String]? = nil) {
    self.expected = expected
    self.only = only
  }

  /// True if fewer or more pictures were compared than expected.
  public var isMiscounted: Bool { expected.map { $0 != compared } ?? false }

  /// Adds the outcome of one comparison.
  public mutating func add(_ outcome: GoldenOutcome) {
    let text = (outcome.error.map { [$0.description] } ?? []) + outcome.notes
    goldens.append(
      Row(
        name: outcome.name, variant: outcome.golden?.variant, status: outcome.status,
        tolerance: outcome.tolerance?.description,
        smallest: outcome.status.isCompared
          ? (outcome.status == .exact ? .exact : outcome.verdict?.smallestPassing)?.description : nil,
        text: text.isEmpty ? nil : text.joined(separator: "; "), masked: outcome.golden?.mask?.coverage,
        renamedTo: outcome.renamedTo, renamedFrom: outcome.renamedFrom, allowed: outcome.isAllowed ? true : nil))
  }

  /// Adds the outcomes of canaries.
  public mutating func add(_ canaries: [GoldenMutationTrial]) { self.canaries += canaries }

  /// True if the verdicts can be trusted: at least one canary was sent, and all were rejected.
  public var isSound: Bool { !canaries.isEmpty && canaries.allSatisfy(\.isSound) }

  /// `canary ok`, and what tolerances that limit averages alone are blind to.
  private var soundText: String {
    var blind: [String] = []
    for canary in canaries where !canary.blindTo.isEmpty {
      let text = ", but “\(canary.tolerance)” is blind to \(canary.blindTo.joined(separator: ", "))"
      // Goldens with masks have canaries of their own, by the same tolerance.
      if !blind.contains(text) { blind.append(text) }
    }
    return "canary ok" + blind.joined()
  }

  private var unsoundText: String {
    let tolerances = Set(canaries.filter { !$0.isSound }.map { "“\($0.tolerance)”" }).sorted()
    return "\(tolerances.joined(separator: ", ")) \(tolerances.count == 1 ? "proves" : "prove") nothing"
  }

  /// The number of outcomes with each status.
  public var counts: ComparisonCounts { ComparisonCounts(goldens.map(\.status)) }
  /// The number of pictures that were compared with a golden.
  public var compared: Int { counts.compared }

  /// The kind of error that a command ends with, the worst first: unreadable, incomparable, missing or extra,
  /// different.
  public var failure: SafelightError.Kind? {
    let counts = counts
    if counts[.damaged] + counts[.unreadable] > 0 { return .input }
    if counts[.incomparable] > 0 { return .incomparable }
    if counts[.missing] + counts[.extra] - allowed > 0 || isMiscounted { return .missingFrame }
    return counts[.differs] > 0 || counts.compared > 0 && !isSound ? .difference : nil
  }

  /// The share that a mask left out of each compared golden that has one.
  private var masked: [Double] { goldens.filter(\.status.isCompared).compactMap(\.masked) }
  private var allowed: Int { goldens.count { $0.allowed == true } }

  /// The counts in one line: `40 compared: 31 exact, 6 within, 3 differ; 0 missing, 0 extra; canary ok`.
  public var summary: String {
    let counts = counts
    let extra = counts.text(.extra) + (allowed > 0 ? " (\(allowed) allowed)" : "")
    var parts = ["\(counts)", "\(counts.text(.missing)), \(extra)"]
    parts += counts.texts([.incomparable, .unreadable, .damaged])
    if let expected, isMiscounted { parts.append("\(expected) EXPECTED") }
    if let most = masked.max() {
      let share = DecimalText.percentage(Int((most * 1e9).rounded(.up)), of: 1_000_000_000)
      parts.append("\(masked.count) masked, up to \(share)")
    }
    if counts.compared > 0 { parts.append(isSound ? soundText : canaries.isEmpty ? "no canary" : unsoundText) }
    return parts.joined(separator: "; ")
  }
}

extension GoldenRun {
  private enum Key: String, CodingKey { case expected, only, compared, passes, summary, canaries, goldens }

  /// Encodes the counts too, for readers who read no further; they follow from the rows and the canaries.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encodeIfPresent(expected, forKey: .expected)
    try values.encodeIfPresent(only, forKey: .only)
    try values.encode(compared, forKey: .compared)
    try values.encode(failure == nil && compared > 0, forKey: .passes)
    try values.encode(summary, forKey: .summary)
    try values.encode(canaries, forKey: .canaries)
    try values.encode(goldens, forKey: .goldens)
  }
}

/// The outcome of comparing damaged copies of a golden, which must be rejected.
public struct GoldenMutationTrial: Codable, Hashable, Sendable {
  /// The golden whose copies were damaged.
  public let golden: String
  /// The tolerance on trial.
  public let tolerance: String
  /// True if it rejected them.
  public let isSound: Bool
  /// The damage that it is blind to, or that all is well.
  public let text: String
  /// The damages that it let pass.
  public let blindTo: [String]
}

extension GoldenFolder {
  /// Sends damaged copies of goldens through the comparison, one golden for each tolerance in use and each golden with
  /// a mask: damage that passes would pass in candidates too.
  ///
  /// Goldens whose files are damaged send none. If Git LFS left only a pointer, the candidate with the golden's hash
  /// stands in for it. With `chosen` only these goldens send any.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if the variant's name is invalid.
  public func canaries(
    _ candidates: CandidateFolder, only chosen: [String]? = nil, variant: String? = nil, tolerance: Tolerance? = nil
  ) throws -> [GoldenMutationTrial] {
    if let variant { try GoldenName.check(variant: variant) }
    var order: [String] = []
    var canaries: [String: GoldenMutationTrial] = [:]
    for name in chosen ?? names {
      let masked = rows[name]?.mask == nil ? "" : name
      let key = "\(tolerance?.description ?? rows[name]?.tolerance ?? "") \(masked)"
      if canaries[key]?.isSound == true { continue }
      // The comparison reports what is wrong with a golden.
      guard let golden = try? golden(named: name, variant: variant),
        let picture = try? golden.picture(codec: codec) ?? golden.standIn(candidates.candidate(name).image)
      else { continue }
      if canaries[key] == nil { order.append(key) }
      // A picture of one color may have nothing to damage; another golden may do better.
      canaries[key] = try canary(picture, golden, tolerance ?? golden.tolerance)
    }
    return order.compactMap { canaries[$0] }
  }

  package func canary(
    _ picture: Image, _ golden: Golden, _ tolerance: Tolerance
  ) throws(SafelightError) -> GoldenMutationTrial {
    let canary = try MutationTrial(picture, tolerance: tolerance, mask: golden.mask) {
      part, damaged throws(SafelightError) in
      try golden.compare(MutationTrial.decoded(damaged, codec), with: part, tolerance: tolerance)
    }
    return GoldenMutationTrial(
      golden: golden.name, tolerance: tolerance.description, isSound: canary.isSound, text: canary.description,
      blindTo: canary.accepted.map(\.name))
  }
}

extension Golden {
  /// Returns `image` if it has the golden's hash, and therefore its pixels.
  package func standIn(_ image: Image) throws -> Image? { try isLike(image) ? image : nil }
}
