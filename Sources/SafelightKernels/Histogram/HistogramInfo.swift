public import SafelightImage

/// A description of what a histogram counts and how; Metal Performance Shaders' `MPSImageHistogramInfo`.
public struct HistogramInfo: Hashable, Sendable {
  /// The samples that are counted.
  public enum Channels: String, Sendable, CaseIterable {
    /// Each channel by itself.
    case each
    /// The luma of ITU-R BT.601 alone, or the first of one or two channels. Not for floats.
    case luma
    /// The luma of ffmpeg's histeq, `(55·R + 182·G + 19·B) >> 8`, or the first of one or two channels, as
    /// ``ImageHistogramEqualization/Rule/ffmpeg`` needs it. Not for floats.
    case histeqLuma = "histeq-luma"
  }

  /// The number of entries of a channel, a power of two from 256 to 65536 (`numberOfHistogramEntries`).
  public let entries: Int
  /// True if alpha is counted too.
  public let histogramForAlpha: Bool
  /// The lower end of each channel's range, from 0 to 1, or any number for halves and floats. Smaller values count in
  /// the first entry.
  public let minPixelValue: SIMD4<Float>
  /// The upper end of each channel's range, from 0 to 1, or any number for halves and floats. Larger values count in
  /// the last entry.
  public let maxPixelValue: SIMD4<Float>
  /// The samples that are counted.
  public let channels: Channels
  /// The pixels that are counted, by the fourth sample, alpha; of pictures with fewer samples a pixel all are.
  public let pixels: CountedPixels

  /// The possible numbers of entries.
  public static let entryCounts = (8...16).map { 1 << $0 }

  /// Describes a histogram; traps unless `entries` is one of ``entryCounts`` and every range rises.
  public init(
    entries: Int = 256, histogramForAlpha: Bool = false, minPixelValue: SIMD4<Float> = SIMD4(repeating: 0),
    maxPixelValue: SIMD4<Float> = SIMD4(repeating: 1), channels: Channels = .each,
    pixels: CountedPixels = .all
  ) {
    trap(
      unless: Self.entryCounts.contains(entries),
      "a histogram has 256, 512, … or 65536 entries; \(entries) were asked for")
    for channel in 0..<4 {
      trap(
        unless: minPixelValue[channel].isFinite && maxPixelValue[channel].isFinite
          && minPixelValue[channel] < maxPixelValue[channel],
        "channel \(channel) counts from \(minPixelValue[channel]) to \(maxPixelValue[channel]); the first number "
          + "must be less than the second")
    }
    self.entries = entries
    self.histogramForAlpha = histogramForAlpha
    self.minPixelValue = minPixelValue
    self.maxPixelValue = maxPixelValue
    self.channels = channels
    self.pixels = pixels
  }

  /// Returns the description of a histogram with one entry for each sample value of `depth`.
  public static func complete(
    _ depth: SampleDepth, channels: Channels = .each, pixels: CountedPixels = .all
  ) -> HistogramInfo {
    HistogramInfo(entries: 1 << depth.rawValue, channels: channels, pixels: pixels)
  }

  /// Returns the number of planes of a histogram of `format`: one for each channel except alpha, which counts only with
  /// ``histogramForAlpha``, or one for a luma.
  public func planes(for format: PixelFormat) -> Int {
    if channels != .each { return 1 }
    return format.samplesPerPixel == 4 && !histogramForAlpha ? 3 : format.samplesPerPixel
  }

  /// The luma to compute; nil if samples are counted as they are.
  func luma(of format: PixelFormat) -> CountedLuma? {
    if format.samplesPerPixel < 4 { return nil }
    return switch channels {
    case .each: nil
    case .luma: .bt601
    case .histeqLuma: .histeq
    }
  }

  /// Returns the size of a histogram of `format` in bytes: a 32-bit count for each entry, plane after plane.
  public func histogramSize(forSourceFormat format: PixelFormat) -> Int { planes(for: format) * entries * 4 }
}

/// A luma that histograms count; the twin of `histogram_samples.glsl`, with the raw value as `COUNTS_LUMA`.
enum CountedLuma: Int, Sendable {
  /// The luma of ITU-R BT.601.
  case bt601 = 1
  /// The luma of ffmpeg's histeq.
  case histeq = 2

  /// Returns the luma of a pixel; no sum reaches 2³² for samples up to 65535.
  @inline(__always)
  func luma(_ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    switch self {
    case .bt601: LumaWeights.bt601.luma(red, green, blue)
    case .histeq: (55 &* red &+ 182 &* green &+ 19 &* blue) >> 8
    }
  }
}
