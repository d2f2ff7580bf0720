public import SafelightGPU
public import SafelightImage

/// A kernel that makes a picture upright which its camera stored turned or mirrored. The formula is on its ``card``.
public struct ImageOrient: PassKernel {
  /// How the picture is stored, as Exif says: 1 to 8.
  public var orientation = Orientation.up.rawValue

  /// Makes a kernel that leaves pictures as they are.
  public init() {}

  /// Makes the kernel for pictures stored as `orientation` says.
  public init(device: Device, orientation: Orientation) { self.orientation = orientation.rawValue }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "orient", "makes upright what a camera stored turned or mirrored",
    discussion: """
      The number is that of Exif's tag Orientation, whose picture the filter makes upright:

          1  stays                  5  rows and columns exchanged
          2  mirrored left to right 6  turned by 90 degrees clockwise
          3  turned by 180 degrees  7  rows and columns exchanged, then turned by 180 degrees
          4  mirrored top to bottom 8  turned by 90 degrees counterclockwise

      From 5 on columns become rows, and the shape of pixels turns too. Samples stay as they are. The Exif data of a
      PNG then says 1, so that viewers do not turn the picture again.
      """,
    [.integer("orientation", "how the picture is stored: Exif's number, 1 to 8", \.orientation, in: 1...8)],
    examples: ["orient=6", "orient=2", "orient=3", "orient=4", "orient=5", "orient=7", "orient=8"], makesUpright: true)

  /// Columns and rows exchanged from 5 on.
  public func output(of size: Size) -> Size { turn.uprightSize(of: size) }

  /// One pass, or none for an upright picture.
  public func passes(for picture: PassPicture) -> [Pass] {
    turn == .up ? [] : [.orienting(turn, of: picture.size)]
  }

  private var turn: Orientation { Orientation(rawValue: orientation) ?? .up }
}
