internal import SafelightImage

/// How wide a pixel is shown for its height: 10 to 11 for NTSC's, 1 to 1 for square ones. Frames are carried as they are stored.
public struct PixelAspect: Hashable, Sendable, CustomStringConvertible {
  /// Above 0.
  public let width: Int
  /// Above 0.
  public let height: Int

  /// Makes a ratio.
  public init(_ width: Int, _ height: Int) {
    trap(unless: width > 0 && height > 0, "a pixel of \(width) to \(height) cannot be shown; pass numbers above 0")
    self.width = width
    self.height = height
  }

  /// As wide as high.
  public static let square = PixelAspect(1, 1)

  /// `10:11`.
  public var description: String { "\(width):\(height)" }
}
