/// What a picture is, without its samples; what a texture descriptor is to a texture.
public struct ImageDescriptor: Hashable, Sendable {
  /// Columns and rows; never empty.
  public let size: Size
  /// What the samples mean.
  public let channels: Channels
  /// Bits in a sample.
  public let depth: SampleDepth
  /// What the samples mean as colours, as far as somebody said.
  public var color: ColorDescription

  /// Makes a descriptor.
  public init(size: Size, channels: Channels, depth: SampleDepth, color: ColorDescription = .unspecified) {
    trap(unless: !size.isEmpty, "an image needs at least one pixel; \(size) was given")
    self.size = size
    self.channels = channels
    self.depth = depth
    self.color = color
  }

  /// How a pixel lies in memory.
  public var pixelFormat: PixelFormat { PixelFormat(channels: channels, depth: depth) }
}

extension Image {
  /// What the picture is, without its samples.
  public var descriptor: ImageDescriptor {
    ImageDescriptor(size: size, channels: channels, depth: depth, color: color)
  }

  /// Adopts `bytes`, which must be as many as `descriptor` needs.
  public init(_ descriptor: ImageDescriptor, bytes: [UInt8]) {
    self.init(
      size: descriptor.size, channels: descriptor.channels, depth: descriptor.depth, bytes: bytes,
      color: descriptor.color)
  }
}
