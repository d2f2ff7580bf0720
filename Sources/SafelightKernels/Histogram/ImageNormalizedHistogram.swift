public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A histogram over the range that the picture itself has; Metal Performance Shaders' `MPSImageNormalizedHistogram`.
///
/// Three steps on the device, with no readback between them: the least and the greatest sample of each channel; the
/// range
///
///     low = max(least, info.minPixelValue),   high = min(greatest, info.maxPixelValue)
///
/// and the counts by the rule of ``ImageHistogram`` over that range. Where it does not rise, what is above `low` counts in
/// the last entry. Of halves and floats the same holds exactly, infinities and what is not a number included as there.
public struct ImageNormalizedHistogram: Sendable {
  /// What is counted.
  public let info: HistogramInfo
  /// The part of the source to measure and count, cut to the source (`clipRectSource`).
  public var clipRectSource = Region.noClip
  /// Whether counts start from zero; else they are added to what the buffer holds (`zeroHistogram`).
  public var zeroHistogram = true
  /// How counts are gathered on a GPU.
  public var form = HistogramForm.automatic

  private let extrema: Buffer
  private let range: Buffer
  private let edges: Texture

  /// Makes the kernel. Command buffers that use one instance must be committed in the order in which they were recorded.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) {
    self.info = info
    extrema = Buffer(length: 32, label: "extrema")
    range = Buffer(length: 32, label: "histogram range")
    edges = HistogramEdgeTable.makeTexture(info)
  }

  /// Bytes that a histogram of `format` needs (`histogramSize(forSourceFormat:)`).
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { info.histogramSize(forSourceFormat: format) }

  /// The format of the texture that takes the least and the greatest samples of pictures of `format`.
  public static func minmaxFormat(forSourceFormat format: PixelFormat) -> PixelFormat {
    format.sampleKind == .float ? .rgba32Float : format.bytesPerSample == 1 ? .rgba8Unorm : .rgba16Uint
  }

  /// Records the histogram of `source` into `histogram` from byte `offset` on, a multiple of 32.
  ///
  /// `minmaxTexture`, of ``minmaxFormat(forSourceFormat:)`` and at least 2×1, gets the least samples at (0, 0) and the
  /// greatest at (1, 0), each channel for itself, alpha included; luma, where that is counted, in red. Channels without a number
  /// have 0, and so have those that the source lacks.
  public func encode(
    to buffer: CommandBuffer, source: Texture, minmaxTexture: Texture, histogram: Buffer, offset: Int = 0
  ) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "normalized histogram")
    check(minmaxTexture, format)
    let isFloat = format.sampleKind == .float
    let function = HistogramFunction(
      info, format, form: form.resolved(planes: info.planes(for: format), entries: info.entries, device: buffer.device),
      sorting: isFloat ? .edges : .range, hasThreshold: isFloat)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    buffer.zero(extrema, range: 0..<extrema.length, label: "zero extrema")
    let area = clipRectSource.intersection(source.bounds)
    if !area.size.isEmpty { encodeExtrema(to: buffer, source: source, area: area) }
    encodeRange(to: buffer, format, minmaxTexture)
    guard !area.size.isEmpty else { return }
    // All that is a number counts.
    let threshold = SIMD4<UInt32>(repeating: isFloat ? FloatKey.least : 0)
    function.encode(
      to: buffer, source: source, area: area, histogram: histogram, offset: offset, threshold: threshold
    ) { encoder in
      if isFloat { encoder.setTexture(edges, index: 4) } else { encoder.setBuffer(range, index: 3) }
    }
  }

  private func check(_ minmaxTexture: Texture, _ format: PixelFormat) {
    let expected = Self.minmaxFormat(forSourceFormat: format)
    trap(
      unless: minmaxTexture.pixelFormat == expected && minmaxTexture.size.width >= 2,
      "normalized histogram: minmaxTexture '\(minmaxTexture.label)' is \(minmaxTexture.size) of "
        + "\(minmaxTexture.pixelFormat.rawValue); 2×1 of \(expected.rawValue) is needed")
  }

  private func encodeExtrema(to buffer: CommandBuffer, source: Texture, area: Region) {
    let grid = HistogramGrid(.global, area.size)
    let encoder = buffer.makeComputeCommandEncoder(label: "extrema")
    encoder.setComputePipelineState(ExtremaFunction(info, source.pixelFormat).pipeline)
    encoder.setTexture(source, index: 0)
    encoder.setBuffer(extrema, index: 1)
    encoder.setBytes(
      (
        SIMD4<Int32>(Int32(area.x), Int32(area.y), Int32(area.size.width), Int32(area.size.height)),
        SIMD4<UInt32>(0, UInt32(grid.rows), 0, 0)
      ), index: 2)
    encoder.dispatchThreadgroups(grid.threadgroups, threadsPerThreadgroup: grid.threadsPerThreadgroup)
    encoder.endEncoding()
  }

  private func encodeRange(to buffer: CommandBuffer, _ format: PixelFormat, _ minmaxTexture: Texture) {
    let encoder = buffer.makeComputeCommandEncoder(label: "histogram range")
    encoder.setBuffer(extrema, index: 0)
    encoder.setTexture(minmaxTexture, index: 1)
    if format.sampleKind == .float {
      encoder.setComputePipelineState(RangeFunction.edges(entries: info.entries).pipeline)
      encoder.setTexture(edges, index: 2)
      encoder.setBytes(keyRange, index: 3)
      encoder.dispatchThreads(Size(info.entries, info.planes(for: format)), threadsPerThreadgroup: Size(64, 1))
    } else {
      encoder.setComputePipelineState(RangeFunction.integers(sampleBits: format.bytesPerSample * 8).pipeline)
      encoder.setBuffer(range, index: 2)
      encoder.setBytes(HistogramBins(info, format).range, index: 3)
      encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1))
    }
    encoder.endEncoding()
  }

  /// The info's range as keys.
  private var keyRange: (SIMD4<UInt32>, SIMD4<UInt32>) {
    var range = (SIMD4<UInt32>.zero, SIMD4<UInt32>.zero)
    for channel in 0..<4 {
      range.0[channel] = FloatKey.key(info.minPixelValue[channel])
      range.1[channel] = FloatKey.key(info.maxPixelValue[channel])
    }
    return range
  }
}
