public import SafelightGPU
public import SafelightImage

/// A kernel that keeps a rectangle of a picture, like `clipRect` and `offset` of a Metal Performance Shaders kernel and
/// Core Image's `CICrop`. The formula is on its ``card``.
public struct ImageCrop: PassKernel {
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
      w - x, in the middle w - 2x. A rectangle that reaches beyond the picture is refused; pad makes pictures larger.
      """,
    [
      .integer("width", "columns; 0 for as many as fit", \.width, in: 0...1 << 24),
      .integer("height", "rows; 0 for as many as fit", \.height, in: 0...1 << 24),
      .integer("x", "columns from the edge, or to the right of the middle", \.x, in: 0...1 << 24),
      .integer("y", "rows from the edge, or below the middle", \.y, in: 0...1 << 24),
      .choice("gravity", "where the rectangle lies", \.gravity),
    ],
    examples: [
      "crop=width=20:height=12:x=9:y=7", "crop=x=1:y=1", "crop=height=1", "crop=width=8:height=6:gravity=center",
      "crop=width=5:height=9:x=2:y=1:gravity=southeast",
    ])

  /// Integers of 8 and of 16 bits.
  public static let formats = PixelFormat.pointFormats
  /// A copy has one pipeline.
  public static let pipelines = [PipelineKind.render]

  /// Checks that the rectangle lies in the picture.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let region = region(of: image.size)
    try ensure(
      region.size.width > 0 && region.size.height > 0 && region.isInside(image.size), .unsupported,
      "crop=width=\(width):height=\(height):x=\(x):y=\(y):gravity=\(gravity.rawValue)",
      why: "it reaches beyond the picture of \(image.size)",
      remedy: "choose a rectangle inside the picture, or put pad before it")
  }

  /// The size of the rectangle.
  public func output(of size: Size) -> Size { region(of: size).size }

  /// One copy; none of a picture that is kept whole.
  public func passes(for picture: PassPicture) -> [Pass] {
    let region = region(of: picture.size)
    if region == Region(size: picture.size) { return [] }
    return [.copy(Placement(x: -region.x, y: -region.y))]
  }

  private func region(of size: Size) -> Region {
    let columns = gravity.columns.range(of: width, offset: x, in: size.width)
    let rows = gravity.rows.range(of: height, offset: y, in: size.height)
    return Region(x: columns.first, y: rows.first, width: columns.count, height: rows.count)
  }
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
