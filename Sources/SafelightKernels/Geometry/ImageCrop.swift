public import SafelightGPU
public import SafelightImage

/// A kernel that keeps a rectangle of a picture, like `clipRect` and `offset` of a Metal Performance Shaders kernel and
/// Core Image's `CICrop`. The formula is on its ``card``.
public struct ImageCrop: PassKernel {
  /// The number of columns; 0 for all up to the right edge.
  public var width = 0
  /// The number of rows; 0 for all down to the lower edge.
  public var height = 0
  /// The first column, from 0.
  public var x = 0
  /// The first row, from 0.
  public var y = 0

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
          out(i, j) = in(x + i, y + j),  0 <= i < width, 0 <= j < height

      Columns and rows count from 0 at the upper left. A width or a height of 0 keeps all up to the edge. A rectangle
      that reaches beyond the picture is refused.
      """,
    [
      .integer("width", "columns; 0 for all up to the right edge", \.width, in: 0...1 << 24),
      .integer("height", "rows; 0 for all down to the lower edge", \.height, in: 0...1 << 24),
      .integer("x", "the first column", \.x, in: 0...1 << 24), .integer("y", "the first row", \.y, in: 0...1 << 24),
    ],
    examples: ["crop=width=20:height=12:x=9:y=7", "crop=x=1:y=1", "crop=height=1"])

  /// Integers of 8 and of 16 bits.
  public static let formats = PixelFormat.pointFormats
  /// A copy has one pipeline.
  public static let pipelines = [PipelineKind.render]

  /// Checks that the rectangle lies in the picture.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let region = region(of: image.size)
    try ensure(
      region.size.width > 0 && region.size.height > 0 && region.isInside(image.size), .unsupported,
      "crop=width=\(width):height=\(height):x=\(x):y=\(y)",
      why: "it reaches beyond the picture of \(image.size)", remedy: "choose a rectangle inside the picture")
  }

  /// The size of the rectangle.
  public func output(of size: Size) -> Size { region(of: size).size }

  /// One copy; none of a picture that is kept whole.
  public func passes(for picture: PassPicture) -> [Pass] {
    if region(of: picture.size) == Region(size: picture.size) { return [] }
    return [.copy(Placement(x: -x, y: -y))]
  }

  private func region(of size: Size) -> Region {
    Region(x: x, y: y, width: width == 0 ? size.width - x : width, height: height == 0 ? size.height - y : height)
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
