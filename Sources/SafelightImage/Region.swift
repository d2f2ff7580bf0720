/// A rectangle of pixels, measured from the image's top-left corner, as in Metal and in PNG rows.
public struct Region: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// The number of columns and rows.
  public var size: Size

  /// Makes a rectangle whose top-left pixel is (`x`, `y`).
  public init(x: Int = 0, y: Int = 0, size: Size) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// Makes a rectangle whose top-left pixel is (`x`, `y`).
  public init(x: Int, y: Int, width: Int, height: Int) { self.init(x: x, y: y, size: Size(width, height)) }

  /// The whole image, whatever its size: Metal's `MPSRectNoClip`.
  public static let noClip = Region(x: 0, y: 0, width: Int(Int32.max), height: Int(Int32.max))

  /// Returns the part that both rectangles cover; empty if they do not meet.
  public func intersection(_ other: Region) -> Region {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(x + size.width, other.x + other.size.width)
    let bottom = min(y + size.height, other.y + other.size.height)
    return Region(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
  }

  /// Returns the smallest rectangle that covers both.
  package func union(_ other: Region) -> Region {
    let (left, top) = (min(x, other.x), min(y, other.y))
    return Region(
      x: left, y: top, width: max(x + size.width, other.x + other.size.width) - left,
      height: max(y + size.height, other.y + other.size.height) - top)
  }

  /// Returns the rectangle moved by `x` columns and `y` rows.
  public func translated(x dx: Int, y dy: Int) -> Region { Region(x: x + dx, y: y + dy, size: size) }

  /// Returns whether every pixel lies inside an image of size `bounds`.
  public func isInside(_ bounds: Size) -> Bool {
    x >= 0 && y >= 0 && size.width >= 0 && size.height >= 0
      && x <= bounds.width - size.width && y <= bounds.height - size.height
  }

  /// Splits the rectangle into tiles of at most `edge` × `edge` pixels, row by row from the top left.
  public func tiles(edge: Int) -> [Region] { tiles(width: edge, height: edge) }

  /// Splits the rectangle into tiles of at most `width` × `height` pixels, row by row from the top left.
  package func tiles(width: Int, height: Int) -> [Region] {
    trap(unless: width > 0 && height > 0, "a tile needs at least one pixel; pass an edge above 0")
    return stride(from: y, to: y + size.height, by: height).flatMap { top in
      stride(from: x, to: x + size.width, by: width).map { left in
        Region(x: left, y: top, width: min(width, x + size.width - left), height: min(height, y + size.height - top))
      }
    }
  }

  /// The rectangle as text, such as `640×360 at (0, 0)`.
  public var description: String { "\(size) at (\(x), \(y))" }
}

/// A width and a height in pixels or threads.
public struct Size: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Makes a size of `width` columns and `height` rows.
  public init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of elements, width × height.
  public var area: Int { width * height }
  /// True if there are no elements.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Returns how many blocks of size `block` cover this size in each direction; the last ones may reach beyond it.
  public func dividedCovering(_ block: Size) -> Size {
    Size((width + block.width - 1) / block.width, (height + block.height - 1) / block.height)
  }

  /// The size as text, such as `640×360`.
  public var description: String { "\(width)×\(height)" }
}
