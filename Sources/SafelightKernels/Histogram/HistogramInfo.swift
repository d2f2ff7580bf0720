public import SafelightImage

/// What a histogram counts and how; Metal Performance Shaders' `MPSImageHistogramInfo`.
public struct HistogramInfo: Hashable, Sendable {
  /// Which samples are counted.
  public enum Channels: String, Sendable, CaseIterable {
    /// Each channel by itself.
    case each
    /// The luma of ITU-R BT.601 alone; of a grey picture its only channel.
    case luma
  }

  /// Entries of a channel: a power of two from 256 to 65536 (`numberOfHistogramEntries`).
  public let entries: Int
  /// Whether alpha has a histogram too.
  public let histogramForAlpha: Bool
  /// Per channel, from 0 to 1: smaller values count in the first entry.
  public let minPixelValue: SIMD4<Float>
  /// Per channel, from 0 to 1: larger values count in the last entry.
  public let maxPixelValue: SIMD4<Float>
  /// Which samples are counted.
  public let channels: Channels

  /// The numbers of entries that can be asked for.
  public static let entryCounts = (8...16).map { 1 << $0 }

  /// Describes a histogram; traps on values outside the ranges of the properties.
  public init(
    entries: Int = 256, histogramForAlpha: Bool = false, minPixelValue: SIMD4<Float> = SIMD4(repeating: 0),
    maxPixelValue: SIMD4<Float> = SIMD4(repeating: 1), channels: Channels = .each
  ) {
    precondition(
      Self.entryCounts.contains(entries), "a histogram has 256, 512, … or 65536 entries; \(entries) were asked for")
    for channel in 0..<4 {
      precondition(
        minPixelValue[channel] >= 0 && maxPixelValue[channel] <= 1 && minPixelValue[channel] < maxPixelValue[channel],
        "channel \(channel) counts from \(minPixelValue[channel]) to \(maxPixelValue[channel]); it must rise within 0 to 1"
      )
    }
    self.entries = entries
    self.histogramForAlpha = histogramForAlpha
    self.minPixelValue = minPixelValue
    self.maxPixelValue = maxPixelValue
    self.channels = channels
  }

  /// The histogram that loses nothing of pictures with `depth` bits: one entry a value.
  public static func complete(_ depth: SampleDepth, channels: Channels = .each) -> HistogramInfo {
    HistogramInfo(entries: 1 << depth.rawValue, channels: channels)
  }

  /// Planes of a histogram of `format`: red, green, blue and perhaps alpha; one for grey and for luma.
  public func planes(for format: PixelFormat) -> Int {
    if format.samplesPerPixel == 1 || channels == .luma { return 1 }
    return histogramForAlpha ? 4 : 3
  }

  /// Bytes that a histogram of `format` needs: one 32-bit count an entry, plane after plane.
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { planes(for: format) * entries * 4 }
}
