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

  /// True if it covers what is behind it in part, or not at all.
  var isTranslucent: Bool { bytes.w < 255 }

  /// Returns the color that `text` names; without a text transparent black where `image` has alpha, else black.
  static func around(_ image: ImageDescriptor, _ text: String) -> NamedColor {
    NamedColor(text) ?? (image.channels.hasAlpha ? .transparent : .black)
  }

  /// Returns the color that `text` names, which ``check(_:of:)`` has admitted.
  static func drawn(_ text: String) -> NamedColor { NamedColor(text) ?? .black }

  /// Refuses colors around gray over gray pictures.
  static func check(_ text: String, over image: ImageDescriptor, of filter: String) throws(SafelightError) {
    guard let color = NamedColor(text) else { return }
    try image.refuseGray(for: filter, if: color.bytes.x != color.bytes.y || color.bytes.y != color.bytes.z)
  }

  /// Checks that a parameter of a filter names a color, or nothing if it is optional.
  static func check(
    _ text: String, of filter: String, parameter: String = "color", isOptional: Bool = true
  ) throws(SafelightError) {
    try ensure(
      text.isEmpty ? isOptional : NamedColor(text) != nil, .usage, "\(filter)=\(parameter)=\(text)",
      why: "'\(text)' is no color",
      remedy: "use a name such as white, or #rrggbb or #rrggbbaa with digits of 0 to 9 and a to f")
  }

  /// Refuses colors around gray, and translucent ones where there is no alpha.
  static func check(_ text: String, around image: ImageDescriptor, of filter: String) throws(SafelightError) {
    guard let color = NamedColor(text) else { return }
    let (red, green, blue) = (color.bytes.x, color.bytes.y, color.bytes.z)
    try image.refuseGray(for: filter, if: red != green || green != blue)
    try ensure(
      image.channels.hasAlpha || color.bytes.w == 255, .unsupported, "\(filter)=color=\(text)",
      why: "the picture has no alpha, so it cannot hold that color", remedy: "use an opaque color")
  }

  /// Returns the samples in pictures like `image`: of gray pictures the first. They are multiplied by alpha if those of
  /// the picture are.
  func samples(in image: ImageDescriptor, isPremultiplied: Bool? = nil) -> SIMD4<UInt32> {
    let maximum: UInt32 = image.depth == .bits8 ? 255 : 65535
    var samples = SIMD4<UInt32>(truncatingIfNeeded: bytes) &* (maximum / 255)
    guard isPremultiplied ?? (image.color.alpha == .premultiplied) else { return samples }
    let alpha = samples.w
    samples = (samples &* alpha &+ maximum / 2) / maximum
    samples.w = alpha
    return samples
  }
}
