import SafelightFrames
public import SafelightImage

/// What a comparison of all goldens found: its record for people, for reports and for ``GoldenFolder/inspect(after:)``.
public struct GoldenRun: Codable, Sendable {
  /// One picture of it.
  public struct Row: Codable, Hashable, Sendable {
    /// The golden's name.
    public let name: String
    /// The variant that was compared with; nil for the default.
    public let variant: String?
    /// How it ended.
    public let status: ComparisonStatus
    /// By which tolerance it was judged.
    public let tolerance: String?
    /// The tightest tolerance of the same kind that it would pass.
    public let smallest: String?
    /// Why it does not pass, or what else is to know.
    public let text: String?
    /// The share of pixels that a mask leaves out; nil without one.
    public let masked: Double?
  }

  /// One a golden or candidate, in natural order.
  public private(set) var goldens: [Row] = []
  /// One a tolerance in use.
  public private(set) var canaries: [GoldenCanary] = []

  /// How many comparisons there should be; nil where nobody says.
  public let expected: Int?

  /// Begins an empty record of `expected` comparisons, where somebody says how many.
  public init(expecting expected: Int? = nil) { self.expected = expected }

  /// True where fewer or more pictures were compared than expected.
  public var isMiscounted: Bool { expected.map { $0 != compared } ?? false }

  /// Notes what came of one comparison.
  public mutating func add(_ outcome: GoldenOutcome) {
    let text = (outcome.error.map { [$0.description] } ?? []) + outcome.notes
    goldens.append(
      Row(
        name: outcome.name, variant: outcome.golden?.variant, status: outcome.status,
        tolerance: outcome.tolerance?.description,
        smallest: outcome.status.isCompared
          ? (outcome.status == .exact ? .exact : outcome.verdict?.smallestPassing)?.description : nil,
        text: text.isEmpty ? nil : text.joined(separator: "; "), masked: outcome.golden?.mask?.coverage))
  }

  /// Notes what became of the canaries.
  public mutating func add(_ canaries: [GoldenCanary]) { self.canaries += canaries }

  /// True where the verdicts may be believed: at least one canary was sent, and none came back alive.
  public var isSound: Bool { !canaries.isEmpty && canaries.allSatisfy(\.isSound) }

  /// That all canaries were caught, and what tolerances that limit averages alone are blind to.
  private var soundText: String {
    var blind: [String] = []
    for canary in canaries where !canary.blindTo.isEmpty {
      let text = ", but “\(canary.tolerance)” is blind to \(canary.blindTo.joined(separator: ", "))"
      // Goldens with masks have canaries of their own, by the same tolerance.
      if !blind.contains(text) { blind.append(text) }
    }
    return "canary ok" + blind.joined()
  }

  /// How many ended how.
  public var counts: ComparisonCounts { ComparisonCounts(goldens.map(\.status)) }

  /// How many pictures were compared with a golden.
  public var compared: Int { counts.compared }

  /// What a command ends with, the worst first: what cannot be read, what cannot be compared, what is missing or extra, what differs.
  public var failure: SafelightError.Kind? {
    let counts = counts
    if counts[.damaged] + counts[.unreadable] > 0 { return .input }
    if counts[.incomparable] > 0 { return .incomparable }
    if counts[.missing] + counts[.extra] > 0 || isMiscounted { return .missingFrame }
    return counts[.differs] > 0 || counts.compared > 0 && !isSound ? .difference : nil
  }

  /// How much of each golden that was compared a mask left out, where there is one.
  private var masked: [Double] { goldens.filter(\.status.isCompared).compactMap(\.masked) }

  /// For people, in one line: `40 compared: 31 exact, 6 within, 3 differ; 0 missing, 0 extra; canary ok`.
  public var summary: String {
    let counts = counts
    var parts = ["\(counts)", "\(counts.text(.missing)), \(counts.text(.extra))"]
    parts += counts.texts([.incomparable, .unreadable, .damaged])
    if let expected, isMiscounted { parts.append("\(expected) EXPECTED") }
    if let most = masked.max() { parts.append("\(masked.count) masked, up to \((100 * most).hundredths) %") }
    if counts.compared > 0 { parts.append(isSound ? soundText : canaries.isEmpty ? "no canary" : "canary UNSOUND") }
    return parts.joined(separator: "; ")
  }
}

extension GoldenRun {
  private enum Key: String, CodingKey { case expected, compared, passes, summary, canaries, goldens }

  /// Reads the rows and the canaries; the counts follow from them.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    expected = try values.decodeIfPresent(Int.self, forKey: .expected)
    goldens = try values.decode([Row].self, forKey: .goldens)
    canaries = try values.decode([GoldenCanary].self, forKey: .canaries)
  }

  /// Writes the counts too, for those who read no further.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encodeIfPresent(expected, forKey: .expected)
    try values.encode(compared, forKey: .compared)
    try values.encode(failure == nil && compared > 0, forKey: .passes)
    try values.encode(summary, forKey: .summary)
    try values.encode(canaries, forKey: .canaries)
    try values.encode(goldens, forKey: .goldens)
  }
}

extension GoldenFolder {
  /// Compares everything with everything: a golden without a candidate is missing, a candidate without a golden and a file without a row are
  /// extra. `deliver` gets each outcome in natural order; the pictures in it go with it.
  public func verify(
    _ candidates: CandidateFolder, variant: String? = nil, tolerance: Tolerance? = nil,
    jobs: Int = ProcessorCount.ofThisProcess.value, deliver: (GoldenOutcome) throws -> Void
  ) throws {
    let names = NaturalOrder.sorted(Array(Set(self.names).union(candidates.names)))
    let present = Set(candidates.names)
    try OrderedWork.run(names.count, jobs: jobs) { index in
      outcome(names[index], present.contains(names[index]) ? candidates : nil, variant, tolerance)
    } deliver: {
      try deliver($1)
    }
    for file in strays { try deliver(GoldenOutcome(stray: file, in: path)) }
  }

  private func outcome(
    _ name: String, _ candidates: CandidateFolder?, _ variant: String?, _ tolerance: Tolerance?
  ) -> GoldenOutcome {
    guard let candidates else {
      let error = SafelightError(
        .missingFrame, name, why: "no picture of this name was made",
        remedy: "run what makes it, or remove its files and its row if it is not wanted any more")
      return GoldenOutcome(name, golden: try? golden(named: name, variant: variant), error: error)
    }
    do {
      try refuse(candidates.file(name), asOneWith: name)
      var outcome = verify(try candidates.candidate(name).image, named: name, variant: variant, tolerance: tolerance)
      outcome.actualPath = candidates.file(name)
      return outcome
    } catch {
      let error = error as? SafelightError ?? SafelightError(.input, name, why: "\(error)")
      return GoldenOutcome(name, error: error, unread: .unreadable)
    }
  }
}

extension GoldenFolder {
  /// Throws a ``SafelightError`` of kind `usage` where the picture is a golden's own file: compared with itself it proves nothing.
  private func refuse(_ picture: String, asOneWith name: String) throws(SafelightError) {
    let own = ([nil] + variants(of: name)).map { place(of: GoldenName.file(name, $0)) }
    guard own.contains(where: { isOneFile($0, picture) }) else { return }
    throw SafelightError(
      .usage, picture, why: "it is the golden itself, and a side compared with itself proves nothing",
      remedy: "name the folder that the pictures were written to")
  }
}

extension GoldenOutcome {
  /// A file of the folder that no row speaks of.
  init(stray file: String, in folder: String) {
    self.init(
      GoldenName.name(of: file), .extra,
      error: SafelightError(
        .missingFrame, "\(folder)/\(file)",
        why: "\(GoldenManifest.fileName) has no row for it, so it is never compared",
        remedy: "remove it, or move it away and record it"))
  }
}
