import Safelight
import SafelightImage
import Testing

private func color(_ image: Image, x: Int, y: Int) -> DrawingColor {
  DrawingColor(
    UInt8(image[x: x, y: y, sample: 0]), UInt8(image[x: x, y: y, sample: 1]), UInt8(image[x: x, y: y, sample: 2]))
}

@Suite struct HistogramPlotTests {
  private let overlap = HistogramPlot([
    HistogramPlot.Panel(
      title: "a < b & c",
      series: [
        series(.red, [10: 5, 128: 5]), series(.green, [128: 5, 140: 5]), series(.luma, [131: 3, 150: 3, 160: 4]),
      ])
  ])

  @Test func channelsMixLikeLight() {
    let image = overlap.image()
    #expect(image.size == Size(1120, 416))
    #expect(image.channels == .rgb && image.depth == .bits8)
    #expect(color(image, x: 48 + 10 * 4, y: 300) == DrawingColor(198, 36, 36))
    #expect(color(image, x: 48 + 128 * 4, y: 300) == DrawingColor(204, 179, 76))
    #expect(color(image, x: 48 + 140 * 4 + 3, y: 92) == DrawingColor(26, 166, 46))
    #expect(color(image, x: 48 + 141 * 4, y: 100) == DrawingColor(30, 30, 33))
  }

  @Test func panelsStandAboveOneAnother() {
    let panel = HistogramPlot.Panel(title: "one", series: [series(.gray, [0: 1])])
    let image = HistogramPlot([panel, panel]).image()
    #expect(image.size == Size(1120, 786))
    for y in 0..<370 {
      for x in stride(from: 0, to: 1120, by: 7) where y >= 20 {
        #expect(color(image, x: x, y: y) == color(image, x: x, y: y + 370))
      }
    }
  }

  @Test func highColumnsWearACapAndTheFootSaysSo() {
    let panel = HistogramPlot.Panel(title: "night", series: [series(.gray, [0: 10_000, 100: 10])])
    let plot = HistogramPlot([panel])
    #expect(color(plot.image(), x: 48, y: 90) == DrawingColor(236, 236, 236))
    #expect(color(plot.image(), x: 52, y: 90) == DrawingColor(20, 20, 22))
    #expect(plot.svg().contains("square-root height, full at 6.24 % of the samples in a column; white caps go beyond"))
    #expect(HistogramPlot([panel], scale: .linear).svg().contains("linear height, full at 24.98 %"))
    #expect(!overlap.svg().contains("caps"))
  }

  @Test func figuresStandOnThePlot() {
    let deep = HistogramPlot.Panel(title: "", series: [series(.gray, [0: 1_000_000, 255: 234_567])], maximum: 65535)
    let svg = HistogramPlot([deep]).svg()
    #expect(svg.contains(">1,234,567 pixels · median 0 · 98 % within 0–65535</text>"))
    #expect(svg.contains(">gray 12452</text>"))
    for tick in ["0", "16384", "32768", "49151", "65535"] { #expect(svg.contains(">\(tick)</text>")) }
    #expect(overlap.svg().contains(">red 69.0</text>"))
  }

  @Test func percentilesArePooledOverTheColors() {
    let panel = HistogramPlot.Panel(
      title: "",
      series: [series(.red, [5: 1, 100: 99]), series(.blue, [7: 1, 200: 99]), series(.alpha, [255: 100_000])])
    #expect(HistogramPlot.percentiles(of: panel) == "median 100 · 98 % within 7–200")
  }

  @Test func titlesAreEscapedInSVG() {
    let svg = overlap.svg()
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1120\" height=\"416\""))
    #expect(svg.hasSuffix("</svg>\n"))
    #expect(svg.contains("<title>Histogram: a &lt; b &amp; c</title>"))
    #expect(!svg.contains("a < b"))
  }

  @Test func bothRenderingsTellTheSameStory() throws {
    let image = overlap.image()
    var painted = Canvas(image.size, background: DrawingColor(20, 20, 22))
    for line in overlap.svg().split(separator: "\n") where line.hasPrefix("<path") {
      let parts = line.split(separator: "\"")
      let hex = try #require(UInt32(parts[1].dropFirst(), radix: 16))
      let color = DrawingColor(UInt8(hex >> 16), UInt8(hex >> 8 & 255), UInt8(hex & 255))
      for piece in parts[5].split(separator: "M") {
        let numbers = piece.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
        try #require(numbers.count == 5)
        painted.fill(Region(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]), color)
      }
    }
    let vector = painted.image
    var different = 0
    for y in 84..<324 {
      for x in 0..<image.size.width where color(image, x: x, y: y) != color(vector, x: x, y: y) { different += 1 }
    }
    #expect(different == 0)
  }

  @Test func aLongTitleLeavesTheLegendAlone() {
    let name = String(repeating: "long", count: 40) + ".0001.png"
    let all = HistogramSeries.Channel.allCases.map { HistogramSeries($0, counts: counts([9: 1])) }
    let svg = HistogramPlot([HistogramPlot.Panel(title: name, series: all)]).svg()
    #expect(svg.contains("…ong.0001.png</text>"))
    #expect(svg.contains(">alpha</text>") && !svg.contains(">mean</text>"))
  }

  @Test func anEmptyPanelIsStillAPicture() {
    let svg = HistogramPlot([HistogramPlot.Panel(title: "none", series: [])]).svg()
    #expect(svg.contains(">0 pixels</text>"))
  }

  @Test func numbersAreGroupedByThousands() {
    #expect(
      [0, 999, 1000, 123_456, 1_234_567].map(DecimalText.grouped)
        == ["0", "999", "1,000", "123,456", "1,234,567"])
  }
}

@Suite struct HistogramBandsTests {
  private func bands(_ series: HistogramSeries..., kind: HistogramPlot.Scale, height: Int) -> HistogramBands {
    let scale = HistogramScale([HistogramPlot.Panel(title: "", series: series)], kind: kind)
    return HistogramBands(series, scale: scale, height: height)
  }

  @Test func squareRootsAndLinesHaveTheirHeights() {
    let series = series(.red, [10: 64, 20: 16, 30: 1])
    let root = bands(series, kind: .squareRoot, height: 80)
    #expect([10, 20, 30, 31].map { root.heights[.red]?[$0] } == [80, 40, 10, 0])
    let linear = bands(series, kind: .linear, height: 80)
    #expect([20, 30].map { linear.heights[.red]?[$0] } == [20, 1])
    #expect(root.cut.isEmpty && linear.cut.isEmpty)
  }

  @Test func aSingleSampleIsSeen() {
    let bands = bands(series(.red, [10: 1_000_000, 200: 1]), kind: .linear, height: 80)
    #expect(bands.heights[.red]?[200] == 1)
  }

  @Test func clippedBlackDoesNotFlattenTheRest() {
    let photo = bands(series(.gray, [0: 1_600_000, 100: 100_000, 255: 3]), kind: .squareRoot, height: 100)
    #expect(photo.heights[.gray]?[100] == 100)
    #expect(photo.cut == [0])

    // A few gray samples among black and white must not look like many, either.
    let drawing = bands(series(.gray, [0: 1_600_000, 100: 1000]), kind: .squareRoot, height: 100)
    #expect(drawing.heights[.gray]?[100] == 10)
  }

  @Test func panelsOfDifferentSizesShareAScaleOfParts() {
    let small = HistogramPlot.Panel(title: "", series: [series(.gray, [10: 1, 20: 1])])
    let large = HistogramPlot.Panel(title: "", series: [series(.gray, [10: 900, 20: 900])])
    let scale = HistogramScale([small, large], kind: .linear)
    let heights = [small, large].map { HistogramBands($0.series, scale: scale, height: 50).heights }
    #expect(heights[0] == heights[1])
  }

  @Test func bandsCoverEachColumnOnceAndNameWhatLiesThere() {
    let red = series(.red, [5: 4, 6: 4, 7: 1])
    let green = series(.green, [5: 1, 6: 1, 7: 4, 9: 3])
    let bands = bands(red, green, kind: .linear, height: 40).bands(of: [.red, .green])
    #expect(bands.map(\.cover) == [[.red], [.green], [.red, .green]])
    #expect(bands[0].regions == [Region(x: 5, y: 10, width: 2, height: 30)])
    #expect(bands[1].regions == [Region(x: 7, y: 10, width: 1, height: 30), Region(x: 9, y: 0, width: 1, height: 30)])
    #expect(bands[2].regions == [Region(x: 5, y: 0, width: 3, height: 10)])
  }

  @Test func nothingCountedIsNothingDrawn() {
    #expect(bands(series(.red, [:]), kind: .linear, height: 40).bands(of: [.red]).isEmpty)
  }
}

@Suite struct HistogramTimelineTests {
  /// Four frames, each of one gray, from black to white before; all white after.
  private func ramp() -> HistogramTimeline {
    var timeline = HistogramTimeline(total: 4, titles: ["before", "after"])
    for (place, value) in [0, 85, 170, 255].enumerated().reversed() {
      timeline.add([series(.gray, [value: 10])], maximum: 255, at: place, panel: 0)
      timeline.add([series(.gray, [255: 10])], maximum: 255, at: place, panel: 1)
    }
    return timeline
  }

  @Test func framesGoFromLeftToRightAndValuesUpwards() throws {
    let image = try ramp().image()
    #expect(image.size == Size(1220, 2 * (68 + 138 + 48) + 76))
    let full = HeatShades.color(HeatShades.count - 1, of: .gray)
    for (frame, value) in [0, 85, 170, 255].enumerated() {
      for row in 0..<128 {
        let x = 148 + frame * 256 + 128
        let y = 68 + 127 - row
        #expect(color(image, x: x, y: y) == (row == value / 2 ? full : .plot), "frame \(frame), row \(row)")
        // The second panel lies below the first's strip and axis.
        #expect(color(image, x: x, y: y + 68 + 138 + 48) == (row == 127 ? full : .plot))
      }
    }
  }

  @Test func figuresStandOnTheMap() throws {
    let svg = try ramp().svg()
    for text in ["before", "after", "gray", "255", "0", "frame 1", "4", "100 % or more", "0.1"] {
      #expect(svg.contains(">\(text)</text>"), "\(text)")
    }
    #expect(svg.contains("in a row of 2 values</text>"))
    #expect(svg.ranges(of: "data:image/png;base64,").count == 2)
  }

  @Test func longSequencesShareColumns() throws {
    var timeline = HistogramTimeline(total: 5000, titles: ["film"])
    for place in 0..<5000 {
      timeline.add([series(.red, [place % 2 * 100: 1])], maximum: 65535, at: place, panel: 0)
    }
    let shares = timeline.panels[0][0].shares(columns: timeline.columns)
    #expect(shares.count == 1024 * 128)
    // Each column has dark and bright frames, which are all of it.
    for column in 0..<1024 {
      let cells = shares[column * 128..<(column + 1) * 128]
      #expect(cells.count { $0 > 0 } == 2 && HistogramScale.whole - cells.reduce(0, +) <= 1)
    }
    let svg = try timeline.svg()
    #expect(svg.contains("in a row of 512 values; a column is 4 to 5 frames"))
    for text in ["65535", "frame 1", "2,501", "5,000"] { #expect(svg.contains(">\(text)</text>"), "\(text)") }
  }

  /// A film of unknown length looks like a sequence of its length while each frame has a column; then two share one.
  @Test func lengthsNeedNotBeKnown() throws {
    func timeline(_ total: Int?, _ frames: Int) -> HistogramTimeline {
      var timeline = HistogramTimeline(total: total, titles: ["film"])
      for place in 0..<frames {
        let series = series(.red, [place % 255: 1, 255: 3])
        timeline.add([series], maximum: 255, at: place, panel: 0)
      }
      return timeline
    }
    #expect(try timeline(nil, 1000).image() == timeline(1000, 1000).image())
    #expect(try timeline(nil, 4096).svg() == timeline(4096, 4096).svg())
    let long = timeline(nil, 1025)
    #expect(long.total == 1025 && long.columns == 513)
    #expect(long.panels[0][0].counts.reduce(0, +) == 4 * 1025)
    #expect(long.panels[0][0].counts.prefix(128).reduce(0, +) == 8)
    #expect(try long.svg().contains("a column is 1 to 2 frames"))
  }
}
