/// A picture in memory, laid out exactly as a texture of its ``pixelFormat`` is, so that upload and readback are
/// copies.
///
/// Rows run from the top down, without padding; 16-bit samples are in host order. Grey pictures take one sample a
/// pixel, all others four: a picture without alpha carries an opaque one that no kernel reads and no file receives.
public struct Image: Hashable, Sendable {
  /// Columns and rows; never empty.
  public let size: Size
  /// What the samples mean.
  public let channels: Channels
  /// Bits in a sample.
  public let depth: SampleDepth
  /// What the samples mean as colours, as far as somebody said; where it is unspecified, what needs to know takes sRGB and straight alpha.
  /// Part of what makes two pictures equal.
  public var color: ColorDescription
  /// The samples, `size.area × pixelFormat.bytesPerPixel` bytes.
  public internal(set) var bytes: [UInt8]

  /// Adopts `bytes`, which must be as many as the picture needs.
  public init(
    size: Size, channels: Channels, depth: SampleDepth, bytes: [UInt8], color: ColorDescription = .unspecified
  ) {
    let needed = size.area * PixelFormat(channels: channels, depth: depth).bytesPerPixel
    trap(unless: !size.isEmpty, "an image needs at least one pixel; \(size) was given")
    trap(unless: bytes.count == needed, "an image of \(size) needs \(needed) bytes; \(bytes.count) were given")
    self.size = size
    self.channels = channels
    self.depth = depth
    self.color = color
    self.bytes = bytes
  }

  /// How a pixel lies in ``bytes``.
  public var pixelFormat: PixelFormat { PixelFormat(channels: channels, depth: depth) }

  /// Bytes from one row to the next.
  public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// The same kind of picture with other samples, which mean the same unless told otherwise.
  public func replacing(bytes: [UInt8], color: ColorDescription? = nil) -> Image {
    Image(size: size, channels: channels, depth: depth, bytes: bytes, color: color ?? self.color)
  }
}
