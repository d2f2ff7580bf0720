import Glibc
package import SafelightImage

/// A kind of damage to a picture that a tolerance ought to reject.
///
/// ``all`` is the one list. The ``MutationTrial`` plants some kinds in copies of real pictures, by a little more than
/// the tolerance allows; ``Tolerance/blindSpots(size:channels:depth:)`` plants the others in a synthetic scene.
public struct Mutation: Hashable, Sendable, CustomStringConvertible {
  /// A comparison that plants damage to see whether it is rejected.
  enum Trial: Sendable {
    case canary
    /// A search for what a tolerance does not see.
    case blindSpots
    /// A check that a tolerance tells a scene from another picture.
    case mistakes
  }

  /// The part of a picture that is damaged, whatever the picture's size.
  enum Extent: Sendable {
    case tile, column, row, everywhere
  }

  private typealias Plant = @Sendable (_ picture: Image, _ tile: Region, _ amount: Int) -> Image?

  /// The name in messages that say what a tolerance cannot see: `a damaged last column`.
  public let name: String
  /// The identifier, in JSON too: `lastColumn`. Two kinds may share a name.
  public let rawValue: String
  let extent: Extent
  let trials: [Trial]
  private let plant: Plant

  private init(
    _ name: String, id: String? = nil, _ extent: Extent, for trials: Trial..., plant: @escaping Plant
  ) {
    self.name = name
    rawValue = id ?? name
    self.extent = extent
    self.trials = trials.isEmpty ? [.blindSpots] : trials
    self.plant = plant
  }

  /// The ``name``.
  public var description: String { name }

  /// Returns true if both have the same identifier.
  public static func == (a: Mutation, b: Mutation) -> Bool { a.rawValue == b.rawValue }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// Returns `picture` with this damage, or nil if the picture has nothing to damage in this way.
  ///
  /// - Parameters:
  ///   - tile: The place of damage that is local.
  ///   - amount: The number of steps by which samples are off, or the unit of that number, if it is a matter of amount.
  func planted(in picture: Image, at tile: Region, by amount: Int) -> Image? { plant(picture, tile, amount) }

  /// Returns the damage planted in `part`, or nil if the part has nothing to damage in this way.
  package func planted(in part: MutationPart, by amount: Int) -> Image? { plant(part.picture, part.tile, amount) }
}

extension Mutation {
  static let all =
    [tile, alpha, lastColumn, lastRow, shift, inversion] + places + everywhere + ofColors + ofAlpha

  static let canaries = all.filter { $0.trials.contains(.canary) }

  // MARK: Off by a little more than the tolerance allows, in a real picture

  package static let tile = Mutation("a damaged 8×8 tile", id: "tile", .tile, for: .canary) { $0.off(in: $1, by: $2) }
  package static let alpha = Mutation("damaged alpha in an 8×8 tile", id: "alpha", .tile, for: .canary) {
    $0.off(in: $1, .alpha, by: $2)
  }
  package static let lastColumn = Mutation("a damaged last column", id: "lastColumn", .column, for: .canary) {
    $0.off(in: $0.lastColumn, by: $2)
  }
  package static let lastRow = Mutation("a damaged last row", id: "lastRow", .row, for: .canary) {
    $0.off(in: $0.lastRow, by: $2)
  }
  /// All colors lie one pixel further right.
  package static let shift = Mutation("a shift by one pixel", id: "shift", .everywhere, for: .canary) {
    picture, _, _ in
    picture.painted { x, y, sample, _ in picture[x: max(x - 1, 0), y: y, sample: sample] }
  }
  /// Every color is the opposite one, or black or white if that is hardly another.
  package static let inversion = Mutation("opposite colors everywhere", id: "inversion", .everywhere, for: .canary) {
    picture, _, _ in
    let peak = picture.peak
    return picture.painted { _, _, _, value in
      if abs(peak - 2 * value) > peak / 4 { return peak - value }
      return value <= peak / 2 ? peak : 0
    }
  }

  // MARK: Of a fixed kind, in a scene

  private static let places = [
    Mutation("one hot pixel", .tile) { picture, tile, step in
      picture.painted(in: tile.corner(1)) { _, _, sample, value in
        sample > 0 ? value : value > picture.peak / 2 ? value - 200 * step : value + 200 * step
      }
    },
    Mutation("a tile of 3×3 pixels a little brighter", .tile) { picture, tile, step in
      picture.painted(in: tile.corner(3)) { $3 + 2 * step }
    },
    Mutation("a tile of 8×8 pixels brighter", .tile) { picture, tile, step in
      picture.painted(in: tile) { $3 + 6 * step }
    },
    Mutation("a block of 16×16 pixels black", .tile) { picture, tile, _ in picture.black(in: tile.corner(16)) },
    Mutation("two tiles of 16×16 pixels swapped", .tile) { picture, _, _ in
      guard picture.size.width >= 64, picture.size.height >= 48 else { return nil }
      return picture.painted(in: Region(x: 32, y: 32, width: 32, height: 16), .all) { x, y, sample, _ in
        picture[x: x < 48 ? x + 16 : x - 16, y: y, sample: sample]
      }
    },
    Mutation("a lost last column", .column) { picture, _, _ in picture.black(in: picture.lastColumn) },
    Mutation("a last row that repeats the one above", .row) { picture, _, _ in
      guard picture.size.height > 1 else { return nil }
      return picture.painted(in: picture.lastRow, .all) { x, y, sample, _ in picture[x: x, y: y - 1, sample: sample] }
    },
  ]

  private static let everywhere = [
    Mutation("rounding down", .everywhere) { picture, _, _ in
      picture.painted { Image.noise($0, $1, $2) & 1 == 0 ? $3 - 1 : $3 }
    },
    Mutation("dithering by one step", .everywhere) { picture, _, _ in
      picture.painted { x, y, _, value in value + ((x + y) & 1 == 0 ? 1 : -1) }
    },
    Mutation("the lowest two bits lost", .everywhere) { picture, _, _ in picture.painted { $3 & ~3 } },
    Mutation("two per cent less light", .everywhere) { picture, _, _ in picture.painted { ($3 * 98 + 50) / 100 } },
    Mutation("a gamma of 2.4 for 2.2", .everywhere) { picture, _, _ in
      let peak = Double(picture.peak)
      return picture.painted { Int((pow(Double($3) / peak, 2.4 / 2.2) * peak).rounded()) }
    },
    Mutation("a blur of 3×3 pixels", .everywhere) { picture, _, _ in
      let (right, bottom) = (picture.size.width - 1, picture.size.height - 1)
      return picture.painted(.all) { x, y, sample, _ in
        var sum = 0
        for (dx, dy) in [(-1, -1), (0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)] {
          sum += picture[x: min(max(x + dx, 0), right), y: min(max(y + dy, 0), bottom), sample: sample]
        }
        return (2 * sum + 9) / 18
      }
    },
    Mutation("thin lines missing", .everywhere) { picture, _, _ in
      .scene(picture.size, picture.channels, picture.depth, hasLines: false)
    },
    // With its alpha, unlike the canary's, which damages colors and alpha apart.
    Mutation("a shift by one pixel", .everywhere) { picture, _, _ in
      picture.painted(.all) { x, y, sample, _ in picture[x: max(x - 1, 0), y: y, sample: sample] }
    },
    Mutation("one frame late", .everywhere) { picture, _, _ in
      .scene(picture.size, picture.channels, picture.depth, frame: 1)
    },
    Mutation("upside down", .everywhere, for: .blindSpots, .mistakes) { picture, _, _ in
      picture.painted(.all) { x, y, sample, _ in picture[x: x, y: picture.size.height - 1 - y, sample: sample] }
    },
    Mutation("all black", .everywhere, for: .blindSpots, .mistakes) { picture, _, _ in picture.black() },
  ]

  private static let ofColors = [
    Mutation("blue one step brighter", .everywhere) { picture, _, _ in
      picture.channels.isGray ? nil : picture.painted { $2 == 2 ? $3 + 1 : $3 }
    },
    Mutation("red and blue swapped", .everywhere) { picture, _, _ in
      picture.channels.isGray ? nil : picture.painted { x, y, sample, _ in picture[x: x, y: y, sample: 2 - sample] }
    },
    Mutation("colors lost", .everywhere) { picture, _, _ in
      picture.channels.isGray ? nil : picture.painted { x, y, _, _ in picture[x: x, y: y, sample: 1] }
    },
  ]

  private static let ofAlpha = [
    Mutation("alpha lost", .everywhere) { picture, _, _ in
      picture.channels.hasAlpha ? picture.painted(.alpha) { _, _, _, _ in picture.peak } : nil
    },
    Mutation("alpha of a tile of 8×8 pixels lower", .tile) { picture, tile, step in
      picture.channels.hasAlpha ? picture.painted(in: tile, .alpha) { $3 - 6 * step } : nil
    },
  ]
}

private enum PaintedSamples { case colors, alpha, all }

extension Image {
  fileprivate var peak: Int { pixelFormat.maximum }
  fileprivate var lastColumn: Region { Region(x: size.width - 1, y: 0, width: 1, height: size.height) }
  fileprivate var lastRow: Region { Region(x: 0, y: size.height - 1, width: size.width, height: 1) }

  /// Returns the picture without its content: all black, and in the one color that is nearest to all pixels that count,
  /// which is the background's if most of the picture is background.
  func withoutContent(_ mask: ImageMask?) -> [(name: String, picture: Image)] {
    let medians = (0..<4).map { channels.sampleIndices.contains($0) ? median($0, mask) : 0 }
    return [
      ("all black", black()),
      ("in one color", painted(.all) { _, _, sample, _ in medians[sample] }),
    ]
  }

  fileprivate func black(in region: Region? = nil) -> Image { painted(in: region) { _, _, _, _ in 0 } }

  private func median(_ sample: Int, _ mask: ImageMask?) -> Int {
    var counts = [Int](repeating: 0, count: peak + 1)
    for pixel in 0..<size.area where mask?.isHidden[pixel] != true {
      counts[self[x: pixel % size.width, y: pixel / size.width, sample: sample]] += 1
    }
    var rest = counts.reduce(0, +) / 2
    return counts.firstIndex { count in
      rest -= count
      return rest < 0
    } ?? 0
  }

  /// Returns a copy with the samples of `region` off by `amount` to either side, or as far as they can be.
  fileprivate func off(in region: Region, _ samples: PaintedSamples = .colors, by amount: Int) -> Image {
    let peak = peak
    return painted(in: region, samples) { _, _, _, value in
      if value + amount <= peak { return value + amount }
      return value >= amount ? value - amount : value <= peak / 2 ? peak : 0
    }
  }

  /// Returns a copy in which `value` of their places and values replaces samples, clamped to the depth.
  fileprivate func painted(
    in region: Region? = nil, _ samples: PaintedSamples = .colors,
    _ value: (_ x: Int, _ y: Int, _ sample: Int, _ value: Int) -> Int
  ) -> Image {
    var bytes = self.bytes
    let part = (region ?? Region(size: size)).intersection(Region(size: size))
    let indices = channels.sampleIndices.filter { samples == .all || ($0 == 3) == (samples == .alpha) }
    let (peak, stride, isWide) = (peak, pixelFormat.samplesPerPixel, depth == .bits16)
    for y in part.y..<part.y + part.size.height {
      for x in part.x..<part.x + part.size.width {
        for sample in indices {
          let index = (y * size.width + x) * stride + sample
          let painted = min(max(value(x, y, sample, self.value(at: index)), 0), peak)
          bytes[isWide ? 2 * index : index] = UInt8(truncatingIfNeeded: painted)
          if isWide { bytes[2 * index + 1] = UInt8(truncatingIfNeeded: painted >> 8) }
        }
      }
    }
    return replacing(bytes: bytes)
  }

  /// Paints a small picture with a bit of everything that damage can touch: slopes, a texture, a disc with a sharp
  /// edge, thin lines, transparency. The disc moves by 3 pixels a frame.
  static func scene(
    _ size: Size, _ channels: Channels, _ depth: SampleDepth, frame: Int = 0, hasLines: Bool = true
  ) -> Image {
    let format = PixelFormat(channels: channels, depth: depth)
    let blank = [UInt8](repeating: 255, count: size.area * format.bytesPerPixel)
    let (width, height, peak) = (max(1, size.width - 1), max(1, size.height - 1), format.maximum)
    return Image(size: size, channels: channels, depth: depth, bytes: blank).painted(.all) { x, y, sample, _ in
      let (dx, dy) = (x - size.width / 2 - 3 * frame, y - size.height / 2)
      let radius = min(size.width, size.height) / 4
      let isDisc = dx * dx + dy * dy < radius * radius
      if sample == 3 { return isDisc ? peak : (peak / 2 + peak * x / (3 * width)) }
      if hasLines, x % 16 == 5 || y % 24 == 7 { return peak * (7 - sample) / 8 }
      if isDisc { return peak * (sample + 2) / 5 }
      let slope = [peak * x / width, peak * y / height, peak * (x + y) / (width + height)][sample]
      let texture = x < size.width / 3 ? noise(x, y, sample) % (peak / 12) : 0
      return min(peak, slope * 5 / 6 + texture + peak / 24)
    }
  }

  /// Returns a hash of a sample's place, whose values show no order to the eye.
  fileprivate static func noise(_ x: Int, _ y: Int, _ sample: Int) -> Int {
    let mixed =
      (UInt32(truncatingIfNeeded: x) &* 73_856_093) ^ (UInt32(truncatingIfNeeded: y) &* 19_349_663)
      ^ (UInt32(truncatingIfNeeded: sample) &* 83_492_791)
    return Int((mixed &* 2_654_435_761) >> 16)
  }
}

extension Region {
  /// The square of `edge` pixels at the region's top left corner.
  fileprivate func corner(_ edge: Int) -> Region { Region(x: x, y: y, width: edge, height: edge) }
}
