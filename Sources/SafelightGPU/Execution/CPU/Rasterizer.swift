internal import SafelightGLES
internal import SafelightImage

/// Finds the pixels of triangles, as OpenGL ES does (ES 3.2 §13.8): a pixel belongs to a triangle that covers its
/// center, and on a common edge to one of the two.
struct Rasterizer {
  /// Where clip space is spread.
  private let scale: SIMD3<Float>
  private let translation: SIMD3<Float>
  /// The pixels that may change.
  private let bounds: Region
  private let cullMode: CullMode
  private let frontFacing: Winding
  let depthRules: DepthRules
  /// The samples of a pixel, as offsets from its center on the grid.
  let samples: [(x: Int, y: Int)]

  /// Places are counted on a grid of 256 a pixel: `GL_SUBPIXEL_BITS` of 8.
  static let subpixels = 256

  /// The places of that grid between those that corners move to; 1 unless the device has a coarser one.
  private let cornerStep: Int

  init(_ state: RasterState, target: Size, sampleCount: Int, depthFormat: PixelFormat?) {
    let box = state.viewport
    let half = SIMD2(Float(box.size.width), Float(box.size.height)) * 0.5
    scale = SIMD3(half.x, half.y, (state.far - state.near) * 0.5)
    translation = SIMD3(Float(box.x) + half.x, Float(box.y) + half.y, (state.far + state.near) * 0.5)
    let target = Region(size: target).intersection(box)
    bounds = state.scissor.map(target.intersection) ?? target
    cornerStep = max(1, Self.subpixels >> max(0, state.subpixelBits))
    cullMode = state.cullMode
    frontFacing = state.frontFacing
    depthRules = DepthRules(state, format: depthFormat)
    samples = sampleCount == 1 ? [(0, 0)] : Self.fourSamples
  }

  /// The places of four samples, which are the same on nearly all devices and in Metal.
  private static let fourSamples = [(x: -32, y: -96), (x: 96, y: -32), (x: -96, y: 32), (x: 32, y: 96)]

  /// A corner on the target.
  private struct Corner {
    var x: Int
    var y: Int
    var depth: Float
    /// 1 / w, by which varyings are interpolated in perspective.
    var inverseW: Float
    var varyings: [SIMD4<Float>]
  }

  /// A triangle on the target, its corners in the order of a positive area.
  private struct Triangle {
    var corners: (Corner, Corner, Corner)
    var area: Int
    var isFrontFacing: Bool
    var depths: DepthPlane
  }

  /// Calls `body` for each pixel of which the triangle covers samples, with their bits and with `fragment` set to what
  /// it finds at the center.
  func draw(
    _ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex, flat: Set<Int>, fragment: FragmentArguments,
    _ body: (_ x: Int, _ y: Int, _ samples: UInt32, _ depths: DepthPlane) throws -> Void
  ) rethrows {
    let polygon = ClipVertex.clipped(a, b, c, depthRules.clipMode)
    guard polygon.count >= 3 else { return }
    for index in 2..<polygon.count {
      guard let triangle = triangle(polygon[index - 1], polygon[index], polygon[0]) else { continue }
      fragment.isFrontFacing = triangle.isFrontFacing
      // What is flat is the last corner's of the whole triangle, clipped or not.
      fragment.varyings = c.varyings
      try draw(triangle, flat, fragment, body)
    }
  }

  /// The depth of a triangle at a sample of a pixel, as it is tested.
  func depth(_ depths: DepthPlane, _ x: Int, _ y: Int, sample: Int) -> Float {
    depthRules.tested(depths.depth(x * Self.subpixels + samples[sample].x, y * Self.subpixels + samples[sample].y))
  }

  /// Nil where the position is no point: GPUs draw nothing of a triangle with such a corner.
  private func corner(_ vertex: ClipVertex) -> Corner? {
    let inverseW = 1 / vertex.position.w
    let place =
      SIMD3(vertex.position.x, vertex.position.y, vertex.position.z) * inverseW * scale + translation
    // Centers of pixels lie at whole numbers of the grid.
    let step = Float(cornerStep)
    let grid = ((SIMD2(place.x, place.y) - 0.5) * (Float(Self.subpixels) / step)).rounded(.toNearestOrEven) * step
    guard inverseW.isFinite, place.z.isFinite, grid.x.magnitude < 1e9, grid.y.magnitude < 1e9 else { return nil }
    return Corner(x: Int(grid.x), y: Int(grid.y), depth: place.z, inverseW: inverseW, varyings: vertex.varyings)
  }

  /// Nil where it has no area or is culled.
  private func triangle(_ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex) -> Triangle? {
    guard let a = corner(a), let b = corner(b), let c = corner(c) else { return nil }
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    guard area != 0 else { return nil }
    // With rows counted downward a positive area turns clockwise.
    let isFront = (area > 0) == (frontFacing == .clockwise)
    guard cullMode != (isFront ? .front : .back) else { return nil }
    return Triangle(
      corners: area > 0 ? (a, b, c) : (a, c, b), area: abs(area), isFrontFacing: isFront,
      depths: DepthPlane((a.x, a.y, a.depth), (b.x, b.y, b.depth), (c.x, c.y, c.depth), depthRules))
  }

  private func draw(
    _ triangle: Triangle, _ flat: Set<Int>, _ fragment: FragmentArguments,
    _ body: (Int, Int, UInt32, DepthPlane) throws -> Void
  ) rethrows {
    let (a, b, c) = triangle.corners
    let edges = (Edge(from: b, to: c), Edge(from: c, to: a), Edge(from: a, to: b))
    let columns = Self.pixels(min(a.x, b.x, c.x), max(a.x, b.x, c.x), bounds.x, bounds.size.width)
    let rows = Self.pixels(min(a.y, b.y, c.y), max(a.y, b.y, c.y), bounds.y, bounds.size.height)
    for y in rows {
      for x in columns {
        let shares = (edges.0.value(x, y), edges.1.value(x, y), edges.2.value(x, y))
        var covered: UInt32 = 0
        for (index, sample) in samples.enumerated()
        where edges.0.includes(shares.0, sample) && edges.1.includes(shares.1, sample)
          && edges.2.includes(shares.2, sample)
        {
          covered |= 1 << UInt32(index)
        }
        guard covered != 0 else { continue }
        interpolate(triangle, shares, flat, fragment)
        fragment.position.x = Float(x) + 0.5
        fragment.position.y = Float(y) + 0.5
        fragment.position.z = depthRules.seen(triangle.depths.depth(x * Self.subpixels, y * Self.subpixels))
        try body(x, y, covered, triangle.depths)
      }
    }
  }

  /// The pixels inside the bounds of which a sample may lie between two places of the grid.
  private static func pixels(_ low: Int, _ high: Int, _ first: Int, _ count: Int) -> Range<Int> {
    let start = max(first, low / subpixels - 1)
    return start..<max(start, min(first + count, high / subpixels + 2))
  }

  private func interpolate(
    _ triangle: Triangle, _ shares: (Int, Int, Int), _ flat: Set<Int>, _ fragment: FragmentArguments
  ) {
    let (a, b, c) = triangle.corners
    let area = Float(triangle.area)
    let linear = SIMD3(Float(shares.0), Float(shares.1), Float(shares.2)) / area
    let inverseW = linear * SIMD3(a.inverseW, b.inverseW, c.inverseW)
    fragment.position.w = inverseW.sum()
    let weights = inverseW / fragment.position.w
    for index in fragment.varyings.indices where !flat.contains(index) {
      fragment.varyings[index] =
        weights.x * a.varyings[index] + weights.y * b.varyings[index] + weights.z * c.varyings[index]
    }
  }

  /// One side of a triangle: positive inside.
  private struct Edge {
    private let x: Int
    private let y: Int
    private let dx: Int
    private let dy: Int
    /// Whether centers on the edge belong to the triangle.
    private let isIncluded: Bool

    init(from start: Corner, to end: Corner) {
      (x, y) = (start.x, start.y)
      (dx, dy) = (end.x - start.x, end.y - start.y)
      // Clockwise in the picture, left edges run upward and top edges rightward.
      isIncluded = dy < 0 || (dy == 0 && dx > 0)
    }

    func value(_ column: Int, _ row: Int) -> Int {
      dx * (row * Rasterizer.subpixels - y) - dy * (column * Rasterizer.subpixels - x)
    }

    /// Whether a sample lies inside, of a pixel that has `value` at its center.
    func includes(_ value: Int, _ sample: (x: Int, y: Int)) -> Bool {
      let there = value + dx * sample.y - dy * sample.x
      return there > 0 || (there == 0 && isIncluded)
    }
  }
}

/// A corner in GL's clip space, with what it hands on.
struct ClipVertex {
  var position: SIMD4<Float>
  var varyings: [SIMD4<Float>]

  /// From the output of a vertex function, whose clip space is Metal's; the counterpart of `Common/clip_space.vert`.
  init(_ output: VertexOutput) {
    let position = output.position
    self.position = SIMD4(position.x, -position.y, 2 * position.z - position.w, position.w)
    varyings = output.varyings
  }

  /// The point at `t` of the way from `start` to `end`.
  private init(_ t: Float, from start: ClipVertex, to end: ClipVertex) {
    position = start.position + t * (end.position - start.position)
    varyings = zip(start.varyings, end.varyings).map { $0 + t * ($1 - $0) }
  }

  /// Right, left, top and bottom: a corner is inside where the product is not negative (ES 3.2 §13.9).
  private static let sides: [SIMD4<Float>] = [
    SIMD4(-1, 0, 0, 1), SIMD4(1, 0, 0, 1), SIMD4(0, -1, 0, 1), SIMD4(0, 1, 0, 1),
  ]
  /// Near and far.
  private static let ends: [SIMD4<Float>] = [SIMD4(0, 0, 1, 1), SIMD4(0, 0, -1, 1)]

  private func distance(_ plane: SIMD4<Float>) -> Float { (position * plane).sum() }

  /// The part of a triangle inside the clip volume, as a polygon of no or at least three corners. The volume has no
  /// ends where depths are clamped.
  static func clipped(
    _ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex, _ mode: DepthClipMode
  ) -> [ClipVertex] {
    var polygon = [a, b, c]
    for plane in mode == .clip ? sides + ends : sides where polygon.contains(where: { $0.distance(plane) < 0 }) {
      polygon = cut(polygon, at: plane)
      if polygon.count < 3 { return [] }
    }
    return polygon
  }

  /// Sutherland and Hodgman's step.
  private static func cut(_ polygon: [ClipVertex], at plane: SIMD4<Float>) -> [ClipVertex] {
    var kept: [ClipVertex] = []
    for (index, corner) in polygon.enumerated() {
      let next = polygon[(index + 1) % polygon.count]
      let (here, there) = (corner.distance(plane), next.distance(plane))
      if here >= 0 { kept.append(corner) }
      // From the outside corner inward, whichever comes first, so that neighbours that share the edge share the point.
      if here >= 0, there < 0 {
        kept.append(ClipVertex(there / (there - here), from: next, to: corner))
      } else if here < 0, there >= 0 {
        kept.append(ClipVertex(here / (here - there), from: corner, to: next))
      }
    }
    return kept
  }
}
