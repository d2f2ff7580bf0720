internal import Glibc
public import SafelightGPU
public import SafelightImage

/// The counts of each channel of a picture, and statistics of them.
///
/// Entries are numbered from the darkest, 0, to the brightest. In a complete histogram
/// (``HistogramInfo/complete(_:channels:)``) an entry is a sample value.
public struct Histogram: Hashable, Sendable {
  /// A channel that can be counted; the raw value is its name in reports.
  public enum Channel: String, Sendable, CaseIterable {
    /// Red samples.
    case red
    /// Green samples.
    case green
    /// Blue samples.
    case blue
    /// The samples of a gray picture.
    case gray
    /// Opacity.
    case alpha
    /// The weighted sum of red, green and blue.
    case luma
  }

  /// The channels counted, in the order of the planes.
  public let channels: [Channel]
  /// The number of entries of a channel.
  public let entries: Int
  private let planes: [[UInt64]]

  /// Makes a histogram of planes with different channels and the same number of entries, a power of two from 256 to
  /// 65536.
  public init(_ planes: [(channel: Channel, counts: [UInt64])]) {
    let entries = planes.first?.counts.count ?? 256
    trap(
      unless: HistogramInfo.entryCounts.contains(entries) && planes.allSatisfy { $0.counts.count == entries },
      "a histogram has 256, 512, … or 65536 entries, alike in each channel; \(planes.map(\.counts.count)) were given")
    trap(
      unless: Set(planes.map(\.channel)).count == planes.count,
      "a histogram has each channel once; \(planes.map(\.channel)) were given")
    channels = planes.map(\.channel)
    self.entries = entries
    self.planes = planes.map(\.counts)
  }

  /// Returns how often each entry occurs; traps if `channel` was not counted.
  public func counts(_ channel: Channel) -> [UInt64] {
    guard let plane = channels.firstIndex(of: channel) else {
      trap("\(channel) was not counted; ask for \(channels.map(\.rawValue).joined(separator: ", "))")
    }
    return planes[plane]
  }

  /// Returns for each entry the number of samples in it and in those below.
  public func cumulative(_ channel: Channel) -> [UInt64] {
    var sum: UInt64 = 0
    return counts(channel).map { count in
      sum += count
      return sum
    }
  }

  /// Returns the number of samples counted.
  public func total(_ channel: Channel) -> UInt64 { counts(channel).reduce(0, +) }

  /// Returns the least entry with a count above 0; nil for an empty histogram.
  public func minimum(_ channel: Channel) -> Int? { counts(channel).firstIndex { $0 > 0 } }

  /// Returns the greatest entry with a count above 0; nil for an empty histogram.
  public func maximum(_ channel: Channel) -> Int? { counts(channel).lastIndex { $0 > 0 } }

  /// Returns the least counted entry that `share` of the samples, from 0 to 1, do not exceed: 0.5 for the median, 0 for
  /// the minimum. Nil for an empty histogram.
  public func percentile(_ share: Double, _ channel: Channel) -> Int? {
    trap(unless: (0...1).contains(share), "a percentile is a share from 0 to 1; \(share) was given")
    let sums = cumulative(channel)
    guard let total = sums.last, total > 0 else { return nil }
    // Compares quotients, which round as `share` did: 7 of 100 is 0.07, but 0.07 · 100 is more than 7.
    return sums.firstIndex { $0 > 0 && Double($0) / Double(total) >= share }
  }

  /// Returns the mean entry; nil for an empty histogram.
  public func mean(_ channel: Channel) -> Double? {
    let total = total(channel)
    guard total > 0 else { return nil }
    let sum = counts(channel).enumerated().reduce(UInt128(0)) { $0 + UInt128($1.offset) * UInt128($1.element) }
    return Double(sum) / Double(total)
  }

  /// Returns Shannon's entropy in bits, −Σ p · log₂ p: from 0 for one value to log₂ of ``entries`` for equal counts;
  /// nil for an empty histogram. Computed with doubles: the last bits may differ between machines.
  public func entropy(_ channel: Channel) -> Double? {
    let total = Double(total(channel))
    guard total > 0 else { return nil }
    return counts(channel).reduce(0) { sum, count in
      count == 0 ? sum : sum - Double(count) / total * log2(Double(count) / total)
    }
  }

  /// Adds the counts of two pictures; traps unless both have the same channels and entries.
  public static func + (one: Histogram, other: Histogram) -> Histogram {
    trap(
      unless: one.channels == other.channels && one.entries == other.entries,
      "only histograms of the same channels and entries can be added; \(one.channels) of \(one.entries) and "
        + "\(other.channels) of \(other.entries) were given")
    return Histogram(one.channels.map { ($0, zip(one.counts($0), other.counts($0)).map { $0 + $1 }) })
  }
}

extension Histogram {
  /// Counts what `info` describes of a picture in memory.
  package init(counting image: Image, _ info: HistogramInfo) {
    let picture = PassPicture(image.descriptor)
    let pass = Pass.histogram(info, of: picture)
    let (format, planes) = (picture.pixelFormat, info.planes(for: picture.pixelFormat))
    // Gray with alpha lies as three equal colors.
    let channels = image.channels.isGray && info.channels == .each ? [.gray] : info.channels(for: format)
    var counts = [UInt32](repeating: 0, count: planes * info.entries)
    var bytes = image.bytes(of: Region(size: image.size))
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe counts.withUnsafeMutableBytes { words in
        guard let samples = bytes.baseAddress, let first = words.baseAddress else { return }
        let region = Region(size: image.size)
        let length = Size(planes * info.entries, 1)
        let memory = unsafe PassMemory(
          region: region, output: PictureMemory(Region(size: length), of: length, .r32Uint, first),
          inputs: [PictureMemory(region, of: image.size, format, samples)], uniforms: pass.uniforms.words)
        [Pass.Numbers(.sum, count: length.width)].make(memory) { pass.function.make($0) }
      }
    }
    self.init(
      channels.enumerated().map { plane, channel in
        (channel, counts[plane * info.entries..<(plane + 1) * info.entries].map { UInt64($0) })
      })
  }
}

/// A histogram on its way back from a device.
///
/// The readback is a command of the buffer that counts, so later frames need not wait for it: commit, go on, and ask
/// for the counts when they are needed.
public struct HistogramReadback: Sendable {
  fileprivate let buffer: CommandBuffer
  fileprivate let readback: Readback
  fileprivate let channels: [Histogram.Channel]

  /// Waits for the command buffer, which must be committed, and returns the histogram; throws the device's error.
  public func histogram() async throws -> Histogram {
    try await buffer.completed()
    return try contents()
  }

  /// Returns the histogram of a completed command buffer without waiting.
  public func contents() throws -> Histogram {
    let bytes = try readback.contents()
    let words = unsafe bytes.withUnsafeBytes { unsafe $0.bindMemory(to: UInt32.self).map { UInt64($0) } }
    let entries = words.count / channels.count
    return Histogram(channels.enumerated().map { ($1, Array(words[$0 * entries..<($0 + 1) * entries])) })
  }
}

extension HistogramInfo {
  /// Returns what the planes of a histogram of `format` count.
  public func channels(for format: PixelFormat) -> [Histogram.Channel] {
    if format.samplesPerPixel == 1 { return [.gray] }
    if luma(of: format) != nil { return [.luma] }
    return Array([.red, .green, .blue, .alpha].prefix(planes(for: format)))
  }

  /// Records the reading of a histogram of pictures of `format` that starts at byte `offset` of `histogram`, after the
  /// commands that count.
  public func encodeReadback(
    to buffer: CommandBuffer, histogram: Buffer, sourceFormat format: PixelFormat, offset: Int = 0
  ) -> HistogramReadback {
    let size = histogramSize(forSourceFormat: format)
    checkHistogram(histogram, offset: offset, size: size, of: "histogram's readback")
    let readback = buffer.blit("histogram readback") { $0.read(histogram, range: offset..<offset + size) }
    return HistogramReadback(buffer: buffer, readback: readback, channels: channels(for: format))
  }
}
