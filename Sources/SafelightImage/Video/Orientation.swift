/// The turn that brings a stored picture upright: one of the eight Exif orientations, which are also those of
/// `CGImagePropertyOrientation` and of a track's `preferredTransform`.
///
/// Frames carry an orientation and leave their samples as stored; code that draws them uses
/// ``sourcePosition(ofUprightX:y:in:)``.
public enum Orientation: Int, Sendable, CaseIterable {
  /// Stored upright.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Upside down: turn by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// Turn by 90° clockwise.
  case right = 6
  /// Rows and columns exchanged, then turned by 180°.
  case rightMirrored = 7
  /// Turn by 90° counterclockwise.
  case left = 8

  /// True if turning upright exchanges width and height.
  public var exchangesAxes: Bool { rawValue >= 5 }
  /// True if turning upright mirrors the picture.
  public var isMirrored: Bool { transform.a * transform.d - transform.b * transform.c < 0 }

  /// Returns the upright size of a picture stored in `size`.
  public func uprightSize(of size: Size) -> Size { exchangesAxes ? Size(size.height, size.width) : size }

  /// Returns the stored position of the pixel (`x`, `y`) of the upright picture. `size` is the stored size; rows count
  /// from the top in both pictures.
  public func sourcePosition(ofUprightX x: Int, y: Int, in size: Size) -> (x: Int, y: Int) {
    let transform = transform
    // The inverse of a turn is its transpose; an axis with a negative sign counts from the far edge.
    let column = transform.a * x + transform.b * y
    let row = transform.c * x + transform.d * y
    return (
      transform.a + transform.b < 0 ? size.width - 1 + column : column,
      transform.c + transform.d < 0 ? size.height - 1 + row : row
    )
  }

  /// Returns this orientation followed by `next`.
  public func followed(by next: Orientation) -> Orientation {
    let (m, n) = (transform, next.transform)
    let product = (n.a * m.a + n.c * m.b, n.b * m.a + n.d * m.b, n.a * m.c + n.c * m.d, n.b * m.c + n.d * m.d)
    // The eight turns form a group (the symmetries of the square), so the product is one of them.
    return Self.allCases.first { $0.transform == product } ?? .up
  }

  /// The orientation that reverses this one.
  public var inverse: Orientation {
    switch self {
    case .right: .left
    case .left: .right
    default: self
    }
  }

  /// Makes the orientation of a display matrix, as ISO/IEC 14496-12 stores it in a track and `CGAffineTransform` names
  /// its elements: a stored pixel (x, y) is shown at (a·x + c·y, b·x + d·y), rows counting from the top.
  ///
  /// Only the signs count, so any scale works. Returns nil if the matrix does anything but quarter turns and mirroring.
  public init?(a: Int, b: Int, c: Int, d: Int) {
    let signs = (a.signum(), b.signum(), c.signum(), d.signum())
    guard let match = Self.allCases.first(where: { $0.transform == signs }) else { return nil }
    self = match
  }

  /// Makes a turn by `degrees` counterclockwise, after mirroring left to right if `mirrored`; nil unless `degrees` is a
  /// multiple of 90.
  public init?(counterclockwiseDegrees degrees: Int, mirrored: Bool = false) {
    guard degrees % 90 == 0 else { return nil }
    let turns: [Orientation] = [.up, .left, .down, .right]
    let turn = turns[(degrees / 90 % 4 + 4) % 4]
    self = mirrored ? Orientation.upMirrored.followed(by: turn) : turn
  }

  private typealias Transform = (a: Int, b: Int, c: Int, d: Int)

  /// The map from a stored position to the upright one, without the shift (Exif 2.32, tag 274).
  private var transform: Transform {
    switch self {
    case .up: (1, 0, 0, 1)
    case .upMirrored: (-1, 0, 0, 1)
    case .down: (-1, 0, 0, -1)
    case .downMirrored: (1, 0, 0, -1)
    case .leftMirrored: (0, 1, 1, 0)
    case .right: (0, 1, -1, 0)
    case .rightMirrored: (0, -1, -1, 0)
    case .left: (0, -1, 1, 0)
    }
  }
}
