import SafelightImage
import SafelightKernels
import Testing

@Suite struct HistogramInfoTests {
  @Test func entryCountsArePowersOfTwo() {
    #expect(HistogramInfo.entryCounts == [256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
  }

  @Test func planes() {
    let gray = [PixelFormat.r8Unorm, .r16Uint]
    let color = [PixelFormat.rgba8Unorm, .rgba16Uint]
    for format in gray {
      #expect(HistogramInfo().planes(for: format) == 1)
      #expect(HistogramInfo(histogramForAlpha: true).planes(for: format) == 1)
      #expect(HistogramInfo(channels: .luma).planes(for: format) == 1)
    }
    for format in color {
      #expect(HistogramInfo().planes(for: format) == 3)
      #expect(HistogramInfo(histogramForAlpha: true).planes(for: format) == 4)
      #expect(HistogramInfo(channels: .luma).planes(for: format) == 1)
      #expect(HistogramInfo(histogramForAlpha: true, channels: .luma).planes(for: format) == 1)
    }
  }

  @Test func sizes() {
    #expect(HistogramInfo().histogramSize(forSourceFormat: .rgba8Unorm) == 3072)
    #expect(HistogramInfo(histogramForAlpha: true).histogramSize(forSourceFormat: .rgba8Unorm) == 4096)
    #expect(HistogramInfo().histogramSize(forSourceFormat: .r8Unorm) == 1024)
    #expect(HistogramInfo(channels: .luma).histogramSize(forSourceFormat: .rgba16Uint) == 1024)
    #expect(HistogramInfo(entries: 65536).histogramSize(forSourceFormat: .rgba16Uint) == 786_432)
  }

  @Test func completeLosesNothing() {
    #expect(HistogramInfo.complete(.bits8).entries == 256)
    #expect(HistogramInfo.complete(.bits16).entries == 65536)
    #expect(HistogramInfo.complete(.bits16, channels: .luma).channels == .luma)
    #expect(!HistogramInfo.complete(.bits8).histogramForAlpha)
  }

  @Test func otherNumbersOfEntriesTrap() async {
    await #expect(processExitsWith: .failure) { _ = HistogramInfo(entries: 300) }
  }

  @Test func rangesThatDoNotRiseTrap() async {
    await #expect(processExitsWith: .failure) {
      _ = HistogramInfo(minPixelValue: SIMD4(0, 0.5, 0, 0), maxPixelValue: SIMD4(1, 0.5, 1, 1))
    }
  }
}
