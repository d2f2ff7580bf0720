package import SafelightImage

extension Canary {
  /// What is done to a picture.
  public enum Damage: String, Hashable, Sendable, CaseIterable {
    /// An 8×8 tile in the middle is off by a little more than the tolerance allows.
    case tile
    /// Alpha is off by as much in the same tile.
    case alpha
    /// The last column is off by as much.
    case lastColumn
    /// The last row is off by as much.
    case lastRow
    /// Everything lies one pixel further right.
    case shift
    /// Every color is the opposite one, or black or white where that is hardly another.
    case inversion

    /// For people, as what a tolerance cannot see.
    public var name: String {
      switch self {
      case .tile: "a damaged 8×8 tile"
      case .alpha: "damaged alpha in an 8×8 tile"
      case .lastColumn: "a damaged last column"
      case .lastRow: "a damaged last row"
      case .shift: "a shift by one pixel"
      case .inversion: "opposite colors everywhere"
      }
    }

    /// `part` so damaged, samples off by `amount` where it is a matter of amount.
    package func applied(to part: CanaryPart, by amount: Int) -> Image {
      let picture = part.picture
      var damaged = picture
      let (width, height) = (picture.size.width, picture.size.height)
      let maximum = picture.pixelFormat.maximum
      func change(_ region: Region, alpha: Bool = false, _ change: (_ x: Int, _ y: Int, _ sample: Int) -> Int) {
        for y in region.y..<region.y + region.size.height {
          for x in region.x..<region.x + region.size.width {
            for sample in picture.channels.sampleIndices where (sample == 3) == alpha {
              damaged[x: x, y: y, sample: sample] = change(x, y, sample)
            }
          }
        }
      }
      func off(_ x: Int, _ y: Int, _ sample: Int) -> Int {
        let value = picture[x: x, y: y, sample: sample]
        if value + amount <= maximum { return value + amount }
        return value >= amount ? value - amount : value <= maximum / 2 ? maximum : 0
      }
      func opposite(_ x: Int, _ y: Int, _ sample: Int) -> Int {
        let value = picture[x: x, y: y, sample: sample]
        if abs(maximum - 2 * value) > maximum / 4 { return maximum - value }
        return value <= maximum / 2 ? maximum : 0
      }
      switch self {
      case .tile: change(part.tile, off)
      case .alpha: change(part.tile, alpha: true, off)
      case .lastColumn: change(Region(x: width - 1, y: 0, width: 1, height: height), off)
      case .lastRow: change(Region(x: 0, y: height - 1, width: width, height: 1), off)
      case .shift: change(Region(size: picture.size)) { picture[x: max(0, $0 - 1), y: $1, sample: $2] }
      case .inversion: change(Region(size: picture.size), opposite)
      }
      // Grey with alpha carries its grey three times in memory.
      return picture.channels == .grayAlpha ? damaged.spreadingGray() : damaged
    }
  }
}

extension Image {
  /// The same with red copied to green and blue.
  fileprivate func spreadingGray() -> Image {
    let width = pixelFormat.bytesPerSample
    var bytes = bytes
    for pixel in stride(from: 0, to: bytes.count, by: pixelFormat.bytesPerPixel) {
      for byte in width..<3 * width { bytes[pixel + byte] = bytes[pixel + byte % width] }
    }
    return replacing(bytes: bytes)
  }
}
