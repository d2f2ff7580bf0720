/// How luma and chroma lie in the planes of a ``PixelLayout``.
public struct YCbCrLayout: Hashable, Sendable {
  /// How many pixels share a pair of chroma samples.
  public let subsampling: ChromaSubsampling
  /// Two planes, with blue and red differences in pairs, or three.
  public let isBiPlanar: Bool
  /// Bits in a sample: 8, 10, 12 or 16; 12 in three planes alone. More than 8 lie in words of 16 in host order.
  public let bits: Int

  /// Bits by which samples lie to the left in their words: 6 for 10 bits in two planes, as in P010; 0 else, as in yuv420p10le.
  public var shift: Int { isBiPlanar && bits == 10 ? 6 : 0 }

  /// The pixel formats of the planes.
  var planeFormats: [PixelFormat] {
    switch (isBiPlanar, bits) {
    case (true, 8): [.r8Unorm, .rg8Unorm]
    case (true, _): [.r16Uint, .rg16Uint]
    case (false, 8): [.r8Unorm, .r8Unorm, .r8Unorm]
    case (false, _): [.r16Uint, .r16Uint, .r16Uint]
    }
  }
}

/// How many pixels share a pair of chroma samples.
public enum ChromaSubsampling: String, Sendable, CaseIterable {
  /// Two by two.
  case yCbCr420 = "4:2:0"
  /// Two beside each other.
  case yCbCr422 = "4:2:2"
  /// None: each has its own.
  case yCbCr444 = "4:4:4"

  /// Columns and rows of the pixels that share.
  public var step: Size {
    switch self {
    case .yCbCr420: Size(2, 2)
    case .yCbCr422: Size(2, 1)
    case .yCbCr444: Size(1, 1)
    }
  }
}
