import SafelightImage
import SafelightKernels
import Testing

@Suite struct HistogramTests {
  private func histogram(_ counts: [Int: UInt64], entries: Int = 256) -> Histogram {
    Histogram([(.gray, (0..<entries).map { counts[$0] ?? 0 })])
  }

  @Test func sumsAndEnds() {
    let counted = histogram([3: 5, 7: 2, 250: 1])
    #expect(counted.total(.gray) == 8)
    #expect(counted.minimum(.gray) == 3 && counted.maximum(.gray) == 250)
    let sums = counted.cumulative(.gray)
    #expect(sums[2] == 0 && sums[3] == 5 && sums[6] == 5 && sums[7] == 7 && sums[249] == 7 && sums[255] == 8)
  }

  @Test(arguments: [(0.0, 3), (0.5, 3), (0.625, 3), (0.626, 7), (0.875, 7), (0.876, 250), (1, 250)])
  func percentiles(_ share: Double, _ entry: Int) {
    #expect(histogram([3: 5, 7: 2, 250: 1]).percentile(share, .gray) == entry)
  }

  /// Every whole percentage of a hundred samples is that many of them: 0.07 · 100 is more than 7.
  @Test func percentilesAreNoRankTooHigh() {
    let even = Histogram([(.gray, (0..<256).map { $0 < 100 ? 1 : 0 })])
    for percent in 1...100 { #expect(even.percentile(Double(percent) / 100, .gray) == percent - 1) }
    let thousands = Histogram([(.gray, (0..<1024).map { $0 < 1000 ? 3 : 0 })])
    for part in 1...1000 { #expect(thousands.percentile(Double(part) / 1000, .gray) == part - 1) }
  }

  @Test func meanAndEntropy() {
    #expect(histogram([10: 1, 20: 3]).mean(.gray) == 17.5)
    #expect(histogram([10: 9]).entropy(.gray) == 0)
    #expect(histogram([1: 4, 2: 4, 3: 4, 4: 4]).entropy(.gray) == 2)
    let even = Histogram([(.red, [UInt64](repeating: 7, count: 1024))])
    #expect(abs((even.entropy(.red) ?? 0) - 10) < 1e-9)
  }

  @Test func nothingCountedHasNoStatistics() {
    let empty = histogram([:])
    #expect(empty.total(.gray) == 0)
    #expect(empty.mean(.gray) == nil && empty.entropy(.gray) == nil && empty.percentile(0.5, .gray) == nil)
    #expect(empty.minimum(.gray) == nil && empty.maximum(.gray) == nil)
  }

  @Test func histogramsAddUp() {
    let sum = histogram([3: 5]) + histogram([3: 1, 4: 1])
    #expect(sum == histogram([3: 6, 4: 1]))
  }

  @Test func channelsAreTold() {
    #expect(HistogramInfo().channels(for: .r16Uint) == [.gray])
    #expect(HistogramInfo().channels(for: .rg8Unorm) == [.red, .green])
    #expect(HistogramInfo().channels(for: .bgra8Unorm) == [.red, .green, .blue])
    #expect(HistogramInfo(histogramForAlpha: true).channels(for: .rgba32Float) == [.red, .green, .blue, .alpha])
    #expect(HistogramInfo(channels: .luma).channels(for: .rgba8Unorm) == [.luma])
  }
  @Test func entryCountsArePowersOfTwo() {
    #expect(HistogramInfo.entryCounts == [256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
  }

  @Test func mistakesTrap() async {
    await #expect(processExitsWith: .failure, "red was not counted") {
      _ = Histogram([(.gray, [UInt64](repeating: 0, count: 256))]).counts(.red)
    }
    await #expect(processExitsWith: .failure) { _ = HistogramInfo(entries: 300) }
    await #expect(processExitsWith: .failure, "a range does not rise") {
      _ = HistogramInfo(minPixelValue: SIMD4(0, 0.5, 0, 0), maxPixelValue: SIMD4(1, 0.5, 1, 1))
    }
  }
}
