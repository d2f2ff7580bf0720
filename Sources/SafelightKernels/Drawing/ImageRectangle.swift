public import SafelightGPU
public import SafelightImage

/// A kernel that draws a rectangle into a picture. The formula is on its ``card``.
public struct ImageRectangle: PassKernel {
  /// The rectangle, `WxH+X+Y`.
  public var region = ""
  /// The color: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
  public var color = "white"
  /// The pixels from the edges inward that are drawn, or `fill` for all.
  public var thickness = "1"

  /// Makes a kernel that needs a rectangle.
  public init() {}

  /// Makes the kernel; draws the edges `thickness` pixels wide, or fills the rectangle without one.
  public init(device: Device, region: Region, color: String = "white", thickness: Int? = 1) {
    func signed(_ place: Int) -> String { place < 0 ? "\(place)" : "+\(place)" }
    self.region = "\(region.size.width)x\(region.size.height)\(signed(region.x))\(signed(region.y))"
    self.color = color
    self.thickness = thickness.map { "\($0)" } ?? "fill"
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "rectangle", "draws a rectangle: its edges, or filled",
    discussion: """
      region=WxH+X+Y has W columns and H rows, from column X and row Y on; rectangle=64x48+10+20. Edges are drawn from
      it inward, thickness pixels wide, and nothing outside it; thickness=fill fills it. Columns and rows may lie
      outside the picture (64x48-10+20) and are cut off there; a rectangle wholly outside is refused.

      \(overColors)
      """,
    [
      .text("region", "the rectangle", \.region, form: "a rectangle WxH+X+Y, such as 64x48+10+20"),
      .text("color", "the color", \.color, form: "a color, such as white or #ff8000"),
      .text("thickness", "the width of the edges", \.thickness, form: "a number of pixels from 1, or fill"),
    ],
    examples: [
      "rectangle=20x14+4+0:thickness=2", "rectangle=9x20-3+1:color=#80808070:thickness=fill",
      "rectangle=1x1+0+0:color=black",
    ])

  /// Checks the words of all parameters.
  public func check() throws(SafelightError) {
    _ = try DrawnRegion(region, of: "rectangle")
    try NamedColor.check(color, of: "rectangle", isOptional: false)
    try ensure(
      width != nil, .usage, "rectangle=thickness=\(thickness)",
      why: "thickness must be a whole number from 1 to \(DrawnRegion.farthest), or fill",
      remedy: "write, for example, rectangle=thickness=3")
  }

  /// Refuses a rectangle wholly outside, and colors in gray pictures.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try DrawnRegion(region, of: "rectangle").check(in: image, of: "rectangle")
    try NamedColor.check(color, over: image, of: "rectangle")
  }

  /// Requires straight alpha and full range, as the color has.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofColors(for: "rectangle")
  }

  /// A pass for each side, behind a copy.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    let region = try DrawnRegion(region, of: "rectangle").region
    return Pass.painting(.drawn(color), over: region.frame(of: width ?? 1), in: picture)
  }

  /// The width of the edges, at which a filled rectangle has no inside; nil for a word that is no width.
  private var width: Int? {
    if thickness == "fill" { return DrawnRegion.farthest }
    guard let width = Int(thickness), (1...DrawnRegion.farthest).contains(width) else { return nil }
    return width
  }
}

/// A kernel that draws the edges of a picture. The formula is on its ``card``.
public struct ImageBorder: PassKernel {
  /// The pixels from the edges inward that are drawn.
  public var size = 1
  /// The color: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
  public var color = "black"

  /// Makes a kernel that draws black edges of one pixel.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, size: Int, color: String = "black") { (self.size, self.color) = (size, color) }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "border", "draws the edges of the picture",
    discussion: """
      The size pixels at each edge, inside the picture, which keeps its size; pad adds pixels outside. A border as wide
      as half of the picture covers it.

      \(overColors)
      """,
    [
      .integer("size", "the pixels from each edge inward", \.size, in: 1...DrawnRegion.farthest),
      .text("color", "the color", \.color, form: "a color, such as white or #ff8000"),
    ],
    examples: ["border=2", "border=3:color=#c0c0c090", "border=40:color=gray"])

  /// Checks the color's words.
  public func check() throws(SafelightError) { try NamedColor.check(color, of: "border", isOptional: false) }

  /// Refuses colors in gray pictures.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try NamedColor.check(color, over: image, of: "border")
  }

  /// Requires straight alpha and full range, as the color has.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofColors(for: "border")
  }

  /// A pass for each side, behind a copy.
  public func passes(for picture: PassPicture) -> [Pass] {
    Pass.painting(.drawn(color), over: Region(size: picture.size).frame(of: size), in: picture)
  }
}
