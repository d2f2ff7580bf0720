import SafelightImage
import SafelightKernels

/// A picture that is being drawn: eight bits, no transparency, integers alone.
package struct Canvas {
  let size: Size
  private var bytes: [UInt8]

  package init(_ size: Size, background: DrawingColor) {
    self.size = size
    bytes = Self.row(size.area, background)
  }

  /// The picture so far.
  package var image: Image { Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes) }

  /// Fills `region`; what lies outside the picture is cut off.
  package mutating func fill(_ region: Region, _ color: DrawingColor) {
    let inside = region.intersection(Region(size: size))
    guard !inside.size.isEmpty else { return }
    let row = Self.row(inside.size.width, color)
    for y in inside.y..<inside.y + inside.size.height {
      let first = (y * size.width + inside.x) * 4
      bytes.replaceSubrange(first..<first + row.count, with: row)
    }
  }

  /// Writes `text` with the top of its capitals at row `y`, from column `x` to the right.
  package mutating func write(_ text: String, x: Int, y: Int, scale: Int, _ color: DrawingColor) {
    for (place, letter) in text.enumerated() {
      for (row, bits) in PixelFont.rows(letter).enumerated() {
        for column in 0..<PixelFont.width where bits >> (PixelFont.width - 1 - column) & 1 == 1 {
          let dot = Region(
            x: x + (place * PixelFont.advance + column) * scale, y: y + row * scale, width: scale, height: scale)
          fill(dot, color)
        }
      }
    }
  }

  /// Copies an opaque eight-bit picture of four samples a pixel to (`x`, `y`).
  mutating func place(_ picture: Image, x: Int, y: Int) {
    trap(
      unless: picture.pixelFormat == .rgba8Unorm,
      "a canvas takes rgba8Unorm; convert \(picture.pixelFormat.rawValue) first")
    for row in 0..<min(picture.size.height, size.height - y) {
      let from = row * picture.bytesPerRow
      let count = min(picture.size.width, size.width - x) * 4
      let to = ((y + row) * size.width + x) * 4
      bytes.replaceSubrange(to..<to + count, with: picture.bytes[from..<from + count])
    }
  }

  /// `count` pixels of one colour, by doubling.
  private static func row(_ count: Int, _ color: DrawingColor) -> [UInt8] {
    var row = [color.red, color.green, color.blue, 255]
    row.reserveCapacity(count * 4)
    while row.count < count * 4 { row += row.prefix(count * 4 - row.count) }
    return row
  }
}

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

/// The colours of plots and sheets; everything on a neutral ground, so that no hue is favoured.
extension DrawingColor {
  static let ground = DrawingColor(20, 20, 22)
  package static let plot = DrawingColor(30, 30, 33)
  package static let grid = DrawingColor(58, 58, 62)
  static let bright = DrawingColor(236, 236, 236)
  static let dim = DrawingColor(158, 158, 164)

  /// What a channel is drawn in.
  package init(_ channel: HistogramSeries.Channel) {
    self =
      switch channel {
      case .red: DrawingColor(198, 36, 36)
      case .green: DrawingColor(26, 166, 46)
      case .blue: DrawingColor(44, 92, 210)
      case .gray: DrawingColor(168, 168, 172)
      case .luma: DrawingColor(250, 250, 250)
      case .alpha: DrawingColor(206, 140, 255)
      }
  }
}
