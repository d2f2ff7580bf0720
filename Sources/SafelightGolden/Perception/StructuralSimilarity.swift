internal import Glibc
internal import SafelightImage

extension ImageDifference {
  /// The mean structural similarity of luma, or of alpha where that is less: 1 for identical pictures, down to -1.
  ///
  /// Wang, Bovik, Sheikh, Simoncelli 2004: an 11 × 11 Gaussian of σ 1.5, K1 0.01, K2 0.03, population moments, the border of 5 pixels left
  /// out, nothing made smaller before. Nil for pictures with a side below 11 pixels, or where a mask hides all but the border.
  public func ssim() -> Double? { least(side: 11, StructuralSimilarity.mean) }

  /// The similarity over five scales, of luma, or of alpha where that is less: 1 for identical pictures, down to 0.
  ///
  /// Wang, Simoncelli, Bovik 2003, with the mean of 2 × 2 pixels between the scales. Nil for pictures with a side below 176 pixels, or where a mask
  /// hides all but the border.
  public func msssim() -> Double? { least(side: 176, StructuralSimilarity.meanOfScales) }

  private func least(side: Int, _ mean: (Plane, Plane, Double, [Bool]?) -> Double?) -> Double? {
    guard min(size.width, size.height) >= side else { return nil }
    if isIdentical { return 1 }
    let peak = Double(expected.pixelFormat.maximum)
    let luma = lumaPlanes
    let colors = mean(luma.expected, luma.actual, peak, mask?.isHidden)
    guard maximumOfAlpha > 0 else { return colors }
    let alpha = planes(3)
    guard let colors, let alpha = mean(alpha.expected, alpha.actual, peak, mask?.isHidden) else { return nil }
    return min(colors, alpha)
  }
}

/// The formulas of SSIM and MS-SSIM on planes.
enum StructuralSimilarity {
  /// Wang, Simoncelli, Bovik 2003.
  private static let weights = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]

  private static let gaussian: [Double] = {
    let taps = (-5...5).map { exp(-Double($0 * $0) / 4.5) }
    let sum = taps.reduce(0, +)
    return taps.map { $0 / sum }
  }()

  /// The mean over the pixels that have all their surroundings.
  static func mean(_ a: Plane, _ b: Plane, peak: Double, isHidden: [Bool]?) -> Double? {
    means(a, b, peak, isHidden)?.similarity
  }

  /// The product of the contrasts of four scales and the similarity of the fifth, each to its weight; 11 pixels must be left there.
  static func meanOfScales(_ a: Plane, _ b: Plane, peak: Double, isHidden: [Bool]?) -> Double? {
    var (a, b, isHidden, product) = (a, b, isHidden, 1.0)
    for (scale, weight) in weights.enumerated() {
      guard let means = means(a, b, peak, isHidden) else { return nil }
      let isLast = scale == weights.count - 1
      product *= pow(max(isLast ? means.similarity : means.contrast, 0), weight)
      if isLast { break }
      isHidden = isHidden.map { halved($0, a.width, a.height) }
      (a, b) = (a.halved, b.halved)
    }
    return product
  }

  private static func means(
    _ a: Plane, _ b: Plane, _ peak: Double, _ isHidden: [Bool]?
  ) -> (similarity: Double, contrast: Double)? {
    guard min(a.width, a.height) >= gaussian.count else { return nil }
    func blurred(_ plane: Plane) -> Plane { plane.filtered(gaussian, gaussian, .none) }
    let (meanA, meanB) = (blurred(a), blurred(b))
    let squareA = blurred(a.combined(a, *))
    let squareB = blurred(b.combined(b, *))
    let product = blurred(a.combined(b, *))
    let (c1, c2) = (0.01 * peak * 0.01 * peak, 0.03 * peak * 0.03 * peak)
    var (similarity, contrast, count) = (0.0, 0.0, 0)
    for index in meanA.values.indices {
      let (x, y) = (index % meanA.width + 5, index / meanA.width + 5)
      if let isHidden, isHidden[y * a.width + x] { continue }
      let (ma, mb) = (meanA.values[index], meanB.values[index])
      let variances = squareA.values[index] - ma * ma + squareB.values[index] - mb * mb
      let c = (2 * (product.values[index] - ma * mb) + c2) / (variances + c2)
      contrast += c
      similarity += c * (2 * ma * mb + c1) / (ma * ma + mb * mb + c1)
      count += 1
    }
    return count == 0 ? nil : (similarity / Double(count), contrast / Double(count))
  }

  /// A pixel of the smaller scale is hidden where all that it is made of is.
  private static func halved(_ isHidden: [Bool], _ width: Int, _ height: Int) -> [Bool] {
    Plane(width, height) { isHidden[$0] ? 1 : 0 }.halved.values.map { $0 == 1 }
  }
}

/// One number a pixel, row by row.
struct Plane: Sendable {
  let width: Int
  let height: Int
  var values: [Double]

  /// A plane that `value` of each index fills.
  init(_ width: Int, _ height: Int, _ value: (Int) -> Double) {
    self.width = width
    self.height = height
    values = (0..<(width * height)).map(value)
  }

  private init(_ width: Int, _ height: Int, values: [Double]) {
    self.width = width
    self.height = height
    self.values = values
  }

  /// Where a filter looks for what lies beyond the border.
  enum Border {
    /// At the pixel on the border.
    case clamp
    /// Nowhere: the result has only the pixels whose whole surroundings are there.
    case none
  }

  /// Both planes, pixel by pixel.
  func combined(_ other: Plane, _ value: (Double, Double) -> Double) -> Plane {
    Plane(width, height, values: zip(values, other.values).map(value))
  }

  /// Correlated with `across` along the rows and `down` along the columns, both of odd length.
  func filtered(_ across: [Double], _ down: [Double], _ border: Border) -> Plane {
    filteredAcross(across, border).filteredDown(down, border)
  }

  private func filteredAcross(_ taps: [Double], _ border: Border) -> Plane {
    let radius = border == .clamp ? taps.count / 2 : 0
    let columns = width + 2 * radius - taps.count + 1
    var result: [Double] = []
    result.reserveCapacity(columns * height)
    for y in 0..<height {
      let row = values[(y * width)..<((y + 1) * width)]
      let padded =
        [Double](repeating: values[y * width], count: radius) + row
        + [Double](repeating: values[(y + 1) * width - 1], count: radius)
      var sums = [Double](repeating: 0, count: columns)
      for (tap, weight) in taps.enumerated() { Self.add(padded[tap..<(tap + columns)], times: weight, to: &sums) }
      result += sums
    }
    return Plane(columns, height, values: result)
  }

  private func filteredDown(_ taps: [Double], _ border: Border) -> Plane {
    let radius = border == .clamp ? taps.count / 2 : 0
    let rows = height + 2 * radius - taps.count + 1
    var result: [Double] = []
    result.reserveCapacity(width * rows)
    for y in 0..<rows {
      var sums = [Double](repeating: 0, count: width)
      for (tap, weight) in taps.enumerated() {
        let source = min(max(y + tap - radius, 0), height - 1)
        Self.add(values[(source * width)..<((source + 1) * width)], times: weight, to: &sums)
      }
      result += sums
    }
    return Plane(width, rows, values: result)
  }

  /// Without iterators, so that builds for debugging, which tests are, do not take minutes.
  private static func add(_ row: ArraySlice<Double>, times weight: Double, to sums: inout [Double]) {
    trap(unless: row.count == sums.count, "a row and its sums are as long")
    unsafe row.withUnsafeBufferPointer { row in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        var x = 0
        while x < row.count {
          unsafe sums[x] += weight * row[x]
          x += 1
        }
      }
    }
  }

  /// The mean of each 2 × 2 pixels; the last row and column twice where they are alone.
  var halved: Plane {
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    return Plane(columns, rows) { index in
      let (x, y) = (2 * (index % columns), 2 * (index / columns))
      let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
      return
        (values[y * width + x] + values[below * width + x] + values[y * width + right] + values[below * width + right])
        / 4
    }
  }
}

extension ImageDifference {
  /// `sample` of every pixel of both pictures; behind the mask both have the expected one.
  func planes(_ sample: Int) -> (expected: Plane, actual: Plane) {
    (expected.plane(sample), compared.plane(sample))
  }

  /// Both pictures' luma, Y = 0.299 R + 0.587 G + 0.114 B, not rounded; grey is its own.
  var lumaPlanes: (expected: Plane, actual: Plane) {
    func luma(_ image: Image) -> Plane {
      if image.channels.isGray { return image.plane(0) }
      let (red, green, blue) = (image.plane(0), image.plane(1), image.plane(2))
      return Plane(red.width, red.height) {
        0.299 * red.values[$0] + 0.587 * green.values[$0] + 0.114 * blue.values[$0]
      }
    }
    return (luma(expected), luma(compared))
  }

  /// The actual picture, with the expected one's pixels behind the mask.
  private var compared: Image { mask?.hiding(in: actual, behind: expected) ?? actual }
}

extension Image {
  fileprivate func plane(_ sample: Int) -> Plane {
    let stride = pixelFormat.samplesPerPixel
    return switch depth {
    case .bits8: Plane(size.width, size.height) { Double(bytes[$0 * stride + sample]) }
    case .bits16:
      Plane(size.width, size.height) {
        let offset = 2 * ($0 * stride + sample)
        return Double(UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8)
      }
    }
  }
}
