internal import Glibc
internal import SafelightGLES
internal import SafelightImage

/// What a draw does to the depths of its triangles.
struct DepthRules {
  let clipMode: DepthClipMode
  let bias: DepthBias
  /// The depths that are tested and kept.
  private let range: ClosedRange<Float>
  /// The least difference between depths; nil where it depends on them.
  private let step: Double?

  init(_ state: RasterState, format: PixelFormat?) {
    clipMode = state.depthStencil.clipMode
    bias = format == nil ? DepthBias() : state.depthStencil.bias
    range = clipMode == .clamp ? min(state.near, state.far)...max(state.near, state.far) : 0...1
    step = format == .depth16Unorm ? 1 / 65535 : nil
  }

  /// What is tested of a triangle's depth, or of one that a function wrote (EXT_depth_clamp).
  func tested(_ depth: Float) -> Float { max(range.lowerBound, min(range.upperBound, depth)) }

  /// What a function sees of a triangle's depth: clamped depths are so at the test, and not before.
  func seen(_ depth: Float) -> Float { clipMode == .clamp ? depth : tested(depth) }

  /// What is added to the depths of a triangle that reaches `greatest` and rises by `slope` from pixel to pixel (ES 3.2 §13.8.2).
  func offset(slope: Double, greatest: Double) -> Double {
    guard bias != DepthBias() else { return 0 }
    // Floats have 23 bits behind the first.
    let step = self.step ?? scalbn(1, (greatest == 0 ? -126 : Int32(greatest.exponent)) - 23)
    let offset = slope * Double(bias.slopeScale) + step * Double(bias.bias)
    if bias.clamp > 0 { return min(offset, Double(bias.clamp)) }
    return bias.clamp < 0 ? max(offset, Double(bias.clamp)) : offset
  }
}

/// The depths of a triangle, which are linear on the target (ES 3.2 §13.8.1): exact where all corners have one.
struct DepthPlane {
  private let x: Int
  private let y: Int
  private let depth: Double
  /// The rise from place to place of the rasterizer's grid.
  private let alongX: Double
  private let alongY: Double

  /// The plane through three places of the grid that enclose an area.
  init(
    _ a: (x: Int, y: Int, depth: Float), _ b: (x: Int, y: Int, depth: Float), _ c: (x: Int, y: Int, depth: Float),
    _ rules: DepthRules
  ) {
    let area = Double((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))
    let (toB, toC) = (Double(b.depth) - Double(a.depth), Double(c.depth) - Double(a.depth))
    alongX = (toB * Double(c.y - a.y) - toC * Double(b.y - a.y)) / area
    alongY = (toC * Double(b.x - a.x) - toB * Double(c.x - a.x)) / area
    let slope = max(alongX.magnitude, alongY.magnitude) * Double(Rasterizer.subpixels)
    let greatest = Double(max(a.depth.magnitude, b.depth.magnitude, c.depth.magnitude))
    (x, y) = (a.x, a.y)
    depth = Double(a.depth) + rules.offset(slope: slope, greatest: greatest)
  }

  /// The depth at a place of the grid.
  func depth(_ x: Int, _ y: Int) -> Float {
    Float(depth + Double(x - self.x) * alongX + Double(y - self.y) * alongY)
  }
}
