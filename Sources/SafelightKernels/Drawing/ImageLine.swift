public import SafelightGPU
public import SafelightImage

/// A kernel that draws a straight line into a picture. The formula is on its ``card``.
public struct ImageLine: PassKernel {
  /// The pixel at which the line begins, `X+Y`.
  public var from = ""
  /// The pixel at which the line ends, `X+Y`.
  public var to = ""
  /// The color: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
  public var color = "white"
  /// The width in pixels.
  public var thickness = 1

  /// Makes a kernel that needs two ends.
  public init() {}

  /// Makes the kernel.
  public init(
    device: Device, from: (x: Int, y: Int), to: (x: Int, y: Int), color: String = "white", thickness: Int = 1
  ) {
    func text(_ place: (x: Int, y: Int)) -> String { "\(place.x)\(place.y < 0 ? "" : "+")\(place.y)" }
    (self.from, self.to) = (text(from), text(to))
    (self.color, self.thickness) = (color, thickness)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "line", "draws a straight line with smooth edges",
    discussion: """
      From the middle of one pixel to the middle of another, X+Y: line=from=2+3:to=40+20. The line is a rectangle that
      reaches half of its thickness to both sides and beyond both ends, so that a line of 1 along a row or column
      covers its pixels wholly. Of the ends in 256ths of a pixel, begin = 256 * from + 128 is the upper one, or the left
      one in a row, and end the other; floor() is the whole number below:

          way = end - begin, in pixels,  length = floor(root((way.x^2 + way.y^2) * 2^20))
          half = floor((2 * 128 * thickness * way * 2^10 + length) / (2 * length)), per axis;
                 (128 * thickness, 0) if both ends are one pixel
          corners: begin - half and end + half, each plus and minus (-half.y, half.x)

      Each row of pixels is crossed at 16 heights, (2k + 1) * 8 of its 256 parts; there the line covers what lies
      between both sides, each at x + floor((height - y) * columns / rows) for a side of so many columns and rows from
      its upper end (x, y). The part of a pixel that is covered, in 4096ths, multiplies the color's alpha, halves up.

      Ends may lie outside the picture (X-Y, -X+Y); a line whose rectangle of pixels lies wholly outside is refused.

      \(overColors)
      """,
    [
      .text("from", "the pixel at which it begins", \.from, form: "a column and a row X+Y, such as 10+20"),
      .text("to", "the pixel at which it ends", \.to, form: "a column and a row X+Y, such as 10+20"),
      .text("color", "the color", \.color, form: "a color, such as white or #ff8000"),
      .integer("thickness", "the width in pixels", \.thickness, in: 1...4096),
    ],
    examples: [
      "line=from=1+2:to=14+9:thickness=3", "line=from=0+0:to=40-9:color=#80808070", "line=from=-5+7:to=8+7",
      "line=from=3+3:to=3+3:color=black:thickness=4",
    ])

  /// Checks the words of all parameters.
  public func check() throws(SafelightError) {
    _ = try Self.place(from, "from")
    _ = try Self.place(to, "to")
    try NamedColor.check(color, of: "line", isOptional: false)
  }

  /// Refuses a line wholly outside, and colors in gray pictures.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let bounds = try spans.bounds
    try DrawnRegion.check(bounds, in: image, of: "line", "the line from \(from) to \(to)")
    try NamedColor.check(color, over: image, of: "line")
  }

  /// Requires straight alpha and full range, as the color has.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofColors(for: "line")
  }

  /// A pass over the pixels that the line may touch, behind a copy.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    let spans = try spans.cut(to: picture.size)
    return [.copy(), .painting(.drawn(color), over: spans.made, in: picture, spans: spans)]
  }

  private var spans: LineSpans {
    get throws(SafelightError) {
      LineSpans(from: try Self.place(from, "from"), to: try Self.place(to, "to"), thickness: thickness)
    }
  }

  /// Reads a column and a row.
  private static func place(_ text: String, _ name: String) throws(SafelightError) -> SIMD2<Int> {
    let parts = text.wholeMatch(of: #/([+-]?[0-9]{1,7})([+-][0-9]{1,7})/#)?.output
    guard let parts, let x = Int(parts.1), let y = Int(parts.2), max(abs(x), abs(y)) <= DrawnRegion.farthest else {
      throw SafelightError(
        .usage, "line=\(name)=\(text)",
        why: text.isEmpty
          ? "it has no end" : "'\(text)' is no column and row from -\(DrawnRegion.farthest) to \(DrawnRegion.farthest)",
        remedy: "write, for example, line=from=10+20:to=90+60")
    }
    return SIMD2(x, y)
  }
}
