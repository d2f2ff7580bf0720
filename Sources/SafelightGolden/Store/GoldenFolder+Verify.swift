public import SafelightFrames
public import SafelightImage

extension GoldenFolder {
  /// Compares `image` with the golden `name`, by its own tolerance or by `tolerance`. Writes nothing, whatever comes of it.
  ///
  /// The hashes of the pixels are compared first; only where they differ is anything measured. The golden's own file must be what was
  /// approved in any case, but for a pointer of Git LFS, which leaves the hash to compare with.
  public func verify(
    _ image: Image, named name: String, variant: String? = nil, tolerance: Tolerance? = nil
  ) -> GoldenOutcome {
    verify(image, named: name, variant: variant, tolerance: tolerance) { try $0.picture(codec: codec) }
  }

  /// The same with a golden whose picture the caller gives, as ``Golden/picture(codec:)`` does.
  package func verify(
    _ image: Image, named name: String, variant: String?, tolerance: Tolerance? = nil,
    picture: (Golden) throws -> Image?
  ) -> GoldenOutcome {
    var golden: Golden?
    do {
      golden = try self.golden(named: name, variant: variant)
      guard let golden else { return GoldenOutcome(name, .extra, error: noGolden(name)) }
      return try golden.compare(image, with: picture(golden), tolerance: tolerance ?? golden.tolerance)
    } catch let error as SafelightError {
      return GoldenOutcome(name, golden: golden, error: error)
    } catch {
      return GoldenOutcome(name, golden: golden, error: SafelightError(.input, name, why: "\(error)"))
    }
  }

  private func noGolden(_ name: String) -> SafelightError {
    if let owner = GoldenName.owner(of: name, in: rows) {
      return SafelightError(
        .missingFrame, name, why: "this is the name of a variant or the mask of the golden \(owner), not of a golden",
        remedy: "compare it as that variant, or rename the picture")
    }
    return SafelightError(
      .missingFrame, name, why: "no golden has this name", remedy: "record it: safelight golden record")
  }
}

extension Golden {
  /// Compares `image` with `expected`, the golden's picture; nil where Git LFS left only a pointer to it.
  fileprivate func compare(_ image: Image, with expected: Image?, tolerance: Tolerance) throws -> GoldenOutcome {
    try check(image)
    let notes = expected == nil ? ["\(path) is a pointer of Git LFS; only the hash of its pixels was compared"] : []
    if try isEqual(image, pixels, mask) {
      return GoldenOutcome(name, .exact, golden: self, tolerance: tolerance, notes: notes)
    }
    guard let expected else { throw unseen(tolerance) }
    let comparison = try PictureComparison(expected: expected, actual: image, tolerance: tolerance, mask: mask)
    let error = SafelightError(.difference, title, why: comparison.verdict?.description ?? "the pixels differ")
    return GoldenOutcome(
      name, comparison.status, golden: self, tolerance: tolerance, verdict: comparison.verdict,
      error: comparison.status.passes ? nil : error)
  }

  /// Compares `image` with `part` of the golden as if it were all of it, by hash and by pixels like any picture.
  func compare(_ image: Image, with part: CanaryPart, tolerance: Tolerance) throws(SafelightError) -> ComparisonStatus {
    if try isEqual(image, part.mask.hash(part.picture), part.mask) { return .exact }
    return try PictureComparison(part, actual: image, tolerance: tolerance).status
  }

  private func isEqual(_ image: Image, _ hash: String, _ mask: ImageMask?) throws(SafelightError) -> Bool {
    try mask.hash(image) == hash
  }

  /// Throws where `image` is another kind of picture.
  private func check(_ image: Image) throws(SafelightError) {
    let fields = [
      ("size", size.description, image.size.description), ("channels", channels.rawValue, image.channels.rawValue),
      ("depth", "\(depth.rawValue)", "\(image.depth.rawValue)"),
    ]
    for (field, expected, actual) in fields where expected != actual {
      throw SafelightError(
        .incomparable, title, why: "\(field): the golden has \(expected), the picture \(actual)",
        remedy: "if that is right, approve it: safelight golden approve")
    }
  }

  /// The golden's picture; nil where Git LFS left only a pointer to it.
  ///
  /// Throws a ``SafelightError`` of kind `missingFrame` where the file is missing, `input` where it is damaged or is not what was approved.
  public func picture(codec: PNGCodec = PNGCodec()) throws -> Image? {
    guard fileExists(path) else {
      throw SafelightError(
        .missingFrame, path, why: "the golden’s file is missing", remedy: "take it from version control again")
    }
    let file = try readRegularFile(path)
    if GitLFSPointer.isPointer(file) { return nil }
    let image = try PNGDecoder.decode(file, name: path, codec: codec).image
    guard image.size == size, image.channels == channels, image.depth == depth, try mask.hash(image) == pixels else {
      throw SafelightError(
        .input, path,
        why: "it is not the picture that was approved: \(GoldenManifest.fileName) has another hash of its pixels",
        remedy: "take both files from version control again; pictures change by safelight golden approve alone")
    }
    return image
  }

  /// Why nothing can be said of a picture with another hash than that of a golden that is not here.
  private func unseen(_ tolerance: Tolerance) -> SafelightError {
    if tolerance == .exact {
      return SafelightError(
        .difference, title,
        why: "its pixels are not the golden’s; by how much cannot be said, the file is a pointer of Git LFS",
        remedy: GitLFSPointer.remedy)
    }
    return SafelightError(
      .input, path, why: "it is a pointer of Git LFS, and the tolerance “\(tolerance)” needs the picture",
      remedy: GitLFSPointer.remedy)
  }
}

/// What became of the damaged copies of a golden that were compared with it as any picture is: they must be reported.
public struct GoldenCanary: Codable, Hashable, Sendable {
  /// The golden whose copies were damaged.
  public let golden: String
  /// The tolerance that was to refuse them.
  public let tolerance: String
  /// Whether it did.
  public let isSound: Bool
  /// What it is blind to, or that all is well.
  public let text: String
  /// The damages that it let pass.
  public let blindTo: [String]
}

extension GoldenFolder {
  /// Sends damaged copies of goldens through the comparison, one golden for each tolerance in use and each golden with a mask: what it
  /// lets pass, it cannot see in candidates either.
  ///
  /// Goldens whose files are damaged send none. Where Git LFS left only a pointer, the candidate with the golden's hash stands in for it.
  /// With `chosen` only of these. Throws a ``SafelightError`` of kind `usage` if a variant cannot be called so.
  public func canaries(
    _ candidates: CandidateFolder, only chosen: [String]? = nil, variant: String? = nil, tolerance: Tolerance? = nil
  ) throws -> [GoldenCanary] {
    if let variant { try GoldenName.check(variant: variant) }
    var order: [String] = []
    var canaries: [String: GoldenCanary] = [:]
    for name in chosen ?? names {
      let masked = rows[name]?.mask == nil ? "" : name
      let key = "\(tolerance?.description ?? rows[name]?.tolerance ?? "") \(masked)"
      if canaries[key]?.isSound == true { continue }
      // What is wrong with a golden is said where it is compared.
      guard let golden = try? golden(named: name, variant: variant),
        let picture = try? golden.picture(codec: codec) ?? standIn(for: golden, candidates)
      else { continue }
      if canaries[key] == nil { order.append(key) }
      // A picture of one colour may have nothing to damage; another golden may do better.
      canaries[key] = try canary(picture, golden, tolerance ?? golden.tolerance)
    }
    return order.compactMap { canaries[$0] }
  }

  package func canary(
    _ picture: Image, _ golden: Golden, _ tolerance: Tolerance
  ) throws(SafelightError) -> GoldenCanary {
    let canary = try Canary(picture, tolerance: tolerance, mask: golden.mask) { part, damaged throws(SafelightError) in
      try golden.compare(Canary.decoded(damaged, codec), with: part, tolerance: tolerance)
    }
    return GoldenCanary(
      golden: golden.name, tolerance: tolerance.description, isSound: canary.isSound, text: canary.description,
      blindTo: canary.accepted.map(\.name))
  }

  private func standIn(for golden: Golden, _ candidates: CandidateFolder) throws -> Image? {
    try golden.standIn(candidates.candidate(golden.name).image)
  }
}

extension Golden {
  /// `image` where it has the golden's hash, and so its pixels.
  package func standIn(_ image: Image) throws -> Image? { try mask.hash(image) == pixels ? image : nil }
}

/// What came of comparing one picture with its golden.
public struct GoldenOutcome: Sendable {
  /// The golden's name.
  public let name: String
  /// How it ended.
  public let status: ComparisonStatus
  /// The golden; nil where there is none.
  public let golden: Golden?
  /// By which tolerance it was judged.
  public let tolerance: Tolerance?
  /// The measurements; nil where the pixels are the same or nothing could be measured.
  public let verdict: Verdict?
  /// Why it does not pass; its kind says what a command ends with.
  public let error: SafelightError?
  /// What else should be known of it: nothing, most of the time.
  public let notes: [String]
  /// Where the picture was read; nil for one that never was a file.
  public var actualPath: String?
  /// How long the comparison took; nil if nobody measured it.
  public internal(set) var duration: Duration?
  /// For a missing golden, the name of an extra picture that has its very pixels; nil if there is none.
  public internal(set) var renamedTo: String?
  /// For an extra picture, the name of a missing golden whose very pixels it has; nil if there is none.
  public internal(set) var renamedFrom: String?
  /// True for an extra picture that is allowed to be there.
  public var isAllowed: Bool { status == .extra && error == nil }

  init(
    _ name: String, _ status: ComparisonStatus, golden: Golden? = nil, tolerance: Tolerance? = nil,
    verdict: Verdict? = nil,
    error: SafelightError? = nil, notes: [String] = []
  ) {
    self.name = name
    self.status = status
    self.golden = golden
    self.tolerance = tolerance
    self.verdict = verdict
    self.error = error
    self.notes = notes
  }

  /// What `error`, thrown while comparing, amounts to; `unread` where something could not be read.
  init(_ name: String, golden: Golden? = nil, error: SafelightError, unread: ComparisonStatus = .damaged) {
    let status: ComparisonStatus =
      switch error.kind {
      case .incomparable: .incomparable
      case .missingFrame, .missingInput: .missing
      case .difference: .differs
      default: unread
      }
    self.init(name, status, golden: golden, error: error)
  }
}
