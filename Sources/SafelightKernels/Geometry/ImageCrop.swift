public import SafelightGPU
public import SafelightImage

/// A kernel that keeps a rectangle of a picture, like `clipRect` and `offset` of a Metal Performance Shaders kernel and
/// Core Image's `CICrop`. The formula is on its ``card``.
public struct ImageCrop: PassKernel {
  /// The ways to treat a rectangle that reaches beyond the picture.
  public enum Outside: Equatable, Sendable {
    /// It is refused.
    case refused
    /// The pixels beyond the edges are made as by ``ImagePad``.
    case padded(ImagePad.Edge)
  }

  /// The number of columns; 0 for as many as there are for ``x`` and ``gravity``.
  public var width = 0
  /// The number of rows; 0 for as many as there are for ``y`` and ``gravity``.
  public var height = 0
  /// The columns between the rectangle and the left or right edge that ``gravity`` names, or those that it lies to the
  /// right of the middle.
  public var x = 0
  /// The rows between the rectangle and the upper or lower edge that ``gravity`` names, or those that it lies below the
  /// middle.
  public var y = 0
  /// The edges at which the rectangle lies.
  public var gravity = Gravity.northwest
  /// Both sides in hundredths of the picture's; 0 if a width or a height is given.
  public var percent = 0.0
  /// The way to treat a rectangle that reaches beyond the picture.
  public var outside = Outside.refused
  /// The color beyond the edges: a name, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
  /// Empty for transparent black where there is alpha, else black.
  public var color = ""

  /// Makes a crop that keeps everything.
  public init() {}

  /// Makes the kernel that keeps `region`.
  public init(device: Device, region: Region) {
    (width, height, x, y) = (region.size.width, region.size.height, region.x, region.y)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "crop", "keeps a rectangle of the picture",
    discussion: """
          out(i, j) = in(left + i, top + j),  0 <= i < width, 0 <= j < height

      Columns and rows count from 0 at the upper left. Of a picture of w columns,

          left = x                    at its left edge: northwest, west, southwest
          left = (w - width) / 2 + x  in the middle, rounded down: north, center, south
          left = w - width - x        at its right edge: northeast, east, southeast

      and so the rows: top = y at northwest, north and northeast. A width or a height of 0 is the largest that fits:
      w - x, in the middle w - 2x. percent=80:gravity=center keeps the middle, with sides of 80 hundredths, rounded to
      whole pixels.

      A rectangle that reaches beyond the picture is refused, unless pad says what lies there, as in the filter pad: a
      color, the pixels at the edges, the picture mirrored or again. x=-8:y=-8 with pad begins outside.
      """,
    [
      .integer("width", "columns; 0 for as many as fit", \.width, in: 0...1 << 24),
      .integer("height", "rows; 0 for as many as fit", \.height, in: 0...1 << 24),
      .integer("x", "columns from the edge, or to the right of the middle", \.x, in: -(1 << 24)...1 << 24),
      .integer("y", "rows from the edge, or below the middle", \.y, in: -(1 << 24)...1 << 24),
      .choice("gravity", "where the rectangle lies", \.gravity),
      .number("percent", "both sides in hundredths of the picture's; 0 for none", \.percent, in: 0...10000),
      .choice("pad", "what lies beyond the edges", \.outside),
      .text("color", "the color beyond the edges", \.color, form: "a color, such as white or #ff8000"),
    ],
    examples: [
      "crop=width=20:height=12:x=9:y=7", "crop=x=1:y=1", "crop=height=1", "crop=width=8:height=6:gravity=center",
      "crop=width=5:height=9:x=2:y=1:gravity=southeast", "crop=percent=62.5:gravity=south",
      "crop=width=30:height=40:x=-3:y=5:pad=color:color=gray", "crop=percent=150:gravity=center:pad=mirror",
    ])

  /// Integers of 8 and of 16 bits.
  public static let formats = PixelFormat.pointFormats
  /// A copy has one pipeline.
  public static let pipelines = [PipelineKind.render]

  /// Checks that the size is given in one way, and that the color is one that is seen.
  public func check() throws(SafelightError) {
    try ensure(
      percent == 0 || width == 0 && height == 0, .usage, "crop=percent=\(percent)",
      why: "it has a width or a height too", remedy: "leave one of them out")
    try NamedColor.check(color, of: "crop")
    try ensure(
      color.isEmpty || outside == .padded(.color), .usage, "crop=color=\(color)",
      why: "nothing beyond the edges has a color", remedy: "write pad=color, or leave color out")
  }

  /// Checks that the rectangle lies in the picture, or that what lies outside is made.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let region = region(of: image.size)
    let call = "crop=width=\(width):height=\(height):x=\(x):y=\(y):gravity=\(gravity.rawValue)"
    try ensure(
      region.size.width > 0 && region.size.height > 0 && (outside != .refused || region.isInside(image.size)),
      .unsupported, call, why: "it reaches beyond the picture of \(image.size)",
      remedy: "choose a rectangle inside the picture, or say what lies outside, such as pad=color")
    let most = 1 << 16
    try ensure(
      region.size.width <= image.size.width + most && region.size.height <= image.size.height + most, .limit, call,
      why: "it adds more than \(most) columns or rows to the picture of \(image.size)",
      remedy: "choose a smaller rectangle")
    try NamedColor.check(color, around: image, of: "crop")
  }

  /// Refuses a color beside samples of limited range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    outside == .padded(.color) ? try color.ofFullRange(for: "crop") : color
  }

  /// The size of the rectangle.
  public func output(of size: Size) -> Size { region(of: size).size }

  /// One copy, or one pass that makes what lies outside; none of a picture that is kept whole.
  public func passes(for picture: PassPicture) -> [Pass] {
    let region = region(of: picture.size)
    if region == Region(size: picture.size) { return [] }
    if case .padded(let edge) = outside, !region.isInside(picture.size) {
      let padding = Padding(left: -region.x, top: -region.y, size: region.size, edge: edge)
      return [.padding(picture, padding, NamedColor.around(picture.image, color))]
    }
    return [.copy(Placement(x: -region.x, y: -region.y))]
  }

  private func region(of size: Size) -> Region {
    /// Returns a side in hundredths of another, to whole pixels, halves up.
    func part(_ side: Int) -> Int { max(1, Int((Double(side) * percent / 100 + 0.5).rounded(.down))) }
    let columns = gravity.columns.range(of: percent > 0 ? part(size.width) : width, offset: x, in: size.width)
    let rows = gravity.rows.range(of: percent > 0 ? part(size.height) : height, offset: y, in: size.height)
    return Region(x: columns.first, y: rows.first, width: columns.count, height: rows.count)
  }
}

extension ImageCrop.Outside: ParameterWord {
  /// `none`, and the words of ``ImagePad/Edge``.
  public static let words: [(value: Self, word: String, summary: String)] =
    [(.refused, "none", "nothing: the rectangle is refused")]
    + ImagePad.Edge.words.map { (.padded($0.value), $0.word, $0.summary) }
}

extension Pass {
  /// Copies the picture, by default all of it.
  package static func copy(_ placement: Placement = Placement()) -> Pass {
    Pass(CopyFunction(), inputs: [.source(.placed(placement))])
  }
}

/// Copies pixels.
private struct CopyFunction: BuiltInPassFunction {
  var name: String { "copy" }
  var kind: Pass.Kind { .copy }

  func make(_ memory: PassMemory) {
    trap("pixels are copied by a command")
  }
}
