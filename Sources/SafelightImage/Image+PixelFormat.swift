extension Image {
  /// Makes a picture of the pixels of a texture: `size.area × pixelFormat.bytesPerPixel` bytes, rows without padding.
  ///
  /// One channel becomes grey; blue, green, red, alpha becomes red, green, blue, alpha; sixteen bits stay sixteen, as
  /// integers. Other formats lay pixels out as an image does already, and nothing is copied.
  ///
  /// Throws a ``SafelightError`` of kind `unsupported` for formats that are no picture's: two channels, 32 bits, floats, depths.
  public init(size: Size, pixelFormat: PixelFormat, bytes: [UInt8]) throws(SafelightError) {
    switch pixelFormat {
    case .r8Unorm: self.init(size: size, channels: .gray, depth: .bits8, bytes: bytes)
    case .rgba8Unorm: self.init(size: size, channels: .rgba, depth: .bits8, bytes: bytes)
    case .bgra8Unorm:
      self.init(size: size, channels: .rgba, depth: .bits8, bytes: bytes)
      swapRedAndBlue(&self.bytes, offset: 0, size: size, bytesPerRow: bytesPerRow)
    case .r16Uint, .r16Unorm: self.init(size: size, channels: .gray, depth: .bits16, bytes: bytes)
    case .rgba16Uint, .rgba16Unorm: self.init(size: size, channels: .rgba, depth: .bits16, bytes: bytes)
    case .rg8Unorm, .rg16Uint, .rg16Unorm, .r32Uint, .r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float,
      .rgba32Float,
      .depth16Unorm, .depth32Float, .stencil8, .depth32Float_stencil8:
      throw SafelightError(
        .unsupported, "picture of \(pixelFormat.rawValue)",
        why: "a picture has one channel or four, of 8 or 16 bits, and integers",
        remedy: "draw it into a texture of rgba8Unorm or rgba16Uint first")
    }
  }
}
