/// The layout of a video frame's pixels in planes: the counterpart of `kCVPixelFormatType_…`.
///
/// Luma and chroma layouts are named after their subsampling, planes and bits. With two planes the second holds pairs
/// of blue and red difference; with three the second holds blue and the third red. The frame's ``ColorDescription`` has
/// the matrix, range and siting.
public enum PixelLayout: String, Sendable, CaseIterable {
  /// One plane, 8 bits: gray.
  case gray8
  /// One plane, 16 bits in host order: gray.
  case gray16
  /// One plane, 8 bits: red, green, blue, alpha.
  case rgba8
  /// One plane, 8 bits: blue, green, red, alpha (`32BGRA`).
  case bgra8
  /// One plane, 16 bits in host order: red, green, blue, alpha.
  case rgba16
  /// `420YpCbCr8BiPlanar…` and so on; NV12, NV16 and NV24. Chroma of odd sizes is rounded up.
  case yCbCr420BiPlanar8, yCbCr422BiPlanar8, yCbCr444BiPlanar8
  /// `420YpCbCr10BiPlanar…` and so on; P010, P210 and P410: the upper 10 bits of each word hold the sample.
  case yCbCr420BiPlanar10, yCbCr422BiPlanar10, yCbCr444BiPlanar10
  /// `422YpCbCr16BiPlanar…` and so on; P016, P216 and P416.
  case yCbCr420BiPlanar16, yCbCr422BiPlanar16, yCbCr444BiPlanar16
  /// `420YpCbCr8Planar` and so on; I420 or yuv420p, yuv422p and yuv444p.
  case yCbCr420Planar8, yCbCr422Planar8, yCbCr444Planar8
  /// yuv420p10le, yuv422p10le and yuv444p10le: the lower 10 bits of each word hold the sample.
  case yCbCr420Planar10, yCbCr422Planar10, yCbCr444Planar10
  /// yuv420p12le, yuv422p12le and yuv444p12le: the lower 12 bits of each word hold the sample.
  case yCbCr420Planar12, yCbCr422Planar12, yCbCr444Planar12
  /// yuv420p16le, yuv422p16le and yuv444p16le.
  case yCbCr420Planar16, yCbCr422Planar16, yCbCr444Planar16

  /// The arrangement of luma and chroma; nil for RGB and gray.
  public var yCbCr: YCbCrLayout? {
    func made(_ subsampling: ChromaSubsampling, _ isBiPlanar: Bool, _ bits: Int) -> YCbCrLayout {
      YCbCrLayout(subsampling: subsampling, isBiPlanar: isBiPlanar, bits: bits)
    }
    return switch self {
    case .gray8, .gray16, .rgba8, .bgra8, .rgba16: nil
    case .yCbCr420BiPlanar8: made(.yCbCr420, true, 8)
    case .yCbCr422BiPlanar8: made(.yCbCr422, true, 8)
    case .yCbCr444BiPlanar8: made(.yCbCr444, true, 8)
    case .yCbCr420BiPlanar10: made(.yCbCr420, true, 10)
    case .yCbCr422BiPlanar10: made(.yCbCr422, true, 10)
    case .yCbCr444BiPlanar10: made(.yCbCr444, true, 10)
    case .yCbCr420BiPlanar16: made(.yCbCr420, true, 16)
    case .yCbCr422BiPlanar16: made(.yCbCr422, true, 16)
    case .yCbCr444BiPlanar16: made(.yCbCr444, true, 16)
    case .yCbCr420Planar8: made(.yCbCr420, false, 8)
    case .yCbCr422Planar8: made(.yCbCr422, false, 8)
    case .yCbCr444Planar8: made(.yCbCr444, false, 8)
    case .yCbCr420Planar10: made(.yCbCr420, false, 10)
    case .yCbCr422Planar10: made(.yCbCr422, false, 10)
    case .yCbCr444Planar10: made(.yCbCr444, false, 10)
    case .yCbCr420Planar12: made(.yCbCr420, false, 12)
    case .yCbCr422Planar12: made(.yCbCr422, false, 12)
    case .yCbCr444Planar12: made(.yCbCr444, false, 12)
    case .yCbCr420Planar16: made(.yCbCr420, false, 16)
    case .yCbCr422Planar16: made(.yCbCr422, false, 16)
    case .yCbCr444Planar16: made(.yCbCr444, false, 16)
    }
  }

  /// The pixel format of each plane, in order.
  public var planeFormats: [PixelFormat] {
    switch self {
    case .gray8: [.r8Unorm]
    case .gray16: [.r16Uint]
    case .rgba8: [.rgba8Unorm]
    case .bgra8: [.bgra8Unorm]
    case .rgba16: [.rgba16Uint]
    default: yCbCr?.planeFormats ?? []
    }
  }

  /// Returns the columns and rows of plane `index` in a picture of `size`.
  public func planeSize(_ index: Int, of size: Size) -> Size {
    guard index > 0, let yCbCr else { return size }
    return size.dividedCovering(yCbCr.subsampling.step)
  }

  /// Returns the bytes of each plane in a picture of `size`, without padding of rows.
  public func planeByteCounts(of size: Size) -> [Int] {
    planeFormats.enumerated().map { planeSize($0, of: size).area * $1.bytesPerPixel }
  }

  /// True if the layout stores luma and chroma instead of RGB.
  public var isYCbCr: Bool { yCbCr != nil }
  /// True if the layout is one plane of gray.
  public var isGray: Bool { self == .gray8 || self == .gray16 }
  /// True if every pixel has an alpha sample.
  public var hasAlpha: Bool { [.rgba8, .bgra8, .rgba16].contains(self) }

  /// The size of the words that hold samples.
  public var depth: SampleDepth {
    switch self {
    case .gray8, .rgba8, .bgra8: .bits8
    case .gray16, .rgba16: .bits16
    default: bits == 8 ? .bits8 : .bits16
    }
  }

  /// The number of bits in a sample: 8, 10, 12 or 16.
  public var bits: Int { yCbCr?.bits ?? depth.rawValue }
}

/// The arrangement of luma and chroma in the planes of a ``PixelLayout``.
public struct YCbCrLayout: Hashable, Sendable {
  /// The pixels that share a pair of chroma samples.
  public let subsampling: ChromaSubsampling
  /// True if there are two planes, the second with pairs of blue and red difference, rather than three.
  public let isBiPlanar: Bool
  /// The number of bits in a sample: 8, 10, 12 or 16; 12 in three planes only. Samples of more than 8 bits lie in
  /// 16-bit words in host order.
  public let bits: Int

  /// The number of unused low bits in a word: 6 for 10 bits in two planes, as in P010; otherwise 0, as in yuv420p10le.
  public var shift: Int { isBiPlanar && bits == 10 ? 6 : 0 }

  /// The pixel format of each plane, in order.
  var planeFormats: [PixelFormat] {
    let (one, two): (PixelFormat, PixelFormat) = bits == 8 ? (.r8Unorm, .rg8Unorm) : (.r16Uint, .rg16Uint)
    return isBiPlanar ? [one, two] : [one, one, one]
  }
}

/// The pixels that share a pair of chroma samples.
public enum ChromaSubsampling: String, Sendable, CaseIterable {
  /// Two columns of two rows.
  case yCbCr420 = "4:2:0"
  /// Two columns of one row.
  case yCbCr422 = "4:2:2"
  /// One pixel.
  case yCbCr444 = "4:4:4"

  /// The columns and rows of pixels that share a pair.
  public var step: Size {
    switch self {
    case .yCbCr420: Size(2, 2)
    case .yCbCr422: Size(2, 1)
    case .yCbCr444: Size(1, 1)
    }
  }
}

/// One plane of a frame, laid out like a texture of its ``pixelFormat``.
public struct PixelPlane: Hashable, Sendable {
  /// The number of columns and rows; never empty.
  public let size: Size
  /// The layout of a pixel in ``bytes``.
  public let pixelFormat: PixelFormat
  /// The distance between rows in bytes: at least the length of a row, and a whole number of pixels.
  public let bytesPerRow: Int
  /// The rows from the top down: at least ``bytesPerRow`` × rows bytes, except that the last row may lack its padding.
  public let bytes: [UInt8]

  /// Takes over `bytes`; without `bytesPerRow` rows have no padding. Traps if the size is empty, the distance of rows
  /// is invalid or bytes are missing.
  public init(size: Size, pixelFormat: PixelFormat, bytesPerRow: Int? = nil, bytes: [UInt8]) {
    let rowBytes = size.width * pixelFormat.bytesPerPixel
    let bytesPerRow = bytesPerRow ?? rowBytes
    trap(unless: !size.isEmpty, "a plane needs at least one pixel; \(size) was given")
    trap(
      unless: bytesPerRow >= rowBytes && bytesPerRow % pixelFormat.bytesPerPixel == 0,
      "rows of \(size.width) \(pixelFormat) must be whole pixels and at least \(rowBytes) bytes apart, not "
        + "\(bytesPerRow)"
    )
    let needed = bytesPerRow * (size.height - 1) + rowBytes
    trap(unless: bytes.count >= needed, "a plane of \(size) needs \(needed) bytes; \(bytes.count) were given")
    self.size = size
    self.pixelFormat = pixelFormat
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// True if rows follow each other without padding, so that ``bytes`` can be copied at once.
  public var isPacked: Bool { bytesPerRow == size.width * pixelFormat.bytesPerPixel }

  /// The rows without padding.
  public var packedBytes: [UInt8] {
    let rowBytes = size.width * pixelFormat.bytesPerPixel
    if isPacked { return bytes.count == rowBytes * size.height ? bytes : Array(bytes.prefix(rowBytes * size.height)) }
    return (0..<size.height).flatMap { bytes[$0 * bytesPerRow..<$0 * bytesPerRow + rowBytes] }
  }
}
