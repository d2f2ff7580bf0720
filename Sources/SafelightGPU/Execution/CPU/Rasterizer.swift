internal import Glibc
internal import SafelightGLES
internal import SafelightImage

/// Finds the pixels of triangles as OpenGL ES does (ES 3.2 §13.8): a pixel belongs to the triangle that covers its
/// center, and on a common edge to exactly one of the two.
struct Rasterizer {
  /// The transform from normalized device coordinates to the target.
  private let scale: SIMD3<Float>
  private let translation: SIMD3<Float>
  /// The pixels that may change.
  private let bounds: Region
  let state: RasterState
  let depthRules: DepthRules
  /// The offsets of a pixel's samples from its center, on the grid.
  let samples: [(x: Int, y: Int)]

  /// Grid steps per pixel: `GL_SUBPIXEL_BITS` of 8.
  static let subpixels = 256

  /// The grid steps to whose multiples corners are rounded; 1 unless the device's grid is coarser.
  private let cornerStep: Int

  init(_ draw: Command.Draw) {
    state = draw.rasterState
    let box = state.viewport
    let half = SIMD2(Float(box.size.width), Float(box.size.height)) * 0.5
    scale = SIMD3(half.x, half.y, (state.far - state.near) * 0.5)
    translation = SIMD3(Float(box.x) + half.x, Float(box.y) + half.y, (state.far + state.near) * 0.5)
    let target = Region(size: draw.pass.size).intersection(box)
    bounds = state.scissor.map(target.intersection) ?? target
    cornerStep = max(1, Self.subpixels >> max(0, state.subpixelBits))
    depthRules = DepthRules(state, format: draw.pipeline.depthAttachmentPixelFormat)
    samples = draw.pipeline.rasterSampleCount == 1 ? [(0, 0)] : Self.fourSamples
  }

  /// The positions of four samples, the same on nearly all devices and in Metal.
  private static let fourSamples = [(x: -32, y: -96), (x: 96, y: -32), (x: -96, y: 32), (x: 32, y: 96)]

  fileprivate struct Corner {
    var x: Int
    var y: Int
    var depth: Float
    /// 1 / w, for perspective interpolation of varyings.
    var inverseW: Float
    var varyings: [SIMD4<Float>]
  }

  /// A triangle on the target, with its corners in the order of positive area.
  private struct Triangle {
    var corners: (Corner, Corner, Corner)
    var area: Int
    var isFrontFacing: Bool
    var depths: DepthPlane
  }

  /// Calls `body` for each pixel with covered samples, whose bits it gets; `fragment` has the values at its center.
  func draw(
    _ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex, flat: Set<Int>, fragment: FragmentArguments,
    _ body: (_ x: Int, _ y: Int, _ samples: UInt32, _ depths: DepthPlane) throws -> Void
  ) rethrows {
    let polygon = ClipVertex.clipped(a, b, c, depthRules.clipMode)
    guard polygon.count >= 3 else { return }
    for index in 2..<polygon.count {
      guard let triangle = triangle(polygon[index - 1], polygon[index], polygon[0]) else { continue }
      fragment.isFrontFacing = triangle.isFrontFacing
      // Flat varyings are those of the last corner of the whole triangle, clipped or not.
      fragment.varyings = c.varyings
      try draw(triangle, flat, fragment, body)
    }
  }

  /// Returns the tested depth of a triangle at a sample of a pixel.
  func depth(_ depths: DepthPlane, _ x: Int, _ y: Int, sample: Int) -> Float {
    depthRules.tested(depths.depth(x * Self.subpixels + samples[sample].x, y * Self.subpixels + samples[sample].y))
  }

  /// Projects a corner; returns nil if the position is not finite: GPUs do not draw a triangle with such a corner.
  private func corner(_ vertex: ClipVertex) -> Corner? {
    let inverseW = 1 / vertex.position.w
    let place = SIMD3(vertex.position.x, vertex.position.y, vertex.position.z) * inverseW * scale + translation
    // Centers of pixels lie at multiples of 256 steps.
    let step = Float(cornerStep)
    let grid = ((SIMD2(place.x, place.y) - 0.5) * (Float(Self.subpixels) / step)).rounded(.toNearestOrEven) * step
    guard inverseW.isFinite, place.z.isFinite, grid.x.magnitude < 1e9, grid.y.magnitude < 1e9 else { return nil }
    return Corner(x: Int(grid.x), y: Int(grid.y), depth: place.z, inverseW: inverseW, varyings: vertex.varyings)
  }

  /// Returns nil if the triangle has no area or is culled.
  private func triangle(_ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex) -> Triangle? {
    guard let a = corner(a), let b = corner(b), let c = corner(c) else { return nil }
    let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    guard area != 0 else { return nil }
    // With rows counted downward a positive area turns clockwise.
    let isFront = (area > 0) == (state.frontFacing == .clockwise)
    guard state.cullMode != (isFront ? .front : .back) else { return nil }
    return Triangle(
      corners: area > 0 ? (a, b, c) : (a, c, b), area: abs(area), isFrontFacing: isFront,
      depths: DepthPlane(a, b, c, depthRules))
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

  /// Returns the columns or rows inside the bounds that may have samples between two grid points.
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

  /// A side of a triangle, with positive values inside.
  private struct Edge {
    private let x: Int
    private let y: Int
    private let dx: Int
    private let dy: Int
    /// True if points on the edge belong to the triangle.
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

    /// True if a sample is inside, given the `value` at the center of its pixel.
    func includes(_ value: Int, _ sample: (x: Int, y: Int)) -> Bool {
      let sampled = value + dx * sample.y - dy * sample.x
      return sampled > 0 || (sampled == 0 && isIncluded)
    }
  }
}

/// A corner in OpenGL's clip space, with its varyings.
struct ClipVertex {
  var position: SIMD4<Float>
  var varyings: [SIMD4<Float>]

  /// Converts from Metal's clip space, in which vertex functions write; the twin of `Common/clip_space.vert`.
  init(_ output: VertexOutput) {
    let position = output.position
    self.position = SIMD4(position.x, -position.y, 2 * position.z - position.w, position.w)
    varyings = output.varyings
  }

  /// Interpolates at `t`, from 0 at `start` to 1 at `end`.
  private init(_ t: Float, from start: ClipVertex, to end: ClipVertex) {
    position = start.position + t * (end.position - start.position)
    varyings = zip(start.varyings, end.varyings).map { $0 + t * ($1 - $0) }
  }

  /// The right, left, top and bottom planes: a corner is inside if its product is not negative (ES 3.2 §13.9).
  private static let sides: [SIMD4<Float>] = [
    SIMD4(-1, 0, 0, 1), SIMD4(1, 0, 0, 1), SIMD4(0, -1, 0, 1), SIMD4(0, 1, 0, 1),
  ]
  /// The near and far planes.
  private static let ends: [SIMD4<Float>] = [SIMD4(0, 0, 1, 1), SIMD4(0, 0, -1, 1)]

  private func distance(_ plane: SIMD4<Float>) -> Float { (position * plane).sum() }

  /// Returns the polygon of a triangle inside the clip volume, or none; clamped depths have no near and far planes.
  static func clipped(_ a: ClipVertex, _ b: ClipVertex, _ c: ClipVertex, _ mode: DepthClipMode) -> [ClipVertex] {
    var polygon = [a, b, c]
    for plane in mode == .clip ? sides + ends : sides where polygon.contains(where: { $0.distance(plane) < 0 }) {
      polygon = cut(polygon, at: plane)
      if polygon.count < 3 { return [] }
    }
    return polygon
  }

  /// Cuts a polygon at one plane (Sutherland and Hodgman).
  private static func cut(_ polygon: [ClipVertex], at plane: SIMD4<Float>) -> [ClipVertex] {
    var kept: [ClipVertex] = []
    for (index, corner) in polygon.enumerated() {
      let next = polygon[(index + 1) % polygon.count]
      let (here, there) = (corner.distance(plane), next.distance(plane))
      if here >= 0 { kept.append(corner) }
      // Always from the outside corner inward, so that neighbors that share the edge share the point.
      if here >= 0, there < 0 {
        kept.append(ClipVertex(there / (there - here), from: next, to: corner))
      } else if here < 0, there >= 0 {
        kept.append(ClipVertex(here / (here - there), from: corner, to: next))
      }
    }
    return kept
  }
}

/// Changes the depths of a draw's triangles.
struct DepthRules {
  let clipMode: DepthClipMode
  let bias: DepthBias
  /// The range to which tested depths are clamped.
  private let range: ClosedRange<Float>
  /// The least difference between depths; nil if it depends on them.
  private let step: Double?

  init(_ state: RasterState, format: PixelFormat?) {
    clipMode = state.depthStencil.clipMode
    bias = format == nil ? DepthBias() : state.depthStencil.bias
    range = clipMode == .clamp ? min(state.near, state.far)...max(state.near, state.far) : 0...1
    step = format == .depth16Unorm ? 1 / 65535 : nil
  }

  /// Returns the tested depth for that of a triangle or of a function's output (EXT_depth_clamp).
  func tested(_ depth: Float) -> Float { max(range.lowerBound, min(range.upperBound, depth)) }

  /// Returns the depth that a function sees: with `clamp`, depths are clamped only at the test.
  func seen(_ depth: Float) -> Float { clipMode == .clamp ? depth : tested(depth) }

  /// Returns the bias of a triangle with the depth `greatest` at most and a `slope` per pixel (ES 3.2 §13.8.2).
  func offset(slope: Double, greatest: Double) -> Double {
    guard bias != DepthBias() else { return 0 }
    // Floats have 23 bits after the leading one.
    let step = self.step ?? scalbn(1, (greatest == 0 ? -126 : Int32(greatest.exponent)) - 23)
    let offset = slope * Double(bias.slopeScale) + step * Double(bias.bias)
    if bias.clamp > 0 { return min(offset, Double(bias.clamp)) }
    return bias.clamp < 0 ? max(offset, Double(bias.clamp)) : offset
  }
}

/// The depths of a triangle, which are linear on the target (ES 3.2 §13.8.1); exact if all corners have the same.
struct DepthPlane {
  private let x: Int
  private let y: Int
  private let depth: Double
  /// The slopes per step of the rasterizer's grid.
  private let alongX: Double
  private let alongY: Double

  /// Makes the plane through three corners, which must not be collinear.
  fileprivate init(_ a: Rasterizer.Corner, _ b: Rasterizer.Corner, _ c: Rasterizer.Corner, _ rules: DepthRules) {
    let area = Double((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
    let (toB, toC) = (Double(b.depth) - Double(a.depth), Double(c.depth) - Double(a.depth))
    alongX = (toB * Double(c.y - a.y) - toC * Double(b.y - a.y)) / area
    alongY = (toC * Double(b.x - a.x) - toB * Double(c.x - a.x)) / area
    let slope = max(alongX.magnitude, alongY.magnitude) * Double(Rasterizer.subpixels)
    let greatest = Double(max(a.depth.magnitude, b.depth.magnitude, c.depth.magnitude))
    (x, y) = (a.x, a.y)
    depth = Double(a.depth) + rules.offset(slope: slope, greatest: greatest)
  }

  func depth(_ x: Int, _ y: Int) -> Float { Float(depth + Double(x - self.x) * alongX + Double(y - self.y) * alongY) }
}
