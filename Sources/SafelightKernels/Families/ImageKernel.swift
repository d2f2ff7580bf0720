public import SafelightGPU
public import SafelightImage

/// A kernel as a value: its parameters are its properties, and what else there is to know of it stands on its card.
///
/// A kernel belongs to a family, such as ``PointKernel``, which has all that its members share: both forms on a device,
/// the twin's loop, checks and variants.
public protocol ImageKernel: Sendable {
  /// Makes the kernel with the defaults of its parameters.
  init()

  /// What there is to know of it.
  static var card: KernelCard<Self> { get }

  /// The formats of pictures that it takes.
  static var formats: [PixelFormat] { get }

  /// The forms that its functions have.
  static var forms: [KernelForm] { get }

  /// - Throws: ``SafelightError`` of the kind `usage` where parameters that are each in range do not go together.
  func check() throws(SafelightError)

  /// - Throws: ``SafelightError`` of the kind `unsupported` where the kernel is not defined for pictures like `image`.
  func check(_ image: ImageDescriptor) throws(SafelightError)

  /// Columns and rows of what becomes of a picture of `size`, which ``check(_:)-(ImageDescriptor)`` has admitted.
  func output(of size: Size) -> Size

  /// The kernel on `device`, with what it keeps there.
  func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage

  /// Adds the twins of functions that are the kernel's alone, for captures; its family does.
  static func addTwins(to twins: inout TwinLibrary)

  /// What the samples mean after the kernel, when they meant `color` before it.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` where the kernel is not defined for that, naming both.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription
}

extension ImageKernel {
  /// Integers of 8 and of 16 bits.
  public static var formats: [PixelFormat] { PixelFormat.pointFormats }

  /// Both.
  public static var forms: [KernelForm] { [.render, .compute] }

  /// None: it is made of functions that others share.
  public static func addTwins(to twins: inout TwinLibrary) {}

  /// All go together.
  public func check() throws(SafelightError) {}

  /// Takes every picture of its formats.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {}

  /// As many.
  public func output(of size: Size) -> Size { size }

  /// Returns the size, the format and the meaning of what a picture like `image` becomes.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` where the kernel is not defined for them.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try check(image)
    return ImageDescriptor(
      size: output(of: image.size), channels: image.channels, depth: image.depth, color: try output(of: image.color))
  }

  /// Stops the program where the kernel does not take textures like `source`.
  static func checkFormat(of source: Texture) {
    trap(
      unless: formats.contains(source.pixelFormat),
      "\(card.name) takes \(formats.map(\.rawValue).joined(separator: ", ")), not '\(source.label)' of "
        + "\(source.pixelFormat.rawValue); convert it first")
  }

  /// Samples mean what they meant.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { color }
}
