public import SafelightGPU
public import SafelightImage

/// A kernel that exchanges columns and rows; Metal Performance Shaders' `MPSImageTranspose`. The formula is on its
/// ``card``.
public struct ImageTranspose: PassKernel {
  /// Makes the kernel.
  public init() {}

  /// Makes the kernel.
  public init(device: Device) {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "transpose", "exchanges columns and rows",
    discussion: """
          out(i, j) = in(j, i)

      The shape of pixels turns too; samples stay as they are. rotate=90 is transpose,flip=horizontal.
      """, examples: ["transpose"])

  /// Columns and rows exchanged.
  public func output(of size: Size) -> Size { Orientation.leftMirrored.uprightSize(of: size) }

  /// One pass.
  public func passes(for picture: PassPicture) -> [Pass] { [.orienting(.leftMirrored, of: picture.size)] }
}
