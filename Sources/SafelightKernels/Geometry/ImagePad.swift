public import SafelightGPU
public import SafelightImage

/// A kernel that adds columns and rows around a picture; `MPSImageEdgeMode` for whole pictures. The rules are on its
/// ``card``.
public struct ImagePad: PassKernel {
  /// The ways to make the added pixels.
  public enum Edge: String, Sendable, CaseIterable {
    /// One color.
    case color
    /// The pixels at the edges.
    case clamp
    /// The picture, mirrored.
    case mirror
    /// The picture, again.
    case wrap
  }

  /// The columns to the left.
  public var left = 0
  /// The rows above.
  public var top = 0
  /// The columns to the right.
  public var right = 0
  /// The rows below.
  public var bottom = 0
  /// The color: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha. Empty for transparent
  /// black where there is alpha, else black.
  public var color = ""
  /// The way to make the added pixels.
  public var edge = Edge.color

  /// Makes a kernel that adds nothing.
  public init() {}

  /// Makes the kernel.
  public init(
    device: Device, left: Int = 0, top: Int = 0, right: Int = 0, bottom: Int = 0, edge: Edge = .color,
    color: String = ""
  ) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
    (self.edge, self.color) = (edge, color)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "pad", "adds columns and rows around the picture",
    discussion: """
      A picture of w by h becomes one of left + w + right by top + h + bottom. The added pixels are:

          color    a color; black if none is given, transparent where the picture has alpha
          clamp    the pixels at the edges       a a a | a b c d | d d d
          mirror   the picture mirrored at them  d c b | a b c d | c b a
          wrap     the picture again             b c d | a b c d | a b c

      A color is a name of CSS (black, white, gray, silver, red, orange, maroon, yellow, olive, lime, green, aqua, teal,
      blue, navy, fuchsia, purple, transparent), #rrggbb or #rrggbbaa; in 16 bits each byte stands twice. It is
      multiplied by its alpha where the picture's is premultiplied, and taken as samples are stored, whatever their
      color space.
      """,
    [
      .integer("left", "columns to the left", \.left, in: 0...1 << 16),
      .integer("top", "rows above", \.top, in: 0...1 << 16),
      .integer("right", "columns to the right", \.right, in: 0...1 << 16),
      .integer("bottom", "rows below", \.bottom, in: 0...1 << 16),
      .choice("edge", "what the added pixels are", \.edge),
      .text("color", "the color of the added pixels", \.color, form: "a color, such as white or #ff8000"),
    ],
    examples: [
      "pad=left=3:top=5:right=7:bottom=9", "pad=left=3:top=5:color=gray", "pad=left=40:top=80:right=1:edge=clamp",
      "pad=left=30:top=50:right=20:bottom=70:edge=mirror", "pad=left=2:top=100:right=50:bottom=3:edge=wrap",
    ])

  /// Checks that something is added, and the color's words.
  public func check() throws(SafelightError) {
    try ensure(
      max(left, top, right, bottom) > 0, .usage, "pad", why: "it adds no column and no row",
      remedy: "write, for example, pad=left=8:right=8")
    try NamedColor.check(color, of: "pad")
    try ensure(
      color.isEmpty || edge == .color, .usage, "pad=edge=\(edge.rawValue):color=\(color)",
      why: "the added pixels are the picture's, not of a color", remedy: "leave edge or color out")
  }

  /// Refuses colors around gray, and translucent ones where there is no alpha.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try NamedColor.check(color, around: image, of: "pad")
  }

  /// Refuses a color around samples of limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    edge == .color ? try color.ofFullRange(for: "pad") : color
  }

  /// Larger by the columns and rows.
  public func output(of size: Size) -> Size { Size(left + size.width + right, top + size.height + bottom) }

  /// One pass.
  public func passes(for picture: PassPicture) -> [Pass] {
    [
      .padding(
        picture, Padding(left: left, top: top, size: output(of: picture.size), edge: edge),
        NamedColor.around(picture.image, color))
    ]
  }
}

extension ImagePad.Edge: ParameterWord {
  /// The edges by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.color, "color", "one color"), (.clamp, "clamp", "the pixels at the edges"),
    (.mirror, "mirror", "the picture mirrored at its outermost pixels"), (.wrap, "wrap", "the picture again"),
  ]
}
