public import SafelightImage

/// The samples that a float kernel cannot have made: those outside [round(v − ε), round(v + ε)], with v the twin's
/// value before rounding.
///
/// Arithmetic in another order moves v by less than ε and passes; a wrong weight or too narrow a storage fails, even if
/// it changes no sample by more than one step.
public struct IntervalDifference: Sendable {
  /// A sample outside its interval.
  public struct Sample: Hashable, Sendable, CustomStringConvertible {
    /// The column, from the left.
    public let x: Int
    /// The row, from the top.
    public let y: Int
    /// The channel's name: gray, red, green, blue or alpha.
    public let channelName: String
    /// The value before rounding, in steps.
    public let value: Double
    /// The actual sample.
    public let actual: Int

    /// The text `(17, 11) green: 160.4981 expected before rounding, 161 found`.
    public var description: String {
      "(\(x), \(y)) \(channelName): \(value) expected before rounding, \(actual) found"
    }
  }

  /// Half the width of the interval before rounding, in steps.
  public let epsilon: Double
  /// The number of samples that were compared.
  public let samples: Int
  /// The number of samples outside their intervals.
  public let outside: Int
  /// The first sample outside in scan order.
  public let place: Sample?
  /// The share of samples whose interval has two values, 0 to 1: about 2ε. If it is much larger, the input lies on the
  /// edges of rounding, and the comparison proves little.
  public let ambiguous: Double

  /// True if no sample lies outside.
  public var passes: Bool { outside == 0 }

  /// Compares `actual` with `values`: unrounded samples in steps (0 to 255 or 65535), pixel by pixel, in the channel
  /// order of a file. NaN has no interval.
  ///
  /// - Throws: ``SafelightError`` of kind `incomparable` if there is not one value for each sample or the mask has
  ///   another size; of kind `missingInput` if the mask hides every pixel.
  public init(values: [Double], actual: Image, epsilon: Double, mask: ImageMask? = nil) throws(SafelightError) {
    let channels = actual.channels.sampleIndices
    try ensure(
      values.count == actual.size.area * channels.count, .incomparable, "unrounded values",
      why: "there are \(values.count), the picture has \(actual.size.area * channels.count) samples")
    try mask?.check(actual.size)
    let peak = Double(actual.pixelFormat.maximum)
    var (outside, ambiguous, samples, place) = (0, 0, 0, Sample?.none)
    for pixel in 0..<actual.size.area where mask?.isHidden[pixel] != true {
      let (x, y) = (pixel % actual.size.width, pixel / actual.size.width)
      for (index, channel) in channels.enumerated() {
        let value = values[pixel * channels.count + index]
        let least = Self.rounded(value - epsilon, peak)
        let most = Self.rounded(value + epsilon, peak)
        let found = actual[x: x, y: y, sample: channel]
        samples += 1
        if least != most { ambiguous += 1 }
        // Comparisons with NaN are false.
        if least <= Double(found), Double(found) <= most { continue }
        outside += 1
        if place == nil {
          let name = ImageDifference.name(of: channel, in: actual.channels)
          place = Sample(x: x, y: y, channelName: name, value: value, actual: found)
        }
      }
    }
    self.epsilon = epsilon
    self.samples = samples
    self.outside = outside
    self.place = place
    self.ambiguous = Double(ambiguous) / Double(samples)
  }

  private static func rounded(_ value: Double, _ peak: Double) -> Double {
    let nearest = (value + 0.5).rounded(.down)
    return nearest < 0 ? 0 : nearest > peak ? peak : nearest
  }

  /// Returns the error that single-precision arithmetic on a device may add to a sum of weighted samples, in steps of
  /// `depth`.
  ///
  /// For k weights and inputs in 0…1: k + 2 operations err by at most one unit in the last place, 2⁻²³, as the
  /// direction of rounding is undefined (GLSL ES 3.20, 4.7.1); arithmetic outside of shaders errs by 10⁻⁵ (OpenGL ES
  /// 3.1, 2.3.3.1). Each of `passes` adds its own error.
  public static func epsilon(weights: [Double], depth: SampleDepth, passes: Int = 1) -> Double {
    let peak = Double((1 << depth.rawValue) - 1)
    let sum = weights.reduce(0) { $0 + $1.magnitude }
    let unit = 1 / Double(1 << 23)
    return peak * (Double(weights.count + 2) * unit + 1e-5) * sum * Double(passes)
  }
}
