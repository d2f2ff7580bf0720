public import SafelightGPU
public import SafelightImage

/// A kernel that makes a picture smaller or larger; the counterpart of Metal Performance Shaders'
/// `MPSImageBilinearScale` and, in the mode `area`, of OpenCV's `INTER_AREA`. The formula is on its ``card``.
public struct ImageResize: ResamplingKernel {
  /// A rule by which pixels are made.
  public enum Mode: String, Sendable, CaseIterable {
    /// ``area`` if no side grows, else ``bilinear``.
    case auto
    /// From one pixel.
    case nearest
    /// From four pixels.
    case bilinear
    /// From all pixels that it covers.
    case area
  }

  /// The columns of the result; 0 to keep the proportions of the picture.
  public var width = 0
  /// The rows of the result; 0 to keep the proportions of the picture.
  public var height = 0
  /// The rule by which pixels are made.
  public var mode = Mode.auto

  /// Makes a kernel that needs a width or a height.
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
      rounded to the nearest. A side of n pixels becomes m, n' and m' are both without their common divisor, and
      pixel i of the result has its center at c = (2i + 1) * n / 2m, where pixel k of the picture has it at k + 1/2:

          nearest    pixel floor(c)
          bilinear   the pixels left and right of c, above and below it; w = 256ths of the way from one center to the
                     next, rounded; out = (sum of four products + 32768) >> 16
          area       the mean of all that the pixel covers, from i * n / m to (i + 1) * n / m, by exact parts:
                     the mean of each row, then the mean of those; both are rounded to 16 bits (samples of 8 bits are
                     multiplied by 256 first, and the result is rounded to 8 bits)

      Beyond the edge lie the pixels at the edge. Bilinear leaves pixels out where a side becomes less than half; auto
      takes area where no side grows, and bilinear otherwise. Each channel is scaled by itself, so the color of
      transparent pixels counts: premultiply,resize=...,unpremultiply keeps it out.
      """,
    [
      .integer("width", "columns; 0 to keep the proportions", \.width, in: 0...1 << 16),
      .integer("height", "rows; 0 to keep the proportions", \.height, in: 0...1 << 16),
      .choice("mode", "where pixels come from", \.mode),
    ],
    examples: [
      "resize=width=13:height=12", "resize=width=40:height=70", "resize=height=13:mode=nearest",
      "resize=width=24:mode=bilinear", "resize=width=31:height=17:mode=area", "resize=width=1:height=1",
    ])

  /// Checks that a width or a height is given.
  public func check() throws(SafelightError) {
    try ensure(
      width > 0 || height > 0, .usage, "resize", why: "it has neither a width nor a height",
      remedy: "write, for example, resize=width=1280")
  }

  /// The width and the height, of which one may follow from the proportions.
  public func output(of size: Size) -> Size {
    func following(_ side: Int, _ given: Int, _ whole: Int) -> Int { max(1, (side * given + whole / 2) / whole) }
    return Size(
      width > 0 ? width : height > 0 ? following(size.width, height, size.height) : size.width,
      height > 0 ? height : width > 0 ? following(size.height, width, size.width) : size.height)
  }

  /// The filter that ``mode`` means for these sizes.
  public func filter(from source: Size, to made: Size) -> ImageRenderer.Filter {
    switch mode {
    case .auto: made.width <= source.width && made.height <= source.height ? .area : .linear
    case .nearest: .nearest
    case .bilinear: .linear
    case .area: .area
    }
  }
}

extension ImageResize.Mode: ParameterWord {
  /// The modes by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.auto, "auto", "area if no side grows, else bilinear"),
    (.nearest, "nearest", "one pixel: hard edges, as for pixel art and masks"),
    (.bilinear, "bilinear", "four pixels, weighted by their distance"),
    (.area, "area", "the mean of all that it covers, for making smaller"),
  ]
}
