internal import Glibc

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

extension Image {
  /// One sample, as ``Channels`` orders them in memory: red (or grey) 0, green 1, blue 2, alpha 3.
  ///
  /// Meant for tests and small pictures; kernels walk ``bytes``.
  public subscript(x x: Int, y y: Int, sample sample: Int) -> Int {
    get {
      let first = offset(x: x, y: y, sample: sample)
      return switch depth {
      case .bits8: Int(bytes[first])
      case .bits16: Int(UInt16(bytes[first]) | UInt16(bytes[first + 1]) << 8)
      }
    }
    set {
      let first = offset(x: x, y: y, sample: sample)
      bytes[first] = UInt8(truncatingIfNeeded: newValue)
      if depth == .bits16 { bytes[first + 1] = UInt8(truncatingIfNeeded: newValue >> 8) }
    }
  }

  private func offset(x: Int, y: Int, sample: Int) -> Int {
    let format = pixelFormat
    trap(
      unless: x >= 0 && y >= 0 && x < size.width && y < size.height && sample < format.samplesPerPixel,
      "(\(x), \(y)) sample \(sample) lies outside an image of \(size) with \(format.samplesPerPixel) samples a pixel")
    return y * bytesPerRow + x * format.bytesPerPixel + sample * format.bytesPerSample
  }
}

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

/// Bits in one sample of a picture.
public enum SampleDepth: Int, Codable, Sendable, CaseIterable {
  /// 0 to 255.
  case bits8 = 8
  /// 0 to 65535.
  case bits16 = 16
}

extension [UInt8] {
  /// True where both arrays hold the same bytes; as fast in builds without optimization, where `==` makes a call for
  /// each byte.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    count == other.count && hasSameBytes(in: indices, as: other, in: other.indices)
  }

  /// The same of parts of one length.
  package func hasSameBytes(in part: Range<Int>, as other: [UInt8], in otherPart: Range<Int>) -> Bool {
    trap(unless: part.count == otherPart.count, "parts of \(part.count) and \(otherPart.count) bytes; give equal ones")
    return unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { otherBytes in
        let (a, b) = unsafe (
          UnsafeRawBufferPointer(rebasing: bytes[part]), UnsafeRawBufferPointer(rebasing: otherBytes[otherPart])
        )
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return unsafe memcmp(first, second, a.count) == 0
      }
    }
  }
}

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
