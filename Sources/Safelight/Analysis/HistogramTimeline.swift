public import SafelightImage

/// The histograms of a sequence over time as a heat map: values from the bottom up, frames from left to right, brighter where more
/// samples are; a strip for each channel, and the strips of each panel, such as before and after, below one another.
///
/// Flicker shows as jagged strips, a cut as a step, clipping as a bright edge. Of long sequences several neighbouring frames share a column, so
/// memory does not grow with the sequence. Frames may arrive in any order. Both renderings come from one drawing made of integers and are the
/// same, byte for byte, on every machine.
public struct HistogramTimeline: Sendable {
  /// The most columns; frames of shorter sequences are wider.
  static let maximumColumns = 1024
  /// Rows of a strip; each holds a 128th of the values.
  static let rows = 128

  /// Stands above each panel, from the top down.
  public let titles: [String]
  /// Frames of the whole sequence; those that have come, where nobody knew how many there would be.
  public private(set) var total: Int
  /// Frames in a column, where nobody knew; nil where they are spread over all columns.
  private var span: Int?
  /// The value that the last bin stands for, as the axis shows it.
  public private(set) var maximum = 255
  package private(set) var panels: [[Strip]]

  /// The counts of one channel in one panel.
  package struct Strip: Sendable {
    let channel: HistogramSeries.Channel
    /// Counts of each column's rows from the darkest, one column after another.
    package fileprivate(set) var counts: [UInt64]

    /// The part of its column's samples that each cell holds, in parts of ``HistogramScale/whole``.
    package func shares(columns: Int) -> [UInt64] {
      stride(from: 0, to: columns * rows, by: rows).flatMap { first in
        let column = counts[first..<first + rows]
        let total = UInt128(max(1, column.reduce(0, +)))
        return column.map { UInt64(UInt128($0) * UInt128(HistogramScale.whole) / total) }
      }
    }

    /// Each column takes the counts of two.
    fileprivate mutating func joinColumns() {
      let before = counts
      for cell in counts.indices {
        let (column, row) = cell.quotientAndRemainder(dividingBy: rows)
        let first = 2 * column * rows + row
        counts[cell] = first < before.count ? before[first] + before[first + rows] : 0
      }
    }
  }

  /// Prepares panels for a sequence of `total` frames; nil where nobody knows how many. Then columns have 1, 2, 4 … frames each, as there
  /// are more of them, and the last column may have fewer.
  public init(total: Int?, titles: [String]) {
    trap(unless: total.map { $0 > 0 } ?? true && !titles.isEmpty, "a timeline needs at least one frame and one panel")
    self.total = total ?? 0
    span = total == nil ? 1 : nil
    self.titles = titles
    panels = titles.map { _ in [] }
  }

  /// Columns of the map.
  package var columns: Int { span.map { (total + $0 - 1) / $0 } ?? min(total, Self.maximumColumns) }

  /// The column of the frame at `place`.
  func column(of place: Int) -> Int { span.map { place / $0 } ?? place * columns / total }

  /// Adds the histograms of the frame at `place`, from 0, to a panel; the last bin stands for `maximum`.
  public mutating func add(_ series: [HistogramSeries], maximum: Int, at place: Int, panel: Int) {
    if span != nil { makeRoom(for: place) }
    trap(unless: (0..<total).contains(place), "frame \(place) lies outside a timeline of \(total)")
    self.maximum = maximum
    let first = column(of: place) * Self.rows
    for one in series {
      let number = strip(one.channel, panel: panel)
      for (column, count) in one.columns().enumerated() {
        panels[panel][number].counts[first + column / 2] += count
      }
    }
  }

  /// Two columns become one, until there is one for the frame at `place`.
  private mutating func makeRoom(for place: Int) {
    total = max(total, place + 1)
    while let span, columns > Self.maximumColumns {
      self.span = span * 2
      for panel in panels.indices {
        for number in panels[panel].indices { panels[panel][number].joinColumns() }
      }
    }
  }

  private mutating func strip(_ channel: HistogramSeries.Channel, panel: Int) -> Int {
    if let number = panels[panel].firstIndex(where: { $0.channel == channel }) { return number }
    let columns = span == nil ? columns : Self.maximumColumns
    panels[panel].append(Strip(channel: channel, counts: [UInt64](repeating: 0, count: columns * Self.rows)))
    return panels[panel].count - 1
  }

  /// The map in dots: 8 bits, red, green, blue.
  public func image() throws -> Image { try drawing().image() }

  /// The map as an SVG document of the same measures, which needs no style sheet, script or font of its own.
  public func svg() throws -> String {
    try drawing().svg(title: "Histograms over time: " + titles.joined(separator: ", "))
  }
}
