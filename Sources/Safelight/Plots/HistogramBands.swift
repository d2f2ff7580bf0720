import SafelightImage
public import SafelightKernels

/// A panel's counts as heights, and the channels that overlap in each column, before any color is chosen.
package struct HistogramBands {
  /// The height, 0 to ``height``, of each of the 256 columns of a series.
  package private(set) var heights: [HistogramSeries.Channel: [Int]] = [:]
  /// The columns in which a series is higher than the plot.
  package private(set) var cut: Set<Int> = []
  /// The plot's height in picture elements.
  let height: Int

  /// Scales `series` so that ``HistogramScale/full`` of a picture's samples reach `height`.
  package init(_ series: [HistogramSeries], scale: HistogramScale, height: Int) {
    self.height = height
    for one in series {
      let shares = HistogramScale.shares(of: one.columns())
      heights[one.channel] = shares.map { scale.height($0, of: height) }
      for (column, share) in shares.enumerated() where share > scale.full { cut.insert(column) }
    }
  }

  /// Returns the regions that each set of `channels` covers: rectangles one column wide, measured upwards from the
  /// plot's bottom-left corner and joined with the next if both are alike.
  package func bands(of channels: [HistogramSeries.Channel]) -> [(
    cover: Set<HistogramSeries.Channel>, regions: [Region]
  )] {
    var regions: [Set<HistogramSeries.Channel>: [Region]] = [:]
    for column in 0..<256 {
      let tops = channels.compactMap { channel in heights[channel].map { (channel: channel, top: $0[column]) } }
      var bottom = 0
      for top in Set(tops.map(\.top)).sorted() where top > bottom {
        let cover = Set(tops.filter { $0.top >= top }.map(\.channel))
        let region = Region(x: column, y: bottom, width: 1, height: top - bottom)
        Self.append(region, to: &regions[cover, default: []])
        bottom = top
      }
    }
    return regions.map { (cover: $0.key, regions: $0.value) }
      // Sets are unordered, and the drawing must always be the same.
      .sorted { Self.order($0.cover) < Self.order($1.cover) }
  }

  private static func append(_ region: Region, to regions: inout [Region]) {
    if let last = regions.last, last.y == region.y, last.size.height == region.size.height,
      last.x + last.size.width == region.x
    {
      regions[regions.count - 1].size.width += 1
    } else {
      regions.append(region)
    }
  }

  private static func order(_ cover: Set<HistogramSeries.Channel>) -> Int {
    HistogramSeries.Channel.allCases.enumerated().reduce(0) { bits, next in
      bits | (cover.contains(next.element) ? 1 << next.offset : 0)
    }
  }
}

/// The scale of heights, shared by the panels of a plot.
package struct HistogramScale {
  /// A share of 1: all samples in one column.
  package static let whole: UInt64 = 1 << 40

  /// The share that reaches the full height.
  let full: UInt64
  let kind: HistogramPlot.Scale

  /// Finds the full height: that of the highest column, except that black and white, which clipping fills, may exceed
  /// the plot as long as they are drawn at most four times too low.
  package init(_ panels: [HistogramPlot.Panel], kind: HistogramPlot.Scale) {
    self.kind = kind
    var highest: UInt64 = 0
    var inner: UInt64 = 0
    for series in panels.flatMap(\.series) {
      let shares = Self.shares(of: series.columns())
      highest = max(highest, shares.max() ?? 0)
      inner = max(inner, shares[1..<255].max() ?? 0)
    }
    full = max(inner, highest / (kind == .linear ? 4 : 16), 1)
  }

  /// Returns the fraction of their sum that each of `counts` holds, in units of 1 / ``whole``.
  static func shares(of counts: some Collection<UInt64>) -> [UInt64] {
    let total = UInt128(max(1, counts.reduce(0, +)))
    return counts.map { UInt64(UInt128($0) * UInt128(whole) / total) }
  }

  /// Returns the height of `share` in a plot `plot` high, rounded, and at least 1 unless it is 0.
  func height(_ share: UInt64, of plot: Int) -> Int {
    guard share > 0 else { return 0 }
    let edge = UInt128(plot)
    let height =
      switch kind {
      case .linear: (UInt128(share) * edge + UInt128(full) / 2) / UInt128(full)
      // Twice the root, rounded down, tells on which side of a half the root lies.
      case .squareRoot: (Self.root(4 * UInt128(share) * edge * edge / UInt128(full)) + 1) / 2
      }
    return min(plot, max(1, Int(height)))
  }

  /// Returns the integer part of the square root.
  private static func root(_ value: UInt128) -> UInt128 {
    var low: UInt128 = 0
    var high: UInt128 = 1 << 40
    while high - low > 1 {
      let middle = (low + high) / 2
      if middle * middle <= value { low = middle } else { high = middle }
    }
    return low
  }
}

/// The counts of the values of one channel.
public struct HistogramSeries: Hashable, Sendable {
  /// The channels that can be counted.
  public typealias Channel = Histogram.Channel

  /// The channel; its raw value is the name in reports.
  public let channel: Channel
  /// The number of samples in each bin, the darkest first.
  public let counts: [UInt64]

  /// Makes a series of 256, 512, … or 65536 bins.
  public init(_ channel: Channel, counts: [UInt64]) {
    trap(
      unless: counts.count >= 256 && counts.count <= 65536 && counts.count & (counts.count - 1) == 0,
      "a histogram has a power of two of bins from 256 to 65536; \(counts.count) were given")
    self.channel = channel
    self.counts = counts
  }

  /// The number of samples counted.
  public var total: UInt64 { counts.reduce(0, +) }

  /// Returns the mean bin in tenths, rounded, on an axis on which the last bin stands for `maximum`; nil if nothing was
  /// counted.
  package func meanInTenths(maximum: Int) -> Int? {
    let divisor = UInt128(total) * UInt128(counts.count - 1)
    guard divisor > 0 else { return nil }
    var sum: UInt128 = 0
    for (bin, count) in counts.enumerated() { sum += UInt128(bin) * UInt128(count) }
    return Int((sum * UInt128(maximum) * 10 + divisor / 2) / divisor)
  }

  /// Returns the counts summed into 256 columns.
  package func columns() -> [UInt64] {
    let bins = counts.count / 256
    return (0..<256).map { column in counts[column * bins..<(column + 1) * bins].reduce(0, +) }
  }
}

extension Histogram {
  /// The channels for plots and reports.
  public var series: [HistogramSeries] { channels.map { HistogramSeries($0, counts: counts($0)) } }
}
