/// An opaque colour of a drawing, 0 to 255 in each part.
package struct DrawingColor: Hashable, Sendable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Both colours as two lamps on one wall: never darker than either, and white where they complete each other.
  package func screened(with other: DrawingColor) -> DrawingColor {
    func screen(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let dark = (255 - Int(a)) * (255 - Int(b))
      return UInt8(255 - (dark + 127) / 255)
    }
    return DrawingColor(screen(red, other.red), screen(green, other.green), screen(blue, other.blue))
  }

  /// As CSS and SVG write it: `#rrggbb`.
  package var hex: String {
    "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
