import Safelight
import SafelightImage
import Testing

@Suite struct HistogramBandsTests {
  private func scale(_ series: [HistogramSeries], _ kind: HistogramPlot.Scale) -> HistogramScale {
    HistogramScale([HistogramPlot.Panel(title: "", series: series)], kind: kind)
  }

  @Test func squareRootsAndLinesHaveTheirHeights() {
    let series = HistogramSeries(.red, counts: counts([10: 64, 20: 16, 30: 1]))
    let root = HistogramBands([series], scale: scale([series], .squareRoot), height: 80)
    #expect(root.heights[.red]?[10] == 80)
    #expect(root.heights[.red]?[20] == 40)
    #expect(root.heights[.red]?[30] == 10)
    #expect(root.heights[.red]?[31] == 0)
    let linear = HistogramBands([series], scale: scale([series], .linear), height: 80)
    #expect(linear.heights[.red]?[20] == 20)
    #expect(linear.heights[.red]?[30] == 1)
    #expect(root.cut.isEmpty && linear.cut.isEmpty)
  }

  @Test func aSingleSampleIsSeen() {
    let series = HistogramSeries(.red, counts: counts([10: 1_000_000, 200: 1]))
    #expect(HistogramBands([series], scale: scale([series], .linear), height: 80).heights[.red]?[200] == 1)
  }

  @Test func clippedBlackDoesNotFlattenTheRest() {
    let series = HistogramSeries(.gray, counts: counts([0: 1_600_000, 100: 100_000, 255: 3]))
    let bands = HistogramBands([series], scale: scale([series], .squareRoot), height: 100)
    #expect(bands.heights[.gray]?[100] == 100)
    #expect(bands.cut == [0])

    // A few grey samples among black and white must not look like many, either.
    let drawing = HistogramSeries(.gray, counts: counts([0: 1_600_000, 100: 1000]))
    #expect(
      HistogramBands([drawing], scale: scale([drawing], .squareRoot), height: 100).heights[.gray]?[100] == 10)
  }

  @Test func panelsOfDifferentSizesShareAScaleOfParts() {
    let small = HistogramPlot.Panel(title: "", series: [HistogramSeries(.gray, counts: counts([10: 1, 20: 1]))])
    let large = HistogramPlot.Panel(title: "", series: [HistogramSeries(.gray, counts: counts([10: 900, 20: 900]))])
    let scale = HistogramScale([small, large], kind: .linear)
    let heights = [small, large].map { HistogramBands($0.series, scale: scale, height: 50).heights }
    #expect(heights[0] == heights[1])
  }

  @Test func bandsCoverEachColumnOnceAndNameWhatLiesThere() {
    let red = HistogramSeries(.red, counts: counts([5: 4, 6: 4, 7: 1]))
    let green = HistogramSeries(.green, counts: counts([5: 1, 6: 1, 7: 4, 9: 3]))
    let all = [red, green]
    let bands = HistogramBands(all, scale: scale(all, .linear), height: 40).bands(of: [.red, .green])
    #expect(bands.map(\.cover) == [[.red], [.green], [.red, .green]])
    #expect(bands[0].regions == [Region(x: 5, y: 10, width: 2, height: 30)])
    #expect(bands[1].regions == [Region(x: 7, y: 10, width: 1, height: 30), Region(x: 9, y: 0, width: 1, height: 30)])
    #expect(bands[2].regions == [Region(x: 5, y: 0, width: 3, height: 10)])
  }

  @Test func nothingCountedIsNothingDrawn() {
    let series = HistogramSeries(.red, counts: counts([:]))
    #expect(HistogramBands([series], scale: scale([series], .linear), height: 40).bands(of: [.red]).isEmpty)
  }
}
