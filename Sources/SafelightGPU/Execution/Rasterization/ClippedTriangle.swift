internal import SafelightGLES

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

  /// The part of a triangle inside the clip volume, as a polygon of no or at least three corners. The volume has no ends where depths
  /// are clamped.
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
