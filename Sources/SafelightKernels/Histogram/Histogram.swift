internal import Glibc
internal import SafelightImage

/// A histogram as data: the counts of each channel, and what they say.
///
/// Entries are numbered from the darkest, 0, to the brightest. Of a complete histogram
/// (``HistogramInfo/complete(_:channels:)``) an entry is a sample value.
public struct Histogram: Hashable, Sendable {
  /// What was counted; the raw value is the name in reports.
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

  /// What was counted, in the order of the planes.
  public let channels: [Channel]
  /// Entries of a channel.
  public let entries: Int
  private let planes: [[UInt64]]

  /// Makes a histogram of planes that have the same number of entries, a power of two from 256 to 65536, and different channels.
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

  /// How often each entry occurs; traps on channels that were not counted.
  public func counts(_ channel: Channel) -> [UInt64] {
    guard let plane = channels.firstIndex(of: channel) else {
      trap("\(channel) was not counted; ask for \(channels.map(\.rawValue).joined(separator: ", "))")
    }
    return planes[plane]
  }

  /// How many samples lie in each entry and those below it.
  public func cumulative(_ channel: Channel) -> [UInt64] {
    var sum: UInt64 = 0
    return counts(channel).map { count in
      sum += count
      return sum
    }
  }

  /// All samples counted.
  public func total(_ channel: Channel) -> UInt64 { counts(channel).reduce(0, +) }

  /// The least entry that counts; nil where none does.
  public func minimum(_ channel: Channel) -> Int? { counts(channel).firstIndex { $0 > 0 } }

  /// The greatest entry that counts; nil where none does.
  public func maximum(_ channel: Channel) -> Int? { counts(channel).lastIndex { $0 > 0 } }

  /// The least entry that counts and that `share` of the samples, from 0 to 1, do not exceed: 0.5 is the median, 0 the minimum.
  /// Nil where nothing was counted.
  public func percentile(_ share: Double, _ channel: Channel) -> Int? {
    trap(unless: (0...1).contains(share), "a percentile is a share from 0 to 1; \(share) was given")
    let sums = cumulative(channel)
    guard let total = sums.last, total > 0 else { return nil }
    // Shares of a whole round as the share that was given did: 7 of 100 is 0.07, and 0.07 · 100 more than 7.
    return sums.firstIndex { $0 > 0 && Double($0) / Double(total) >= share }
  }

  /// The mean entry; nil where nothing was counted.
  public func mean(_ channel: Channel) -> Double? {
    let total = total(channel)
    guard total > 0 else { return nil }
    let sum = counts(channel).enumerated().reduce(UInt128(0)) { $0 + UInt128($1.offset) * UInt128($1.element) }
    return Double(sum) / Double(total)
  }

  /// Shannon's entropy in bits: −Σ p · log₂ p, from 0 for one value to log₂ of ``entries`` for all alike; nil where nothing was
  /// counted. A double's logarithms: not the same to the last bit on every machine.
  public func entropy(_ channel: Channel) -> Double? {
    let total = Double(total(channel))
    guard total > 0 else { return nil }
    return counts(channel).reduce(0) { sum, count in
      count == 0 ? sum : sum - Double(count) / total * log2(Double(count) / total)
    }
  }

  /// The counts of two pictures together; both need the same channels and entries.
  public static func + (one: Histogram, other: Histogram) -> Histogram {
    trap(
      unless: one.channels == other.channels && one.entries == other.entries,
      "only histograms of the same channels and entries add up; \(one.channels) of \(one.entries) and \(other.channels) of "
        + "\(other.entries) were given")
    return Histogram(one.channels.map { ($0, zip(one.counts($0), other.counts($0)).map { $0 + $1 }) })
  }
}
