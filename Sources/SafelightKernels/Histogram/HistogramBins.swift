internal import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// Which entry a sample belongs to; the twin of `bins.glsl`.
///
///     bin(v) = clamp((v − low) · entries / (high − low), 0, entries − 1)
///
/// is the rule that vImage documents for its histograms, with minimum and maximum rounded to sample values.
package struct HistogramBins: Hashable, Sendable {
  let entries: Int
  let low: SIMD4<UInt32>
  let high: SIMD4<UInt32>
  /// True where each sample value has an entry of its own.
  package let areValues: Bool

  init(entries: Int, low: SIMD4<UInt32>, high: SIMD4<UInt32>, areValues: Bool) {
    self.entries = entries
    self.low = low
    self.high = high
    self.areValues = areValues
  }

  package init(_ info: HistogramInfo, _ format: PixelFormat) {
    for channel in 0..<4 {
      trap(
        unless: info.minPixelValue[channel] >= 0 && info.maxPixelValue[channel] <= 1,
        "samples of \(format.rawValue) lie from 0 to 1, and so must the range of the histogram; "
          + "\(info.minPixelValue[channel]) to \(info.maxPixelValue[channel]) needs halves or floats")
    }
    let maximum = Float(format.maximum)
    entries = info.entries
    var low = SIMD4<UInt32>(repeating: 0)
    var high = SIMD4<UInt32>(repeating: 0)
    for channel in 0..<4 {
      low[channel] = UInt32((info.minPixelValue[channel] * maximum).rounded())
      high[channel] = max(low[channel] + 1, UInt32((info.maxPixelValue[channel] * maximum).rounded()))
    }
    self.low = low
    self.high = high
    let isWhole = low == SIMD4(repeating: 0) && high == SIMD4(repeating: UInt32(format.maximum))
    areValues = isWhole && info.entries == format.maximum + 1
  }

  /// The entry of `value` in `plane`.
  @inline(__always)
  package func bin(_ value: UInt32, plane: Int) -> Int {
    if areValues { return Int(value) }
    if value <= low[plane] { return 0 }
    let scaled = (min(value, high[plane]) - low[plane]) * UInt32(entries) / (high[plane] - low[plane])
    return Int(min(scaled, UInt32(entries - 1)))
  }

  /// The value that stands for `entry` in `plane`: low + nearest(entry · (high − low) / (entries − 1)).
  func value(_ entry: Int, plane: Int) -> UInt32 {
    if areValues { return UInt32(entry) }
    let span = Int(high[plane] - low[plane])
    return low[plane] + UInt32((entry * span + (entries - 2) / 2) / (entries - 1))
  }

  /// The constants of functions that use the rule.
  var constants: [ShaderAssembly.Constant] {
    [ShaderAssembly.Constant("ENTRIES", entries), ShaderAssembly.Constant("BINS_ARE_VALUES", areValues)]
  }

  /// The bindings of functions that use the rule.
  var arguments: [ShaderArgument] { areValues ? [] : [.bytes(3)] }

  /// The block `Range`.
  var range: (SIMD4<UInt32>, SIMD4<UInt32>) { (low, high) }
}
