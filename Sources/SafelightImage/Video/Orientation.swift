/// How a stored picture has to be turned to stand upright: the eight orientations of Exif, which are those of
/// `CGImagePropertyOrientation` and of a track's `preferredTransform`.
///
/// Nothing is turned where it is only carried: frames keep the samples as they are stored, and whoever draws them
/// asks ``sourcePosition(ofUprightX:y:in:)``.
public enum Orientation: Int, Sendable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Left and right exchanged.
  case upMirrored = 2
  /// Upside down: turn by 180°.
  case down = 3
  /// Top and bottom exchanged.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// Turn by 90° clockwise.
  case right = 6
  /// Rows and columns exchanged, then turned by 180°.
  case rightMirrored = 7
  /// Turn by 90° counterclockwise.
  case left = 8

  /// True when width and height change places.
  public var exchangesAxes: Bool { rawValue >= 5 }

  /// True when the picture is also seen in a mirror.
  public var isMirrored: Bool { transform.a * transform.d - transform.b * transform.c < 0 }

  /// The upright size of a picture stored in `size`.
  public func uprightSize(of size: Size) -> Size { exchangesAxes ? Size(size.height, size.width) : size }

  /// Where the pixel of the upright picture lies in the stored one of `size`; rows count from the top in both.
  public func sourcePosition(ofUprightX x: Int, y: Int, in size: Size) -> (x: Int, y: Int) {
    let transform = transform
    // The inverse of a turn is its transpose; what counts backwards starts at the far edge.
    let column = transform.a * x + transform.b * y
    let row = transform.c * x + transform.d * y
    return (
      transform.a + transform.b < 0 ? size.width - 1 + column : column,
      transform.c + transform.d < 0 ? size.height - 1 + row : row
    )
  }

  /// This orientation, and then `next` applied to what it gives.
  public func followed(by next: Orientation) -> Orientation {
    let (m, n) = (transform, next.transform)
    let product = Transform(
      a: n.a * m.a + n.c * m.b, b: n.b * m.a + n.d * m.b, c: n.a * m.c + n.c * m.d, d: n.b * m.c + n.d * m.d)
    // Eight turns are a group (the symmetries of the square): the product is one of them.
    return Self.allCases.first { $0.transform == product } ?? .up
  }

  /// What undoes it.
  public var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }
}

extension Orientation {
  /// The orientation of a display matrix, as ISO/IEC 14496-12 stores it in a track and `CGAffineTransform` names its
  /// parts: a stored pixel (x, y) is shown at (a·x + c·y, b·x + d·y), rows counting from the top.
  ///
  /// Only the signs count, so any scale will do. Nil where the matrix turns by something else than quarter turns.
  public init?(a: Int, b: Int, c: Int, d: Int) {
    let signs = Transform(a: a.signum(), b: b.signum(), c: c.signum(), d: d.signum())
    guard let match = Self.allCases.first(where: { $0.transform == signs }) else { return nil }
    self = match
  }

  /// Turning by `degrees` counterclockwise, a multiple of 90, after mirroring left and right where asked for; nil for
  /// other angles.
  public init?(counterclockwiseDegrees degrees: Int, mirrored: Bool = false) {
    guard degrees % 90 == 0 else { return nil }
    let turns: [Orientation] = [.up, .left, .down, .right]
    let turn = turns[(degrees / 90 % 4 + 4) % 4]
    self = mirrored ? Orientation.upMirrored.followed(by: turn) : turn
  }

  private struct Transform: Equatable {
    let a: Int
    let b: Int
    let c: Int
    let d: Int
  }

  /// From a stored position to the upright one, without the shift (Exif 2.32, tag 274).
  private var transform: Transform {
    switch self {
    case .up: Transform(a: 1, b: 0, c: 0, d: 1)
    case .upMirrored: Transform(a: -1, b: 0, c: 0, d: 1)
    case .down: Transform(a: -1, b: 0, c: 0, d: -1)
    case .downMirrored: Transform(a: 1, b: 0, c: 0, d: -1)
    case .leftMirrored: Transform(a: 0, b: 1, c: 1, d: 0)
    case .right: Transform(a: 0, b: 1, c: -1, d: 0)
    case .rightMirrored: Transform(a: 0, b: -1, c: -1, d: 0)
    case .left: Transform(a: 0, b: -1, c: 1, d: 0)
    }
  }
}
