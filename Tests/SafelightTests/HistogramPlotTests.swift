import Safelight
import SafelightImage
import Testing

@Suite struct HistogramPlotTests {
  private let overlap = HistogramPlot([
    HistogramPlot.Panel(
      title: "a < b & c",
      series: [
        HistogramSeries(.red, counts: counts([10: 5, 128: 5])),
        HistogramSeries(.green, counts: counts([128: 5, 140: 5])),
        HistogramSeries(.luma, counts: counts([131: 3, 150: 3, 160: 4])),
      ])
  ])

  private func color(_ image: Image, x: Int, y: Int) -> [Int] { (0..<3).map { image[x: x, y: y, sample: $0] } }

  @Test func channelsMixLikeLight() {
    let image = overlap.image()
    #expect(image.size == Size(1120, 416))
    #expect(image.channels == .rgb && image.depth == .bits8)
    #expect(color(image, x: 48 + 10 * 4, y: 300) == [198, 36, 36])
    #expect(color(image, x: 48 + 128 * 4, y: 300) == [204, 179, 76])
    #expect(color(image, x: 48 + 140 * 4 + 3, y: 92) == [26, 166, 46])
    #expect(color(image, x: 48 + 141 * 4, y: 100) == [30, 30, 33])
  }

  @Test func panelsStandAboveOneAnother() {
    let panel = HistogramPlot.Panel(title: "one", series: [HistogramSeries(.gray, counts: counts([0: 1]))])
    let image = HistogramPlot([panel, panel]).image()
    #expect(image.size == Size(1120, 786))
    for y in 0..<370 {
      for x in stride(from: 0, to: 1120, by: 7) where y >= 20 {
        #expect(color(image, x: x, y: y) == color(image, x: x, y: y + 370))
      }
    }
  }

  @Test func highColumnsWearACapAndTheFootSaysSo() {
    let panel = HistogramPlot.Panel(
      title: "night", series: [HistogramSeries(.gray, counts: counts([0: 10_000, 100: 10]))])
    let plot = HistogramPlot([panel])
    #expect(color(plot.image(), x: 48, y: 90) == [236, 236, 236])
    #expect(color(plot.image(), x: 52, y: 90) == [20, 20, 22])
    #expect(plot.svg().contains("square-root height, full at 6.24 % of the samples in a column; white caps go beyond"))
    #expect(HistogramPlot([panel], scale: .linear).svg().contains("linear height, full at 24.98 %"))
    #expect(!overlap.svg().contains("caps"))
  }

  @Test func figuresStandOnThePlot() {
    let deep = HistogramPlot.Panel(
      title: "", series: [HistogramSeries(.gray, counts: counts([0: 1_000_000, 255: 234_567]))], maximum: 65535)
    let svg = HistogramPlot([deep]).svg()
    #expect(svg.contains(">1,234,567 pixels · median 0 · 98 % within 0–65535</text>"))
    #expect(svg.contains(">gray 12452</text>"))
    for tick in ["0", "16384", "32768", "49151", "65535"] { #expect(svg.contains(">\(tick)</text>")) }
    #expect(overlap.svg().contains(">red 69.0</text>"))
  }

  @Test func percentilesArePooledOverTheColors() {
    let panel = HistogramPlot.Panel(
      title: "",
      series: [
        HistogramSeries(.red, counts: counts([5: 1, 100: 99])),
        HistogramSeries(.blue, counts: counts([7: 1, 200: 99])),
        HistogramSeries(.alpha, counts: counts([255: 100_000])),
      ])
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
      [0, 999, 1000, 123_456, 1_234_567].map(HistogramPlot.grouped)
        == ["0", "999", "1,000", "123,456", "1,234,567"])
  }
}
