public import SafelightImage
import Synchronization

extension Tolerance {
  /// Returns the kinds of damage that this tolerance lets pass in pictures of a size and kind, such as `a lost last
  /// column` or `dithering by one step`.
  ///
  /// Each kind is planted in a small synthetic scene and judged. Local damage counts as its share of a picture of
  /// `size`; only SSIM and FLIP count it as part of the scene. The result is computed once for each tolerance and kind
  /// of picture.
  public func blindSpots(size: Size, channels: Channels, depth: SampleDepth) -> [String] {
    let kind = ImageDescriptor(size: size, channels: channels, depth: depth)
    if let known = Self.known.withLock({ $0[self]?[kind] }) { return known }
    let spots = unseen(.blindSpots, size, channels, depth)
    Self.known.withLock { $0[self, default: [:]][kind] = spots }
    return spots
  }

  /// Returns the damages of trial `mistakes` that this tolerance lets pass, none for a tolerance that limits anything
  /// well.
  func mistakes(size: Size, channels: Channels, depth: SampleDepth) -> [String] {
    unseen(.mistakes, Size(max(edge, size.width), max(edge, size.height)), channels, depth)
  }

  /// The edge of a scene in which every term can be measured.
  private var edge: Int { terms.contains { $0.metric == .msssim } ? 176 : 96 }

  private func unseen(_ trial: Mutation.Trial, _ size: Size, _ channels: Channels, _ depth: SampleDepth) -> [String] {
    let part = Size(min(edge, size.width), min(edge, size.height))
    let scene = Image.scene(part, channels, depth)
    // Off the middle, with nothing but slopes below it.
    let tile = Region(x: part.width * 5 / 8, y: part.height / 8, width: 8, height: 8)
    return Mutation.all.filter { damage in
      guard damage.trials.contains(trial),
        // Amounts are in 8-bit steps.
        let damaged = damage.planted(in: scene, at: tile, by: scene.pixelFormat.maximum / 255)
      else { return false }
      let extent =
        switch damage.extent {
        case .tile: size
        case .column: Size(size.width, part.height)
        case .row: Size(part.width, size.height)
        case .everywhere: part
        }
      let weight = Double(size.area) / Double(extent.area)
      let difference = ImageDifference(scene, damaged, extent: extent, weight: weight)
      return !difference.isIdentical && accepts(difference)
    }.map(\.name)
  }

  /// Returns what a ``Verdict`` would say, without measuring what it does not need.
  private func accepts(_ difference: ImageDifference) -> Bool {
    var flip: FlipStatistics?
    return terms.allSatisfy { term in
      term.metric.value(of: difference, unit: term.unit, flip: &flip).map(term.allows) ?? false
    }
  }

  private static let known = Mutex<[Tolerance: [ImageDescriptor: [String]]]>([:])
}
