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
