public import SafelightImage

/// The ratio of a pixel's displayed width to its height: 10 to 11 for NTSC, 1 to 1 for square pixels. Frames are stored
/// without regard to it.
public struct PixelAspect: Hashable, Sendable, CustomStringConvertible {
  /// Above 0.
  public let width: Int
  /// Above 0.
  public let height: Int

  /// Makes a ratio.
  public init(_ width: Int, _ height: Int) {
    trap(unless: width > 0 && height > 0, "a pixel aspect of \(width):\(height) is impossible; pass numbers above 0")
    self.width = width
    self.height = height
  }

  /// Makes the same ratio in lowest terms; one that needs more than 31 bits, as no file holds, is rounded.
  package init(reducing width: Int128, _ height: Int128) {
    let divisor = Int128(greatestCommonDivisor(width.magnitude, height.magnitude))
    let (width, height) = (width / divisor, height / divisor)
    let excess = max(0, Int128.bitWidth - 31 - max(width, height).leadingZeroBitCount)
    self.init(max(1, Int(width >> excess)), max(1, Int(height >> excess)))
  }

  /// Returns the shape of the pixels of a picture of `size` once it is scaled to `made`: as it is shown, the picture
  /// keeps its proportions.
  public func scaled(from size: Size, to made: Size) -> PixelAspect {
    if made == size { return self }
    return PixelAspect(
      reducing: Int128(width) * Int128(size.width) * Int128(made.height),
      Int128(height) * Int128(made.width) * Int128(size.height))
  }

  /// Returns whether both are the same shape, in whatever terms; pixels of a shape that is not stated are square.
  package static func areEqual(_ one: PixelAspect?, _ other: PixelAspect?) -> Bool {
    let (one, other) = (one ?? .square, other ?? .square)
    return Int128(one.width) * Int128(other.height) == Int128(other.width) * Int128(one.height)
  }

  /// Square pixels.
  public static let square = PixelAspect(1, 1)
  /// `10:11`.
  public var description: String { "\(width):\(height)" }
}
