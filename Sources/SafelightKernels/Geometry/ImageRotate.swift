public import SafelightGPU
public import SafelightImage

/// A kernel that turns a picture by quarter turns. The formula is on its ``card``.
public struct ImageRotate: PassKernel {
  /// The angle in degrees, a multiple of 90; positive is clockwise.
  public var degrees = 90

  /// Makes a kernel that turns by 90 degrees clockwise.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, degrees: Int) { self.degrees = degrees }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "rotate", "turns the picture by quarter turns",
    discussion: """
      Positive angles are clockwise: rotate=90 brings the left edge to the top. By 90 and 270 degrees columns become
      rows, and the shape of pixels turns too; samples stay as they are. orient makes upright what carries a tag.
      """,
    [.integer("degrees", "the angle, a multiple of 90; clockwise", \.degrees, in: -360...360)],
    examples: ["rotate=90", "rotate=180", "rotate=-90"])

  /// Refuses other angles.
  public func check() throws(SafelightError) {
    try ensure(
      degrees % 90 == 0, .usage, "rotate=\(degrees)", why: "it turns by multiples of 90 degrees alone",
      remedy: "use 90, 180, 270 or -90")
  }

  /// Columns and rows exchanged at odd quarters.
  public func output(of size: Size) -> Size { turn.uprightSize(of: size) }

  /// One pass, or none for no turn.
  public func passes(for picture: PassPicture) -> [Pass] {
    turn == .up ? [] : [.orienting(turn, of: picture.size)]
  }

  /// How a picture is stored that such a turn makes upright.
  private var turn: Orientation {
    switch (degrees % 360 + 360) % 360 {
    case 90: .right
    case 180: .down
    case 270: .left
    default: .up
    }
  }
}
