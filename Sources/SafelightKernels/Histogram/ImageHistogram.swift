public import SafelightGPU
public import SafelightImage

/// A kernel that counts how often each sample value occurs; Metal Performance Shaders' `MPSImageHistogram`.
///
/// The result is planar: all of red, then green, blue and, if asked for, alpha, each ``HistogramInfo/entries`` counts
/// of 32 bits, modulo 2³². A value belongs to an entry by the rule that vImage documents, on the page Histograms; the
/// range of the info is rounded to sample values. For halves and floats, it stays as it is and the rule is exact:
/// subnormal numbers count as 0, infinities in the outer entries, NaN nowhere.
public struct ImageHistogram: Sendable {
  /// The description of what is counted.
  public let info: HistogramInfo
  /// The part of the source that is counted, clipped to the source (`clipRectSource`).
  public var clipRectSource = Region.noClip
  /// True if counts start from zero; if false, they are added to those in the buffer (`zeroHistogram`).
  public var zeroHistogram = true
  /// The least value of each channel that is counted, compared before the range of the info clips it. 0 by default, as
  /// in MPS, so negative floats are counted only with `-Float.infinity`.
  public var minPixelThresholdValue = SIMD4<Float>(repeating: 0)
  /// The way in which counts are gathered on a GPU.
  public var form = HistogramForm.automatic

  /// Worked out at the first picture of floats.
  private let edges = Memo<Texture>()

  /// Makes the kernel.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) { self.info = info }

  /// Returns the size of a histogram of `format` in bytes (`histogramSize(forSourceFormat:)`).
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { info.histogramSize(forSourceFormat: format) }

  /// Records the count of `source` into `histogram` from byte `offset` on, a multiple of 32.
  ///
  /// Takes 1, 2 or 4 channels of 8 and 16 bits, halves and floats; luma only of integers.
  public func encode(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    encode(to: buffer, source: source, histogram: histogram, offset: offset, info.pixels)
  }

  private func encode(
    to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int, _ pixels: CountedPixels
  ) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram")
    let isFloat = format.sampleKind == .float
    let bins = isFloat ? nil : HistogramBins(info, format)
    let threshold = threshold(for: format)
    let function = HistogramFunction(
      info, format, form: form.resolved(planes: info.planes(for: format), entries: info.entries, device: buffer.device),
      areValues: bins?.areValues == true, hasThreshold: isFloat || threshold != .zero, pixels: pixels)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    let area = clipRectSource.intersection(source.bounds)
    guard !area.size.isEmpty else { return }
    function.encode(
      to: buffer, source: source, area: area, histogram: histogram, offset: offset, threshold: threshold
    ) { encoder in
      if let bins {
        encoder.setBytes(bins.range, index: 3)
      } else {
        encoder.setTexture(edges.value(info) { info.makeEdges() }, index: 4)
      }
    }
  }

  /// Records the count of all tiles of a picture.
  package func encode(to buffer: CommandBuffer, source: TiledTexture, histogram: Buffer, offset: Int = 0) {
    var kernel = self
    let pixels = source.mayHidePixels ? info.pixels : .all
    for tile in source.tiles {
      kernel.encode(to: buffer, source: tile.texture, histogram: histogram, offset: offset, pixels)
      // The other tiles add to the counts of the first.
      kernel.zeroHistogram = false
    }
  }

  /// Returns the least sample of each channel, or key of a float, that is counted.
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
        // The product of 24 and 16 bits is exact. One above the maximum counts nothing.
        let sample = (Double(value) * Double(format.maximum)).rounded(.up)
        least[channel] = UInt32(max(0, min(sample, Double(format.maximum + 1))))
      }
    }
    return least
  }
}

/// A way to gather counts on a GPU; all give the same counts.
public enum HistogramForm: String, Sendable, CaseIterable {
  /// `private` on software renderers, `shared` on GPUs if the counts fit into 16 KiB, else `global`.
  case automatic
  /// Each lane counts for itself; 256 entries.
  case `private`
  /// A threadgroup counts together in its memory; counts of all planes must fit into 16 KiB.
  case shared
  /// Lanes count straight into the result.
  case global

  /// The form that runs: resolves ``automatic``, and replaces forms that cannot hold the counts by ``global``.
  func resolved(planes: Int, entries: Int, device: Device) -> HistogramForm {
    let fitsLanes = entries == 256 && !device.info.miscountsInOwnArrays
    let fitsThreadgroups = planes * entries * 4 <= 16384
    return switch self {
    case .private where fitsLanes: .private
    case .automatic where fitsLanes && device.info.isSoftware: .private
    case .automatic where fitsThreadgroups, .shared where fitsThreadgroups: .shared
    case .automatic, .private, .shared, .global: .global
    }
  }
}

extension CommandBuffer {
  func zero(_ histogram: Buffer, range: Range<Int>, label: String = "zero histogram") {
    blit(label) { $0.fill(histogram, range: range, value: 0) }
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
