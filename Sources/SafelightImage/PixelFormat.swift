/// The layout of one pixel in memory, on the device and in an ``Image`` alike; the names are Metal's.
///
/// To the integer kernels a sample is an integer from 0 to ``maximum``, whether the format is normalized or not.
public enum PixelFormat: String, Codable, Sendable, CaseIterable {
  /// One byte: gray, or the luma plane of a video frame.
  case r8Unorm
  /// Two bytes: the chroma plane of a video frame, blue difference first.
  case rg8Unorm
  /// Four bytes: red, green, blue, alpha.
  case rgba8Unorm
  /// Four bytes: blue, green, red, alpha, as cameras and views use it. Only the order in memory differs: kernels read
  /// and write red, green, blue, alpha.
  case bgra8Unorm
  /// One 16-bit word in host order, read as an integer: gray.
  case r16Uint
  /// Two 16-bit words in host order, read as integers: the chroma plane of a 10-bit or 16-bit video frame, blue
  /// difference first.
  case rg16Uint
  /// Four 16-bit words in host order, read as integers: red, green, blue, alpha.
  case rgba16Uint
  /// One, two or four 16-bit words in host order, read as values from 0 to 1 and filtered; needs
  /// `GL_EXT_texture_norm16`.
  case r16Unorm, rg16Unorm, rgba16Unorm
  /// One or four 32-bit words in host order, for lookup tables and sums; never the format of an ``Image``.
  case r32Uint, rgba32Uint
  /// One, two or four halves: red, green, blue, alpha.
  case r16Float, rg16Float, rgba16Float
  /// One, two or four floats: red, green, blue, alpha.
  case r32Float, rg32Float, rgba32Float
  /// One 16-bit word: a depth from 0 to 1. Depth and stencil formats serve as attachments only and never as the format
  /// of an ``Image``.
  case depth16Unorm
  /// One float: a depth from 0 to 1.
  case depth32Float
  /// One byte: a stencil value, which draws compare and count.
  case stencil8
  /// A float of depth, and four bytes of which the first is the stencil value.
  case depth32Float_stencil8

  /// The types of a sample in shaders.
  public enum SampleKind: Hashable, Sendable {
    /// An integer that stands for a value from 0 to 1: `sampler2D`.
    case normalized
    /// An unsigned integer: `usampler2D`.
    case integer
    /// A half or a float: `sampler2D`.
    case float
    /// A depth from 0 to 1: `sampler2D`, in red.
    case depth
    /// A stencil value: `usampler2D`, in red.
    case stencil
  }

  /// Makes the format of pictures with `channels` and `depth`.
  public init(channels: Channels, depth: SampleDepth) {
    switch (channels, depth) {
    case (.gray, .bits8): self = .r8Unorm
    case (.gray, .bits16): self = .r16Uint
    case (_, .bits8): self = .rgba8Unorm
    case (_, .bits16): self = .rgba16Uint
    }
  }

  /// Makes the format of sums: integers of 2 or 4 `bytes`, as many as a picture's pixel has `samples`.
  package static func sums(of samples: Int, bytes: Int) -> PixelFormat {
    samples == 1 ? bytes == 2 ? .r16Uint : .r32Uint : bytes == 2 ? .rgba16Uint : .rgba32Uint
  }

  private var properties: (sampleKind: SampleKind, samples: Int, bytesPerSample: Int, isStorable: Bool) {
    switch self {
    case .r8Unorm: (.normalized, 1, 1, false)
    case .rg8Unorm: (.normalized, 2, 1, false)
    case .rgba8Unorm: (.normalized, 4, 1, true)
    case .bgra8Unorm: (.normalized, 4, 1, true)
    case .r16Uint: (.integer, 1, 2, false)
    case .rg16Uint: (.integer, 2, 2, false)
    case .rgba16Uint: (.integer, 4, 2, true)
    case .r16Unorm: (.normalized, 1, 2, false)
    case .rg16Unorm: (.normalized, 2, 2, false)
    case .rgba16Unorm: (.normalized, 4, 2, false)
    case .r32Uint: (.integer, 1, 4, true)
    case .rgba32Uint: (.integer, 4, 4, true)
    case .r16Float: (.float, 1, 2, false)
    case .rg16Float: (.float, 2, 2, false)
    case .rgba16Float: (.float, 4, 2, true)
    case .r32Float: (.float, 1, 4, true)
    case .rg32Float: (.float, 2, 4, false)
    case .rgba32Float: (.float, 4, 4, true)
    case .depth16Unorm: (.depth, 1, 2, false)
    case .depth32Float: (.depth, 1, 4, false)
    case .stencil8: (.stencil, 1, 1, false)
    case .depth32Float_stencil8: (.depth, 2, 4, false)
    }
  }

  /// The type of a sample in shaders.
  public var sampleKind: SampleKind { properties.sampleKind }
  /// The number of samples in a pixel: 1, 2 or 4.
  public var samplesPerPixel: Int { properties.samples }
  /// The number of bytes in a sample: 1, 2 or 4.
  public var bytesPerSample: Int { properties.bytesPerSample }
  /// The number of bytes in a pixel.
  public var bytesPerPixel: Int { samplesPerPixel * bytesPerSample }

  /// The color formats, which images, uploads, copies and kernels use.
  public static let colors = allCases.filter(\.isColor)

  /// True if pixels are colors rather than depths or stencil values.
  public var isColor: Bool { !hasDepth && !hasStencil }
  /// True if the format can be a depth attachment's.
  public var hasDepth: Bool { sampleKind == .depth }
  /// True if the format can be a stencil attachment's.
  public var hasStencil: Bool { self == .stencil8 || self == .depth32Float_stencil8 }
  /// True if compute kernels can store to the format on every device (OpenGL ES 3.1 table 8.27). The others are written
  /// in a render pass, or by compute kernels on devices with `DeviceFeatures.storageOfAllFormats`.
  public var isStorable: Bool { properties.isStorable }

  /// The largest sample value: 255, 65535 or 2³² − 1; 1 for halves and floats, for which it means white.
  public var maximum: Int {
    switch (sampleKind, bytesPerSample) {
    case (.float, _), (.depth, 4): 1
    case (_, 1): 255
    case (_, 2): 65535
    default: Int(UInt32.max)
    }
  }
}

extension PixelFormat {
  /// Returns the sample nearest to `value`, clamped to 0 to 1; for integer and normalized formats only.
  package func sample(normalized value: Float) -> Int {
    // In Double: Float has no 2³² − 1.
    Int((max(0, min(1, Double(value))) * Double(maximum)).rounded())
  }

  /// Returns the bytes of the sample nearest to `value`, which integer and normalized formats clamp to 0 to 1.
  package func bytes(ofSample value: Float) -> [UInt8] {
    let bits =
      switch (sampleKind, bytesPerSample) {
      case (.float, 2): UInt32(Self.halfBits(value))
      case (.float, _), (.depth, 4): value.bitPattern
      default: UInt32(sample(normalized: value))
      }
    return (0..<bytesPerSample).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
  }

  /// Returns the bytes of a pixel in this format's order of channels, each value as in ``bytes(ofSample:)``.
  package func bytes(ofPixel red: Float, _ green: Float, _ blue: Float, _ alpha: Float) -> [UInt8] {
    let values = self == .bgra8Unorm ? [blue, green, red, alpha] : [red, green, blue, alpha]
    return values.prefix(samplesPerPixel).flatMap(bytes(ofSample:))
  }

  /// Returns the IEEE 754 binary16 nearest to `value`, ties to even; Swift has no `Float16` on x86.
  package static func halfBits(_ value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7fff_ffff
    if magnitude > 0x7f80_0000 { return sign | 0x7e00 }
    // 65520 and above round to infinity.
    if magnitude >= 0x477f_f000 { return sign | 0x7c00 }
    if magnitude < 0x3880_0000 {
      // Below the smallest normal half: a multiple of 2⁻²⁴.
      let steps = (Double(Float(bitPattern: magnitude)) * 16_777_216).rounded(.toNearestOrEven)
      return sign | UInt16(steps)
    }
    let rebased = magnitude - 0x3800_0000
    let rounded = rebased + 0x0fff + ((rebased >> 13) & 1)
    return sign | UInt16(truncatingIfNeeded: rounded >> 13)
  }

  /// Returns the value of an IEEE 754 binary16.
  package static func float(halfBits bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let fraction = Float(bits & 0x03ff)
    switch (bits >> 10) & 0x1f {
    case 0: return sign * fraction / 16_777_216
    case 31: return fraction == 0 ? sign * .infinity : .nan
    case let exponent:
      return sign * (1024 + fraction) * Float(sign: .plus, exponent: Int(exponent) - 25, significand: 1)
    }
  }
}

/// Swaps the first and third byte of every pixel in rows of four-byte pixels: RGBA to BGRA and back.
package func swapRedAndBlue(_ bytes: inout [UInt8], offset: Int, size: Size, bytesPerRow: Int) {
  unsafe bytes.withUnsafeMutableBytes { bytes in
    for y in 0..<size.height {
      let row = offset + y * bytesPerRow
      for x in 0..<size.width {
        let pixel = unsafe bytes.loadUnaligned(fromByteOffset: row + 4 * x, as: UInt32.self)
        unsafe bytes.storeBytes(of: pixel.swappingRedAndBlue, toByteOffset: row + 4 * x, as: UInt32.self)
      }
    }
  }
}

extension UInt32 {
  /// The pixel with its first and third byte exchanged, on either byte order.
  fileprivate var swappingRedAndBlue: UInt32 {
    let word = littleEndian
    return UInt32(littleEndian: (word & 0xff00_ff00) | ((word & 0xff) << 16) | ((word >> 16) & 0xff))
  }
}
