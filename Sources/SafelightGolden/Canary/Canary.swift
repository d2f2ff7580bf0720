import SafelightFrames
public import SafelightImage

/// Damaged copies of a real expected picture, sent the same way as the pictures to be judged: encoded, decoded, compared, judged. A
/// comparison that lets them pass proves nothing about those.
///
/// Where the tolerance limits `max`, every damage above that limit must be rejected. One that limits averages or shares alone cannot see what is
/// local; then the damage to the whole picture must be rejected, and the rest is named as what it is blind to. A tolerance that takes a scene
/// for the same upside down or all black is none, whatever it says of this picture.
public struct Canary: Hashable, Sendable, CustomStringConvertible {
  /// The damages that were tried: those that change something that counts by more than ``limit``.
  public let tried: [Damage]
  /// Those of them that the comparison let pass.
  public let accepted: [Damage]
  /// What `max` may be by the tolerance, in steps; nil where it says nothing of that.
  public let limit: Int?
  /// What the tolerance takes for the same although it is another picture, whichever it is of.
  public let mistaken: [String]
  /// True where nothing but alpha is limited: opposite colors may pass then.
  private let looksAtAlphaAlone: Bool

  /// Where SSIM or FLIP are limited, larger pictures lend their last columns and rows.
  private static let edge = 256

  /// Damages copies of parts of `picture` and compares them with it; see ``CanaryPart``.
  ///
  /// Where SSIM or FLIP are limited and `max` is not, the last 256 columns and rows of a large picture without a mask
  /// serve.
  ///
  /// - Throws: ``SafelightError`` where the comparison itself cannot be made, such as with a mask of another size.
  public init(_ picture: Image, tolerance: Tolerance, mask: ImageMask? = nil) throws(SafelightError) {
    let codec = PNGCodec()
    let picture = mask == nil && tolerance.needsWholePictures ? picture.corner(Self.edge) : picture
    try self.init(picture, tolerance: tolerance, mask: mask) { part, damaged throws(SafelightError) in
      try PictureComparison(part, actual: Self.decoded(damaged, codec), tolerance: tolerance).status
    }
  }

  /// Asks `compare` of every damaged copy of a part of `picture`.
  package init(
    _ picture: Image, tolerance: Tolerance, mask: ImageMask?,
    _ compare: (_ part: CanaryPart, _ damaged: Image) throws(SafelightError) -> ComparisonStatus
  ) throws(SafelightError) {
    try mask?.check(picture.size)
    let limit = tolerance.terms.first { $0.metric == .maximum }.map { Int($0.limit) }
    var (tried, accepted) = ([Damage](), [Damage]())
    for damage in Damage.allCases {
      guard let part = CanaryPart(of: picture, mask: mask, for: damage, by: tolerance) else { continue }
      let damaged = damage.applied(to: part, by: 2 * (limit ?? 0) + 1)
      guard Self.differs(damaged, part.picture, byMoreThan: limit ?? 0, part.mask) else { continue }
      tried.append(damage)
      if try compare(part, damaged) != .differs { accepted.append(damage) }
    }
    (self.tried, self.accepted, self.limit) = (tried, accepted, limit)
    looksAtAlphaAlone = tolerance.terms.allSatisfy { $0.metric == .maximumOfAlpha }
    mistaken =
      looksAtAlphaAlone ? [] : tolerance.mistakes(size: picture.size, channels: picture.channels, depth: picture.depth)
  }

  /// Whether the verdicts of this comparison may be believed.
  public var isSound: Bool {
    guard mistaken.isEmpty else { return false }
    guard limit == nil else { return !tried.isEmpty && accepted.isEmpty }
    let needed: Damage = looksAtAlphaAlone ? .alpha : .inversion
    return tried.contains(needed) && !accepted.contains(needed)
  }

  /// For the line that counts: `canary ok`, `canary ok, but blind to …`, or `this tolerance proves nothing: … would pass`.
  public var description: String {
    let names = accepted.map(\.name).joined(separator: ", ")
    if isSound { return accepted.isEmpty ? "canary ok" : "canary ok, but blind to \(names)" }
    if tried.isEmpty { return "this tolerance proves nothing: any picture would pass" }
    let passing = (mistaken.map { "the picture \($0)" } + accepted.map(\.name)).joined(separator: ", ")
    return "this tolerance proves nothing: \(passing) would pass"
  }

  /// What is read back of `picture` once it is written.
  static func decoded(_ picture: Image, _ codec: PNGCodec) throws(SafelightError) -> Image {
    do {
      let bytes = try PNGEncoder.encode(PNGFile(image: picture.samplesAlone), compression: .fast, codec: codec)
      return try PNGDecoder.decode(bytes, name: "canary", codec: codec).image
    } catch let error as SafelightError {
      throw error.during("canary")
    } catch {
      throw SafelightError(.transfer, "canary", why: "\(error)")
    }
  }

  /// Looked at without any metric, which are on trial.
  private static func differs(_ a: Image, _ b: Image, byMoreThan limit: Int, _ mask: ImageMask?) -> Bool {
    let samples = a.channels.sampleIndices
    for pixel in 0..<a.size.area where mask?.isHidden[pixel] != true {
      let (x, y) = (pixel % a.size.width, pixel / a.size.width)
      if samples.contains(where: { abs(a[x: x, y: y, sample: $0] - b[x: x, y: y, sample: $0]) > limit }) { return true }
    }
    return false
  }
}

extension Image {
  /// At most `edge` columns and rows at the bottom right.
  func corner(_ edge: Int) -> Image {
    let (width, height) = (min(edge, size.width), min(edge, size.height))
    return cut(size.width - width..<size.width, Array(size.height - height..<size.height))
  }
}

extension Canary {
  /// What is done to a picture.
  public enum Damage: String, Hashable, Sendable, CaseIterable {
    /// An 8×8 tile in the middle is off by a little more than the tolerance allows.
    case tile
    /// Alpha is off by as much in the same tile.
    case alpha
    /// The last column is off by as much.
    case lastColumn
    /// The last row is off by as much.
    case lastRow
    /// Everything lies one pixel further right.
    case shift
    /// Every color is the opposite one, or black or white where that is hardly another.
    case inversion

    /// For people, as what a tolerance cannot see.
    public var name: String {
      switch self {
      case .tile: "a damaged 8×8 tile"
      case .alpha: "damaged alpha in an 8×8 tile"
      case .lastColumn: "a damaged last column"
      case .lastRow: "a damaged last row"
      case .shift: "a shift by one pixel"
      case .inversion: "opposite colors everywhere"
      }
    }

    /// `part` so damaged, samples off by `amount` where it is a matter of amount.
    package func applied(to part: CanaryPart, by amount: Int) -> Image {
      let picture = part.picture
      var damaged = picture
      let (width, height) = (picture.size.width, picture.size.height)
      let maximum = picture.pixelFormat.maximum
      func change(_ region: Region, alpha: Bool = false, _ change: (_ x: Int, _ y: Int, _ sample: Int) -> Int) {
        for y in region.y..<region.y + region.size.height {
          for x in region.x..<region.x + region.size.width {
            for sample in picture.channels.sampleIndices where (sample == 3) == alpha {
              damaged[x: x, y: y, sample: sample] = change(x, y, sample)
            }
          }
        }
      }
      func off(_ x: Int, _ y: Int, _ sample: Int) -> Int {
        let value = picture[x: x, y: y, sample: sample]
        if value + amount <= maximum { return value + amount }
        return value >= amount ? value - amount : value <= maximum / 2 ? maximum : 0
      }
      func opposite(_ x: Int, _ y: Int, _ sample: Int) -> Int {
        let value = picture[x: x, y: y, sample: sample]
        if abs(maximum - 2 * value) > maximum / 4 { return maximum - value }
        return value <= maximum / 2 ? maximum : 0
      }
      switch self {
      case .tile: change(part.tile, off)
      case .alpha: change(part.tile, alpha: true, off)
      case .lastColumn: change(Region(x: width - 1, y: 0, width: 1, height: height), off)
      case .lastRow: change(Region(x: 0, y: height - 1, width: width, height: 1), off)
      case .shift: change(Region(size: picture.size)) { picture[x: max(0, $0 - 1), y: $1, sample: $2] }
      case .inversion: change(Region(size: picture.size), opposite)
      }
      // Grey with alpha carries its grey three times in memory.
      return picture.channels == .grayAlpha ? damaged.spreadingGray() : damaged
    }
  }
}

extension Image {
  /// The same with red copied to green and blue.
  fileprivate func spreadingGray() -> Image {
    let width = pixelFormat.bytesPerSample
    var bytes = bytes
    for pixel in stride(from: 0, to: bytes.count, by: pixelFormat.bytesPerPixel) {
      for byte in width..<3 * width { bytes[pixel + byte] = bytes[pixel + byte % width] }
    }
    return replacing(bytes: bytes)
  }
}
