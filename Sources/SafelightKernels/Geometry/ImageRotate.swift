public import SafelightGPU
public import SafelightImage

/// A kernel that turns a picture. The rules are on its ``card``.
public struct ImageRotate: WarpKernel {
  /// The sizes of turned pictures.
  public enum Extent: Sendable {
    /// As large as the turned picture needs.
    case fit
    /// That of the picture.
    case keep
  }

  /// The angle in degrees; positive is clockwise.
  public var degrees = 90.0
  /// The size of the result.
  public var size = Extent.fit
  /// The way in which a pixel is made of those around its position.
  public var sampling = WarpSampling()

  /// Makes a kernel that turns by 90 degrees clockwise.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, degrees: Double, size: Extent = .fit, mode: ImageInterpolation = .bilinear) {
    (self.degrees, self.size, sampling.mode) = (degrees, size, mode)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "rotate", "turns the picture",
    discussion: """
      Positive angles are clockwise: rotate=90 brings the left edge to the top. By 90 and 270 degrees columns become
      rows, and the shape of pixels turns too; samples stay as they are. orient makes upright what carries a tag.

      By other angles, and with size=keep, the picture turns around its middle, as one of square pixels. size=fit makes
      the result as large as the turned picture needs, to a 4096th of a pixel, size=keep as large as the picture. The
      sine and the cosine are rounded to 2^-40, once.

      \(warpRules)
      """,
    [
      .number("degrees", "the angle; clockwise", \.degrees, in: -360...360),
      .choice("size", "the size of the result", \.size),
    ] + warpParameters,
    examples: [
      "rotate=90", "rotate=180", "rotate=-90", "rotate=30", "rotate=-12.5:size=keep:mode=nearest:color=gray",
      "rotate=200:mode=bicubic:edge=mirror", "rotate=45:size=keep:mode=lanczos:alpha=as-is", "rotate=90:size=keep",
    ])

  /// Takes every picture for quarter turns.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    if turn == nil { try checkWarp(of: image) }
  }

  /// The same meaning for quarter turns.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    turn == nil && showsColor ? try color.ofFullRange(for: Self.card.name) : color
  }

  /// As large as the turned picture needs, or as the picture.
  public func output(of size: Size) -> Size {
    if let turn { return turn.uprightSize(of: size) }
    return self.size == .keep ? size : WarpMap.size(turning: size, by: degrees)
  }

  /// One pass, or none for no turn; between passes for alpha, unless it turns by quarters.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    guard let turn else { return try warpPasses(for: picture) }
    return turn == .up ? [] : [.orienting(turn, of: picture.size)]
  }

  /// The positions, in whole numbers.
  public func map(of size: Size) throws(SafelightError) -> WarpMap {
    WarpMap(turning: size, by: degrees, to: output(of: size))
  }

  /// How a picture is stored that quarter turns make upright; nil for other turns, and for quarters that keep the size.
  private var turn: Orientation? {
    switch (degrees.truncatingRemainder(dividingBy: 360) + 360).truncatingRemainder(dividingBy: 360) {
    case 0: .up
    case 90 where size == .fit: .right
    case 180: .down
    case 270 where size == .fit: .left
    default: nil
    }
  }
}

extension ImageRotate.Extent: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [(.fit, "fit", "as large as the turned picture needs"), (.keep, "keep", "as large as the picture")]
  }
}
