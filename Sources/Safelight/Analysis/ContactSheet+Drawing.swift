import SafelightImage

extension ContactSheet {
  /// Pictures above one another and what stands below them.
  struct Column {
    var caption: String
    var pictures: [Image]
  }

  private enum Style {
    static let margin = 28
    static let gap = 12
    static let captionHeight = 30
    static let titleHeight = 44
  }

  /// Draws `columns` of equally many pictures, captions below, `labels` to the left of the rows and `title` on top.
  static func draw(columns: [Column], labels: [String] = [], title: String? = nil) -> Image {
    let rows = columns.map(\.pictures.count).max() ?? 0
    let width = columns.flatMap(\.pictures).map(\.size.width).max() ?? 0
    // Captions need room for a few letters under the narrowest picture.
    let cellWidth = max(width, 96)
    let heights = (0..<rows).map { row in columns.map { $0.pictures[row].size.height }.max() ?? 0 }
    let labelWidth = labels.map { PixelFont.width(of: $0, scale: 2) + 2 * Style.gap }.max() ?? 0
    let left = Style.margin + labelWidth
    let top = Style.margin + (title == nil ? 0 : Style.titleHeight)

    let inner = Size(
      columns.count * (cellWidth + Style.gap) - Style.gap, heights.reduce(0) { $0 + $1 + Style.gap } - Style.gap)
    var canvas = Canvas(
      Size(left + inner.width + Style.margin, top + inner.height + Style.captionHeight + Style.margin),
      background: .ground)

    if let title {
      let text = PixelFont.fitting(title, columns: inner.width, scale: 2)
      canvas.write(text, x: left, y: Style.margin, scale: 2, .bright)
    }
    var y = top
    for row in 0..<rows {
      if row < labels.count {
        canvas.write(
          labels[row], x: Style.margin, y: y + (heights[row] - PixelFont.capHeight * 2) / 2, scale: 2, .dim)
      }
      for (index, column) in columns.enumerated() {
        let picture = column.pictures[row]
        canvas.place(
          picture, x: left + index * (cellWidth + Style.gap) + (cellWidth - picture.size.width) / 2,
          y: y + (heights[row] - picture.size.height) / 2)
      }
      y += heights[row] + Style.gap
    }
    for (index, column) in columns.enumerated() {
      let text = PixelFont.fitting(column.caption, columns: cellWidth, scale: 2)
      let start = left + index * (cellWidth + Style.gap)
      canvas.write(
        text, x: start + (cellWidth - PixelFont.width(of: text, scale: 2)) / 2, y: y + 4, scale: 2, .bright)
    }
    return canvas.image
  }
}
