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
