public import SafelightImage

/// A heat map of the histograms of a sequence over time: values from the bottom up, frames from left to right, brighter
/// for more samples. Each channel has a strip; the strips of each panel, such as before and after, lie below one
/// another.
///
/// Flicker shows as jagged strips, a cut as a step, clipping as a bright edge. In long sequences several neighboring
/// frames share a column, so memory does not grow with the sequence. Frames may arrive in any order. Both renderings
/// come from one drawing made of integers and are byte for byte the same on every machine.
public struct HistogramTimeline: Sendable {
  /// The largest number of columns; frames of shorter sequences are wider.
  static let maximumColumns = 1024
  /// The rows of a strip, each for a 128th of the values.
  static let rows = 128

  /// The titles above the panels, from the top down.
  public let titles: [String]
  /// The number of frames of the sequence; if that is unknown, of the frames added so far.
  public private(set) var total: Int
  /// The number of frames in a column if the sequence's length is unknown; nil if they are spread over all columns.
  private var span: Int?
  /// The value of the last bin on the axis.
  public private(set) var maximum = 255
  package private(set) var panels: [[Strip]]

  /// The counts of one channel in one panel.
  package struct Strip: Sendable {
    let channel: HistogramSeries.Channel
    /// The counts of each column's rows, the darkest first, one column after another.
    package fileprivate(set) var counts: [UInt64]

    /// Returns the fraction of its column's samples that each cell holds, in units of 1 / ``HistogramScale/whole``.
    package func shares(columns: Int) -> [UInt64] {
      stride(from: 0, to: columns * rows, by: rows).flatMap { HistogramScale.shares(of: counts[$0..<$0 + rows]) }
    }

    /// Joins columns in pairs.
    fileprivate mutating func joinColumns() {
      let before = counts
      for cell in counts.indices {
        let (column, row) = cell.quotientAndRemainder(dividingBy: rows)
        let first = 2 * column * rows + row
        counts[cell] = first < before.count ? before[first] + before[first + rows] : 0
      }
    }
  }

  /// Makes panels for a sequence of `total` frames. If that is nil, their number is unknown: columns have 1, 2, 4 …
  /// frames each as more arrive, and the last column may have fewer.
  public init(total: Int?, titles: [String]) {
    trap(unless: total.map { $0 > 0 } ?? true && !titles.isEmpty, "a timeline needs at least one frame and one panel")
    self.total = total ?? 0
    span = total == nil ? 1 : nil
    self.titles = titles
    panels = titles.map { _ in [] }
  }

  /// The number of columns of the map.
  package var columns: Int { span.map { (total + $0 - 1) / $0 } ?? min(total, Self.maximumColumns) }

  /// Returns the column of the frame at `place`.
  func column(of place: Int) -> Int { span.map { place / $0 } ?? place * columns / total }

  /// Adds the histograms of the frame at `place`, from 0, to a panel; the last bin stands for `maximum`.
  public mutating func add(_ series: [HistogramSeries], maximum: Int, at place: Int, panel: Int) {
    if span != nil { makeRoom(for: place) }
    trap(unless: (0..<total).contains(place), "frame \(place) lies outside a timeline of \(total) frames")
    self.maximum = maximum
    let first = column(of: place) * Self.rows
    for one in series {
      let number = strip(one.channel, panel: panel)
      for (column, count) in one.columns().enumerated() {
        panels[panel][number].counts[first + column / 2] += count
      }
    }
  }

  /// Joins columns until the frame at `place` has one.
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

  /// Returns the map as a picture: 8 bits, red, green, blue.
  public func image() throws -> Image { try drawing().image() }

  /// Returns the map as an SVG document of the same size, which needs no style sheet, script or font of its own.
  public func svg() throws -> String {
    try drawing().svg(title: "Histograms over time: " + titles.joined(separator: ", "))
  }
}

extension HistogramTimeline {
  /// Lengths in picture elements.
  private enum Style {
    static let margin = 48
    /// Values and names of channels stand to the left of the strips.
    static let left = 148
    static let plotWidth = maximumColumns
    static let headHeight = 68
    static let stripGap = 10
    static let axisHeight = 48
    static let footHeight = 76
    static let legendWidth = 384
  }

  func drawing() throws -> Drawing {
    let shares = panels.map { $0.map { (channel: $0.channel, shares: $0.shares(columns: columns)) } }
    let shades = HeatShades(shares.joined().lazy.map(\.shares).joined())
    let heights = panels.map { Style.headHeight + $0.count * (Self.rows + Style.stripGap) + Style.axisHeight }
    var drawing = Drawing(
      size: Size(Style.left + Style.plotWidth + Style.margin, heights.reduce(Style.footHeight, +)), background: .ground)
    var top = 0
    for (number, strips) in shares.enumerated() {
      let title = PixelFont.fitting(titles[number], columns: Style.plotWidth, scale: 3)
      drawing.write(title, x: Style.left, y: top + 26, scale: 3, .bright)
      var y = top + Style.headHeight
      for strip in strips {
        try drawing.place(map(strip.shares, strip.channel, shades), x: Style.left, y: y)
        drawSide(of: strip.channel, top: y, in: &drawing)
        y += Self.rows + Style.stripGap
      }
      drawAxis(top: y, in: &drawing)
      top += heights[number]
    }
    drawLegend(shades, channel: shares.joined().last?.channel ?? .gray, top: top, in: &drawing)
    return drawing
  }

  /// Returns the picture of a strip, the brightest values on top.
  private func map(_ shares: [UInt64], _ channel: HistogramSeries.Channel, _ shades: HeatShades) -> Image {
    let colors = (0..<HeatShades.count).map { HeatShades.color($0, of: channel) }
    let steps = shares.map(shades.shade)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Style.plotWidth * Self.rows * 4)
    for row in (0..<Self.rows).reversed() {
      for x in 0..<Style.plotWidth {
        let color = colors[steps[x * columns / Style.plotWidth * Self.rows + row]]
        bytes += [color.red, color.green, color.blue, 255]
      }
    }
    return Image(size: Size(Style.plotWidth, Self.rows), channels: .rgb, depth: .bits8, bytes: bytes)
  }

  /// Draws the name of the channel, and the values at the ends of the strip.
  private func drawSide(of channel: HistogramSeries.Channel, top: Int, in drawing: inout Drawing) {
    let x = Style.left - 10
    let middle = top + (Self.rows - PixelFont.capHeight * 2) / 2
    drawing.write(String(maximum), x: x, y: top, anchor: .end, .dim)
    drawing.write(channel.rawValue, x: x, y: middle, anchor: .end, .bright)
    drawing.write("0", x: x, y: top + Self.rows - PixelFont.capHeight * 2, anchor: .end, .dim)
  }

  /// Draws numbers of frames, from 1, at the middle of their columns.
  private func drawAxis(top: Int, in drawing: inout Drawing) {
    drawing.fill(x: Style.left, y: top - 2, width: Style.plotWidth, height: 2, .dim)
    for place in ContactSheet.spread(5, over: total) {
      let x = Style.left + (2 * column(of: place) + 1) * Style.plotWidth / (2 * columns)
      drawing.fill(x: x - 1, y: top - 2, width: 2, height: 8, .dim)
      let text = DecimalText.grouped(place + 1)
      drawing.write(place == 0 ? "frame \(text)" : text, x: x, y: top + 12, anchor: place == 0 ? .start : .middle, .dim)
    }
  }

  /// Draws the legend of the shades.
  private func drawLegend(
    _ shades: HeatShades, channel: HistogramSeries.Channel, top: Int, in drawing: inout Drawing
  ) {
    let steps = HeatShades.count - 1
    for step in 1...steps {
      let x = Style.left + (step - 1) * Style.legendWidth / steps
      drawing.fill(
        x: x, y: top, width: Style.left + step * Style.legendWidth / steps - x, height: 14,
        HeatShades.color(step, of: channel))
    }
    let labels = ["0.0001", "0.001", "0.01", "0.1", "1", "10", "100"]
    for decade in 0...HeatShades.decades {
      let x = Style.left + decade * Style.legendWidth / HeatShades.decades
      let label = labels[labels.count - 1 - shades.tenths - HeatShades.decades + decade]
      drawing.write(
        decade == HeatShades.decades ? label + " % or more" : label, x: x, y: top + 22,
        anchor: decade == 0 || decade == HeatShades.decades ? .start : .middle, .dim)
    }
    let note = total > columns ? "; a column is \(total / columns) to \((total + columns - 1) / columns) frames" : ""
    drawing.write(
      "of a frame's samples in a row of \(max(1, (maximum + 1) / Self.rows)) values" + note,
      x: Style.left + Style.legendWidth + 48, y: top, .dim)
  }
}

/// The shades of a heat map, by the logarithm of a fraction, so that one in ten thousand is visible beside one in ten.
package struct HeatShades {
  /// The number of shades. Shade 0 means no samples; from 1 on, brighter means more.
  package static let count = 64
  /// The decades from the faintest shade to the fullest.
  static let decades = 3

  /// The fullest shade stands for one part in 10 to the power of this number.
  package let tenths: Int
  private let bottom: Int
  private let span: Int

  /// Makes shades for `shares`, in units of 1 / ``HistogramScale/whole``. At most a hundredth of those above 0 exceed
  /// the fullest shade, so that a few frames of one color leave the others their contrast.
  package init(_ shares: some Sequence<UInt64>) {
    var occupied = 0
    var beyond = [Int](repeating: 0, count: 3)
    for share in shares where share > 0 {
      occupied += 1
      for tenths in beyond.indices where share > HistogramScale.whole / Self.powers[tenths + 1] { beyond[tenths] += 1 }
    }
    tenths = beyond.firstIndex { $0 * 100 > occupied } ?? beyond.count
    let full = HistogramScale.whole / Self.powers[tenths]
    bottom = Self.logarithm(full / Self.powers[Self.decades])
    span = Self.logarithm(full) - bottom
  }

  /// Returns the shade of a fraction: 0 for none, else at least 1.
  package func shade(_ share: UInt64) -> Int {
    guard share > 0 else { return 0 }
    let height = (Self.logarithm(share) - bottom) * (Self.count - 2) / span
    return min(Self.count - 1, max(0, height) + 1)
  }

  /// Returns the color of a shade: from the ground through the color of the channel to nearly white.
  package static func color(_ shade: Int, of channel: HistogramSeries.Channel) -> DrawingColor {
    guard shade > 0 else { return .plot }
    let color = DrawingColor(channel)
    // The faintest shade is distinct from the ground; the channel's own color is two thirds of the way up.
    let knee = (count - 1) * 2 / 3
    return shade <= knee
      ? mixed(.grid, color, part: shade - 1, of: knee - 1)
      : mixed(color, DrawingColor(255, 250, 235), part: shade - knee, of: count - 1 - knee)
  }

  private static func mixed(_ a: DrawingColor, _ b: DrawingColor, part: Int, of whole: Int) -> DrawingColor {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8((Int(a) * (whole - part) + Int(b) * part + whole / 2) / whole) }
    return DrawingColor(mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue))
  }

  private static let powers: [UInt64] = [1, 10, 100, 1000]

  /// Returns the logarithm to base 2 of a number above 0, in units of 1/65536, rounded down; digit by digit, so that it
  /// is the same on every machine.
  package static func logarithm(_ value: UInt64) -> Int {
    let exponent = 63 - value.leadingZeroBitCount
    // 1 to 2, in units of 2⁻³¹.
    var rest = exponent <= 31 ? value << UInt64(31 - exponent) : value >> UInt64(exponent - 31)
    var digits = exponent
    for _ in 0..<16 {
      rest = (rest * rest) >> 31
      digits <<= 1
      if rest >> 32 > 0 {
        rest >>= 1
        digits |= 1
      }
    }
    return digits
  }
}
