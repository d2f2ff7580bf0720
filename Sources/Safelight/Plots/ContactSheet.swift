public import SafelightImage

/// A sequence at a glance: chosen frames as thumbnails, before in the upper row and after in the lower.
///
/// Only thumbnails of the chosen frames are kept, so memory does not grow with the sequence. Frames may arrive in any
/// order.
public struct ContactSheet: Sendable {
  /// The box that a thumbnail fits into, in picture elements.
  public let thumbnail: Size
  /// The places in the sequence, from 0, that the sheet shows.
  public let chosen: [Int]
  private var pairs: [Int: Pair] = [:]

  private struct Pair: Sendable {
    var name: String
    var before: Image
    var after: Image
  }

  /// Prepares a sheet of at most `columns` frames, spread evenly over a sequence of `total` with its first and its
  /// last.
  public init(total: Int, columns: Int = 6, thumbnail: Size = Size(240, 240)) {
    trap(unless: columns > 0, "a contact sheet needs at least one column")
    trap(
      unless: thumbnail.width >= 16 && thumbnail.height >= 1, "thumbnails need at least 16×1; \(thumbnail) was given")
    self.thumbnail = thumbnail
    chosen = Self.spread(columns, over: total)
  }

  /// `count` places of 0..<`total`, evenly spread, ends included; the middle where one is asked for.
  static func spread(_ count: Int, over total: Int) -> [Int] {
    guard total > count else { return Array(0..<max(0, total)) }
    guard count > 1 else { return [total / 2] }
    return (0..<count).map { ($0 * (total - 1) + (count - 1) / 2) / (count - 1) }
  }

  /// True when the frame at `place` is one of the chosen; others need not be kept for ``add(_:name:before:after:)``.
  public func wants(_ place: Int) -> Bool { chosen.contains(place) }

  /// Adds the frame at `place`, called `name`, before and after the filters; does nothing unless the sheet
  /// ``wants(_:)`` it.
  ///
  /// The two pictures may differ in size, channels and depth.
  public mutating func add(_ place: Int, name: String, before: Image, after: Image) {
    guard wants(place) else { return }
    pairs[place] = Pair(
      name: name, before: Thumbnail.make(of: before, within: thumbnail),
      after: Thumbnail.make(of: after, within: thumbnail))
  }

  /// The sheet of the frames added so far, in the order of the sequence; nil when there is none.
  public func image() -> Image? {
    let shown = pairs.sorted { $0.key < $1.key }.map(\.value)
    guard !shown.isEmpty else { return nil }
    return Self.draw(
      columns: shown.map { Column(caption: $0.name, pictures: [$0.before, $0.after]) }, labels: ["before", "after"])
  }

  /// One picture before and after, side by side, each fitted into `thumbnail`, with `name` above.
  public static func pair(
    name: String, before: Image, after: Image, thumbnail: Size = Size(560, 560)
  ) -> Image {
    draw(
      columns: [
        Column(caption: "before", pictures: [Thumbnail.make(of: before, within: thumbnail)]),
        Column(caption: "after", pictures: [Thumbnail.make(of: after, within: thumbnail)]),
      ], title: name)
  }
}

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
