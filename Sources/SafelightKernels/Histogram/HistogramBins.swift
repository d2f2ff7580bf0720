internal import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// The rule by which samples are sorted into entries, ``ImageHistogram``'s; the twin of `bins.glsl`.
package struct HistogramBins: Hashable, Sendable {
  let entries: Int
  let low: SIMD4<UInt32>
  let high: SIMD4<UInt32>
  /// True if each sample value has an entry of its own.
  package let areValues: Bool

  /// The rule of `entries` values, each its own entry.
  init(values entries: Int) {
    self.entries = entries
    (low, high) = (.zero, .zero)
    areValues = true
  }

  /// The rule with the range in the block at 3.
  init(entries: Int, _ arguments: TwinArguments) {
    self.entries = entries
    (low, high) = arguments.value((SIMD4<UInt32>, SIMD4<UInt32>).self, 3)
    areValues = false
  }

  package init(_ info: HistogramInfo, _ format: PixelFormat) {
    for channel in 0..<4 {
      trap(
        unless: info.minPixelValue[channel] >= 0 && info.maxPixelValue[channel] <= 1,
        "samples of \(format.rawValue) lie from 0 to 1, and so must the range of the histogram; "
          + "\(info.minPixelValue[channel]) to \(info.maxPixelValue[channel]) needs halves or floats")
    }
    let maximum = UInt32(format.maximum)
    entries = info.entries
    low = SIMD4((info.minPixelValue * Float(maximum)).rounded(.toNearestOrAwayFromZero))
    high = pointwiseMax(low &+ 1, SIMD4((info.maxPixelValue * Float(maximum)).rounded(.toNearestOrAwayFromZero)))
    areValues = low == .zero && high == SIMD4(repeating: maximum) && entries == format.maximum + 1
  }

  /// Returns the entry of `value` in `plane`.
  @inline(__always)
  package func bin(_ value: UInt32, plane: Int) -> Int {
    if areValues { return Int(value) }
    if value <= low[plane] { return 0 }
    let scaled = (min(value, high[plane]) - low[plane]) * UInt32(entries) / (high[plane] - low[plane])
    return Int(min(scaled, UInt32(entries - 1)))
  }

  /// Returns the value that stands for `entry` in `plane`: low + nearest(entry · (high − low) / (entries − 1)).
  func value(_ entry: Int, plane: Int) -> UInt32 {
    if areValues { return UInt32(entry) }
    let span = Int(high[plane] - low[plane])
    return low[plane] + UInt32((entry * span + (entries - 2) / 2) / (entries - 1))
  }

  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries), .init("BINS_ARE_VALUES", areValues)] }
  var arguments: [ShaderArgument] { areValues ? [] : [.bytes(3)] }
  var range: (SIMD4<UInt32>, SIMD4<UInt32>) { (low, high) }
}

extension CapturedCall {
  /// The rule that the macros and the block at 3 describe.
  func bins(sampleBits: Int) -> HistogramBins? {
    guard let entries, let areValues = self[isSet: "BINS_ARE_VALUES"] else { return nil }
    if areValues { return entries == 1 << sampleBits ? HistogramBins(values: entries) : nil }
    guard words(3).count >= 8 else { return nil }
    let bins = HistogramBins(entries: entries, arguments)
    for channel in 0..<4 where bins.high[channel] <= bins.low[channel] || bins.high[channel] > 65536 { return nil }
    return bins
  }
}
