import SafelightImage

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

  /// One strip: the brightest values on top, each frame as wide as the plot's width allows.
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

  /// The name of the channel, and the values at the ends of the strip.
  private func drawSide(of channel: HistogramSeries.Channel, top: Int, in drawing: inout Drawing) {
    let x = Style.left - 10
    let middle = top + (Self.rows - PixelFont.capHeight * 2) / 2
    drawing.write(String(maximum), x: x, y: top, anchor: .end, .dim)
    drawing.write(channel.rawValue, x: x, y: middle, anchor: .end, .bright)
    drawing.write("0", x: x, y: top + Self.rows - PixelFont.capHeight * 2, anchor: .end, .dim)
  }

  /// Numbers of frames, from 1, at the middle of their columns.
  private func drawAxis(top: Int, in drawing: inout Drawing) {
    drawing.fill(x: Style.left, y: top - 2, width: Style.plotWidth, height: 2, .dim)
    for place in ContactSheet.spread(5, over: total) {
      let x = Style.left + (2 * column(of: place) + 1) * Style.plotWidth / (2 * columns)
      drawing.fill(x: x - 1, y: top - 2, width: 2, height: 8, .dim)
      let text = HistogramPlot.grouped(UInt64(place + 1))
      drawing.write(place == 0 ? "frame \(text)" : text, x: x, y: top + 12, anchor: place == 0 ? .start : .middle, .dim)
    }
  }

  /// What the shades stand for.
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
