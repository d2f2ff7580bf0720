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

@Suite struct HistogramBinsTests {
  /// A range of the info, and what it comes to in 8 and in 16 bits.
  typealias Range = (minimum: Float, maximum: Float, bits8: ClosedRange<Int>, bits16: ClosedRange<Int>)

  static let ranges: [Range] = [
    (0, 1, 0...255, 0...65535), (0.25, 0.75, 64...191, 16384...49151),
    (0, 0.001, 0...1, 0...66),  // 0.255 and 65.535
    (0.8, 1, 204...255, 52428...65535),
  ]

  /// Every value against the documented rule in 64 bits; the rule of one plane differs from those of the others.
  @Test(arguments: ranges, HistogramInfo.entryCounts)
  func everyValue(_ range: Range, _ entries: Int) {
    let info = HistogramInfo(
      entries: entries, minPixelValue: SIMD4(0.5, 0, range.minimum, 0),
      maxPixelValue: SIMD4(0.75, 1, range.maximum, 0.5))
    for (format, ends) in [(PixelFormat.r8Unorm, range.bits8), (.r16Uint, range.bits16)] {
      let bins = HistogramBins(info, format)
      let (low, high) = (ends.lowerBound, ends.upperBound)
      let wrong = (0...format.maximum).first { value in
        let quotient = Double((value - low) * entries) / Double(high - low)
        return bins.bin(UInt32(value), plane: 2) != min(max(Int(quotient.rounded(.down)), 0), entries - 1)
      }
      #expect(wrong == nil, "\(format)")
    }
  }

  @Test func oneEntryAValueIsTheValue() {
    #expect(HistogramBins(.complete(.bits8), .rgba8Unorm).areValues)
    #expect(HistogramBins(.complete(.bits16), .r16Uint).areValues)
    #expect(!HistogramBins(.complete(.bits8), .r16Uint).areValues)
    #expect(!HistogramBins(.complete(.bits16), .r8Unorm).areValues)
    #expect(!HistogramBins(HistogramInfo(maxPixelValue: SIMD4(1, 1, 1, 0.5)), .rgba8Unorm).areValues)
    #expect(!HistogramBins(HistogramInfo(minPixelValue: SIMD4(0, 0.5, 0, 0)), .rgba8Unorm).areValues)
  }
}

@Suite struct HistogramEdgesTests {
  static let ranges: [(Float, Float)] = [
    (0, 1), (0.1, 0.7), (-1, 1), (-1.5, 2.75), (1, Float(1).nextUp),
    (-.greatestFiniteMagnitude, .greatestFiniteMagnitude),
    (0, .leastNormalMagnitude), (-.leastNormalMagnitude, .leastNormalMagnitude), (-1, .leastNormalMagnitude),
    (.leastNormalMagnitude, .greatestFiniteMagnitude), (16_777_215, 16_777_216), (-3e38, 1e-38), (1e-30, 1e30),
  ]

  /// An edge is the first float that reaches its entry: by integers of as many words as it takes.
  @Test(arguments: ranges, [256, 65536])
  func edgesAreTheFirstFloatsOfTheirEntries(_ range: (Float, Float), _ entries: Int) {
    let edges = HistogramEdges(low: range.0, high: range.1, entries: entries)
    #expect(edges.keys.count == entries && edges.keys[0] == 0)
    for entry in stride(from: 1, to: entries, by: entries / 256) {
      let key = edges.keys[entry]
      #expect(key >= edges.keys[entry - 1])
      let edge = FloatKey.value(key)
      #expect(reaches(edge, entry, range, entries), "\(range) \(entry): \(edge) comes too early")
      let before = key == FloatKey.zero ? -Float.leastNormalMagnitude : edge.nextDown
      #expect(
        !reaches(before.isSubnormal ? 0 : before, entry, range, entries), "\(range) \(entry): \(edge) comes too late")
    }
  }

  @Test func aRangeThatDoesNotRiseSplitsAboveItsLowEnd() {
    let edges = HistogramEdges(low: 0.5, high: 0.5, entries: 256)
    #expect(edges.bin(FloatKey.key(0.5)) == 0)
    #expect(edges.bin(FloatKey.key(Float(0.5).nextUp)) == 255)
    #expect(edges.bin(FloatKey.key(-3)) == 0)
    #expect(HistogramEdges(low: .infinity, high: 1, entries: 256).bin(FloatKey.key(.infinity)) == 0)
  }

  @Test func keysHaveTheOrderOfFloats() {
    let values: [Float] = [
      -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude, 0, .leastNormalMagnitude, 1,
      .greatestFiniteMagnitude, .infinity,
    ]
    let keys = values.map { FloatKey.key($0) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    #expect(keys.map(FloatKey.value) == values)
    for zero in [-0.0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, Float.leastNormalMagnitude.nextDown] {
      #expect(FloatKey.key(zero) == FloatKey.zero)
    }
    #expect(FloatKey.key(.nan) == 0 && FloatKey.key(-.nan) == 0)
    #expect(FloatKey.key(notBelow: .leastNonzeroMagnitude) == FloatKey.key(.leastNormalMagnitude))
    #expect(FloatKey.key(notBelow: -.leastNonzeroMagnitude) == FloatKey.zero)
  }

  /// entries · v ≥ (entries − entry) · low + entry · high, each float a whole number of 2⁻¹⁴⁹.
  private func reaches(_ value: Float, _ entry: Int, _ range: (Float, Float), _ entries: Int) -> Bool {
    var left = Whole()
    left.add(value, times: entries)
    left.add(-range.0, times: entries - entry)
    left.add(-range.1, times: entry)
    return !left.isNegative
  }

  /// A sum as digits of 24 bits, carried at the end.
  private struct Whole {
    private var digits = [Int](repeating: 0, count: 16)

    mutating func add(_ value: Float, times factor: Int) {
      if value == 0 { return }
      let place = Int(value.exponent) - 23 + 149
      let mantissa = Int128(value.significand * 0x1p23) * Int128(factor) * (value < 0 ? -1 : 1) << Int128(place % 24)
      digits[place / 24] += Int(mantissa & 0xFF_FFFF)
      digits[place / 24 + 1] += Int(mantissa >> 24)
    }

    var isNegative: Bool {
      var carried = digits
      for index in 0..<carried.count - 1 {
        carried[index + 1] += carried[index] >> 24
        carried[index] &= 0xFF_FFFF
      }
      return carried[carried.count - 1] < 0
    }
  }
}
