internal import Glibc
internal import SafelightImage

/// One axis of a picture at another scale, as Pillow's `resize` makes it: each pixel is a sum of the pixels around its
/// center with weights by their distance.
package struct Resampling: Hashable, Sendable {
  /// The function of the weights.
  enum Rule: Hashable, Sendable {
    /// Keys' cubic with a = -1/2, from four pixels.
    case bicubic
    /// The sinc windowed by its middle lobe at a third of the scale, from six pixels.
    case lanczos

    /// Returns the weight of a pixel at `distance`, before all together are made one.
    func value(at distance: Double) -> Double {
      switch self {
      case .bicubic:
        let (a, x) = (-0.5, abs(distance))
        if x < 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
        return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0
      case .lanczos:
        return -3 <= distance && distance < 3 ? Self.sinc(distance) * Self.sinc(distance / 3) : 0
      }
    }

    private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(x * .pi) / (x * .pi) }
  }

  let rule: Rule
  /// The direction in which pixels are added up.
  let axis: Pass.Axis
  /// The pixels of the source, and those of the scaled axis.
  let from, to: Int
  /// True for samples of 16 bits: weights then are one together, however many there are.
  let isDeep: Bool
  /// The pixels of the scaled axis that are made.
  let made: Range<Int>
  /// The part of the source that becomes the scaled axis; nil for all of it.
  var part: Part?

  /// A part of a source's axis in pixels, from the edge at 0 on. It may lie beyond the edges.
  struct Part: Hashable, Sendable {
    let first, extent: Double
  }

  /// The pixels of the source to each pixel of the scaled axis; of a larger one it is less than 1.
  private var scale: Double { (part?.extent ?? Double(from)) / Double(to) }
  /// The scale of the weights: where an axis becomes smaller, each pixel covers more of the source.
  private var spread: Double { max(scale, 1) }
  private var support: Double { (rule == .bicubic ? 2 : 3) * spread }
  /// True if pixels stay as they are.
  var isIdentity: Bool {
    from == to && made == 0..<to && (part == nil || part == Part(first: 0, extent: Double(from)))
  }

  /// The largest number of weights that a pixel can have.
  var taps: Int { min(from, 2 * Int(support.rounded(.up)) + 1) }

  /// Returns the pixels of the source of which pixel `index` of those that are made is the sum.
  func span(of index: Int) -> Range<Int> {
    let center = center(of: index)
    return max(0, Int(center - support + 0.5))..<min(from, Int(center + support + 0.5))
  }

  /// Returns where the middle of a pixel lies in the source, or the edge that it lies beyond.
  private func center(of index: Int) -> Double {
    min(max((part?.first ?? 0) + (Double(made.lowerBound + index) + 0.5) * scale, 0), Double(from))
  }

  /// Returns the weights of a pixel's span, in 2²² for one: `precompute_coeffs` and `normalize_coeffs_8bpc` of Pillow's
  /// `Resample.c`, in their order of operations. In 16 bits the first of the greatest takes what rounding left over.
  func weights(of index: Int) -> [Int32] {
    let (span, center) = (span(of: index), center(of: index))
    let values = span.map { rule.value(at: (Double($0) - center + 0.5) * (1 / spread)) }
    let sum = values.reduce(0, +)
    var weights = values.map { value in
      let weight = value / sum * Double(1 << 22)
      return Int32(weight < 0 ? weight - 0.5 : weight + 0.5)
    }
    if isDeep, let greatest = weights.max(), let place = weights.firstIndex(of: greatest) {
      weights[place] += (1 << 22) - weights.reduce(0, +)
    }
    return weights
  }

  /// Returns the pixels of a picture of `size` of which those of `region` are made.
  func source(of region: Region, in size: Size) -> Region {
    func columns(_ first: Int, _ count: Int) -> Range<Int> {
      span(of: first).lowerBound..<span(of: first + count - 1).upperBound
    }
    switch axis {
    case .row:
      let columns = columns(region.x, region.size.width)
      return Region(x: columns.lowerBound, y: region.y, width: columns.count, height: region.size.height)
    case .column:
      let rows = columns(region.y, region.size.height)
      return Region(x: region.x, y: rows.lowerBound, width: region.size.width, height: rows.count)
    }
  }
}

/// The spans of all pixels that are made, with their weights. Each has an entry for its first pixel and their number,
/// then an entry for every two weights; numbers have 32 bits.
struct ResamplingTable: PassTable {
  let resampling: Resampling

  /// The entries of a span.
  var stride: Int { 1 + (resampling.taps + 1) / 2 }

  /// The width of a table that has several rows.
  private static let columns = 2048
  /// The most entries: every device has textures of as many rows.
  static let most = columns * columns

  /// All entries.
  var count: Int { resampling.made.count * stride }

  var size: Size {
    count <= Self.columns ? Size(count, 1) : Size(Self.columns, (count + Self.columns - 1) / Self.columns)
  }

  func entries() -> [UInt16] {
    var entries = [UInt16](repeating: 0, count: 4 * size.area)
    for index in 0..<resampling.made.count {
      let span = resampling.span(of: index)
      let numbers = [Int32(span.lowerBound), Int32(span.count)] + resampling.weights(of: index)
      for (place, number) in numbers.enumerated() {
        let entry = 4 * index * stride + 2 * place
        entries[entry] = UInt16(truncatingIfNeeded: number)
        entries[entry + 1] = UInt16(truncatingIfNeeded: number >> 16)
      }
    }
    return entries
  }
}
