public import SafelightGPU
public import SafelightImage

/// A kernel that makes a picture smaller or larger; the counterpart of Metal Performance Shaders'
/// `MPSImageBilinearScale` and `MPSImageLanczosScale`. The rules are on its ``card``.
public struct ImageResize: ResamplingKernel {
  /// A rule by which pixels are made.
  public enum Mode: String, Sendable, CaseIterable {
    /// ``area`` if no side grows, else ``bilinear``.
    case auto
    /// From one pixel.
    case nearest
    /// From four pixels.
    case bilinear
    /// By a cubic, as Pillow does.
    case bicubic
    /// By a windowed sinc, as Pillow does.
    case lanczos
    /// From all pixels that it covers.
    case area
  }

  /// The columns of the result; 0 to keep the proportions of the picture.
  public var width = 0
  /// The rows of the result; 0 to keep the proportions of the picture.
  public var height = 0
  /// The sides of the result in hundredths of the picture's; 0 if a width or a height is given.
  public var percent = 0.0
  /// A number of which the sides that follow from another, or from ``percent``, are multiples.
  public var multiple = 1
  /// What is done if the picture has not the proportions of the result.
  public var fit = Fit.stretch
  /// The edges at which the picture lies in the result, or the result in the picture.
  public var gravity = Gravity.center
  /// The color around a picture that does not fill the result: a name, or `#` and the bytes of red, green, blue and, if
  /// it is not opaque, alpha. Empty for transparent black where there is alpha, else black.
  public var color = ""
  /// The rule by which pixels are made.
  public var mode = Mode.auto
  /// The part that alpha has. Premultiplied colors count by their alpha as they are.
  public var alphaMode = ImageAlphaMode.weighted
  /// The values of which means are taken.
  public var light = Light.asIs

  /// Makes a kernel that needs a width, a height or a percentage.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, width: Int = 0, height: Int = 0, mode: Mode = .auto) {
    (self.width, self.height, self.mode) = (width, height, mode)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "resize", "makes the picture smaller or larger",
    discussion: """
      Of width and height one may be 0 and then follows from the other, so that the picture keeps its proportions,
      rounded to the nearest whole pixel, or to the nearest multiple=2. percent=50 halves both. If both are given, a
      picture of other proportions is stretched; fit=contain puts all of it into the result, with a color around it, and
      fit=cover fills the result and cuts off the rest, both at the edges that gravity names.

      A side of n pixels becomes m, n' and m' are both without their common divisor, and pixel i of the result has its
      center at c = (2i + 1) * n / 2m, where pixel k of the picture has it at k + 1/2:

          nearest    pixel floor(c)
          bilinear   the pixels left and right of c, above and below it; w = 256ths of the way from one center to the
                     next, in 16 bits 65536ths, halves to even; the sum of four products is rounded once; opaque
                     pictures become those of cv2.INTER_LINEAR_EXACT
          bicubic    Keys' cubic with a = -1/2, from 4 by 4 pixels; from more where a side shrinks
          lanczos    sinc(x) * sinc(x / 3), from 6 by 6 pixels; from more where a side shrinks
          area       the mean of all that the pixel covers, from i * n / m to (i + 1) * n / m, by exact parts:
                     the mean of each row, then the mean of those; both are rounded to 16 bits (samples of 8 bits are
                     multiplied by 256 first, and the result is rounded to 8 bits)

      Bicubic and lanczos are those of Pillow 13, in 8 bits to the bit: weights of 22 bits, along the rows first, or
      down the columns first if more than twice as many rows are lost as columns; each time rounded to whole samples.
      In 16 bits the greatest weight takes what rounding left over, so that all together are one.

      Beyond the edge lie the pixels at the edge; bicubic and lanczos leave them out. Bilinear leaves pixels out where a
      side becomes less than half; auto takes area where no side grows, and bilinear otherwise.

      A color counts by its alpha, so that those of transparent pixels do not show, unless alpha=as-is. Bicubic and
      lanczos multiply by alpha before, and divide after, rounded down, as Pillow does.

      light=linear takes means of light, in 16 bits, and not of samples of sRGB: bright details on dark grounds keep
      their brightness.
      """,
    [
      .integer("width", "columns; 0 to keep the proportions", \.width, in: 0...1 << 16),
      .integer("height", "rows; 0 to keep the proportions", \.height, in: 0...1 << 16),
      .choice("mode", "where pixels come from", \.mode),
      .choice("fit", "what is done with other proportions", \.fit),
      .choice("gravity", "where the picture lies in the result, or the result in it", \.gravity),
      .text("color", "the color around the picture", \.color, form: "a color, such as white or #ff8000"),
      .number("percent", "both sides in hundredths of the picture's; 0 for none", \.percent, in: 0...10000),
      .integer("multiple", "sides that are not given are multiples of it", \.multiple, in: 1...1024),
      .choice("alpha", "the part that alpha has", \.alphaMode),
      .choice("light", "what is averaged", \.light),
    ],
    examples: [
      "resize=width=13:height=12", "resize=width=40:height=70", "resize=height=13:mode=nearest",
      "resize=width=24:mode=bilinear", "resize=width=31:height=17:mode=area", "resize=width=1:height=1",
      "resize=width=40:height=9:mode=bicubic", "resize=width=9:height=40:mode=lanczos",
      "resize=percent=150:mode=lanczos:alpha=as-is", "resize=percent=30:multiple=4:mode=bicubic",
      "resize=width=20:height=30:fit=contain:gravity=south:color=gray",
      "resize=width=30:height=9:fit=cover:mode=lanczos:gravity=northwest",
      "resize=width=9:height=20:fit=cover:gravity=east", "resize=percent=60:light=linear",
      "resize=width=50:height=20:mode=bicubic:light=linear:alpha=as-is",
    ])

  /// The formats of ``ImageRenderer``.
  public static let formats = ImageRenderer.formats

  /// Checks that the size is given in one way.
  public func check() throws(SafelightError) {
    try ensure(
      width > 0 || height > 0 || percent > 0, .usage, "resize", why: "it has neither a width nor a height",
      remedy: "write, for example, resize=width=1280 or resize=percent=50")
    try ensure(
      percent == 0 || width == 0 && height == 0, .usage, "resize=percent=\(percent)",
      why: "it has a width or a height too", remedy: "leave one of them out")
    let hasBoth = width > 0 && height > 0
    try ensure(
      fit == .stretch || hasBoth, .usage, "resize=fit=\(fit.rawValue)", why: "it needs both a width and a height",
      remedy: "give both, or leave fit out: the picture keeps its proportions then")
    try ensure(
      multiple == 1 || !hasBoth, .usage, "resize=multiple=\(multiple)", why: "both sides are given",
      remedy: "leave out multiple, the width or the height")
    try NamedColor.check(color, of: "resize")
    try ensure(
      color.isEmpty || fit == .contain, .usage, "resize=color=\(color)", why: "nothing lies around the picture",
      remedy: "write fit=contain, or leave color out")
  }

  /// Checks that 32-bit arithmetic and a texture of any device suffice for the scale, and that the picture can hold the
  /// color.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let (made, scaled) = (output(of: image.size), scaledSize(of: image.size))
    let scaling = "resize of \(image.size) to \(scaled)"
    try ensure(
      max(made.width, made.height, scaled.width, scaled.height) <= 1 << 16 && max(made.area, scaled.area) <= 1 << 29,
      .limit, scaling, why: "a result has at most 65536 columns and rows and \(1 << 29) pixels",
      remedy: fit == .cover ? "crop the picture before it, or write fit=contain" : "choose a smaller size")
    // Every device has textures of 2048 columns and rows (OpenGL ES 3.1, table 20.40), of which a border takes some.
    let joined = pixelsJoined(from: image.size, to: scaled)
    try ensure(
      joined.count < 2000, .limit, scaling, why: "it would join 2000 or more columns or rows into one",
      remedy: "scale in two steps\(resamplingRule == nil ? "" : ", the first with mode=area")")
    try ensure(
      joined.entries <= ResamplingTable.most, .limit, scaling, why: "it would need too many weights",
      remedy: "scale in two steps, the first with mode=area")
    try ensure(
      resamplingRule != nil || PictureScale(from: image.size, to: scaled) != nil, .limit, scaling,
      why: "the ratio of the two sizes is beyond 32-bit arithmetic",
      remedy: "choose a size in a simpler ratio to the picture's, such as a half")
    try NamedColor.check(color, around: image, of: "resize")
  }

  /// Refuses a color around samples of limited range, and linear light of samples that are not of sRGB.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    if light == .linear {
      guard color.alpha != .premultiplied else { throw color.mismatch("resize=light=linear", made: "straight alpha") }
      guard [.unspecified, .sRGB].contains(color.transfer) else {
        throw color.mismatch("resize", made: "transfer sRGB")
      }
    }
    return fit == .contain || light == .linear ? try color.ofFullRange(for: "resize") : color
  }

  /// The width and the height, of which one may follow from the proportions.
  public func output(of size: Size) -> Size { hasBothSides ? Size(width, height) : scaledSize(of: size) }

  /// The result's size, or what its proportions leave of it or add to it.
  public func scaledSize(of size: Size) -> Size {
    /// Returns `side` times `numerator` by `denominator`, as a multiple.
    func scaled(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
      let unit = denominator * multiple
      return multiple * max(1, (side * numerator + unit / 2) / unit)
    }
    if percent > 0 {
      let parts = Int((percent * 10_000).rounded())
      return Size(scaled(size.width, parts, 1_000_000), scaled(size.height, parts, 1_000_000))
    }
    guard hasBothSides, fit != .stretch else {
      return Size(
        width > 0 ? width : scaled(size.width, height, size.height),
        height > 0 ? height : scaled(size.height, width, size.width))
    }
    // To contain the picture, its more extended side fills the result; to cover the result, the other one.
    let isWider = size.width * height > size.height * width
    return isWider == (fit == .contain)
      ? Size(width, scaled(size.height, width, size.width)) : Size(scaled(size.width, height, size.height), height)
  }

  private var hasBothSides: Bool { width > 0 && height > 0 }
}

extension ImageResize {
  /// Records the scaling of all of `source` to all of `destination`, two textures of one format and of any sizes.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` for a scale beyond 32-bit arithmetic.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) throws(SafelightError) {
    var kernel = self
    (kernel.width, kernel.height) = (destination.size.width, destination.size.height)
    (kernel.percent, kernel.multiple) = (0, 1)
    try kernel.check()
    try kernel.check(source.pixelFormat.descriptor(source.size))
    kernel.encodePasses(to: buffer, source: source, destination: destination, pipeline: pipeline)
  }
}

extension ImageResize.Mode: ParameterWord {
  /// The modes by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.auto, "auto", "area if no side grows, else bilinear"),
    (.nearest, "nearest", "one pixel: hard edges, as for pixel art and masks"),
    (.bilinear, "bilinear", "four pixels, weighted by their distance"),
    (.bicubic, "bicubic", "a smooth curve through the pixels: sharper than bilinear"),
    (.lanczos, "lanczos", "the sharpest; bright and dark edges may show faint halos"),
    (.area, "area", "the mean of all that it covers, for making smaller"),
  ]
}

extension ImageResize {
  /// What is done with a picture that has not the proportions of the size to which it is scaled.
  public enum Fit: String, Sendable, CaseIterable {
    /// It gets them.
    case stretch
    /// All of it is shown, with a color around it.
    case contain
    /// It fills the result, and what reaches beyond is cut off.
    case cover
  }

  /// The values of which a picture that is scaled takes means.
  public enum Light: Sendable {
    /// Samples as they are stored.
    case asIs
    /// The light that samples of sRGB stand for.
    case linear
  }
}

extension ImageResize.Fit: ParameterWord {
  /// The ways by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.stretch, "stretch", "it becomes wider or narrower"),
    (.contain, "contain", "all of it is shown, with a color around it"),
    (.cover, "cover", "it fills the result, and the rest is cut off"),
  ]
}

extension ImageResize.Light: ParameterWord {
  /// The words of chains.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.asIs, "as-is", "samples as they are stored"), (.linear, "linear", "the light that samples of sRGB stand for"),
  ]
}
