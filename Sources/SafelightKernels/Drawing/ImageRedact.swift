public import SafelightGPU
public import SafelightImage

/// A kernel that makes a rectangle of a picture unreadable. The formula is on its ``card``.
public struct ImageRedact: PassKernel {
  /// The ways to make pixels unreadable.
  public enum Method: String, Sendable, CaseIterable {
    /// Squares of their mean.
    case pixelate
    /// A Gaussian.
    case blur
    /// Opaque black.
    case black
  }

  /// The way to make pixels unreadable.
  public var method = Method.pixelate
  /// The rectangle, `WxH+X+Y`.
  public var region = ""
  /// The columns and rows of the squares of ``Method/pixelate``.
  public var block = 16
  /// The standard deviation of ``Method/blur``, in pixels.
  public var sigma = 12.0

  /// Makes a kernel that needs a rectangle.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, method: Method, region: Region, block: Int = 16, sigma: Double = 12) {
    self.region = ImageRectangle(device: device, region: region).region
    (self.method, self.block, self.sigma) = (method, block, sigma)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "redact", "makes a rectangle unreadable: squares, a blur or black",
    discussion: """
      region=WxH+X+Y has W columns and H rows, from column X and row Y on; redact=pixelate:region=64x48+10+20. What lies
      outside the picture is cut off; a rectangle wholly outside is refused.

          pixelate  squares of block columns and rows, from the rectangle's upper left pixel in the picture on; the last
                    of a row or column are cut off at the rectangle's edges. Each channel, alpha too, is the mean of its
                    square, floor((sum + floor(count / 2)) / count).
          blur      the pixels of blur=sigma, which reads pixels around the rectangle too
          black     0, opaque

      Only black hides everything: letters and faces can be guessed from squares and blurs, all the more where a film
      shows them again and again.
      """,
    [
      .choice("method", "what replaces the pixels", \.method),
      .text("region", "the rectangle", \.region, form: "a rectangle WxH+X+Y, such as 64x48+10+20"),
      .integer("block", "columns and rows of the squares of pixelate", \.block, in: 2...128),
      .number("sigma", "the standard deviation of blur, in pixels", \.sigma, in: 0.1...250),
    ],
    examples: [
      "redact=pixelate:region=13x11+2+1:block=4", "redact=pixelate:region=90x90-2+1:block=128",
      "redact=blur:region=9x7+3+2:sigma=1.5", "redact=black:region=7x9-2+4",
    ])

  /// Checks the rectangle, and that no parameter is for another method.
  public func check() throws(SafelightError) {
    _ = try DrawnRegion(region, of: "redact")
    let usual = Self()
    let others: [(name: String, isGiven: Bool, method: Method)] = [
      ("block=\(block)", block != usual.block, .pixelate),
      ("sigma=\(ParameterValue.number(sigma))", sigma != usual.sigma, .blur),
    ]
    for other in others {
      try ensure(
        !other.isGiven || method == other.method, .usage, "redact=\(method.rawValue):\(other.name)",
        why: "it is for the method \(other.method.rawValue)",
        remedy: "leave it out, or write redact=\(other.method.rawValue)")
    }
  }

  /// Refuses a rectangle wholly outside.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try DrawnRegion(region, of: "redact").check(in: image, of: "redact")
  }

  /// Requires full range where black is laid over the picture.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    method == .black ? try color.ofFullRange(for: "redact") : color
  }

  /// A copy, then passes over the rectangle.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    let region = try DrawnRegion(region, of: "redact").region.intersection(Region(size: picture.size))
    switch method {
    case .pixelate: return [.copy()] + Pass.pixelating(PixelCells(region: region, edge: block), in: picture)
    case .black: return Pass.painting(.black, over: [region], in: picture)
    case .blur:
      var blur = ImageGaussianBlur()
      blur.sigma = sigma
      var passes = blur.passes(for: picture)
      passes[passes.count - 1].area = region
      return [.copy()] + passes
    }
  }
}

extension ImageRedact.Method: ParameterWord {
  /// The methods by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.pixelate, "pixelate", "squares of their mean"), (.blur, "blur", "a Gaussian"), (.black, "black", "opaque black"),
  ]
}
