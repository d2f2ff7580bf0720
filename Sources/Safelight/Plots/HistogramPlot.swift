public import SafelightImage

/// A picture of histograms: panels above one another with a common scale, so that before and after can be compared.
///
/// Red, green and blue add up like light: if all three overlap, the plot is nearly white. Gray is filled too; luma and
/// alpha are lines. Both renderings come from one drawing made of integers and are byte for byte the same on every
/// machine.
public struct HistogramPlot: Sendable {
  /// The histograms of one picture.
  public struct Panel: Hashable, Sendable {
    /// The text above the plot, such as `before`.
    public let title: String
    /// The channels, all with the same number of bins.
    public let series: [HistogramSeries]
    /// The value of the last bin on the axis.
    public let maximum: Int

    /// Makes a panel; without `maximum`, the axis counts bins: 0 to 255 for 256 of them.
    public init(title: String, series: [HistogramSeries], maximum: Int? = nil) {
      let bins = series.first?.counts.count ?? 256
      trap(
        unless: series.allSatisfy { $0.counts.count == bins },
        "the series of panel '\(title)' differ in their number of bins")
      self.title = title
      self.series = series
      self.maximum = maximum ?? bins - 1
      trap(unless: self.maximum > 0, "the last bin must stand for a value above 0; \(self.maximum) was given")
    }
  }

  /// The scale that turns counts into heights.
  public enum Scale: String, Sendable, CaseIterable {
    /// Twice the height is twice the count.
    case linear
    /// Twice the height is four times the count, so that one tall peak, as in dark pictures, leaves the rest legible.
    case squareRoot
  }

  /// The panels, from the top down.
  public let panels: [Panel]
  /// The scale that turns counts into heights.
  public let scale: Scale

  /// Makes a plot of at least one panel.
  public init(_ panels: [Panel], scale: Scale = .squareRoot) {
    trap(unless: !panels.isEmpty, "a plot needs at least one panel")
    self.panels = panels
    self.scale = scale
  }

  /// Returns the plot as a picture 1120 columns wide: 8 bits, red, green, blue.
  public func image() -> Image { drawing().image() }

  /// Returns the plot as an SVG document of the same size, which needs no style sheet, script or font of its own.
  public func svg() -> String {
    drawing().svg(title: "Histogram: " + panels.map(\.title).joined(separator: ", "))
  }
}

extension HistogramPlot {
  /// Lengths in picture elements.
  private enum Style {
    static let margin = 48
    static let columnWidth = 4
    static let plotWidth = 256 * columnWidth
    static let plotHeight = 224
    static let headHeight = 92
    static let axisHeight = 54
    static let panelHeight = headHeight + plotHeight + axisHeight
    static let footHeight = 46
  }

  /// The channels that are filled; the others are lines over them.
  private static let filled: [HistogramSeries.Channel] = [.red, .green, .blue, .gray]

  func drawing() -> Drawing {
    let scale = HistogramScale(panels, kind: scale)
    var drawing = Drawing(
      size: Size(Style.plotWidth + 2 * Style.margin, panels.count * Style.panelHeight + Style.footHeight),
      background: .ground)
    var isCut = false
    for (index, panel) in panels.enumerated() {
      let top = index * Style.panelHeight
      drawHead(of: panel, top: top, in: &drawing)
      let bands = HistogramBands(panel.series, scale: scale, height: Style.plotHeight)
      draw(bands, top: top + Style.headHeight, in: &drawing)
      drawAxis(of: panel, top: top + Style.headHeight + Style.plotHeight, in: &drawing)
      isCut = isCut || !bands.cut.isEmpty
    }
    let name = scale.kind == .linear ? "linear" : "square-root"
    drawing.write(
      "\(name) height, full at \(Self.percent(scale.full)) of the samples in a column"
        + (isCut ? "; white caps go beyond" : ""),
      x: Style.margin, y: panels.count * Style.panelHeight + 8, .dim)
    return drawing
  }

  /// Draws the title, the channels with their means, the number of pixels and their percentiles.
  private func drawHead(of panel: Panel, top: Int, in drawing: inout Drawing) {
    let legendWidth = drawLegend(of: panel, top: top + 32, in: &drawing)
    let title = PixelFont.fitting(panel.title, columns: Style.plotWidth - legendWidth - 24, scale: 3)
    drawing.write(title, x: Style.margin, y: top + 26, scale: 3, .bright)
    let count = DecimalText.grouped(Int(clamping: panel.series.first?.total ?? 0))
    let line = ["\(count) pixels", Self.percentiles(of: panel)]
    drawing.write(line.filter { !$0.isEmpty }.joined(separator: " · "), x: Style.margin, y: top + 64, .dim)
  }

  /// Draws the channels at the right edge, with their means if those leave room for the title; returns the width.
  private func drawLegend(of panel: Panel, top: Int, in drawing: inout Drawing) -> Int {
    let swatch = 22
    let gap = 26
    func width(_ items: [String]) -> Int {
      items.reduce(0) { $0 + swatch + PixelFont.width(of: $1, scale: 2) + gap } - gap
    }
    let names = panel.series.map(\.channel.rawValue)
    let means = zip(names, panel.series).map { name, series in
      "\(name) \(Self.mean(of: series, maximum: panel.maximum))"
    }
    let label = PixelFont.width(of: "mean", scale: 2) + gap
    let hasMeans = !means.isEmpty && label + width(means) <= Style.plotWidth - 260
    let items = hasMeans ? means : names
    var x = Style.margin + Style.plotWidth - width(items)
    if hasMeans { drawing.write("mean", x: x - gap, y: top, anchor: .end, .dim) }
    for (item, series) in zip(items, panel.series) {
      drawing.fill(x: x, y: top, width: 14, height: 14, DrawingColor(series.channel))
      drawing.write(item, x: x + swatch, y: top, .bright)
      x += swatch + PixelFont.width(of: item, scale: 2) + gap
    }
    return width(items) + (hasMeans ? label : 0)
  }

  private func draw(_ bands: HistogramBands, top: Int, in drawing: inout Drawing) {
    let bottom = top + Style.plotHeight
    drawing.fill(x: Style.margin, y: top, width: Style.plotWidth, height: Style.plotHeight, .plot)
    for quarter in 1...3 {
      drawing.fill(x: Style.margin + quarter * Style.plotWidth / 4, y: top, width: 1, height: Style.plotHeight, .grid)
    }
    for band in bands.bands(of: Self.filled) {
      let color = Self.filled.filter(band.cover.contains).map(DrawingColor.init).reduce(DrawingColor(0, 0, 0)) {
        $0.screened(with: $1)
      }
      drawing.fill(band.regions.map { Self.placed($0, bottom: bottom) }, color)
    }
    for channel in [HistogramSeries.Channel.alpha, .luma] {
      guard let heights = bands.heights[channel] else { continue }
      drawing.fill(Self.outline(heights).map { Self.placed($0, bottom: bottom) }, DrawingColor(channel))
    }
    let caps = bands.cut.sorted().map { column in
      Region(x: Style.margin + column * Style.columnWidth, y: top - 4, width: Style.columnWidth, height: 4)
    }
    if !caps.isEmpty { drawing.fill(caps, .bright) }
  }

  /// Returns the line over the columns of `heights`: a flat piece for each and a riser to the next, two dots thick.
  private static func outline(_ heights: [Int]) -> [Region] {
    heights.indices.map { column in
      let height = heights[column]
      let before = column == 0 ? height : heights[column - 1]
      let low = min(max(0, height - 2), before)
      return Region(x: column, y: low, width: 1, height: max(2, height - low))
    }
  }

  /// Returns the place in the drawing of a region of columns and heights.
  private static func placed(_ region: Region, bottom: Int) -> Region {
    Region(
      x: Style.margin + region.x * Style.columnWidth, y: bottom - region.y - region.size.height,
      width: region.size.width * Style.columnWidth, height: region.size.height)
  }

  private func drawAxis(of panel: Panel, top: Int, in drawing: inout Drawing) {
    drawing.fill(x: Style.margin, y: top, width: Style.plotWidth, height: 2, .dim)
    for quarter in 0...4 {
      let x = Style.margin + quarter * Style.plotWidth / 4
      drawing.fill(x: min(x, Style.margin + Style.plotWidth - 2), y: top, width: 2, height: 8, .dim)
      let value = (quarter * panel.maximum + 2) / 4
      let anchor: Drawing.Anchor = quarter == 0 ? .start : quarter == 4 ? .end : .middle
      drawing.write(String(value), x: x, y: top + 14, anchor: anchor, .dim)
    }
  }
}

extension HistogramPlot {
  /// Returns the mean for the legend, with a decimal if `maximum` is below 10000.
  static func mean(of series: HistogramSeries, maximum: Int) -> String {
    guard let tenths = series.meanInTenths(maximum: maximum) else { return "–" }
    return maximum < 10_000 ? "\(tenths / 10).\(tenths % 10)" : String((tenths + 5) / 10)
  }

  /// Returns a share as percent with two decimals.
  static func percent(_ share: UInt64) -> String {
    // Exact: the whole is 2⁴⁰, and 100 times a share stays below 2⁵³.
    (100 * Double(share) / Double(HistogramScale.whole)).hundredths + " %"
  }

  /// Returns the median of the filled channels, and the span of all samples but the darkest and brightest hundredth.
  package static func percentiles(of panel: Panel) -> String {
    let colors = panel.series.filter { filled.contains($0.channel) }
    let pool = colors.isEmpty ? panel.series : colors
    let total = pool.reduce(UInt128(0)) { $0 + UInt128($1.total) }
    guard let bins = pool.first?.counts.count, total > 0 else { return "" }
    var found: [Int] = []
    var sum: UInt128 = 0
    for bin in 0..<bins {
      for series in pool { sum += UInt128(series.counts[bin]) }
      while found.count < 3, sum * 100 >= [1, 50, 99][found.count] * total {
        found.append((bin * panel.maximum + (bins - 1) / 2) / (bins - 1))
      }
    }
    return "median \(found[1]) · 98 % within \(found[0])–\(found[2])"
  }
}
