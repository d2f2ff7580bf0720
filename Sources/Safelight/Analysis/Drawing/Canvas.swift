import SafelightImage

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
