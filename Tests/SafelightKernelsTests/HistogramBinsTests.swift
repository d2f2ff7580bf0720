import SafelightImage
import SafelightKernels
import Testing

@Suite struct HistogramBinsTests {
  /// A range of the info, and what it comes to in 8 and in 16 bits.
  struct Range: Sendable, CustomTestStringConvertible {
    let minimum: Float
    let maximum: Float
    let low: [PixelFormat: Int]
    let high: [PixelFormat: Int]

    var testDescription: String { "\(minimum) to \(maximum)" }

    init(_ minimum: Float, _ maximum: Float, _ bits8: ClosedRange<Int>, _ bits16: ClosedRange<Int>) {
      self.minimum = minimum
      self.maximum = maximum
      low = [.r8Unorm: bits8.lowerBound, .r16Uint: bits16.lowerBound]
      high = [.r8Unorm: bits8.upperBound, .r16Uint: bits16.upperBound]
    }
  }

  static let ranges = [
    Range(0, 1, 0...255, 0...65535),
    Range(0.25, 0.75, 64...191, 16384...49151),
    Range(0, 0.001, 0...1, 0...66),  // 0.255 and 65.535
    Range(0.8, 1, 204...255, 52428...65535),
  ]

  @Test(arguments: ranges, HistogramInfo.entryCounts)
  func everyByte(_ range: Range, _ entries: Int) throws { try compare(.r8Unorm, range, entries) }

  @Test(arguments: ranges, [256, 1024, 65536])
  func everyWord(_ range: Range, _ entries: Int) throws { try compare(.r16Uint, range, entries) }

  /// Every value against the documented rule in 64 bits; the rule of one plane differs from those of the others.
  private func compare(_ format: PixelFormat, _ range: Range, _ entries: Int) throws {
    let info = HistogramInfo(
      entries: entries, minPixelValue: SIMD4(0.5, 0, range.minimum, 0),
      maxPixelValue: SIMD4(0.75, 1, range.maximum, 0.5))
    let bins = HistogramBins(info, format)
    let low = try #require(range.low[format])
    let high = try #require(range.high[format])
    let wrong = (0...format.maximum).first { value in
      let quotient = Double((value - low) * entries) / Double(high - low)
      return bins.bin(UInt32(value), plane: 2) != min(max(Int(quotient.rounded(.down)), 0), entries - 1)
    }
    #expect(wrong == nil)
  }

  @Test func oneEntryAValueIsTheValue() {
    #expect(HistogramBins(.complete(.bits8), .rgba8Unorm).areValues)
    #expect(HistogramBins(.complete(.bits16), .r16Uint).areValues)
    #expect(!HistogramBins(.complete(.bits8), .r16Uint).areValues)
    #expect(!HistogramBins(.complete(.bits16), .r8Unorm).areValues)
    #expect(!HistogramBins(HistogramInfo(maxPixelValue: SIMD4(1, 1, 1, 0.5)), .rgba8Unorm).areValues)
    #expect(!HistogramBins(HistogramInfo(minPixelValue: SIMD4(0, 0.5, 0, 0)), .rgba8Unorm).areValues)
  }

  @Test func aRangeBelowOneStepStillRises() {
    let info = HistogramInfo(
      minPixelValue: SIMD4(repeating: 0.5), maxPixelValue: SIMD4(repeating: 0.5005))
    let bins = HistogramBins(info, .r8Unorm)  // both ends at 127.5 and 127.6: value 128
    #expect(bins.bin(127, plane: 0) == 0)
    #expect(bins.bin(128, plane: 0) == 0)
    #expect(bins.bin(129, plane: 0) == 255)
    #expect(bins.bin(255, plane: 0) == 255)
  }
}
