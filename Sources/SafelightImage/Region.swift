/// A rectangle of pixels; the origin is the top-left corner of the image, as in Metal and in PNG rows.
public struct Region: Codable, Hashable, Sendable, CustomStringConvertible {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// Columns and rows.
  public var size: Size

  /// Makes a rectangle that starts at column `x` and row `y`.
  public init(x: Int = 0, y: Int = 0, size: Size) {
    self.x = x
    self.y = y
    self.size = size
  }

  /// Makes a rectangle that starts at column `x` and row `y`.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.init(x: x, y: y, size: Size(width, height))
  }

  /// Metal's `MPSRectNoClip`: the whole image, whatever its size.
  public static let noClip = Region(x: 0, y: 0, width: Int(Int32.max), height: Int(Int32.max))

  /// The part that both rectangles cover; empty where they do not meet.
  public func intersection(_ other: Region) -> Region {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(x + size.width, other.x + other.size.width)
    let bottom = min(y + size.height, other.y + other.size.height)
    return Region(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
  }

  /// The same rectangle seen from a tile whose top-left corner is at (`x`, `y`).
  public func translated(x dx: Int, y dy: Int) -> Region {
    Region(x: x + dx, y: y + dy, size: size)
  }

  /// True when every pixel lies inside an image of `bounds`.
  public func isInside(_ bounds: Size) -> Bool {
    x >= 0 && y >= 0 && size.width >= 0 && size.height >= 0
      && x <= bounds.width - size.width && y <= bounds.height - size.height
  }

  /// Cuts the rectangle into tiles no larger than `edge` × `edge`, row by row from the top-left.
  public func tiles(edge: Int) -> [Region] { tiles(width: edge, height: edge) }

  /// Cuts the rectangle into tiles no larger than `width` × `height`, row by row from the top-left.
  package func tiles(width: Int, height: Int) -> [Region] {
    trap(unless: width > 0 && height > 0, "a tile needs at least one pixel; pass an edge above 0")
    return stride(from: y, to: y + size.height, by: height).flatMap { top in
      stride(from: x, to: x + size.width, by: width).map { left in
        Region(
          x: left, y: top, width: min(width, x + size.width - left), height: min(height, y + size.height - top))
      }
    }
  }

  /// For people: `640×360 at (0, 0)`.
  public var description: String { "\(size) at (\(x), \(y))" }
}

/// A width and a height in pixels or threads.
public struct Size: Codable, Hashable, Sendable, CustomStringConvertible {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Makes a size of `width` columns and `height` rows.
  public init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  /// The number of elements, width × height.
  public var area: Int { width * height }

  /// True when no element is inside.
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// How many blocks of `block` cover this size, the last ones partly outside.
  public func dividedCovering(_ block: Size) -> Size {
    Size((width + block.width - 1) / block.width, (height + block.height - 1) / block.height)
  }

  /// For people: `640×360`.
  public var description: String { "\(width)×\(height)" }
}
