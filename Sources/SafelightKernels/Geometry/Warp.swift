internal import SafelightImage

/// A picture whose pixels come from positions in another: where these are, and what is taken there.
package struct Warp: Hashable, Sendable {
  let map: WarpMap
  let interpolation: ImageInterpolation
  /// Which pixels are seen beyond the edges.
  let edge: WarpSampling.Edge

  /// The columns and rows around a position that are needed, from the whole pixel at it or before it.
  private var reach: (before: Int, after: Int) { (max(interpolation.taps / 2 - 1, 0), interpolation.taps / 2) }

  /// Returns the pixels of a picture of `size` of which those of `region` are made.
  func source(of region: Region, in size: Size) -> Region {
    let isNearest = interpolation == .nearest
    guard let bounds = map.bounds(of: region, in: size, isNearest: isNearest, isMirrored: edge == .mirror) else {
      return Region(size: size)
    }
    func span(_ positions: ClosedRange<Int>, of count: Int) -> ClosedRange<Int>? {
      let shift = isNearest ? 0 : 8
      let (low, high) = (positions.lowerBound >> shift - reach.before, positions.upperBound >> shift + reach.after)
      if edge == .color, high < 0 || low >= count { return nil }
      return edge.padding.span(of: low...high, in: count)
    }
    guard let columns = span(bounds.x, of: size.width), let rows = span(bounds.y, of: size.height) else {
      // All is color.
      return Region(x: 0, y: 0, width: 1, height: 1)
    }
    return Region(from: (columns.lowerBound, rows.lowerBound), through: (columns.upperBound, rows.upperBound))
  }
}

/// The rule by which a pixel between others is made.
public enum ImageInterpolation: Sendable, CaseIterable {
  /// The nearest pixel.
  case nearest
  /// From four pixels, by their distances.
  case bilinear
  /// From 4 by 4 pixels, by Keys' cubic.
  case bicubic
  /// From 6 by 6 pixels, by a windowed sinc.
  case lanczos

  /// The pixels along each axis.
  var taps: Int {
    switch self {
    case .nearest: 1
    case .bilinear: 2
    case .bicubic: 4
    case .lanczos: 6
    }
  }
}

extension ImageInterpolation: ParameterWord {
  /// The words of chains.
  public static var words: [(value: Self, word: String, summary: String)] {
    [
      (.nearest, "nearest", "the nearest pixel"), (.bilinear, "bilinear", "four pixels, by their distances"),
      (.bicubic, "bicubic", "a cubic of 4 by 4 pixels"), (.lanczos, "lanczos", "a windowed sinc of 6 by 6 pixels"),
    ]
  }
}

extension ImageInterpolation {
  /// The weights of the pixels along an axis for each 256th of the way from one to the next, in 1024ths: all of a
  /// position together are one.
  struct Weights: PassTable {
    let interpolation: ImageInterpolation

    /// The entries of a position.
    private var stride: Int { (interpolation.taps + 3) / 4 }

    var size: Size { Size(256 * stride, 1) }

    func entries() -> [UInt16] {
      (0..<256).flatMap { part in
        let weights = interpolation.weights(at: Double(part) / 256).map { UInt16(bitPattern: $0) }
        return weights + [UInt16](repeating: 0, count: 4 * stride - weights.count)
      }
    }
  }

  /// Returns the weights at `part` of the way; the first of the greatest takes what rounding left over.
  private func weights(at part: Double) -> [Int16] {
    let rule: Resampling.Rule = self == .bicubic ? .bicubic : .lanczos
    let values = (0..<taps).map { rule.value(at: Double($0 + 1 - taps / 2) - part) }
    let sum = values.reduce(0, +)
    var weights = values.map { Int16(($0 / sum * 1024).rounded()) }
    if let greatest = weights.max(), let first = weights.firstIndex(of: greatest) {
      weights[first] += 1024 - weights.reduce(0, +)
    }
    return weights
  }
}
