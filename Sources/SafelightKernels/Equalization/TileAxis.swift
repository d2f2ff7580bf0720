/// The columns or the rows of a picture under a grid of tiles, as OpenCV's CLAHE lays it.
///
/// Where the grid does not divide the picture, columns *and* rows are lengthened to the next multiple (by a whole one where
/// theirs was one) with the picture's own, reflected without its edge: … c b a *b c*.
struct TileAxis: Sendable {
  /// Columns or rows of the picture.
  let length: Int
  /// Tiles along the axis.
  let tiles: Int
  /// Columns or rows of a tile.
  let tileLength: Int

  init(length: Int, tiles: Int, isLengthened: Bool) {
    self.length = length
    self.tiles = tiles
    tileLength = (isLengthened ? length + tiles - length % tiles : length) / tiles
  }

  /// Which pixels each tile counts, the reflected ones by where they come from: a pixel that fills two places is in two runs.
  var runs: [(tile: Int, pixels: Range<Int>)] {
    var runs: [(tile: Int, pixels: Range<Int>)] = []
    for tile in 0..<tiles {
      var run = 0..<0
      for place in tile * tileLength..<(tile + 1) * tileLength {
        let pixel = pixel(at: place)
        if pixel == run.upperBound, !run.isEmpty {
          run = run.lowerBound..<pixel + 1
        } else if pixel + 1 == run.lowerBound {
          run = pixel..<run.upperBound
        } else {
          if !run.isEmpty { runs.append((tile, run)) }
          run = pixel..<pixel + 1
        }
      }
      runs.append((tile, run))
    }
    return runs
  }

  /// Which pixel fills a place of the lengthened axis.
  private func pixel(at place: Int) -> Int {
    guard length > 1 else { return 0 }
    let period = 2 * (length - 1)
    let phase = place % period
    return phase < length ? phase : period - phase
  }

  /// How a pixel lies between the middles of two tiles.
  struct Weight: Sendable {
    /// The tiles; the same one twice beyond the outermost middles.
    let tiles: (Int, Int)
    /// The weights of the first and of the second.
    let weights: (Float, Float)
  }

  /// In floats, rounded after each step as OpenCV's are.
  func weight(_ pixel: Int) -> Weight {
    let inverse = 1 / Float(tileLength)
    let place = Float(pixel) * inverse
    let middle = place - 0.5
    let first = middle.rounded(.down)
    let second = middle - first
    return Weight(
      tiles: (max(Int(first), 0), min(Int(first) + 1, tiles - 1)), weights: (1 - second, second))
  }
}
