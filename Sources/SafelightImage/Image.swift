internal import Glibc

/// A picture in memory, laid out exactly like a texture of its ``pixelFormat``, so that uploads and readbacks are plain
/// copies.
///
/// Rows run from the top down, without padding; 16-bit samples are in host order. A gray picture has one sample per
/// pixel, all others four: a picture without alpha has an opaque fourth sample, which kernels ignore and files omit.
public struct Image: Hashable, Sendable {
  /// The width and height in pixels; never empty.
  public let size: Size
  /// The meaning of the samples of a pixel.
  public let channels: Channels
  /// The number of bits in a sample.
  public let depth: SampleDepth
  /// The meaning of the samples as colors, as far as it is known. Code that needs more assumes sRGB and straight alpha
  /// for unspecified properties. Pictures with different descriptions are not equal.
  public var color: ColorDescription
  /// The samples, `size.area × pixelFormat.bytesPerPixel` bytes.
  public private(set) var bytes: [UInt8]

  /// Takes over `bytes`, which must have exactly `size.area × pixelFormat.bytesPerPixel` elements; traps otherwise.
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

  /// The layout of a pixel in ``bytes``.
  public var pixelFormat: PixelFormat { PixelFormat(channels: channels, depth: depth) }
  /// The distance between rows in bytes.
  public var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// Returns a picture of the same size and format with other samples, which keep this picture's color description
  /// unless `color` is given.
  public func replacing(bytes: [UInt8], color: ColorDescription? = nil) -> Image {
    Image(size: size, channels: channels, depth: depth, bytes: bytes, color: color ?? self.color)
  }
}

extension Image {
  /// One sample, from 0 to 255 or 65535: 0 is red (or gray), 1 green, 2 blue, 3 alpha.
  ///
  /// Meant for tests and small pictures; kernels work on ``bytes``.
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

  /// Makes a picture of a texture's pixels: `size.area × pixelFormat.bytesPerPixel` bytes, rows without padding.
  ///
  /// One channel becomes gray, `bgra8Unorm` becomes red, green, blue, alpha, and 16-bit samples stay 16-bit integers.
  /// Other formats already have an image's layout, and their bytes are not copied.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for formats that no picture has: two channels, 32 bits, floats,
  ///   depths.
  public init(size: Size, pixelFormat: PixelFormat, bytes: [UInt8]) throws(SafelightError) {
    let (samples, bytesPerSample) = (pixelFormat.samplesPerPixel, pixelFormat.bytesPerSample)
    try ensure(
      [.normalized, .integer].contains(pixelFormat.sampleKind) && samples != 2 && bytesPerSample <= 2, .unsupported,
      "picture of \(pixelFormat.rawValue)", why: "pictures have one or four integer channels of 8 or 16 bits",
      remedy: "draw it into a texture of rgba8Unorm or rgba16Uint first")
    self.init(
      size: size, channels: samples == 1 ? .gray : .rgba, depth: bytesPerSample == 1 ? .bits8 : .bits16, bytes: bytes)
    if pixelFormat == .bgra8Unorm { swapRedAndBlue(&self.bytes, offset: 0, size: size, bytesPerRow: bytesPerRow) }
  }
}

/// The properties of a picture without its samples, as a texture descriptor is to a texture.
public struct ImageDescriptor: Hashable, Sendable {
  /// The width and height in pixels; never empty.
  public let size: Size
  /// The meaning of the samples of a pixel.
  public let channels: Channels
  /// The number of bits in a sample.
  public let depth: SampleDepth
  /// The meaning of the samples as colors, as far as it is known.
  public var color: ColorDescription

  /// Makes a descriptor; traps if `size` is empty.
  public init(size: Size, channels: Channels, depth: SampleDepth, color: ColorDescription = .unspecified) {
    trap(unless: !size.isEmpty, "an image needs at least one pixel; \(size) was given")
    self.size = size
    self.channels = channels
    self.depth = depth
    self.color = color
  }

  /// The layout of a pixel in memory.
  public var pixelFormat: PixelFormat { PixelFormat(channels: channels, depth: depth) }
  /// The bytes of a row in memory.
  package var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// Returns the descriptor of `count` rows of the picture.
  package func ofRows(_ count: Int) -> ImageDescriptor {
    ImageDescriptor(size: Size(size.width, count), channels: channels, depth: depth, color: color)
  }
}

extension Image {
  /// The picture's properties without its samples.
  public var descriptor: ImageDescriptor { ImageDescriptor(size: size, channels: channels, depth: depth, color: color) }

  /// Takes over `bytes`, which must be exactly as many as `descriptor` needs; traps otherwise.
  public init(_ descriptor: ImageDescriptor, bytes: [UInt8]) {
    self.init(
      size: descriptor.size, channels: descriptor.channels, depth: descriptor.depth, bytes: bytes,
      color: descriptor.color)
  }
}

/// The channels of a picture.
public enum Channels: String, Codable, Sendable, CaseIterable {
  /// One sample: luminance.
  case gray
  /// Luminance and alpha; in memory red, green and blue all hold the luminance.
  case grayAlpha
  /// Red, green, blue; in memory an opaque fourth sample follows.
  case rgb
  /// Red, green, blue and alpha; straight (not premultiplied) unless ``Image/color`` says otherwise.
  case rgba

  /// The number of samples that a file stores per pixel: 1 to 4.
  public var count: Int {
    switch self {
    case .gray: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// The in-memory samples that a file stores, in the file's order: 0 is red or gray, 1 green, 2 blue, 3 alpha.
  public var sampleIndices: [Int] {
    switch self {
    case .gray: [0]
    case .grayAlpha: [0, 3]
    case .rgb: [0, 1, 2]
    case .rgba: [0, 1, 2, 3]
    }
  }

  /// True if the picture has no colors.
  public var isGray: Bool { self == .gray || self == .grayAlpha }
  /// True if the picture has transparency.
  public var hasAlpha: Bool { self == .grayAlpha || self == .rgba }
}

/// The number of bits in a sample of a picture.
public enum SampleDepth: Int, Codable, Sendable, CaseIterable {
  /// Values from 0 to 255.
  case bits8 = 8
  /// Values from 0 to 65535.
  case bits16 = 16
}

/// A test picture computed from integers only, identical on every machine; for tests, conformance and benchmarks.
public enum SyntheticImage: String, Sendable, CaseIterable {
  /// A gradient from 0 to the maximum along each row, steeper or flatter in each channel.
  case ramp
  /// One value in each channel.
  case flat
  /// Alternating pixels of 0 and the maximum.
  case checker
  /// One pixel at the maximum on black.
  case hotPixel
  /// An independent pseudorandom value in each sample.
  case noise

  /// Returns the picture. Alpha, if any, is noise, so that tests notice a kernel that changes it.
  public func image(_ size: Size, channels: Channels, depth: SampleDepth) -> Image {
    let format = PixelFormat(channels: channels, depth: depth)
    let maximum = UInt64(format.maximum)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * format.bytesPerPixel)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in 0..<format.samplesPerPixel {
          // Gray-and-alpha pictures hold the gray value in three samples.
          let source = channels == .grayAlpha ? 0 : sample
          let value =
            if sample == 3 {
              channels.hasAlpha ? Self.hash(x, y, 3) % (maximum + 1) : maximum
            } else {
              color(x: x, y: y, sample: source, size: size, maximum: maximum)
            }
          bytes.append(UInt8(truncatingIfNeeded: value))
          if depth == .bits16 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
        }
      }
    }
    return Image(size: size, channels: channels, depth: depth, bytes: bytes)
  }

  private func color(x: Int, y: Int, sample: Int, size: Size, maximum: UInt64) -> UInt64 {
    switch self {
    case .ramp: UInt64(x) * maximum / UInt64(max(1, size.width - 1)) * UInt64(sample + 2) / 4
    case .flat: maximum / UInt64(sample + 3)
    case .checker: (x + y) & 1 == 0 ? 0 : maximum
    case .hotPixel: x == size.width / 2 && y == size.height / 3 ? maximum : 0
    case .noise: Self.hash(x, y, sample) % (maximum + 1)
    }
  }

  /// Hashes a position with SplitMix64's finalizer (Steele, Lea, Flood 2014).
  private static func hash(_ x: Int, _ y: Int, _ sample: Int) -> UInt64 {
    var z = (UInt64(y) << 34 | UInt64(x) << 4 | UInt64(sample)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return (z ^ (z >> 31)) >> 20
  }
}

extension [UInt8] {
  /// Returns whether both arrays hold the same bytes. Unlike `==` it is fast in unoptimized builds too, where `==`
  /// makes a call for each byte.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    count == other.count && hasSameBytes(in: indices, as: other, in: other.indices)
  }

  /// Returns whether two parts of the same length hold the same bytes.
  package func hasSameBytes(in part: Range<Int>, as other: [UInt8], in otherPart: Range<Int>) -> Bool {
    trap(
      unless: part.count == otherPart.count,
      "parts of \(part.count) and \(otherPart.count) bytes cannot be compared; pass parts of equal length")
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
