/// How one pixel lies in memory, on the device and in an ``Image`` alike; the names are Metal's.
///
/// Eight-bit formats are read as normalised values, sixteen-bit ones as integers, because OpenGL ES 3.1 guarantees
/// no normalised 16-bit texture. To a kernel both are integers from 0 to ``maximum``.
public enum PixelFormat: String, Sendable, CaseIterable {
  /// One byte: grey.
  case r8Unorm
  /// Four bytes: red, green, blue, alpha.
  case rgba8Unorm
  /// One 16-bit word in host order: grey.
  case r16Uint
  /// Four 16-bit words in host order: red, green, blue, alpha.
  case rgba16Uint
  /// One 32-bit word in host order: look-up tables. Never the format of an ``Image``.
  case r32Uint

  /// The format that holds pictures of `channels` with `bitsPerSample` bits.
  public init(channels: Channels, depth: SampleDepth) {
    switch (channels, depth) {
    case (.gray, .bits8): self = .r8Unorm
    case (.gray, .bits16): self = .r16Uint
    case (_, .bits8): self = .rgba8Unorm
    case (_, .bits16): self = .rgba16Uint
    }
  }

  /// Samples in a pixel: 1 or 4.
  public var samplesPerPixel: Int {
    switch self {
    case .r8Unorm, .r16Uint, .r32Uint: 1
    case .rgba8Unorm, .rgba16Uint: 4
    }
  }

  /// Bytes in a sample.
  public var bytesPerSample: Int {
    switch self {
    case .r8Unorm, .rgba8Unorm: 1
    case .r16Uint, .rgba16Uint: 2
    case .r32Uint: 4
    }
  }

  /// Bytes in a pixel.
  public var bytesPerPixel: Int { samplesPerPixel * bytesPerSample }

  /// The sample nearest to a value from 0 to 1; what lies outside is cut.
  package func sample(normalized value: Float) -> Int {
    // In Double: Float has no 2³² − 1.
    Int((max(0, min(1, Double(value))) * Double(maximum)).rounded())
  }

  /// Whether a compute kernel can store to it: OpenGL ES 3.1 knows no storage texture of one small channel (table 8.27).
  public var isStorable: Bool {
    switch self {
    case .r8Unorm, .r16Uint: false
    case .rgba8Unorm, .rgba16Uint, .r32Uint: true
    }
  }

  /// The largest sample value: 255, 65535 or 2³² − 1.
  public var maximum: Int {
    switch self {
    case .r8Unorm, .rgba8Unorm: 255
    case .r16Uint, .rgba16Uint: 65535
    case .r32Uint: Int(UInt32.max)
    }
  }
}

/// Bits in one sample of a picture.
public enum SampleDepth: Int, Sendable, CaseIterable {
  /// 0 to 255.
  case bits8 = 8
  /// 0 to 65535.
  case bits16 = 16
}

/// What the samples of a picture mean.
public enum Channels: String, Sendable, CaseIterable {
  /// One sample, luminance.
  case gray
  /// Luminance and alpha; in memory red, green and blue all carry the luminance.
  case grayAlpha
  /// Red, green, blue; in memory a fourth, opaque sample follows.
  case rgb
  /// Red, green, blue and straight (not premultiplied) alpha.
  case rgba

  /// Samples of a pixel as a file stores them: 1 to 4.
  public var count: Int {
    switch self {
    case .gray: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// True when the picture carries transparency.
  public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
}
