public import SafelightImage
internal import Synchronization

extension Tolerance {
  /// Kinds of damage that this tolerance lets pass in pictures of such a size and kind: "a lost last column", "dithering by one step".
  ///
  /// Each is planted into a small synthetic scene and judged. A damage of one place counts as what it is of a picture of `size`; only SSIM and FLIP
  /// take it as part of the scene. Computed once for each tolerance and kind of picture.
  public func blindSpots(size: Size, channels: Channels, depth: SampleDepth) -> [String] {
    let key = BlindSpotKey(tolerance: self, size: size, channels: channels, depth: depth)
    if let known = Self.known.withLock({ $0[key] }) { return known }
    let spots = unseen(PlantedDamage.all, size, channels, depth)
    Self.known.withLock { $0[key] = spots }
    return spots
  }

  /// What of ``PlantedDamage/otherPictures`` passes for the same. A tolerance that limits anything well lets none of them pass.
  func mistakes(size: Size, channels: Channels, depth: SampleDepth) -> [String] {
    let size = Size(max(edge, size.width), max(edge, size.height))
    return unseen(PlantedDamage.otherPictures, size, channels, depth)
  }

  /// Of a scene that every term can be measured of.
  private var edge: Int { terms.contains { $0.metric == .msssim } ? 176 : 96 }

  private func unseen(_ damages: [PlantedDamage], _ size: Size, _ channels: Channels, _ depth: SampleDepth) -> [String]
  {
    let part = Size(min(edge, size.width), min(edge, size.height))
    let scene = DamageScene(size: part, channels: channels, depth: depth)
    return damages.filter { damage in
      guard let damaged = damage.plant(scene) else { return false }
      let extent = damage.extent(part, in: size)
      let weight = Double(size.area) / Double(extent.area)
      let difference = ImageDifference(scene.picture, damaged, extent: extent, weight: weight)
      return !difference.isIdentical && accepts(difference)
    }.map(\.name)
  }

  /// The same as a verdict says, without what it does not need.
  private func accepts(_ difference: ImageDifference) -> Bool {
    var flip: FlipStatistics?
    return terms.allSatisfy { term in
      term.metric.value(of: difference, unit: term.unit, flip: &flip).map(term.allows) ?? false
    }
  }

  private static let known = Mutex<[BlindSpotKey: [String]]>([:])
}

private struct BlindSpotKey: Hashable {
  let tolerance: Tolerance
  let size: Size
  let channels: Channels
  let depth: SampleDepth
}

/// A small picture with something of all that damage can touch: slopes, a texture, a disc with a sharp edge, thin lines, transparency.
struct DamageScene: Sendable {
  let size: Size
  let channels: Channels
  let depth: SampleDepth
  /// The scene as it should be.
  let picture: Image

  init(size: Size, channels: Channels, depth: SampleDepth) {
    self.size = size
    self.channels = channels
    self.depth = depth
    picture = Self.paint(size, channels, depth, frame: 0, hasLines: true)
  }

  /// The greatest sample.
  var peak: Int { picture.pixelFormat.maximum }
  /// A step of 8 bits in the depth at hand.
  var step: Int { peak / 255 }

  /// The scene with the disc one frame further on.
  var nextFrame: Image { Self.paint(size, channels, depth, frame: 1, hasLines: true) }
  /// The scene without its lines.
  var withoutLines: Image { Self.paint(size, channels, depth, frame: 0, hasLines: false) }

  private static func paint(
    _ size: Size, _ channels: Channels, _ depth: SampleDepth, frame: Int, hasLines: Bool
  ) -> Image {
    let peak = PixelFormat(channels: channels, depth: depth).maximum
    let blank = [UInt8](repeating: 255, count: size.area * PixelFormat(channels: channels, depth: depth).bytesPerPixel)
    let image = Image(size: size, channels: channels, depth: depth, bytes: blank)
    let (width, height) = (max(1, size.width - 1), max(1, size.height - 1))
    return image.painted { x, y, sample, _ in
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

  /// Whole numbers without an order that the eye would see.
  static func noise(_ x: Int, _ y: Int, _ sample: Int) -> Int {
    let mixed =
      (UInt32(truncatingIfNeeded: x) &* 73_856_093) ^ (UInt32(truncatingIfNeeded: y) &* 19_349_663)
      ^ (UInt32(truncatingIfNeeded: sample) &* 83_492_791)
    return Int((mixed &* 2_654_435_761) >> 16)
  }
}

extension Image {
  /// Every sample that a file stores made anew from its place and value, held within the depth.
  func painted(_ value: (_ x: Int, _ y: Int, _ sample: Int, _ value: Int) -> Int) -> Image {
    painted(in: Region(size: size), value)
  }

  /// The samples of `region` alone.
  func painted(in region: Region, _ value: (_ x: Int, _ y: Int, _ sample: Int, _ value: Int) -> Int) -> Image {
    var result = self
    let part = region.intersection(Region(size: size))
    let samples = channels.sampleIndices
    let peak = pixelFormat.maximum
    for y in part.y..<(part.y + part.size.height) {
      for x in part.x..<(part.x + part.size.width) {
        for sample in samples {
          result[x: x, y: y, sample: sample] = min(max(value(x, y, sample, self[x: x, y: y, sample: sample]), 0), peak)
        }
      }
    }
    return result
  }
}
