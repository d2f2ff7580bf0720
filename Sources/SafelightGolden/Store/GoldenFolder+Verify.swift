public import SafelightFrames
public import SafelightImage

extension GoldenFolder {
  /// Compares `image` with the golden `name`, by its own tolerance or by `tolerance`. Never writes.
  ///
  /// The hashes of the pixels are compared first; only if they differ is anything measured. The golden's own file must
  /// be what was approved, or a pointer of Git LFS, which leaves only the hash to compare with.
  public func verify(
    _ image: Image, named name: String, variant: String? = nil, tolerance: Tolerance? = nil
  ) -> GoldenOutcome {
    verify(image, named: name, variant: variant, tolerance: tolerance) { try $0.picture(codec: codec) }
  }

  /// Compares `image` with a golden whose picture the caller provides, as ``Golden/picture(codec:)`` does.
  package func verify(
    _ image: Image, named name: String, variant: String?, tolerance: Tolerance? = nil,
    picture: (Golden) throws -> Image?
  ) -> GoldenOutcome {
    var golden: Golden?
    do {
      golden = try self.golden(named: name, variant: variant)
      guard let golden else { return GoldenOutcome(name: name, status: .extra, error: noGolden(name)) }
      return try golden.compare(image, with: picture(golden), tolerance: tolerance ?? golden.tolerance)
    } catch {
      let error = error as? SafelightError ?? SafelightError(.input, name, why: "\(error)")
      return GoldenOutcome(name, golden: golden, error: error)
    }
  }

  private func noGolden(_ name: String) -> SafelightError {
    if let owner = GoldenName.owner(of: name, in: rows) {
      return SafelightError(
        .missingFrame, name,
        why: "this is the name of a variant or of the mask of the golden \(owner), not of a golden",
        remedy: "compare it as that variant, or rename the picture")
    }
    return SafelightError(
      .missingFrame, name, why: "no golden has this name", remedy: "record it: safelight golden record")
  }
}

extension Golden {
  /// Compares `image` with `expected`, the golden's picture; nil if Git LFS left only a pointer to it.
  fileprivate func compare(_ image: Image, with expected: Image?, tolerance: Tolerance) throws -> GoldenOutcome {
    try check(image)
    let notes = expected == nil ? ["\(path) is a pointer of Git LFS; only the hash of its pixels was compared"] : []
    if try mask.hash(image) == pixels {
      return GoldenOutcome(name: name, status: .exact, golden: self, tolerance: tolerance, notes: notes)
    }
    guard let expected else { throw unseen(tolerance) }
    let comparison = try PictureComparison(expected: expected, actual: image, tolerance: tolerance, mask: mask)
    let error = SafelightError(.difference, title, why: comparison.verdict?.description ?? "the pixels differ")
    return GoldenOutcome(
      name: name, status: comparison.status, golden: self, tolerance: tolerance, verdict: comparison.verdict,
      error: comparison.status.passes ? nil : error)
  }

  /// Compares `image` with `part` of the golden as if it were all of it, by hash and by pixels like any picture.
  func compare(_ image: Image, with part: MutationPart, tolerance: Tolerance) throws(SafelightError) -> ComparisonStatus
  {
    if try part.mask.hash(image) == part.mask.hash(part.picture) { return .exact }
    return try PictureComparison(part, actual: image, tolerance: tolerance).status
  }

  /// - Throws: ``SafelightError`` of kind `incomparable` if `image` is another kind of picture.
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

  /// Reads the golden's picture, or returns nil if Git LFS left only a pointer to it.
  ///
  /// - Throws: ``SafelightError`` of kind `missingFrame` if the file is missing, `input` if it is damaged or is not
  ///   what was approved.
  public func picture(codec: PNGCodec = PNGCodec()) throws -> Image? {
    try ensure(
      fileExists(path), .missingFrame, path, why: "the golden’s file is missing",
      remedy: "restore it from version control")
    let file = try readRegularFile(path)
    if GitLFSPointer.isPointer(file) { return nil }
    let image = try PNGDecoder.decode(file, name: path, codec: codec).image
    try ensure(
      isLike(image), .input, path,
      why: "it is not the picture that was approved: \(GoldenManifest.fileName) has another hash of its pixels",
      remedy: "restore both files from version control; change pictures only with safelight golden approve")
    return image
  }

  /// Returns the error for a picture whose hash differs from that of a golden that is only a pointer.
  private func unseen(_ tolerance: Tolerance) -> SafelightError {
    if tolerance == .exact {
      return SafelightError(
        .difference, title,
        why: "its pixels differ from the golden’s; how much is unknown, as the golden is only a Git LFS pointer",
        remedy: GitLFSPointer.remedy)
    }
    return SafelightError(
      .input, path, why: "it is only a Git LFS pointer, and the tolerance “\(tolerance)” needs the picture",
      remedy: GitLFSPointer.remedy)
  }
}

/// The outcome of comparing one picture with its golden.
public struct GoldenOutcome: Sendable {
  /// The golden's name.
  public let name: String
  /// The outcome.
  public let status: ComparisonStatus
  /// The golden; nil if there is none.
  public internal(set) var golden: Golden?
  /// The tolerance that it was judged by.
  public internal(set) var tolerance: Tolerance?
  /// The measurements; nil if the pixels are the same or nothing could be measured.
  public internal(set) var verdict: Verdict?
  /// The reason why it does not pass; its kind decides a command's exit code.
  public internal(set) var error: SafelightError?
  /// Further remarks, usually none.
  public internal(set) var notes: [String] = []
  /// The path that the picture was read from; nil for one that never was a file.
  public var actualPath: String?
  /// The duration of the comparison, if measured.
  public internal(set) var duration: Duration?
  /// For a missing golden, the name of an extra picture with exactly its pixels; nil if there is none.
  public internal(set) var renamedTo: String?
  /// For an extra picture, the name of a missing golden with exactly its pixels; nil if there is none.
  public internal(set) var renamedFrom: String?
  /// True for an extra picture that is allowed.
  public var isAllowed: Bool { status == .extra && error == nil }
}

extension GoldenOutcome {
  /// Derives the status from an `error` of the comparison; `unread` is that of other kinds of errors.
  init(_ name: String, golden: Golden? = nil, error: SafelightError, unread: ComparisonStatus = .damaged) {
    let status: ComparisonStatus =
      switch error.kind {
      case .incomparable: .incomparable
      case .missingFrame, .missingInput: .missing
      case .difference: .differs
      default: unread
      }
    self.init(name: name, status: status, golden: golden, error: error)
  }
}
