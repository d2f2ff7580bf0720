/// A measure of the difference of two pictures, as named in a ``Tolerance``.
public enum Metric: Hashable, Sendable {
  /// ``ImageDifference/maximum``.
  case maximum
  /// ``ImageDifference/maximumOfAlpha``.
  case maximumOfAlpha
  /// ``ImageDifference/mean``.
  case mean
  /// The greatest magnitude in ``ImageDifference/bias``.
  case bias
  /// ``ImageDifference/rmse``.
  case rmse
  /// ``ImageDifference/psnr``.
  case psnr
  /// ``ImageDifference/ssim()``.
  case ssim
  /// ``ImageDifference/msssim()``.
  case msssim
  /// ``FlipStatistics/mean``.
  case flipMean
  /// ``FlipStatistics/p99``.
  case flip99
  /// ``FlipStatistics/maximum``.
  case flipMaximum
  /// ``ImageDifference/over(_:)``.
  case over(Int)
  /// The share of ``ImageDifference/window(_:over:)``.
  case window(edge: Int, over: Int)
  /// The share of ``ImageDifference/line(over:)``.
  case line(over: Int)

  /// Every name, with the number of its arguments in parentheses.
  static let names: [(name: String, arguments: Int)] = [
    ("max", 0), ("max.alpha", 0), ("mean", 0), ("bias", 0), ("rmse", 0), ("psnr", 0), ("ssim", 0), ("msssim", 0),
    ("flip", 0), ("flip.mean", 0), ("flip.p99", 0), ("flip.max", 0), ("over", 1), ("window", 2), ("line", 1),
  ]

  /// Finds the metric called `name`, or returns nil if there is none or it takes another number of arguments.
  init?(_ name: String, _ arguments: [Int]) {
    switch (name, arguments.count) {
    case ("max", 0): self = .maximum
    case ("max.alpha", 0): self = .maximumOfAlpha
    case ("mean", 0): self = .mean
    case ("bias", 0): self = .bias
    case ("rmse", 0): self = .rmse
    case ("psnr", 0): self = .psnr
    case ("ssim", 0): self = .ssim
    case ("msssim", 0): self = .msssim
    case ("flip", 0), ("flip.mean", 0): self = .flipMean
    case ("flip.p99", 0): self = .flip99
    case ("flip.max", 0): self = .flipMaximum
    case ("over", 1): self = .over(arguments[0])
    case ("window", 2): self = .window(edge: arguments[0], over: arguments[1])
    case ("line", 1): self = .line(over: arguments[0])
    default: return nil
    }
  }

  /// The name in a tolerance: `window(8,1)`.
  public var name: String {
    switch self {
    case .maximum: "max"
    case .maximumOfAlpha: "max.alpha"
    case .mean: "mean"
    case .bias: "bias"
    case .rmse: "rmse"
    case .psnr: "psnr"
    case .ssim: "ssim"
    case .msssim: "msssim"
    case .flipMean: "flip"
    case .flip99: "flip.p99"
    case .flipMaximum: "flip.max"
    case .over(let k): "over(\(k))"
    case .window(let n, let k): "window(\(n),\(k))"
    case .line(let k): "line(\(k))"
    }
  }

  /// True if more is better: limits are then the least that passes.
  public var isQuality: Bool { [.psnr, .ssim, .msssim].contains(self) }

  private var isFlip: Bool { [.flipMean, .flip99, .flipMaximum].contains(self) }

  /// The units that a limit may have.
  var units: [Unit] {
    switch self {
    case .over: [.percent, .pixels]
    case .window, .line: [.percent]
    default: [.none]
    }
  }

  /// Returns the worst possible value; a limit that lets it pass would let everything pass.
  func worst(_ unit: Unit) -> Double {
    switch self {
    // The greatest 16-bit difference may be allowed, none above it.
    case .maximum, .maximumOfAlpha, .mean, .bias, .rmse: 65536
    case .psnr, .msssim: 0
    case .ssim: -1
    case .flipMean, .flip99, .flipMaximum: 1
    case .over, .window, .line: unit == .percent ? 100 : .infinity
    }
  }

  /// Returns the measurement, computing `flip` once for all its terms; nil if this metric needs a larger picture, or
  /// the pictures are identical and ``psnr`` has no value.
  func value(of difference: ImageDifference, unit: Unit, flip: inout FlipStatistics?) -> Double? {
    if isFlip, flip == nil { flip = difference.flip() }
    return switch self {
    case .maximum: Double(difference.maximum)
    case .maximumOfAlpha: Double(difference.maximumOfAlpha)
    case .mean: difference.mean
    case .bias: difference.bias.map(\.magnitude).max() ?? 0
    case .rmse: difference.rmse
    case .psnr: difference.psnr
    case .ssim: difference.ssim()
    case .msssim: difference.msssim()
    case .flipMean: flip?.mean
    case .flip99: flip?.p99
    case .flipMaximum: flip?.maximum
    case .over(let k):
      unit == .pixels
        ? difference.weight * Double(difference.over(k)) : 100 * Double(difference.over(k)) / Double(difference.pixels)
    case .window(let n, let k): 100 * difference.window(n, over: k).share
    case .line(let k): 100 * difference.line(over: k).share
    }
  }

  /// The unit of a limit.
  public enum Unit: String, Hashable, Sendable {
    /// Steps of the pictures' depth, decibels, or a number that the metric defines.
    case none = ""
    /// A percentage of all pixels, 0 to 100.
    case percent = "%"
    /// Pixels.
    case pixels = "px"
  }
}
