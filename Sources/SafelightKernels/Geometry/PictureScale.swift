internal import SafelightImage

/// How a picture is scaled: by how much along each axis, without common divisors.
struct PictureScale {
  /// `from` pixels become `to`.
  struct Ratio {
    let from: UInt32
    let to: UInt32

    /// Nil where a product of the filters would not fit 32 bits: `(2m − 1) · n'`, and the sums of `n'` weights with
    /// 16-bit samples.
    init?(_ n: Int, _ m: Int) {
      var (divisor, rest) = (n, m)
      while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
      guard 0...1 << 22 ~= m, n / divisor <= 1 << 16, m * (n / divisor) < 1 << 31 else { return nil }
      from = UInt32(n / divisor)
      to = UInt32(m / divisor)
    }
  }

  let columns: Ratio
  let rows: Ratio

  /// Nil where 32 bits do not suffice.
  init?(from source: Size, to size: Size) {
    guard let columns = Ratio(source.width, size.width), let rows = Ratio(source.height, size.height) else {
      return nil
    }
    self.columns = columns
    self.rows = rows
  }

  /// The pixels of the source that `part` of the scaled picture is made from.
  func source(of part: Region, in source: Size, filter: ImageRenderer.Filter?) -> Region {
    let columns = Self.range(part.x, part.size.width, columns, filter, last: source.width - 1)
    let rows = Self.range(part.y, part.size.height, rows, filter, last: source.height - 1)
    return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }

  private static func range(
    _ first: Int, _ count: Int, _ ratio: Ratio, _ filter: ImageRenderer.Filter?, last: Int
  ) -> Range<Int> {
    func span(_ place: Int) -> SampleSpan {
      SampleSpan(UInt32(place), filter, from: ratio.from, to: ratio.to, last: UInt32(last))
    }
    return span(first).low..<span(first + count - 1).high + 1
  }
}
