public import SafelightImage

/// A sequence at a glance: thumbnails of chosen frames, before in the upper row and after in the lower.
///
/// Only thumbnails of the chosen frames are kept, so memory does not grow with the sequence. Frames may arrive in any
/// order.
public struct ContactSheet: Sendable {
  /// The box into which a thumbnail fits.
  public let thumbnail: Size
  /// The places in the sequence, from 0, of the frames shown.
  public let chosen: [Int]
  private var columns: [Int: Column] = [:]

  /// Makes a sheet of at most `columns` frames, spread evenly over a sequence of `total` with its first and last.
  public init(total: Int, columns: Int = 6, thumbnail: Size = Size(240, 240)) {
    trap(unless: columns > 0, "a contact sheet needs at least one column")
    trap(
      unless: thumbnail.width >= 16 && thumbnail.height >= 1, "thumbnails need at least 16×1; \(thumbnail) was given")
    self.thumbnail = thumbnail
    chosen = Self.spread(columns, over: total)
  }

  /// Returns `count` places of 0..<`total`, evenly spread with both ends; the middle for one.
  static func spread(_ count: Int, over total: Int) -> [Int] {
    guard total > count else { return Array(0..<max(0, total)) }
    guard count > 1 else { return [total / 2] }
    return (0..<count).map { ($0 * (total - 1) + (count - 1) / 2) / (count - 1) }
  }

  /// Returns true if the frame at `place` is among the chosen ones; the others need not be kept for
  /// ``add(_:name:before:after:)``.
  public func wants(_ place: Int) -> Bool { chosen.contains(place) }

  /// Adds the frame at `place`, called `name`, before and after the filters, if the sheet ``wants(_:)`` it.
  ///
  /// The two pictures may differ in size, channels and depth.
  public mutating func add(_ place: Int, name: String, before: Image, after: Image) {
    guard wants(place) else { return }
    columns[place] = Column(caption: name, pictures: [before, after].map { Thumbnail.make(of: $0, within: thumbnail) })
  }

  /// Returns the sheet of the frames added so far, in the order of the sequence; nil if there are none.
  public func image() -> Image? {
    let shown = columns.sorted { $0.key < $1.key }.map(\.value)
    return shown.isEmpty ? nil : Self.draw(columns: shown, labels: ["before", "after"])
  }

  /// Returns a picture before and after, side by side, each fitted into `thumbnail`, with `name` above.
  public static func pair(
    name: String, before: Image, after: Image, thumbnail: Size = Size(560, 560)
  ) -> Image {
    let pictures = [("before", before), ("after", after)]
    return draw(
      columns: pictures.map { Column(caption: $0, pictures: [Thumbnail.make(of: $1, within: thumbnail)]) }, title: name)
  }
}

extension ContactSheet {
  /// Pictures above one another, and their caption.
  struct Column: Sendable {
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
        canvas.write(labels[row], x: Style.margin, y: y + (heights[row] - PixelFont.capHeight * 2) / 2, scale: 2, .dim)
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
      canvas.write(text, x: start + (cellWidth - PixelFont.width(of: text, scale: 2)) / 2, y: y + 4, scale: 2, .bright)
    }
    return canvas.image
  }
}

/// Small opaque copies of pictures: eight bits, exact box averages.
package enum Thumbnail {
  /// Returns the size of a copy that fits into `box` with the proportions of `size`; small pictures grow by whole
  /// factors.
  package static func size(of size: Size, within box: Size) -> Size {
    if size.width <= box.width && size.height <= box.height {
      let factor = min(box.width / size.width, box.height / size.height)
      return Size(size.width * factor, size.height * factor)
    }
    // The side that touches the box decides; cross-multiplication rounds nothing.
    if size.width * box.height >= size.height * box.width {
      return Size(box.width, max(1, (size.height * box.width + size.width / 2) / size.width))
    }
    return Size(max(1, (size.width * box.height + size.height / 2) / size.height), box.height)
  }

  /// Returns a copy of `image` that fits into `box`. Transparent parts show a checker of grays.
  package static func make(of image: Image, within box: Size) -> Image {
    let target = size(of: image.size, within: box)
    return if target.width >= image.size.width && target.height >= image.size.height {
      render(target, sums: Sums(image).enlarged(to: target), weight: 1)
    } else {
      render(target, sums: Sums(image).reduced(to: target), weight: UInt64(image.size.area))
    }
  }

  /// Divides sums of premultiplied color and alpha by their common `weight`, rounded once, over the checker.
  private static func render(_ size: Size, sums: [SIMD4<UInt64>], weight: UInt64) -> Image {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * 4)
    let whole = 255 * weight
    for y in 0..<size.height {
      for x in 0..<size.width {
        let sum = sums[y * size.width + x]
        let clear = (whole - sum.w) * ((x / 8 + y / 8).isMultiple(of: 2) ? 102 : 144)
        for sample in 0..<3 { bytes.append(UInt8((sum[sample] + clear + whole / 2) / whole)) }
        bytes.append(255)
      }
    }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }
}

/// Four values a pixel: red, green and blue times alpha, and alpha; each color at most 255 × 255, alpha at most 255.
///
/// Averages must weight colors by their alpha, or the hidden color of transparent pixels would bleed out.
private struct Sums {
  let size: Size
  private let format: PixelFormat
  private let hasAlpha: Bool
  private let bytes: [UInt8]

  init(_ image: Image) {
    size = image.size
    format = image.pixelFormat
    hasAlpha = image.channels.hasAlpha
    bytes = image.bytes
  }

  /// Returns a sample in eight bits.
  private func sample(_ index: Int) -> UInt64 {
    guard format.bytesPerSample == 2 else { return UInt64(bytes[index]) }
    let value = UInt64(bytes[index * 2]) | UInt64(bytes[index * 2 + 1]) << 8
    return (value * 255 + 32767) / 65535
  }

  private func pixel(x: Int, y: Int) -> SIMD4<UInt64> {
    let first = (y * size.width + x) * format.samplesPerPixel
    guard format.samplesPerPixel == 4 else { return SIMD4(SIMD3(repeating: sample(first) * 255), 255) }
    let alpha = hasAlpha ? sample(first + 3) : 255
    return SIMD4(sample(first) * alpha, sample(first + 1) * alpha, sample(first + 2) * alpha, alpha)
  }

  /// Returns every pixel, repeated.
  func enlarged(to target: Size) -> [SIMD4<UInt64>] {
    var sums: [SIMD4<UInt64>] = []
    sums.reserveCapacity(target.area)
    for y in 0..<target.height {
      for x in 0..<target.width {
        sums.append(pixel(x: x * size.width / target.width, y: y * size.height / target.height))
      }
    }
    return sums
  }

  /// Returns for every target pixel the sum of what it covers, in units of which a source pixel has `target.area` and a
  /// target pixel `size.area`.
  func reduced(to target: Size) -> [SIMD4<UInt64>] {
    var sums = [SIMD4<UInt64>](repeating: .zero, count: target.area)
    for y in 0..<size.height {
      var row = [SIMD4<UInt64>](repeating: .zero, count: target.width)
      for x in 0..<size.width {
        let pixel = pixel(x: x, y: y)
        Self.forEachOverlap(of: x, sources: size.width, targets: target.width) { column, weight in
          row[column] &+= pixel &* weight
        }
      }
      Self.forEachOverlap(of: y, sources: size.height, targets: target.height) { line, weight in
        for column in row.indices { sums[line * target.width + column] &+= row[column] &* weight }
      }
    }
    return sums
  }

  /// Calls `body` with each target that source `index` overlaps, and the overlap in units of 1 / `targets` of the
  /// source.
  private static func forEachOverlap(of index: Int, sources: Int, targets: Int, _ body: (Int, UInt64) -> Void) {
    let start = index * targets
    let end = start + targets
    var target = start / sources
    while target * sources < end {
      let overlap = min(end, (target + 1) * sources) - max(start, target * sources)
      body(target, UInt64(overlap))
      target += 1
    }
  }
}
