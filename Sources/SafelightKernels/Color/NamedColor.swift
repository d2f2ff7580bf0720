internal import SafelightImage

/// A color in a chain: a name of CSS, or `#` and the bytes of red, green, blue and, if it is not opaque, alpha.
struct NamedColor: Hashable, Sendable {
  /// Red, green, blue and alpha, which they are not multiplied by.
  let bytes: SIMD4<UInt8>

  static let black = NamedColor(bytes: SIMD4(0, 0, 0, 255))
  static let transparent = NamedColor(bytes: SIMD4(0, 0, 0, 0))

  private init(bytes: SIMD4<UInt8>) { self.bytes = bytes }

  /// Reads a color; nil if the text is none.
  init?(_ text: String) {
    let word = text.lowercased()
    guard var digits = Self.names[word] ?? (word.hasPrefix("#") ? String(word.dropFirst()) : nil) else { return nil }
    // #rgb is #rrggbb.
    if digits.count < 6 { digits = String(digits.flatMap { [$0, $0] }) }
    guard [6, 8].contains(digits.count), digits.allSatisfy({ $0.isHexDigit && $0.isASCII }),
      let number = UInt32(digits.count == 6 ? digits + "ff" : digits, radix: 16)
    else { return nil }
    bytes = SIMD4((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
  }

  /// The basic color keywords of CSS Color 4, section 6.1, orange and grey.
  private static let names = [
    "black": "000000", "silver": "c0c0c0", "gray": "808080", "white": "ffffff", "maroon": "800000", "red": "ff0000",
    "purple": "800080", "fuchsia": "ff00ff", "green": "008000", "lime": "00ff00", "olive": "808000",
    "yellow": "ffff00", "navy": "000080", "blue": "0000ff", "teal": "008080", "aqua": "00ffff",
    "orange": "ffa500", "grey": "808080", "transparent": "00000000",
  ]

  var alpha: UInt8 { bytes.w }
  var isGray: Bool { bytes.x == bytes.y && bytes.y == bytes.z }

  /// Returns the samples in pictures like `image`: of gray pictures the first.
  func samples(in image: ImageDescriptor) -> SIMD4<UInt32> {
    let maximum: UInt32 = image.depth == .bits8 ? 255 : 65535
    var samples = SIMD4<UInt32>(truncatingIfNeeded: bytes) &* (maximum / 255)
    guard image.color.alpha == .premultiplied else { return samples }
    let alpha = samples.w
    samples = (samples &* alpha &+ maximum / 2) / maximum
    samples.w = alpha
    return samples
  }
}
