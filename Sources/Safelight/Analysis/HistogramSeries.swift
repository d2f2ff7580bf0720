internal import SafelightImage
public import SafelightKernels

/// How often each value of one channel occurs.
public struct HistogramSeries: Hashable, Sendable {
  /// What can be counted.
  public typealias Channel = Histogram.Channel

  /// What was counted; the raw value is the name in reports.
  public let channel: Channel
  /// The number of samples in each bin, from the darkest to the brightest.
  public let counts: [UInt64]

  /// Makes a series of 256, 512, … or 65536 bins.
  public init(_ channel: Channel, counts: [UInt64]) {
    trap(
      unless: counts.count >= 256 && counts.count <= 65536 && counts.count & (counts.count - 1) == 0,
      "a histogram has a power of two of bins from 256 to 65536; \(counts.count) were given")
    self.channel = channel
    self.counts = counts
  }

  /// All samples counted.
  public var total: UInt64 { counts.reduce(0, +) }

  /// The mean bin in tenths, rounded, on an axis where the last bin stands for `maximum`; nil when nothing was counted.
  package func meanInTenths(maximum: Int) -> Int? {
    let divisor = UInt128(total) * UInt128(counts.count - 1)
    guard divisor > 0 else { return nil }
    var sum: UInt128 = 0
    for (bin, count) in counts.enumerated() { sum += UInt128(bin) * UInt128(count) }
    return Int((sum * UInt128(maximum) * 10 + divisor / 2) / divisor)
  }

  /// The counts summed into 256 columns.
  package func columns() -> [UInt64] {
    let bins = counts.count / 256
    return (0..<256).map { column in counts[column * bins..<(column + 1) * bins].reduce(0, +) }
  }
}

extension Histogram {
  /// The channels for plots and reports.
  public var series: [HistogramSeries] { channels.map { HistogramSeries($0, counts: counts($0)) } }
}
