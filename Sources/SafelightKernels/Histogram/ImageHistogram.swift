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
  public var variant = HistogramVariant.automatic

  private let tables = Memo<TiledTexture>()

  /// Makes the kernel.
  public init(device: Device, info: HistogramInfo = HistogramInfo()) { self.info = info }

  /// Returns the size of a histogram of `format` in bytes (`histogramSize(forSourceFormat:)`).
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { info.histogramSize(forSourceFormat: format) }

  /// Records the count of `source` into `histogram` from byte `offset` on, a multiple of 32.
  ///
  /// Takes 1, 2 or 4 channels of 8 and 16 bits, halves and floats; luma only of integers.
  public func encode(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int = 0) {
    encode(to: buffer, source: TiledTexture(source), histogram: histogram, offset: offset)
  }

  /// Records the count of all tiles of a picture.
  package func encode(to buffer: CommandBuffer, source: TiledTexture, histogram: Buffer, offset: Int = 0) {
    let format = source.pixelFormat
    let size = info.histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram")
    let picture = PassPicture(source.image ?? format.descriptor(source.size), format)
    let call = HistogramCall.histogram(info, threshold: minPixelThresholdValue)
    let recorder = PassRecorder(
      plan: call.checkedPlan(for: picture, variant: variant), call: call.text, buffer: buffer, constants: tables)
    if zeroHistogram { buffer.zero(histogram, range: offset..<offset + size) }
    recorder.encode(
      [.numbers(0)], [.picture: .picture(source), .numbers(0): .words(histogram, offset: offset)], in: clipRectSource)
  }
}

/// A way to gather counts on a GPU; all give the same counts.
public enum HistogramVariant: String, Sendable, CaseIterable {
  /// `private` on software renderers, `shared` on GPUs if the counts fit into 16 KiB, else `global`.
  case automatic
  /// Each lane counts for itself; 256 entries.
  case `private`
  /// A threadgroup counts together in its memory; counts of all planes must fit into 16 KiB.
  case shared
  /// Lanes count straight into the result.
  case global

  /// The variant that runs: resolves ``automatic``, and replaces variants that cannot hold the counts by ``global``.
  func resolved(planes: Int, entries: Int, device: DeviceInfo) -> HistogramVariant {
    let fitsLanes = entries == 256 && !device.miscountsInOwnArrays
    let fitsThreadgroups = planes * entries * 4 <= 16384
    return switch self {
    case .private where fitsLanes: .private
    case .automatic where fitsLanes && device.isSoftware: .private
    case .automatic where fitsThreadgroups, .shared where fitsThreadgroups: .shared
    case .automatic, .private, .shared, .global: .global
    }
  }
}

extension CommandBuffer {
  func zero(_ histogram: Buffer, range: Range<Int>) {
    blit("zero histogram") { $0.fill(histogram, range: range, value: 0) }
  }
}

/// Traps unless `buffer` holds a histogram of `size` bytes at `offset`.
func checkHistogram(_ buffer: Buffer, offset: Int, size: Int, of kernel: String) {
  trap(unless: offset >= 0 && offset % 32 == 0, "\(kernel): offset \(offset) is not a multiple of 32 bytes")
  trap(
    unless: offset + size <= buffer.length,
    """
    \(kernel): buffer '\(buffer.label)' has \(buffer.length) bytes, but \(size) are needed from offset \(offset); make \
    it with histogramSize(forSourceFormat:)
    """)
}
