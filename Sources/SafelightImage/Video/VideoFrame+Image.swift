extension VideoFrame {
  /// Makes a frame of a still picture. The layout is that of the picture's pixel format: grey, or red, green, blue and
  /// alpha, of 8 or 16 bits. Its samples mean what the picture says, unless `color` is given.
  public init(
    index: Int = 0, image: Image, presentationTime: MediaTime = .zero, duration: MediaTime? = nil,
    orientation: Orientation = .up, color: ColorDescription? = nil
  ) {
    let layout: PixelLayout =
      switch (image.channels, image.depth) {
      case (.gray, .bits8): .gray8
      case (.gray, .bits16): .gray16
      case (_, .bits8): .rgba8
      case (_, .bits16): .rgba16
      }
    let plane = PixelPlane(size: image.size, pixelFormat: image.pixelFormat, bytes: image.bytes)
    self.init(
      index: index, size: image.size, layout: layout, planes: [plane], presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color ?? image.color)
  }

  /// The stored picture, not turned, with `channels` said of its samples where they are four; nil for layouts that an
  /// ``Image`` cannot have: several planes, blue first, padded rows. Of a frame in shared memory take that of ``copied()``.
  public func image(channels: Channels = .rgba) -> Image? {
    guard let plane = planes.first, planes.count == 1, plane.isPacked else { return nil }
    let count = size.area * plane.pixelFormat.bytesPerPixel
    let bytes = plane.bytes.count == count ? plane.bytes : Array(plane.bytes.prefix(count))
    switch layout {
    case .gray8, .gray16: return Image(size: size, channels: .gray, depth: layout.depth, bytes: bytes, color: color)
    case .rgba8, .rgba16:
      trap(unless: channels != .gray, "four samples a pixel are not grey; pass .rgb, .rgba or .grayAlpha")
      return Image(size: size, channels: channels, depth: layout.depth, bytes: bytes, color: color)
    default: return nil
    }
  }
}
