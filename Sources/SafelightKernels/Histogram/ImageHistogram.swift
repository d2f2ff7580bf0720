public import SafelightGPU
public import SafelightImage

/// Counts how often each sample value occurs; Metal Performance Shaders' `MPSImageHistogram`.
///
/// The result is planar, all of red, then green, blue and perhaps alpha, each ``HistogramInfo/entries`` counts of 32
/// bits. A value `v` from 0 to the format's maximum belongs to entry
///
///     clamp(floor((v − low) · entries / (high − low)), 0, entries − 1)
///
/// with `low` and `high` the range of the info rounded to sample values: vImage's documented rule. Of halves and floats,
/// `low` and `high` are the range itself, any numbers, and the rule is exact; subnormal numbers count as 0, infinities in
/// the outer entries, and what is not a number nowhere. Counts are modulo 2³².
public struct ImageHistogram: Sendable {
  /// What is counted.
  public let info: HistogramInfo
  /// The part of the source to count, cut to the source (`clipRectSource`).
  public var clipRectSource = Region.noClip
  /// Whether counts start from zero; else they are added to what the buffer holds (`zeroHistogram`).
  public var zeroHistogram = true
  /// Per channel: a sample is counted only where it is not less, before the range of the info clips it. 0 unless set, as
  /// in MPS; so negative floats are counted with `-Float.infinity` alone.
  public var minPixelThresholdValue = SIMD4<Float>(repeating: 0)
  /// How counts are gathered on a GPU.
  public var form = HistogramForm.automatic

  private let edges: HistogramEdgeTable

  /// Makes the kernel.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    self.info = info
    edges = HistogramEdgeTable(info)
  }

  /// Bytes that a histogram of `format` needs (`histogramSize(forSourceFormat:)`).
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { info.histogramSize(forSourceFormat: format) }

  /// Records the count of `source` into `histogram` from byte `offset` on, a multiple of 32.
  ///
  /// Takes samples of 8 and 16 bits, halves and floats, of 1, 2 or 4 channels; of floats no luma.
  public func encode(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram")
    let isFloat = format.sampleKind == .float
    let bins = isFloat ? nil : HistogramBins(info, format)
    let threshold = threshold(for: format)
    let function = HistogramFunction(
      info, format, form: form.resolved(planes: info.planes(for: format), entries: info.entries, device: buffer.device),
      sorting: isFloat ? .edges : bins?.areValues == true ? .values : .range,
      hasThreshold: isFloat || threshold != .zero)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    let area = clipRectSource.intersection(source.bounds)
    guard !area.size.isEmpty else { return }
    if isFloat { edges.encodeUpload(to: buffer) }
    function.encode(
      to: buffer, source: source, area: area, histogram: histogram, offset: offset, threshold: threshold
    ) { encoder in
      if let bins { encoder.setBytes(bins.range, index: 3) } else { encoder.setTexture(edges.texture, index: 4) }
    }
  }

  /// The least sample, or key of a float, that is counted of each channel.
  private func threshold(for format: PixelFormat) -> SIMD4<UInt32> {
    var least = SIMD4<UInt32>.zero
    for channel in 0..<4 {
      let value = minPixelThresholdValue[channel]
      trap(
        unless: !value.isNaN,
        "minPixelThresholdValue of channel \(channel) is not a number; use -Float.infinity to count all")
      if format.sampleKind == .float {
        least[channel] = FloatKey.key(notBelow: value)
      } else {
        // 24 and 16 bits: the product is exact. One above the maximum counts nothing.
        let sample = (Double(value) * Double(format.maximum)).rounded(.up)
        least[channel] = UInt32(max(0, min(sample, Double(format.maximum + 1))))
      }
    }
    return least
  }
}

extension CommandBuffer {
  /// Records zeros for a part of `histogram`.
  func zero(_ histogram: Buffer, range: Range<Int>, label: String = "zero histogram") {
    let blit = makeBlitCommandEncoder(label: label)
    blit.fill(histogram, range: range, value: 0)
    blit.endEncoding()
  }
}

/// Traps unless `buffer` holds a histogram of `size` bytes at `offset`.
func checkHistogram(_ buffer: Buffer, offset: Int, size: Int, of kernel: String) {
  trap(unless: offset >= 0 && offset % 32 == 0, "\(kernel): offset \(offset) is not a multiple of 32 bytes")
  trap(
    unless: offset + size <= buffer.length,
    """
    \(kernel): buffer '\(buffer.label)' has \(buffer.length) bytes, but \(size) are needed from offset \(offset); make it with \
    histogramSize(forSourceFormat:)
    """)
}
