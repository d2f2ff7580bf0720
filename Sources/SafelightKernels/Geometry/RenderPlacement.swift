internal import SafelightImage

/// Which pixels a picture is rendered to, and where each of them comes from.
struct RenderPlacement {
  /// The block that `image_sampling.glsl` reads, laid out by the rules of `std140`.
  struct Block: BitwiseCopyable {
    /// a, b, c, d: upright (x, y) is stored at (ax + by, cx + dy) + the first place.
    var turn: SIMD4<Int32>
    /// The place of upright (0, 0) from the first pixel of the texture; the last upright column and row.
    var extent: SIMD4<Int32>
    /// The first column and row in the destination; columns and rows.
    var target: SIMD4<Int32>
    /// `n'` and `m'` of the columns, `n'` and `m'` of the rows: as many pixels of the source for as many of the bounds.
    var scale: SIMD4<UInt32>
    /// The first column and row that is seen of the bounds.
    var offset: SIMD4<UInt32>
  }

  /// What both bodies read.
  let block: Block
  /// The pixels of the destination that are painted; never empty.
  let region: Region
  /// False where the picture has the size of its bounds.
  let scales: Bool

  /// Places an upright picture in `bounds` of a destination; nil where they do not meet.
  init?(
    of source: Size, orientation: Orientation, bounds: Region, in destination: Size, label: String
  ) throws(SafelightError) {
    trap(
      unless: bounds.size.width >= 0 && bounds.size.height >= 0,
      "\(label) was given bounds of \(bounds.size); none is negative"
    )
    let upright = orientation.uprightSize(of: source)
    // Far outside, sums could overflow.
    guard Self.sides.contains(bounds.size.width), Self.sides.contains(bounds.size.height),
      Self.places.contains(bounds.x), Self.places.contains(bounds.y)
    else { throw Self.beyond(upright, bounds, label) }
    let region = bounds.intersection(Region(size: destination))
    if region.size.isEmpty { return nil }
    guard let scale = PictureScale(from: upright, to: bounds.size) else { throw Self.beyond(upright, bounds, label) }
    self.init(
      scale, of: source, orientation: orientation, holding: Region(size: source), bounds: bounds, painting: region)
  }

  /// Places the part of a picture that a texture holds: `painting` is what can be made of it in the destination, whose
  /// place in `bounds` says what is seen there.
  init(
    _ scale: PictureScale, of picture: Size, orientation: Orientation = .up, holding part: Region, bounds: Region,
    painting region: Region
  ) {
    self.region = region
    let upright = orientation.uprightSize(of: picture)
    scales = upright != bounds.size
    let first = orientation.sourcePosition(ofUprightX: 0, y: 0, in: picture)
    let right = orientation.sourcePosition(ofUprightX: 1, y: 0, in: picture)
    let below = orientation.sourcePosition(ofUprightX: 0, y: 1, in: picture)
    block = Block(
      turn: SIMD4(
        Int32(right.x - first.x), Int32(below.x - first.x), Int32(right.y - first.y), Int32(below.y - first.y)),
      extent: SIMD4(
        Int32(first.x - part.x), Int32(first.y - part.y), Int32(upright.width - 1), Int32(upright.height - 1)),
      target: SIMD4(Int32(region.x), Int32(region.y), Int32(region.size.width), Int32(region.size.height)),
      scale: SIMD4(scale.columns.from, scale.columns.to, scale.rows.from, scale.rows.to),
      offset: SIMD4(UInt32(region.x - bounds.x), UInt32(region.y - bounds.y), 0, 0))
  }

  private static let sides = 0...1 << 22
  private static let places = -(1 << 30)...1 << 30

  private static func beyond(_ upright: Size, _ bounds: Region, _ label: String) -> SafelightError {
    SafelightError(
      .limit, label, why: "a picture of \(upright) in bounds of \(bounds) is beyond 32-bit arithmetic",
      remedy: "render parts of it, or to smaller bounds")
  }
}
