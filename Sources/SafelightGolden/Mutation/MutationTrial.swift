import SafelightFrames
public import SafelightImage

/// A trial of a comparison: damaged copies of a real expected picture, encoded, decoded, compared and judged like any
/// other. A comparison that lets them pass proves nothing.
///
/// If the tolerance limits `max`, every damage above that limit must be rejected. A tolerance that limits only averages
/// or shares cannot see local damage; then opposite colors must be rejected, and the rest is named as what the
/// tolerance is blind to. A tolerance that takes a scene for the same upside down or all black is unsound, whatever
/// it says of this picture.
public struct MutationTrial: Hashable, Sendable, CustomStringConvertible {
  /// The damages that were tried: those that change a sample that counts by more than ``limit``.
  public let tried: [Mutation]
  /// The tried damages that the comparison let pass.
  public let accepted: [Mutation]
  /// The tolerance's limit of `max`, in steps; nil if it has none.
  public let limit: Int?
  /// The damages that make another picture of a synthetic scene and that the tolerance lets pass all the same.
  package let mistaken: [String]
  /// The size of the corner that stands for a larger picture if SSIM or FLIP are limited.
  private static let edge = 256

  /// Damages copies of parts of `picture` and compares them with it; see ``MutationPart``.
  ///
  /// If SSIM or FLIP are limited and `max` is not, the last 256 columns and rows stand for a large picture without a
  /// mask.
  ///
  /// - Throws: ``SafelightError`` if the comparison itself cannot be made, such as with a mask of another size.
  public init(_ picture: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    let codec = PNGCodec()
    let picture = mask == nil && tolerance.needsWholePictures ? picture.corner(Self.edge) : picture
    try self.init(picture, tolerance: tolerance, mask: mask) { part, damaged throws(SafelightError) in
      try PictureComparison(part, actual: Self.decoded(damaged, codec), tolerance: tolerance).status
    }
  }

  /// Calls `compare` with each damaged copy of a part of `picture`.
  package init(
    _ picture: Image, tolerance: Tolerance, mask: ImageMask?,
    _ compare: (_ part: MutationPart, _ damaged: Image) throws(SafelightError) -> ComparisonStatus
  ) throws(SafelightError) {
    try mask?.check(picture.size)
    let limit = tolerance.terms.first { $0.metric == .maximum }.map { Int($0.limit) }
    var (tried, accepted) = ([Mutation](), [Mutation]())
    for damage in Mutation.canaries {
      guard let part = MutationPart(of: picture, mask: mask, for: damage, by: tolerance),
        let damaged = damage.planted(in: part, by: 2 * (limit ?? 0) + 1),
        Self.differs(damaged, part.picture, byMoreThan: limit ?? 0, part.mask)
      else { continue }
      tried.append(damage)
      if try compare(part, damaged) != .differs { accepted.append(damage) }
    }
    (self.tried, self.accepted, self.limit) = (tried, accepted, limit)
    mistaken = tolerance.mistakes(size: picture.size, channels: picture.channels, depth: picture.depth)
  }

  /// Returns why `tolerance` proves nothing of `picture`, because it would pass all black or in one color; nil if it
  /// would not.
  ///
  /// A picture that is nowhere further from black, or from one color, than a sixteenth of the range has no content to
  /// lose.
  package static func loss(
    of picture: Image, tolerance: Tolerance, mask: ImageMask?
  ) throws(SafelightError) -> String? {
    let whole = MutationPart(whole: picture, mask)
    var passing: [String] = []
    for (name, empty) in picture.withoutContent(mask)
    where differs(empty, picture, byMoreThan: picture.pixelFormat.maximum / 16, mask) {
      if try PictureComparison(whole, actual: empty, tolerance: tolerance).status.passes {
        passing.append("the picture \(name)")
      }
    }
    return passing.isEmpty ? nil : provesNothing(passing)
  }

  private static func provesNothing(_ passing: [String]) -> String {
    "this tolerance proves nothing: \(passing.joined(separator: ", ")) would pass"
  }

  /// True if the verdicts of this comparison can be trusted.
  public var isSound: Bool {
    guard mistaken.isEmpty else { return false }
    guard limit == nil else { return !tried.isEmpty && accepted.isEmpty }
    return tried.contains(.inversion) && !accepted.contains(.inversion)
  }

  /// The text in the line of counts: `canary ok`, `canary ok, but blind to …`, or `this tolerance proves nothing: …
  /// would pass`.
  public var description: String {
    let names = accepted.map(\.name).joined(separator: ", ")
    if isSound { return accepted.isEmpty ? "canary ok" : "canary ok, but blind to \(names)" }
    if tried.isEmpty { return Self.provesNothing(["any picture"]) }
    return Self.provesNothing(mistaken.map { "the picture \($0)" } + accepted.map(\.name))
  }

  /// Returns `picture` written to PNG and read back.
  static func decoded(_ picture: Image, _ codec: PNGCodec) throws(SafelightError) -> Image {
    do throws(SafelightError) {
      return try withTypedErrors(of: "") {
        let bytes = try PNGEncoder.encode(PNGFile(image: picture.samplesAlone), compression: .fast, codec: codec)
        return try PNGDecoder.decode(bytes, name: "canary", codec: codec).image
      }
    } catch {
      throw error.during("canary")
    }
  }

  /// Compares without any metric, since the metrics are on trial.
  private static func differs(_ a: Image, _ b: Image, byMoreThan limit: Int, _ mask: ImageMask?) -> Bool {
    let (samples, stride) = (a.channels.sampleIndices, a.pixelFormat.samplesPerPixel)
    for pixel in 0..<a.size.area where mask?.isHidden[pixel] != true {
      for sample in samples {
        let index = pixel * stride + sample
        if abs(a.value(at: index) - b.value(at: index)) > limit { return true }
      }
    }
    return false
  }
}

extension Image {
  /// Returns at most `edge` columns and rows at the bottom right.
  func corner(_ edge: Int) -> Image {
    let (width, height) = (min(edge, size.width), min(edge, size.height))
    return cut(size.width - width..<size.width, Array(size.height - height..<size.height))
  }
}
