import FoundationEssentials
import SafelightFrames
import SafelightImage

/// Rectangles, pictures and lines of text, to be shown as dots or as SVG; the two then cannot tell different stories.
struct Drawing {
  /// Where a text stands relative to its point.
  enum Anchor: String {
    case start
    case middle
    case end
  }

  /// A line of text.
  struct Text {
    var text: String
    /// The column of the anchor.
    var x: Int
    /// The row of the tops of the capitals.
    var y: Int
    /// Picture elements a dot of ``PixelFont``.
    var scale: Int
    var anchor: Anchor
    var color: DrawingColor
  }

  /// A picture of dots, for what would be too many rectangles.
  struct Picture {
    var image: Image
    var x: Int
    var y: Int
    /// The picture as a file.
    var png: [UInt8]
  }

  /// One step of the drawing.
  enum Element {
    /// Rectangles of one colour.
    case fill([Region], DrawingColor)
    /// An opaque picture of eight bits, its top-left corner at a point.
    case picture(Picture)
    /// A line of text.
    case text(Text)
  }

  let size: Size
  let background: DrawingColor
  /// From the bottom to the top.
  var elements: [Element] = []

  mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: DrawingColor) {
    elements.append(.fill([Region(x: x, y: y, width: width, height: height)], color))
  }

  mutating func fill(_ regions: [Region], _ color: DrawingColor) {
    elements.append(.fill(regions, color))
  }

  /// Places an opaque picture of eight bits and four samples a pixel with its top-left corner at (`x`, `y`).
  mutating func place(_ image: Image, x: Int, y: Int) throws {
    let png = try PNGEncoder.encode(PNGFile(image: image), compression: .small)
    elements.append(.picture(Picture(image: image, x: x, y: y, png: png)))
  }

  mutating func write(
    _ text: String, x: Int, y: Int, scale: Int = 2, anchor: Anchor = .start, _ color: DrawingColor
  ) {
    elements.append(.text(Text(text: text, x: x, y: y, scale: scale, anchor: anchor, color: color)))
  }
}

extension Drawing {
  /// The drawing in dots.
  func image() -> Image {
    var canvas = Canvas(size, background: background)
    for element in elements {
      switch element {
      case .fill(let regions, let color):
        for region in regions { canvas.fill(region, color) }
      case .picture(let picture): canvas.place(picture.image, x: picture.x, y: picture.y)
      case .text(let text):
        let width = PixelFont.width(of: text.text, scale: text.scale)
        let left =
          switch text.anchor {
          case .start: text.x
          case .middle: text.x - width / 2
          case .end: text.x - width
          }
        canvas.write(text.text, x: left, y: text.y, scale: text.scale, text.color)
      }
    }
    return canvas.image
  }

  /// The drawing as a document of its own; `title` is what a screen reader says.
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
      case .picture(let picture):
        lines.append(
          """
          <image x="\(picture.x)" y="\(picture.y)" width="\(picture.image.size.width)" \
          height="\(picture.image.size.height)" image-rendering="pixelated" \
          href="data:image/png;base64,\(Data(picture.png).base64EncodedString())"/>
          """)
      case .text(let text):
        // Capitals of the named fonts are near 0.72 of the font's size.
        let capital = PixelFont.capHeight * text.scale
        lines.append(
          """
          <text x="\(text.x)" y="\(text.y + capital)" font-size="\(capital * 25 / 18)" \
          text-anchor="\(text.anchor.rawValue)" fill="\(text.color.hex)">\(XMLText.content(text.text))</text>
          """)
      }
    }
    return lines.joined(separator: "\n") + "\n</svg>\n"
  }
}
