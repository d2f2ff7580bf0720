import SafelightImage

extension Image {
  /// The same picture with alpha that is opaque everywhere; the picture itself if it has alpha.
  var withAlpha: Image {
    if channels.hasAlpha { return self }
    let bytesPerSample = pixelFormat.bytesPerSample
    let kind = ImageDescriptor(size: size, channels: channels.isGray ? .grayAlpha : .rgba, depth: depth, color: color)
    var bytes = [UInt8](repeating: 0xFF, count: size.area * kind.pixelFormat.bytesPerPixel)
    for pixel in 0..<size.area {
      let (from, to) = (pixel * pixelFormat.bytesPerPixel, pixel * kind.pixelFormat.bytesPerPixel)
      for sample in 0..<3 {
        for byte in 0..<bytesPerSample {
          bytes[to + sample * bytesPerSample + byte] =
            self.bytes[from + (channels.isGray ? 0 : sample * bytesPerSample) + byte]
        }
      }
    }
    return Image(kind, bytes: bytes)
  }
}
