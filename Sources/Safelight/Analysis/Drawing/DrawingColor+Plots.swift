import SafelightKernels

/// The colours of plots and sheets; everything on a neutral ground, so that no hue is favoured.
extension DrawingColor {
  static let ground = DrawingColor(20, 20, 22)
  package static let plot = DrawingColor(30, 30, 33)
  package static let grid = DrawingColor(58, 58, 62)
  static let bright = DrawingColor(236, 236, 236)
  static let dim = DrawingColor(158, 158, 164)

  /// What a channel is drawn in.
  package init(_ channel: HistogramSeries.Channel) {
    self =
      switch channel {
      case .red: DrawingColor(198, 36, 36)
      case .green: DrawingColor(26, 166, 46)
      case .blue: DrawingColor(44, 92, 210)
      case .gray: DrawingColor(168, 168, 172)
      case .luma: DrawingColor(250, 250, 250)
      case .alpha: DrawingColor(206, 140, 255)
      }
  }
}
