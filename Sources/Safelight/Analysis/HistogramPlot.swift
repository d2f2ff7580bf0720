public import SafelightImage

/// Histograms as a picture: panels above one another with a common scale, so that before and after can be compared.
///
/// Red, green and blue lie over each other like light: where all three reach, the plot is near white. Grey is filled
/// too, luma and alpha are lines. Both renderings come from one drawing made of integers and are the same, byte for
/// byte, on every machine.
public struct HistogramPlot: Sendable {
  /// The histograms of one picture.
  public struct Panel: Hashable, Sendable {
    /// Stands above the plot, such as `before`.
    public let title: String
    /// The channels, all with the same number of bins.
    public let series: [HistogramSeries]
    /// The value that the last bin stands for, as the axis shows it.
    public let maximum: Int

    /// Makes a panel; without `maximum`, the axis counts bins: 0 to 255 for 256 of them.
    public init(title: String, series: [HistogramSeries], maximum: Int? = nil) {
      let bins = series.first?.counts.count ?? 256
      trap(
        unless: series.allSatisfy { $0.counts.count == bins },
        "the series of panel '\(title)' differ in their number of bins")
      self.title = title
      self.series = series
      self.maximum = maximum ?? bins - 1
      trap(unless: self.maximum > 0, "the last bin must stand for a value above 0; \(self.maximum) was given")
    }
  }

  /// How counts become heights.
  public enum Scale: String, Sendable, CaseIterable {
    /// Twice as high is twice as many.
    case linear
    /// Twice as high is four times as many: one tall peak, as dark pictures have, leaves the rest legible.
    case squareRoot
  }

  /// From the top down.
  public let panels: [Panel]
  /// How counts become heights.
  public let scale: Scale

  /// Makes a plot of at least one panel.
  public init(_ panels: [Panel], scale: Scale = .squareRoot) {
    trap(unless: !panels.isEmpty, "a plot needs at least one panel")
    self.panels = panels
    self.scale = scale
  }

  /// The plot in dots, 1120 columns wide: 8 bits, red, green, blue.
  public func image() -> Image { drawing().image() }

  /// The plot as an SVG document of the same measures, which needs no style sheet, script or font of its own.
  public func svg() -> String {
    drawing().svg(title: "Histogram: " + panels.map(\.title).joined(separator: ", "))
  }
}
