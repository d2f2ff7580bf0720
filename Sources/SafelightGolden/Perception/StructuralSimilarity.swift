internal import Glibc
internal import SafelightImage

extension ImageDifference {
  /// Returns the mean structural similarity of luma, or of alpha if that is less: 1 for identical pictures, down to -1.
  ///
  /// Wang, Bovik, Sheikh, Simoncelli 2004: an 11 × 11 Gaussian of σ 1.5, K1 0.01, K2 0.03, population moments, without
  /// the border of 5 pixels and without downscaling. Nil for pictures with a side below 11 pixels, or if a mask hides
  /// all but the border.
  public func ssim() -> Double? {
    least(side: 11) { StructuralSimilarity.means($0, $1, peak: $2, isHidden: $3)?.similarity }
  }

  /// Returns the similarity over five scales, of luma, or of alpha if that is less: 1 for identical pictures, down to
  /// 0.
  ///
  /// Wang, Simoncelli, Bovik 2003, with the mean of 2 × 2 pixels between the scales. Nil for pictures with a side below
  /// 176 pixels, or if a mask hides all but the border.
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

  private static let gaussian = (-5...5).map { exp(-Double($0 * $0) / 4.5) }.normalized

  /// Returns the product of the contrasts of four scales and the similarity of the fifth, each to the power of its
  /// weight; at least 11 pixels must be left there.
  static func meanOfScales(_ a: Plane, _ b: Plane, peak: Double, isHidden: [Bool]?) -> Double? {
    var (a, b, isHidden, product) = (a, b, isHidden, 1.0)
    for (scale, weight) in weights.enumerated() {
      guard let means = means(a, b, peak: peak, isHidden: isHidden) else { return nil }
      let isLast = scale == weights.count - 1
      product *= pow(max(isLast ? means.similarity : means.contrast, 0), weight)
      if isLast { break }
      isHidden = isHidden.map { halved($0, a.width, a.height) }
      (a, b) = (a.halved, b.halved)
    }
    return product
  }

  /// Returns the means over the pixels that have all their surroundings.
  static func means(
    _ a: Plane, _ b: Plane, peak: Double, isHidden: [Bool]?
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

  /// Hides a pixel of the smaller scale if all of its source pixels are hidden.
  private static func halved(_ isHidden: [Bool], _ width: Int, _ height: Int) -> [Bool] {
    Plane(width, height) { isHidden[$0] ? 1 : 0 }.halved.values.map { $0 == 1 }
  }
}
