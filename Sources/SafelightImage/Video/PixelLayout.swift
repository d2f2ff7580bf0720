/// How a moving picture's pixels are laid out in planes: the counterpart of `kCVPixelFormatType_…`.
public enum PixelLayout: String, Sendable, CaseIterable {
  /// One plane, 8 bits: grey.
  case gray8
  /// One plane, 16 bits in host order: grey.
  case gray16
  /// One plane, 8 bits: red, green, blue, alpha.
  case rgba8
  /// One plane, 8 bits: blue, green, red, alpha (`32BGRA`).
  case bgra8
  /// One plane, 16 bits in host order: red, green, blue, alpha.
  case rgba16
  /// Two planes, 8 bits: luma, and at half the width and height, rounded up, blue and red differences in pairs
  /// (`420YpCbCr8BiPlanar…`, NV12). Matrix and range are the frame's ``ColorDescription``.
  case yCbCr420BiPlanar8

  /// The pixel formats of the planes, in their order.
  public var planeFormats: [PixelFormat] {
    switch self {
    case .gray8: [.r8Unorm]
    case .gray16: [.r16Uint]
    case .rgba8: [.rgba8Unorm]
    case .bgra8: [.bgra8Unorm]
    case .rgba16: [.rgba16Uint]
    case .yCbCr420BiPlanar8: [.r8Unorm, .rg8Unorm]
    }
  }

  /// Columns and rows of plane `index` of a picture of `size`.
  public func planeSize(_ index: Int, of size: Size) -> Size {
    index == 0 ? size : size.dividedCovering(Size(2, 2))
  }

  /// Bytes of each plane of a picture of `size`, rows without padding.
  public func planeByteCounts(of size: Size) -> [Int] {
    planeFormats.enumerated().map { planeSize($0, of: size).area * $1.bytesPerPixel }
  }

  /// True when luma and chroma are stored in place of red, green and blue.
  public var isYCbCr: Bool { self == .yCbCr420BiPlanar8 }

  /// Bits in a sample.
  public var depth: SampleDepth {
    switch self {
    case .gray8, .rgba8, .bgra8, .yCbCr420BiPlanar8: .bits8
    case .gray16, .rgba16: .bits16
    }
  }
}
