public import SafelightImage

/// Samples that a float kernel may not have made: those outside [round(v − ε), round(v + ε)], with v the twin's value before it was rounded.
///
/// Arithmetic in another order moves v by less than ε and so passes, a wrong weight or a storage too narrow does not, though it changes no sample
/// by more than one step.
public struct IntervalDifference: Sendable {
  /// A sample outside its interval.
  public struct Place: Hashable, Sendable, CustomStringConvertible {
    /// Column, from the left.
    public let x: Int
    /// Row, from the top.
    public let y: Int
    /// The channel's name: gray, red, green, blue or alpha.
    public let channelName: String
    /// The value before it was rounded, in steps.
    public let value: Double
    /// The actual sample.
    public let actual: Int

    /// For people: `(17, 11) green: 160.4981 expected before rounding, 161 found`.
    public var description: String {
      "(\(x), \(y)) \(channelName): \(value) expected before rounding, \(actual) found"
    }
  }

  /// Half the width of the interval before it is rounded, in steps.
  public let epsilon: Double
  /// Samples compared.
  public let samples: Int
  /// Samples outside.
  public let outside: Int
  /// The first of them in scan order.
  public let place: Place?
  /// The share of samples whose interval has two values, 0 to 1: about 2ε. Much more says that the input lies on the edges of
  /// rounding, and a comparison with it proves little.
  public let ambiguous: Double

  /// True where no sample lies outside.
  public var passes: Bool { outside == 0 }

  /// Compares `actual` with `values`: unrounded samples in steps (0 to 255 or 65535), pixel by pixel, in the order in which a file stores channels.
  /// A value that is no number has no interval.
  ///
  /// - Throws: ``SafelightError`` of the kind `incomparable` where there is not one value for each sample, or a mask of another
  ///   size; of the kind `missingInput` where the mask hides every pixel.
  public init(values: [Double], actual: Image, epsilon: Double, mask: ImageMask? = nil) throws(SafelightError) {
    let channels = actual.channels.sampleIndices
    guard values.count == actual.size.area * channels.count else {
      throw SafelightError(
        .incomparable, "unrounded values",
        why: "there are \(values.count), the picture has \(actual.size.area * channels.count) samples")
    }
    try mask?.check(actual.size)
    let peak = Double(actual.pixelFormat.maximum)
    var (outside, ambiguous, samples, place) = (0, 0, 0, Place?.none)
    for pixel in 0..<actual.size.area where mask?.isHidden[pixel] != true {
      let (x, y) = (pixel % actual.size.width, pixel / actual.size.width)
      for (index, channel) in channels.enumerated() {
        let value = values[pixel * channels.count + index]
        let least = Self.rounded(value - epsilon, peak)
        let most = Self.rounded(value + epsilon, peak)
        let found = actual[x: x, y: y, sample: channel]
        samples += 1
        if least != most { ambiguous += 1 }
        // A comparison with what is no number is false.
        if least <= Double(found), Double(found) <= most { continue }
        outside += 1
        if place == nil {
          let name = ImageDifference.name(of: channel, in: actual.channels)
          place = Place(x: x, y: y, channelName: name, value: value, actual: found)
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

  /// How far single-precision arithmetic on a device may move a sum of weighted samples, in steps of `depth`.
  ///
  /// For k weights and inputs in 0…1: k + 2 steps err by at most one unit in the last place, 2⁻²³, as the direction of rounding is not
  /// defined (GLSL ES 3.20, 4.7.1); what is no shader's errs by 10⁻⁵ (OpenGL ES 3.1, 2.3.3.1). Each of `passes` adds its own.
  public static func epsilon(weights: [Double], depth: SampleDepth, passes: Int = 1) -> Double {
    let peak = Double((1 << depth.rawValue) - 1)
    let sum = weights.reduce(0) { $0 + $1.magnitude }
    let unit = 1 / Double(1 << 23)
    return peak * (Double(weights.count + 2) * unit + 1e-5) * sum * Double(passes)
  }
}
