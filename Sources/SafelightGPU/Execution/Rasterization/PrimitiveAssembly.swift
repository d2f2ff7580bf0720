internal import SafelightGLES

/// Puts the corners of a draw together to triangles.
enum PrimitiveAssembly {
  /// Three corners, by number.
  typealias Triangle = (Int, Int, Int)

  /// The triangles of `corners`; nil stands for the index that begins a new strip.
  static func triangles(_ type: PrimitiveType, _ corners: [Int?]) -> [Triangle] {
    guard type == .triangleStrip else { return list(corners.compactMap { $0 }) }
    return corners.split(separator: nil).flatMap { part -> [Triangle] in strip(part.compactMap { $0 }) }
  }

  private static func list(_ corners: [Int]) -> [Triangle] {
    (0..<corners.count / 3).map { (number: Int) -> Triangle in
      let first = 3 * number
      return (corners[first], corners[first + 1], corners[first + 2])
    }
  }

  /// Every other triangle of a strip has its first corners swapped, so that all turn the same way round.
  private static func strip(_ corners: [Int]) -> [Triangle] {
    (0..<max(0, corners.count - 2)).map { (first: Int) -> Triangle in
      let swap = first % 2
      return (corners[first + swap], corners[first + 1 - swap], corners[first + 2])
    }
  }
}
