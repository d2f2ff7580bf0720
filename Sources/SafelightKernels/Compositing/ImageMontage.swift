public import SafelightGPU
public import SafelightImage

/// A kernel that shows pictures of one size in rows and columns. The rules are on its ``card``.
public struct ImageMontage: GridKernel, SeveralPicturesKernel {
  /// The pictures side by side; 0 for as many as there are rows, or one more.
  public var columns = 0
  /// The columns and rows of pixels between two pictures.
  public var gap = 0
  /// The color between pictures, and where there is none: a name, or `#` and the bytes of red, green, blue and, if it
  /// is not opaque, alpha. Empty for transparent black where there is alpha, else black.
  public var color = ""
  /// The number of second pictures.
  public var secondCount = 3

  /// Makes a kernel for a picture and three others.
  public init() {}

  /// Makes the kernel for a picture and `seconds` others.
  public init(device: Device, seconds: Int, columns: Int = 0, gap: Int = 0, color: String = "") {
    (secondCount, self.columns, self.gap, self.color) = (seconds, columns, gap, color)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "montage", "shows pictures in rows and columns, the frame first",
    discussion: """
      with=A:with=B:with=C are as many further pictures or sequences as one likes. All are shown in this order, from
      left to right and then from the top down, in cells of the frame's size; columns=0 is the least number whose square
      holds all. A picture begins at column i * (width + gap) and row j * (height + gap). A color fills the gaps between
      pictures and the cells without one, and lies around pictures that are contained.

      \(secondPictures)
      """,
    [
      .integer("columns", "the pictures side by side; 0 for as many as rows, or one more", \.columns, in: 0...1024),
      .integer("gap", "the pixels between pictures", \.gap, in: 0...1 << 12),
      .text("color", "the color between and around pictures", \.color, form: "a color, such as white or #ff8000"),
    ],
    examples: ["montage", "montage=columns=3:gap=2:color=gray", "montage=columns=1:gap=5", "montage=columns=9"],
    secondPicture: "the picture or the pictures of a cell; again for each further one")
}

/// A kernel that shows pictures of one size side by side, or one above the other. The rules are on its ``card``.
public struct ImageSideBySide: GridKernel, SeveralPicturesKernel {
  /// The direction in which pictures follow one another.
  public enum Direction: Sendable {
    /// From left to right.
    case row
    /// From the top down.
    case column
  }

  /// The columns or rows of pixels between two pictures.
  public var gap = 0
  /// The direction in which pictures follow one another.
  public var direction = Direction.row
  /// The color between pictures, as ``ImageMontage/color``.
  public var color = ""
  /// The number of second pictures.
  public var secondCount = 1

  /// Makes a kernel for two pictures.
  public init() {}

  /// Makes the kernel for a picture and `seconds` others.
  public init(device: Device, seconds: Int = 1, gap: Int = 0, direction: Direction = .row, color: String = "") {
    (secondCount, self.gap, self.direction, self.color) = (seconds, gap, direction, color)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "side-by-side", "shows the frame and a second picture side by side",
    discussion: """
      The frame comes first, then the pictures of each with, at columns 0, width + gap, 2 * (width + gap) and so on;
      with direction=column at such rows, one above the other. A color fills the gaps, and lies around pictures that are
      contained.

      \(secondPictures)
      """,
    [
      .integer("gap", "the pixels between pictures", \.gap, in: 0...1 << 12),
      .choice("direction", "how pictures follow one another", \.direction),
      .text("color", "the color between and around pictures", \.color, form: "a color, such as white or #ff8000"),
    ],
    examples: ["side-by-side", "side-by-side=gap=3:color=gray", "side-by-side=direction=column:gap=2"],
    secondPicture: "the picture or the pictures beside the frames; again for each further one")
}

extension ImageMontage {
  /// ``columns``, or the least number whose square is not less than `count`.
  public func columns(of count: Int) -> Int {
    columns > 0 ? columns : (1...count).first { $0 * $0 >= count } ?? 1
  }
}

extension ImageSideBySide {
  /// All pictures, or one.
  public func columns(of count: Int) -> Int { direction == .row ? count : 1 }
}

/// A kernel that shows pictures of one size in rows and columns.
public protocol GridKernel: PassKernel {
  /// The number of second pictures, which follow the first.
  var secondCount: Int { get set }
  /// The pixels between two pictures.
  var gap: Int { get set }
  /// The color between pictures, and where there is none.
  var color: String { get set }

  /// Returns the number of pictures in a row, of `count` in all; the last row may hold fewer.
  func columns(of count: Int) -> Int
}

extension GridKernel {
  private var grid: PictureGrid {
    PictureGrid(count: secondCount + 1, columns: columns(of: secondCount + 1), gap: gap, color: color)
  }

  /// The formats of ``ImageRenderer``.
  public static var formats: [PixelFormat] { ImageRenderer.formats }

  /// Checks the color's words.
  public func check() throws(SafelightError) { try NamedColor.check(color, of: Self.card.name) }
  /// Checks that a picture can be so large and hold the color.
  public func check(_ image: ImageDescriptor) throws(SafelightError) { try grid.check(image, of: Self.card.name) }
  /// Requires full range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: Self.card.name)
  }

  /// The pictures, and what is between them.
  public func output(of size: Size) -> Size { grid.size(of: size) }
  /// One pass for each picture.
  public func passes(for picture: PassPicture) -> [Pass] { grid.passes(for: picture) }

  /// Records the kernel for `source` and `seconds`, all of one size and format.
  public func encode(
    to buffer: CommandBuffer, source: Texture, seconds: [Texture], destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: source, seconds: seconds, destination: destination, pipeline: pipeline)
  }
}

extension ImageSideBySide.Direction: ParameterWord {
  /// The words of chains.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.row, "row", "from left to right"), (.column, "column", "from the top down"),
  ]
}

/// Pictures of one size in rows and columns.
private struct PictureGrid {
  let count: Int
  let columns: Int
  let gap: Int
  let color: String

  init(count: Int, columns: Int, gap: Int, color: String) {
    (self.count, self.columns, self.gap, self.color) = (count, min(columns, count), gap, color)
  }

  func size(of cell: Size) -> Size {
    let rows = (count + columns - 1) / columns
    return Size(columns * (cell.width + gap) - gap, rows * (cell.height + gap) - gap)
  }

  func check(_ image: ImageDescriptor, of filter: String) throws(SafelightError) {
    let size = size(of: image.size)
    try ensure(
      max(size.width, size.height) <= 1 << 16 && size.area <= 1 << 29, .limit, "\(filter) of pictures of \(image.size)",
      why: "a result has at most 65536 columns and rows and \(1 << 29) pixels, and this one \(size)",
      remedy: "resize the frames before it, and write fit=contain")
    try NamedColor.check(color, around: image, of: filter)
  }

  /// The frame in a color, then each further picture in its cell.
  func passes(for picture: PassPicture) -> [Pass] {
    let (whole, cell) = (size(of: picture.size), picture.size)
    let padding = Padding(left: 0, top: 0, size: whole, edge: .color)
    return [.padding(picture, padding, NamedColor.around(picture.image, color))]
      + (1..<count).map { number in
        let (row, column) = number.quotientAndRemainder(dividingBy: columns)
        let (x, y) = (column * (cell.width + gap), row * (cell.height + gap))
        return .rendering(
          .further(number - 1), of: cell, picture.pixelFormat, Placement(x: x, y: y),
          area: Region(x: x, y: y, size: cell))
      }
  }
}
