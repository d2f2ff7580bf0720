public import SafelightImage

/// What a histogram counts and how; Metal Performance Shaders' `MPSImageHistogramInfo`.
public struct HistogramInfo: Hashable, Sendable {
  /// Which samples are counted.
  public enum Channels: String, Sendable, CaseIterable {
    /// Each channel by itself.
    case each
    /// The luma of ITU-R BT.601 alone; of a picture of one or two channels its first. Not of floats.
    case luma
    /// The luma of ffmpeg's histeq, `(55·R + 182·G + 19·B) >> 8`; of a picture of one or two channels its first. Not of floats. What
    /// ``ImageHistogramEqualization/Rule/ffmpeg`` is made from.
    case histeqLuma = "histeq-luma"
  }

  /// Entries of a channel: a power of two from 256 to 65536 (`numberOfHistogramEntries`).
  public let entries: Int
  /// Whether alpha has a histogram too.
  public let histogramForAlpha: Bool
  /// Per channel: smaller values count in the first entry. From 0 to 1, of halves and floats any number.
  public let minPixelValue: SIMD4<Float>
  /// Per channel: larger values count in the last entry. From 0 to 1, of halves and floats any number.
  public let maxPixelValue: SIMD4<Float>
  /// Which samples are counted.
  public let channels: Channels

  /// The numbers of entries that can be asked for.
  public static let entryCounts = (8...16).map { 1 << $0 }

  /// Describes a histogram; traps on numbers of entries that there are not, and on ranges that do not rise.
  public init(
    entries: Int = 256, histogramForAlpha: Bool = false, minPixelValue: SIMD4<Float> = SIMD4(repeating: 0),
    maxPixelValue: SIMD4<Float> = SIMD4(repeating: 1), channels: Channels = .each
  ) {
    trap(
      unless: Self.entryCounts.contains(entries),
      "a histogram has 256, 512, … or 65536 entries; \(entries) were asked for")
    for channel in 0..<4 {
      trap(
        unless: minPixelValue[channel].isFinite && maxPixelValue[channel].isFinite
          && minPixelValue[channel] < maxPixelValue[channel],
        "channel \(channel) counts from \(minPixelValue[channel]) to \(maxPixelValue[channel]); it must rise")
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

  /// Planes of a histogram of `format`: one for each channel, without alpha unless it is asked for; one for luma.
  public func planes(for format: PixelFormat) -> Int {
    if channels != .each { return 1 }
    return format.samplesPerPixel == 4 && !histogramForAlpha ? 3 : format.samplesPerPixel
  }

  /// The luma that has to be computed; nil where samples are counted as they are.
  func luma(of format: PixelFormat) -> CountedLuma? {
    if format.samplesPerPixel < 4 { return nil }
    return switch channels {
    case .each: nil
    case .luma: .bt601
    case .histeqLuma: .histeq
    }
  }

  /// Bytes that a histogram of `format` needs: one 32-bit count an entry, plane after plane.
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { planes(for: format) * entries * 4 }
}
