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

  /// The rule of `entries` over a range; without one, of values that are each an entry.
  init(entries: Int, range: (low: SIMD4<UInt32>, high: SIMD4<UInt32>)?) {
    self.entries = entries
    low = range?.low ?? .zero
    high = range?.high ?? .zero
    areValues = range == nil
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

  /// The uniforms of functions that sort without a threshold.
  var uniforms: [UInt8] { areValues ? [] : .block(BinsBlock(lowest: low, highest: high)) }

  /// The macros of functions whose rule `uniforms` hold.
  var constants: [ShaderAssembly.Constant] {
    [.init("ENTRIES", entries), .init("BINS", areValues ? 0 : 1), .init("HAS_THRESHOLD", false)]
  }
}

/// The block `Bins` of `bins.glsl` and `edges.glsl`.
struct BinsBlock: BitwiseCopyable {
  var lowest: SIMD4<UInt32>
  var highest: SIMD4<UInt32>
  var threshold = SIMD4<UInt32>()
}
