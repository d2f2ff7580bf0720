import SafelightImage

/// A picture of where two pictures differ, in the cells of a terminal.
///
/// A cell shows the greatest difference of its pixels, never their mean, so that one hot pixel of a large picture is
/// visible.
public struct TerminalPicture: Hashable, Sendable, CustomStringConvertible {
  /// The abilities of the terminal.
  public enum Style: Sendable {
    /// Two cells in a character, in 24-bit colors from blue over red and yellow to white.
    case halfBlocks
    /// One letter for each cell, ` .:-=+*#%@` from no difference to the greatest.
    case letters
  }

  /// The lines of text, without a trailing line feed.
  public let description: String

  /// Draws `difference` in at most `columns` characters a line and at most `rows` lines, each at least 1.
  public init(_ difference: ImageDifference, columns: Int, rows: Int, style: Style) {
    trap(unless: columns > 0 && rows > 0, "a picture needs room; pass at least one column and one row")
    let size = Self.cells(of: difference.size, columns: columns, rows: rows, style: style)
    let cells = Self.greatest(difference, in: size)
    description =
      switch style {
      case .halfBlocks: Self.halfBlocks(cells, size)
      case .letters: Self.letters(cells, size)
      }
  }

  /// Returns the largest grid that fits, with cells no smaller than a pixel. A character is about twice as high as
  /// wide.
  private static func cells(of size: Size, columns: Int, rows: Int, style: Style) -> Size {
    let (lines, stretch) = style == .halfBlocks ? (2 * rows, 1.0) : (rows, 0.5)
    let scale = min(1, Double(columns) / Double(size.width), Double(lines) / (Double(size.height) * stretch))
    return Size(max(1, Int(Double(size.width) * scale)), max(1, Int(Double(size.height) * stretch * scale)))
  }

  /// Returns the greatest difference in each cell, scaled so that the greatest of all is 255; above 0 if any pixel
  /// differs.
  private static func greatest(_ difference: ImageDifference, in size: Size) -> [Int] {
    var cells = [Int](repeating: 0, count: size.area)
    let (values, width, height) = (difference.map.values, difference.size.width, difference.size.height)
    for index in values.indices where values[index] > 0 {
      let cell = index / width * size.height / height * size.width + index % width * size.width / width
      cells[cell] = max(cells[cell], Int(values[index]))
    }
    return cells.map { ($0 * 255 + difference.maximum - 1) / max(1, difference.maximum) }
  }

  private static func letters(_ cells: [Int], _ size: Size) -> String {
    let ramp = Array(" .:-=+*#%@")
    return (0..<size.height).map { y in
      String((0..<size.width).map { ramp[(cells[y * size.width + $0] * 9 + 254) / 255] })
    }.joined(separator: "\n")
  }

  private static func halfBlocks(_ cells: [Int], _ size: Size) -> String {
    stride(from: 0, to: size.height, by: 2).map { y in
      (0..<size.width).map { x in
        let upper = color(cells[y * size.width + x])
        let lower = color(y + 1 < size.height ? cells[(y + 1) * size.width + x] : 0)
        return "\u{1B}[38;2;\(upper);48;2;\(lower)m▀"
      }.joined() + "\u{1B}[0m"
    }.joined(separator: "\n")
  }

  /// Returns a cell's red, green and blue as a terminal takes them.
  private static func color(_ value: Int) -> String {
    switch value {
    case 0: "16;16;16"
    case ..<86: "\(value);\(value / 2);\(170 + value)"
    case ..<171: "\(86 + 2 * (value - 86));\(value - 86);\(170 - 2 * (value - 86))"
    default: "255;\(85 + 2 * (value - 170));\(max(0, 3 * (value - 170)))"
    }
  }
}
