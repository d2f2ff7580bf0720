internal import SafelightImage

/// The pixels to which a picture is rendered, and where each of them comes from: the block of `image_sampling.glsl`,
/// laid out by the rules of `std140`.
struct RenderPlacement: BitwiseCopyable {
  /// a, b, c, d: upright (x, y) is stored at (ax + by, cx + dy) + the first place.
  let turn: SIMD4<Int32>
  /// The place of upright (0, 0) from the first pixel of the texture; the last upright column and row.
  let extent: SIMD4<Int32>
  /// The first column and row in the destination; columns and rows.
  let target: SIMD4<Int32>
  /// `n'` and `m'` of the columns and of the rows: `n'` pixels of the source become `m'` of the bounds.
  let scale: SIMD4<UInt32>
  /// The first visible column and row of the bounds.
  let offset: SIMD4<UInt32>

  /// The pixels of the destination that are painted; never empty.
  var region: Region { Region(target) }
  /// False if the picture has the size of its bounds.
  var scales: Bool { scale.x != scale.y || scale.z != scale.w }

  /// Returns the upright columns, along axis 0, or rows, along 1, from which those at `place` in the bounds are made.
  func span(_ place: UInt32, axis: Int, _ filter: ImageRenderer.Filter?) -> SampleSpan {
    SampleSpan(place, filter, from: scale[2 * axis], to: scale[2 * axis + 1], last: UInt32(extent[2 + axis]))
  }

  /// Places an upright picture in `bounds` of a destination; nil if the bounds lie outside.
  init?(
    of source: Size, orientation: Orientation, bounds: Region, in destination: Size, label: String
  ) throws(SafelightError) {
    trap(
      unless: bounds.size.width >= 0 && bounds.size.height >= 0,
      "\(label) was given bounds of \(bounds.size); neither number may be negative")
    let upright = orientation.uprightSize(of: source)
    func beyond() -> SafelightError {
      SafelightError(
        .limit, label, why: "a picture of \(upright) in bounds of \(bounds) is beyond 32-bit arithmetic",
        remedy: "render parts of it, or to smaller bounds")
    }
    // Farther outside, sums could overflow.
    let (sides, places) = (0...1 << 22, -(1 << 30)...1 << 30)
    guard sides.contains(bounds.size.width), sides.contains(bounds.size.height), places.contains(bounds.x),
      places.contains(bounds.y)
    else { throw beyond() }
    let region = bounds.intersection(Region(size: destination))
    if region.size.isEmpty { return nil }
    guard let scale = PictureScale(from: upright, to: bounds.size) else { throw beyond() }
    self.init(
      scale, of: source, orientation: orientation, holding: Region(size: source), bounds: bounds, painting: region)
  }

  /// Places the part of a picture that a texture holds; `painting` is the region of the destination that can be made of
  /// it, whose place in `bounds` selects what is seen there.
  init(
    _ scale: PictureScale, of picture: Size, orientation: Orientation = .up, holding part: Region, bounds: Region,
    painting region: Region
  ) {
    let upright = orientation.uprightSize(of: picture)
    let first = orientation.sourcePosition(ofUprightX: 0, y: 0, in: picture)
    let right = orientation.sourcePosition(ofUprightX: 1, y: 0, in: picture)
    let below = orientation.sourcePosition(ofUprightX: 0, y: 1, in: picture)
    turn = SIMD4(
      Int32(right.x - first.x), Int32(below.x - first.x), Int32(right.y - first.y), Int32(below.y - first.y))
    extent = SIMD4(
      Int32(first.x - part.x), Int32(first.y - part.y), Int32(upright.width - 1), Int32(upright.height - 1))
    target = region.block
    self.scale = scale.ratios
    offset = SIMD4(UInt32(region.x - bounds.x), UInt32(region.y - bounds.y), 0, 0)
  }
}

/// The scale of a picture along each axis, without common divisors.
package struct PictureScale: Hashable, Sendable {
  /// `n'` and `m'` of the columns and of the rows: `n'` pixels become `m'`.
  let ratios: SIMD4<UInt32>

  /// Nil if a product of the filters could exceed 32 bits: `(2m − 1) · n'`, and the sums of `n'` weights with 16-bit
  /// samples.
  init?(from source: Size, to size: Size) {
    func ratio(_ n: Int, _ m: Int) -> (n: UInt32, m: UInt32)? {
      let divisor = Int(MediaTime.greatestCommonDivisor(n.magnitude, m.magnitude))
      guard 0...1 << 22 ~= m, n / divisor <= 1 << 16, m * (n / divisor) < 1 << 31 else { return nil }
      return (UInt32(n / divisor), UInt32(m / divisor))
    }
    guard let columns = ratio(source.width, size.width), let rows = ratio(source.height, size.height) else {
      return nil
    }
    ratios = SIMD4(columns.n, columns.m, rows.n, rows.m)
  }

  /// Returns the pixels of the source from which `part` of the scaled picture is made.
  func source(of part: Region, in source: Size, filter: ImageRenderer.Filter?) -> Region {
    func range(_ axis: Int, _ first: Int, _ count: Int, in all: Int) -> Range<Int> {
      func span(_ place: Int) -> SampleSpan {
        SampleSpan(UInt32(place), filter, from: ratios[2 * axis], to: ratios[2 * axis + 1], last: UInt32(all - 1))
      }
      return span(first).low..<span(first + count - 1).high + 1
    }
    let columns = range(0, part.x, part.size.width, in: source.width)
    let rows = range(1, part.y, part.size.height, in: source.height)
    return Region(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
  }
}

extension Region {
  fileprivate init(_ block: SIMD4<Int32>) {
    self.init(x: Int(block.x), y: Int(block.y), width: Int(block.z), height: Int(block.w))
  }

  fileprivate var block: SIMD4<Int32> { SIMD4(Int32(x), Int32(y), Int32(size.width), Int32(size.height)) }
}
