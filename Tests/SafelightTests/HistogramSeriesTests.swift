import Safelight
import Testing

/// Counts of `bins` bins, zero but for `values`.
func counts(_ values: [Int: UInt64], bins: Int = 256) -> [UInt64] {
  (0..<bins).map { values[$0] ?? 0 }
}

@Suite struct HistogramSeriesTests {
  @Test(arguments: [256, 512, 4096, 65536])
  func columnsSumNeighbouringBins(bins: Int) {
    let ones = HistogramSeries(.red, counts: Array(repeating: 1, count: bins))
    #expect(ones.columns() == Array(repeating: UInt64(bins / 256), count: 256))

    let step = bins / 256
    let last = HistogramSeries(.red, counts: counts([3 * step - 1: 7, 3 * step: 5], bins: bins))
    #expect(last.columns()[2] == 7)
    #expect(last.columns()[3] == 5)
    #expect(last.total == 12)
  }

  @Test func meansAreOnTheAxisOfThePicture() {
    let series = HistogramSeries(.gray, counts: counts([0: 1, 255: 1]))
    #expect(series.meanInTenths(maximum: 255) == 1275)
    #expect(series.meanInTenths(maximum: 65535) == 327_675)
    #expect(HistogramSeries(.gray, counts: counts([1: 2, 2: 1])).meanInTenths(maximum: 255) == 13)
    #expect(HistogramSeries(.gray, counts: counts([:])).meanInTenths(maximum: 255) == nil)
  }

  @Test func meansOfLongFilmsDoNotOverflow() {
    let series = HistogramSeries(.luma, counts: counts([65535: 1 << 60], bins: 65536))
    #expect(series.meanInTenths(maximum: 65535) == 655_350)
  }
}
