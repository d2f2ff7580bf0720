import FoundationEssentials
import SafelightFrames
import SafelightImage
import SafelightKernels

/// Rectangles, pictures and lines of text that are rendered both as dots and as SVG, so that the two always agree.
struct Drawing {
  /// The position of a text relative to its point.
  enum Anchor: String {
    case start, middle, end
  }

  /// One step of the drawing.
  enum Element {
    /// Rectangles of one color.
    case fill([Region], DrawingColor)
    /// An opaque picture of eight bits, instead of too many rectangles, and the same as a file.
    case picture(Image, png: [UInt8], x: Int, y: Int)
    /// A line of text with its anchor in column `x` and the tops of its capitals in row `y`; `scale` is the size of a
    /// dot of ``PixelFont``.
    case text(String, x: Int, y: Int, scale: Int, Anchor, DrawingColor)
  }

  let size: Size
  let background: DrawingColor
  /// The elements, from the bottom to the top.
  var elements: [Element] = []

  mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: DrawingColor) {
    elements.append(.fill([Region(x: x, y: y, width: width, height: height)], color))
  }

  mutating func fill(_ regions: [Region], _ color: DrawingColor) {
    elements.append(.fill(regions, color))
  }

  /// Places an opaque picture of eight bits and four samples a pixel with its top-left corner at (`x`, `y`).
  mutating func place(_ image: Image, x: Int, y: Int) throws {
    elements.append(.picture(image, png: try PNGEncoder.encode(PNGFile(image: image), compression: .small), x: x, y: y))
  }

  mutating func write(
    _ text: String, x: Int, y: Int, scale: Int = 2, anchor: Anchor = .start, _ color: DrawingColor
  ) {
    elements.append(.text(text, x: x, y: y, scale: scale, anchor, color))
  }
}

extension Drawing {
  /// Returns the drawing as a picture.
  func image() -> Image {
    var canvas = Canvas(size, background: background)
    for element in elements {
      switch element {
      case .fill(let regions, let color):
        for region in regions { canvas.fill(region, color) }
      case .picture(let image, _, let x, let y): canvas.place(image, x: x, y: y)
      case .text(let text, let x, let y, let scale, let anchor, let color):
        let width = PixelFont.width(of: text, scale: scale)
        let left =
          switch anchor {
          case .start: x
          case .middle: x - width / 2
          case .end: x - width
          }
        canvas.write(text, x: left, y: y, scale: scale, color)
      }
    }
    return canvas.image
  }

  /// Returns the drawing as an SVG document; screen readers read `title`.
  func svg(title: String) -> String {
    var lines = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(size.width)" height="\(size.height)" \
      viewBox="0 0 \(size.width) \(size.height)" role="img" \
      font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif">
      """,
      "<title>\(XMLText.content(title))</title>",
      "<rect width=\"100%\" height=\"100%\" fill=\"\(background.hex)\"/>",
    ]
    for element in elements {
      switch element {
      case .fill(let regions, let color):
        let path = regions.map { "M\($0.x) \($0.y)h\($0.size.width)v\($0.size.height)h-\($0.size.width)z" }.joined()
        if !path.isEmpty { lines.append("<path fill=\"\(color.hex)\" shape-rendering=\"crispEdges\" d=\"\(path)\"/>") }
      case .picture(let image, let png, let x, let y):
        lines.append(
          """
          <image x="\(x)" y="\(y)" width="\(image.size.width)" height="\(image.size.height)" \
          image-rendering="pixelated" href="data:image/png;base64,\(Data(png).base64EncodedString())"/>
          """)
      case .text(let text, let x, let y, let scale, let anchor, let color):
        // Capitals of the named fonts are about 0.72 of the font's size.
        let capital = PixelFont.capHeight * scale
        lines.append(
          """
          <text x="\(x)" y="\(y + capital)" font-size="\(capital * 25 / 18)" text-anchor="\(anchor.rawValue)" \
          fill="\(color.hex)">\(XMLText.content(text))</text>
          """)
      }
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }
}

/// A picture that is being drawn: eight bits, opaque, with integers alone.
package struct Canvas {
  let size: Size
  private var bytes: [UInt8]

  package init(_ size: Size, background: DrawingColor) {
    self.size = size
    bytes = Self.row(size.area, background)
  }

  /// The picture drawn so far.
  package var image: Image { Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes) }

  /// Fills the part of `region` that lies in the picture.
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

  /// Returns `count` pixels of one color.
  private static func row(_ count: Int, _ color: DrawingColor) -> [UInt8] {
    var row = [color.red, color.green, color.blue, 255]
    row.reserveCapacity(count * 4)
    while row.count < count * 4 { row += row.prefix(count * 4 - row.count) }
    return row
  }
}

/// An opaque color of a drawing, 0 to 255 in each component.
package struct DrawingColor: Hashable, Sendable {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  package init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Returns both colors added like two lamps on one wall: never darker than either, and white for complementary ones.
  package func screened(with other: DrawingColor) -> DrawingColor {
    func screen(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let dark = (255 - Int(a)) * (255 - Int(b))
      return UInt8(255 - (dark + 127) / 255)
    }
    return DrawingColor(screen(red, other.red), screen(green, other.green), screen(blue, other.blue))
  }

  /// The color in CSS and SVG: `#rrggbb`.
  package var hex: String { "#" + [red, green, blue].hexadecimal }
}

/// The colors of plots and sheets, on a neutral ground that favors no hue.
extension DrawingColor {
  static let ground = DrawingColor(20, 20, 22)
  package static let plot = DrawingColor(30, 30, 33)
  package static let grid = DrawingColor(58, 58, 62)
  static let bright = DrawingColor(236, 236, 236)
  static let dim = DrawingColor(158, 158, 164)

  /// Makes the color in which a channel is drawn.
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

/// Letters made of dots: five columns wide, seven rows high, with two more below for the tails of `g` and `y`.
///
/// Drawn with integers alone, a plot is byte for byte the same on every machine, which a system's fonts would not
/// allow.
package enum PixelFont {
  /// The columns of a letter.
  static let width = 5
  /// The rows of a letter, with the two below the line.
  package static let height = 9
  /// The rows of a capital.
  static let capHeight = 7
  /// The columns from one letter to the next.
  static let advance = 6

  /// Returns the rows of `letter` from the top, the leftmost column in bit 4; an open box for an unknown letter.
  package static func rows(_ letter: Character) -> [UInt8] { glyphs[letter] ?? box }

  /// Returns the columns that `text` covers with dots of size `scale`.
  package static func width(of text: String, scale: Int) -> Int { max(0, text.count * advance - 1) * scale }

  /// Returns `text`, or its beginning and end around an ellipsis if it is wider than `columns`.
  package static func fitting(_ text: String, columns: Int, scale: Int) -> String {
    let letters = max(1, (columns / scale + 1) / advance)
    guard text.count > letters else { return text }
    let kept = letters - 1
    // The end of a frame's name holds its number.
    return text.prefix(kept / 2) + "…" + text.suffix(kept - kept / 2)
  }

  private static let box: [UInt8] = [31, 17, 17, 17, 17, 17, 31, 0, 0]

  private static let glyphs: [Character: [UInt8]] = {
    let lines = sheets.split(separator: "\n")
    var glyphs: [Character: [UInt8]] = [:]
    for first in stride(from: 0, to: lines.count, by: height + 1) {
      let rows = lines[first + 1...first + height].map { $0.split(separator: " ") }
      for (column, letter) in lines[first].enumerated() {
        glyphs[letter] = rows.map { row in row[column].reduce(0) { bits, dot in bits << 1 | (dot == "#" ? 1 : 0) } }
      }
    }
    return glyphs
  }()

  /// The font: lines of letters, each followed by the rows of their dots.
  private static let sheets = ##"""
     !"#$%&'()*+,-./
    ..... ..#.. .#.#. .#.#. ..#.. ##... .##.. ..#.. ...#. .#... ..... ..... ..... ..... ..... .....
    ..... ..#.. .#.#. .#.#. .#### ##..# #..#. ..#.. ..#.. ..#.. ..#.. ..#.. ..... ..... ..... ....#
    ..... ..#.. .#.#. ##### #.#.. ...#. #.#.. ..#.. .#... ...#. #.#.# ..#.. ..... ..... ..... ...#.
    ..... ..#.. ..... .#.#. .###. ..#.. .#... ..... .#... ...#. .###. ##### ..... ##### ..... ..#..
    ..... ..#.. ..... ##### ..#.# .#... #.#.# ..... .#... ...#. #.#.# ..#.. ..... ..... ..... .#...
    ..... ..... ..... .#.#. ####. #..## #..#. ..... ..#.. ..#.. ..#.. ..#.. .##.. ..... .##.. #....
    ..... ..#.. ..... .#.#. ..#.. ...## .##.# ..... ...#. .#... ..... ..... .##.. ..... .##.. .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..#.. ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .#... ..... ..... .....
    0123456789:;<=>?
    .###. ..#.. .###. ##### ...#. ##### ..##. ##### .###. .###. ..... ..... ...#. ..... .#... .###.
    #...# .##.. #...# ...#. ..##. #.... .#... ....# #...# #...# .##.. .##.. ..#.. ..... ..#.. #...#
    #..## ..#.. ....# ..#.. .#.#. ####. #.... ...#. #...# #...# .##.. .##.. .#... ##### ...#. ....#
    #.#.# ..#.. ...#. ...#. #..#. ....# ####. ..#.. .###. .#### ..... ..... #.... ..... ....# ...#.
    ##..# ..#.. ..#.. ....# ##### ....# #...# .#... #...# ....# .##.. .##.. .#... ##### ...#. ..#..
    #...# ..#.. .#... #...# ...#. #...# #...# .#... #...# ...#. .##.. .##.. ..#.. ..... ..#.. .....
    .###. .###. ##### .###. ...#. .###. .###. .#... .###. .##.. ..... ..#.. ...#. ..... .#... ..#..
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .#... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    @ABCDEFGHIJKLMNO
    .###. .###. ####. .###. ###.. ##### ##### .###. #...# .###. ..### #...# #.... #...# #...# .###.
    #...# #...# #...# #...# #..#. #.... #.... #...# #...# ..#.. ...#. #..#. #.... ##.## #...# #...#
    #.### #...# #...# #.... #...# #.... #.... #.... #...# ..#.. ...#. #.#.. #.... #.#.# ##..# #...#
    #.#.# ##### ####. #.... #...# ####. ####. #.### ##### ..#.. ...#. ##... #.... #.#.# #.#.# #...#
    #.### #...# #...# #.... #...# #.... #.... #...# #...# ..#.. ...#. #.#.. #.... #...# #..## #...#
    #.... #...# #...# #...# #..#. #.... #.... #...# #...# ..#.. #..#. #..#. #.... #...# #...# #...#
    .#### #...# ####. .###. ###.. ##### #.... .#### #...# .###. .##.. #...# ##### #...# #...# .###.
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    PQRSTUVWXYZ[\]^_
    ####. .###. ####. .#### ##### #...# #...# #...# #...# #...# ##### .###. ..... .###. ..#.. .....
    #...# #...# #...# #.... ..#.. #...# #...# #...# #...# #...# ....# .#... #.... ...#. .#.#. .....
    #...# #...# #...# #.... ..#.. #...# #...# #...# .#.#. #...# ...#. .#... .#... ...#. #...# .....
    ####. #...# ####. .###. ..#.. #...# #...# #.#.# ..#.. .#.#. ..#.. .#... ..#.. ...#. ..... .....
    #.... #.#.# #.#.. ....# ..#.. #...# #...# #.#.# .#.#. ..#.. .#... .#... ...#. ...#. ..... .....
    #.... #..#. #..#. ....# ..#.. #...# .#.#. #.#.# #...# ..#.. #.... .#... ....# ...#. ..... .....
    #.... .##.# #...# ####. ..#.. .###. ..#.. .#.#. #...# ..#.. ##### .###. ..... .###. ..... #####
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... ..... .....
    `abcdefghijklmno
    .#... ..... #.... ..... ....# ..... ..##. ..... #.... ..#.. ...#. #.... .##.. ..... ..... .....
    ..#.. ..... #.... ..... ....# ..... .#..# ..... #.... ..... ..... #.... ..#.. ..... ..... .....
    ...#. .###. #.##. .###. .##.# .###. .#... .#### #.##. .##.. ..##. #..#. ..#.. ##.#. #.##. .###.
    ..... ....# ##..# #.... #..## #...# ###.. #...# ##..# ..#.. ...#. #.#.. ..#.. #.#.# ##..# #...#
    ..... .#### #...# #.... #...# ##### .#... #...# #...# ..#.. ...#. ##... ..#.. #.#.# #...# #...#
    ..... #...# #...# #...# #...# #.... .#... #..## #...# ..#.. ...#. #.#.. ..#.. #...# #...# #...#
    ..... .#### ####. .###. .#### .###. .#... .##.# #...# .###. ...#. #..#. .###. #...# #...# .###.
    ..... ..... ..... ..... ..... ..... ..... ....# ..... ..... #..#. ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... ..... ..... .###. ..... ..... .##.. ..... ..... ..... ..... .....
    pqrstuvwxyz{|}~…
    ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ...#. ..#.. .#... ..... .....
    ..... ..... ..... ..... .#... ..... ..... ..... ..... ..... ..... ..#.. ..#.. ..#.. ..... .....
    #.##. .##.# #.##. .###. ###.. #...# #...# #...# #...# #...# ##### ..#.. ..#.. ..#.. ..... .....
    ##..# #..## ##..# #.... .#... #...# #...# #...# .#.#. #...# ...#. .#... ..#.. ...#. .##.# .....
    #...# #...# #.... .###. .#... #...# #...# #.#.# ..#.. #...# ..#.. ..#.. ..#.. ..#.. #.##. .....
    #...# #...# #.... ....# .#..# #..## .#.#. #.#.# .#.#. #..## .#... ..#.. ..#.. ..#.. ..... .....
    ####. .#### #.... ####. ..##. .##.# ..#.. .#.#. #...# .##.# ##### ...#. ..#.. .#... ..... #.#.#
    #.... ....# ..... ..... ..... ..... ..... ..... ..... ....# ..... ..... ..... ..... ..... .....
    #.... ....# ..... ..... ..... ..... ..... ..... ..... .###. ..... ..... ..... ..... ..... .....
    ·×–—→√
    ..... ..... ..... ..... ..... ..###
    ..... ..... ..... ..... ..#.. ..#..
    ..... #...# ..... ..... ...#. ..#..
    .##.. .#.#. ##### ##### ##### ..#..
    .##.. ..#.. ..... ..... ...#. #.#..
    ..... .#.#. ..... ..... ..#.. .##..
    ..... #...# ..... ..... ..... ..#..
    ..... ..... ..... ..... ..... .....
    ..... ..... ..... ..... ..... .....
    """##
}
