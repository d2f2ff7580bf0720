import Safelight

/// What `safelight histogram` draws of a sequence: the sums over all frames, or the frames over time, before and after the filters.
struct HistogramPicture {
  /// What lies along the picture.
  enum Axis: String, CaseIterable {
    /// Values; all frames are summed.
    case values
    /// Frames.
    case time
  }

  /// What frames of one picture have in common.
  private struct Kind: Equatable {
    let channels: [Histogram.Channel]
    let depth: SampleDepth
  }

  private let titles: [String]
  private var kinds: [Kind?]
  private var sums: [Histogram?]
  private var timeline: HistogramTimeline?

  /// Prepares a picture of `total` frames, nil where nobody knows, in as many panels as there are titles.
  init(_ axis: Axis, total: Int?, titles: [String]) {
    self.titles = titles
    kinds = titles.map { _ in nil }
    sums = titles.map { _ in nil }
    timeline = axis == .time ? HistogramTimeline(total: total, titles: titles) : nil
  }

  /// Adds the counts of the frame at `place`, from 0, to a panel; throws where it is not of the kind of those before it.
  mutating func add(_ counts: Histogram, depth: SampleDepth, file: String, at place: Int, panel: Int) throws {
    let kind = Kind(channels: counts.channels, depth: depth)
    guard kinds[panel] == nil || kinds[panel] == kind else {
      throw SafelightError(
        .input, file, why: "it differs in channels or depth from the frames before it", remedy: "plot such frames apart"
      )
    }
    kinds[panel] = kind
    if timeline == nil {
      sums[panel] = sums[panel].map { $0 + counts } ?? counts
    } else {
      let maximum = maximum(panel)
      timeline?.add(counts.series, maximum: maximum, at: place, panel: panel)
    }
  }

  private func maximum(_ panel: Int) -> Int { (1 << (kinds[panel]?.depth ?? .bits8).rawValue) - 1 }

  private var plot: HistogramPlot {
    HistogramPlot(
      titles.enumerated().map { panel, title in
        HistogramPlot.Panel(title: title, series: sums[panel]?.series ?? [], maximum: maximum(panel))
      })
  }

  func svg() throws -> String { try timeline?.svg() ?? plot.svg() }

  func image() throws -> Image { try timeline?.image() ?? plot.image() }
}
