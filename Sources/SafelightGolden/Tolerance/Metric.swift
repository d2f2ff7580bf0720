/// A measure of the difference of two pictures, as named in a ``Tolerance``.
package enum Metric: Hashable, Sendable {
  case maximum, maximumOfAlpha, mean, rmse, psnr, ssim, msssim
  /// The greatest magnitude in ``ImageDifference/bias``.
  case bias
  case flipMean, flip99, flipMaximum
  case over(Int)
  /// The share of ``ImageDifference/window(_:over:)``.
  case window(edge: Int, over: Int)
  /// The share of ``ImageDifference/line(over:)``.
  case line(over: Int)

  /// The metrics without arguments by name; the first name of two is the one that is written.
  private static let plain: [(name: String, metric: Metric)] = [
    ("max", .maximum), ("max.alpha", .maximumOfAlpha), ("mean", .mean), ("bias", .bias), ("rmse", .rmse),
    ("psnr", .psnr), ("ssim", .ssim), ("msssim", .msssim), ("flip", .flipMean), ("flip.mean", .flipMean),
    ("flip.p99", .flip99), ("flip.max", .flipMaximum),
  ]

  /// Every name, with the number of its arguments in parentheses.
  static let names: [(name: String, arguments: Int)] =
    plain.map { ($0.name, 0) } + [("over", 1), ("window", 2), ("line", 1)]

  /// Finds the metric called `name`, or returns nil if there is none or it takes another number of arguments.
  init?(_ name: String, _ arguments: [Int]) {
    switch (name, arguments.count) {
    case ("over", 1): self = .over(arguments[0])
    case ("window", 2): self = .window(edge: arguments[0], over: arguments[1])
    case ("line", 1): self = .line(over: arguments[0])
    default:
      guard arguments.isEmpty, let known = Self.plain.first(where: { $0.name == name }) else { return nil }
      self = known.metric
    }
  }

  /// The name in a tolerance: `window(8,1)`.
  var name: String {
    switch self {
    case .over(let k): "over(\(k))"
    case .window(let n, let k): "window(\(n),\(k))"
    case .line(let k): "line(\(k))"
    default: Self.plain.first { $0.metric == self }?.name ?? ""
    }
  }

  /// True if more is better: limits are then the least that passes.
  var isQuality: Bool { [.psnr, .ssim, .msssim].contains(self) }
  /// The sign between the name and a limit.
  var sign: String { isQuality ? ">=" : "<=" }
  private var isFlip: Bool { [.flipMean, .flip99, .flipMaximum].contains(self) }
  var looksAtSurroundings: Bool { isFlip || self == .ssim || self == .msssim }

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

  /// The pictures that have a value, for messages.
  var need: String { "pictures of at least \(self == .msssim ? "176×176" : "11×11") pixels outside of a mask" }

  /// The unit of a limit.
  package enum Unit: String, Hashable, Sendable {
    /// Steps of the pictures' depth, decibels, or a number that the metric defines.
    case none = ""
    /// A percentage of all pixels, 0 to 100.
    case percent = "%"
    /// Pixels.
    case pixels = "px"
  }
}
