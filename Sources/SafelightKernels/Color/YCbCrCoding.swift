internal import SafelightImage

/// Calls `body` with `step`, 1, 2 or 4, as a constant, with which the compiler makes vectors of a loop.
@inline(__always)
func withConstantStep(_ step: Int, _ body: (_ step: Int) -> Void) {
  switch step {
  case 1: body(1)
  case 2: body(2)
  default: body(4)
  }
}

/// The numbers of conversions between Y'CbCr and RGB: ITU-T H.273 §8.3, quantized to 2⁻¹⁹.
///
/// Samples of 8 bits count as they are, all others as left-aligned words of 16 bits, to match RGB of 16 bits.
struct YCbCrCoding: Hashable, Sendable {
  let layout: YCbCrLayout
  let color: ColorDescription
  private let mixture: Mixture

  /// The sums that a matrix stands for, of colors, luma and chroma from 0 or −½ to 1 or ½.
  private struct Mixture: Hashable {
    /// The weights of two samples.
    struct Pair: Hashable {
      let first: Double
      let second: Double

      init(_ first: Double, _ second: Double) { (self.first, self.second) = (first, second) }
    }

    /// The weights of red and blue in luma and in the two kinds of chroma. Green has the rest to 1 in luma, to 0 in
    /// chroma.
    let luma, firstChroma, secondChroma: Pair
    /// The weights of the two kinds of chroma in red, green and blue; luma has 1.
    let red, green, blue: Pair

    /// Nil for matrices that are not such sums, or not known.
    init?(_ matrix: ColorMatrix) {
      if matrix == .yCgCo {
        (luma, firstChroma, secondChroma) = (Pair(0.25, 0.25), Pair(-0.25, -0.25), Pair(0.5, -0.5))
        (red, green, blue) = (Pair(-1, 1), Pair(1, 0), Pair(-1, -1))
        return
      }
      guard let (kr, kb) = matrix.lumaWeights else { return nil }
      let (toBlue, toRed, kg) = (2 * (1 - kb), 2 * (1 - kr), 1 - kr - kb)
      (luma, firstChroma, secondChroma) = (Pair(kr, kb), Pair(-kr / toBlue, 0.5), Pair(0.5, -kb / toRed))
      (red, green, blue) = (Pair(0, toRed), Pair(-toBlue * kb / kg, -toRed * kr / kg), Pair(toBlue, 0))
    }
  }

  /// Throws if `pixelLayout` has no chroma, or `color` leaves open how it was made.
  init(_ pixelLayout: PixelLayout, _ color: ColorDescription) throws(SafelightError) {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.unsupported, "conversion of \(pixelLayout)", why: why, remedy: remedy)
    }
    guard let layout = pixelLayout.yCbCr else { throw refused("it has no luma and chroma", "use its plane as it is") }
    guard let mixture = Mixture(color.matrix) else {
      let words = ColorMatrix.allCases.filter(\.isConvertible).map(\.description).joined(separator: ", ")
      throw refused(
        "no conversion is known for its color matrix, \(color.matrix)", "state its matrix, one of \(words)")
    }
    guard color.range != .unspecified else {
      throw refused("its range is unspecified", "state its range: limited, as in most films, or full")
    }
    guard color.siting != .other else {
      throw refused("its chroma siting has no name", "choose the nearest siting that has a name")
    }
    self.layout = layout
    self.color = color
    self.mixture = mixture
  }

  /// Returns whether a frame tagged `other` can be converted; unspecified tags contradict nothing.
  func agrees(with other: ColorDescription) -> Bool {
    (other.matrix == .unspecified || other.matrix == color.matrix)
      && (other.range == .unspecified || other.range == color.range)
      && (other.siting == .unspecified || layout.subsampling == .yCbCr444 || siting(of: other) == siting(of: color))
  }

  private func siting(of color: ColorDescription) -> ChromaSiting {
    color.siting == .unspecified ? .left : color.siting
  }

  var maximum: Int { layout.bits == 8 ? 255 : 65535 }
  var largest: Int { (1 << layout.bits) - 1 }
  private var isFull: Bool { color.range == .full }

  /// Returns black's luma, the middle of chroma, and the extents of luma and chroma for samples of `bits`. YCgCo is
  /// made of red, green and blue that have the limited range already, so its chroma has the extent of luma.
  private func levels(bits: Int) -> (zero: Int, middle: Int, luma: Double, chroma: Double) {
    let unit = 1 << (bits - 8)
    return isFull
      ? (0, 128 * unit, Double((1 << bits) - 1), Double((1 << bits) - 1))
      : (16 * unit, 128 * unit, Double(219 * unit), Double((color.matrix == .yCgCo ? 219 : 224) * unit))
  }

  /// The coefficients of Y, Cb and Cr for red, green and blue, the levels that the shader subtracts, and the siting.
  var decoding: YCbCrToRGBFunction.Block {
    // Samples of 10 and 12 bits count on the left of their words.
    let left = layout.bits == 8 ? 0 : 16 - layout.bits
    let (zero, middle, luma, chroma) = levels(bits: layout.bits)
    let white = Double(maximum) / Double(1 << left)
    func row(_ weights: Mixture.Pair) -> SIMD4<Int32> {
      SIMD4(
        quantized(white / luma), quantized(weights.first * white / chroma), quantized(weights.second * white / chroma),
        0)
    }
    let step = layout.subsampling.step
    return YCbCrToRGBFunction.Block(
      red: row(mixture.red), green: row(mixture.green), blue: row(mixture.blue),
      levels: SIMD4(
        Int32(zero << left), Int32(middle << left), Int32(left - layout.shift),
        Int32(maximum >> (left - layout.shift))),
      siting: SIMD4(
        Int32(4 / step.width), Int32(4 / step.height), step.width == 2 ? Int32(place.x) : 0,
        step.height == 2 ? Int32(place.y) : 0))
  }

  /// Returns the coefficients of red, green and blue for Y, Cb and Cr, each with its zero. Green absorbs the rounding
  /// errors, so that the sum is that of white's luma, or 0 for chroma: grays have none.
  func encoding() -> (luma: SIMD4<Int32>, blue: SIMD4<Int32>, red: SIMD4<Int32>) {
    let (zero, middle, luma, chroma) = levels(bits: layout.bits)
    func row(_ weights: Mixture.Pair, sum: Double, reach: Double, zero: Int) -> SIMD4<Int32> {
      let scale = reach / Double(maximum)
      let (r, b, sum) = (quantized(weights.first * scale), quantized(weights.second * scale), quantized(sum * scale))
      return SIMD4(r, sum - r - b, b, Int32(zero))
    }
    return (
      row(mixture.luma, sum: 1, reach: luma, zero: zero),
      row(mixture.firstChroma, sum: 0, reach: chroma, zero: middle),
      row(mixture.secondChroma, sum: 0, reach: chroma, zero: middle)
    )
  }

  /// Returns the mean of sixteenths by the first three coefficients of `row`, halves upward, split at 1024 as in the
  /// shaders.
  @inline(__always)
  static func mixed(_ row: SIMD4<Int32>, _ first: Int32, _ second: Int32, _ third: Int32) -> Int32 {
    let high = row.x &* (first &>> 10) &+ row.y &* (second &>> 10) &+ row.z &* (third &>> 10)
    let low = row.x &* (first & 1023) &+ row.y &* (second & 1023) &+ row.z &* (third & 1023)
    return (high &+ ((low &+ (1 << 22)) &>> 10)) &>> 13
  }

  private func quantized(_ coefficient: Double) -> Int32 { Int32((coefficient * 524_288).rounded()) }

  /// The place of chroma among the pixels that share it, in halves of a pixel from the first.
  private var place: (x: Int, y: Int) { siting(of: color).place ?? (0, 1) }

  /// Weights in quarters of the pixels before, at and after a chroma sample's first, across and down; nil for chroma on
  /// the second of the pixels that share it.
  var chromaWeights: (columns: SIMD4<Int32>, rows: SIMD4<Int32>)? {
    func weights(_ step: Int, _ place: Int) -> SIMD4<Int32>? {
      step == 1 ? SIMD4(0, 4, 0, 0) : [SIMD4(1, 2, 1, 0), SIMD4(0, 2, 2, 0), nil][place]
    }
    let step = layout.subsampling.step
    guard let columns = weights(step.width, place.x), let rows = weights(step.height, place.y) else { return nil }
    return (columns, rows)
  }
}
