public import SafelightGPU
public import SafelightImage

/// A kernel as a value: its parameters are its properties, and its card describes everything else.
///
/// A kernel belongs to a family, such as ``PointKernel``, which provides what all members share: both pipelines on a
/// device, the twin's loop, checks and variants.
public protocol ImageKernel: Sendable {
  /// Makes the kernel with the defaults of its parameters.
  init()

  /// The kernel's card: name, formula, parameters and examples.
  static var card: KernelCard<Self> { get }
  /// The formats of pictures that the kernel takes.
  static var formats: [PixelFormat] { get }
  /// The pipelines in which the kernel's functions run.
  static var pipelines: [PipelineKind] { get }

  /// Checks parameters that are each in range together.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if they contradict each other.
  func check() throws(SafelightError)

  /// Checks a picture.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the kernel is not defined for pictures like `image`.
  func check(_ image: ImageDescriptor) throws(SafelightError)

  /// Returns the size, format and meaning of the result for a picture like `image`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the kernel is not defined for it.
  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor

  /// Returns the size of the result for a picture of `size`, which ``check(_:)-(ImageDescriptor)`` has admitted.
  func output(of size: Size) -> Size

  /// Makes a stage of the kernel on `device`, with the resources it keeps there.
  func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage

  /// Returns the meaning of the result's samples if those of the picture mean `color`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported`, which names both, if the kernel is not defined for `color`.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription
}

extension ImageKernel {
  /// Makes the kernel with the defaults of its parameters, spelled as in Metal.
  public init(device: Device) { self.init() }

  /// Integers of 8 and of 16 bits by default.
  public static var formats: [PixelFormat] { PixelFormat.pointFormats }
  /// Both by default.
  public static var pipelines: [PipelineKind] { [.render, .compute] }

  /// Accepts all by default.
  public func check() throws(SafelightError) {}
  /// Accepts every picture of the kernel's formats by default.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {}

  /// The same size by default.
  public func output(of size: Size) -> Size { size }
  /// The same meaning by default.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { color }

  /// The picture's channels and depth by default, with ``output(of:)-(Size)`` and ``output(of:)-(ColorDescription)``.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try check(image)
    return ImageDescriptor(
      size: output(of: image.size), channels: image.channels, depth: image.depth, color: try output(of: image.color))
  }

  /// Traps if the kernel does not take textures like `source`.
  static func checkFormat(of source: Texture) {
    trap(
      unless: formats.contains(source.pixelFormat),
      "\(card.name) takes \(formats.map(\.rawValue).joined(separator: ", ")), not '\(source.label)' of "
        + "\(source.pixelFormat.rawValue); convert it first")
  }
}

/// The pipeline in which a kernel's function runs; all give the same bytes.
public enum PipelineKind: String, Sendable, CaseIterable {
  /// The one that was measured to be faster: ``render``, but ``compute`` where only a part of a texture is made.
  ///
  /// On llvmpipe the strip took 18 to 25 ms for a 1080p frame of 8 bits and the compute kernel 24 to 33 ms, since
  /// colors are written as vectors and image stores one by one; Arm too advises fragment functions for simple image
  /// work. `safelight bench` measures both.
  case automatic
  /// A compute function with image stores. OpenGL ES 3.1 cannot store to one-channel formats, which are drawn instead.
  case compute
  /// A fragment function on the full-screen triangle strip.
  case render
}

extension ColorDescription {
  /// Returns the description; throws for samples of limited range, for stages in which sample 0 stands for no light and
  /// the largest for full light.
  package func ofFullRange(for filter: String) throws(SafelightError) -> ColorDescription {
    guard range != .limited else { throw mismatch(filter, made: "full range") }
    return self
  }

  /// Returns the description of the same colors with `alpha`; throws for samples that are tagged so already, and for
  /// those of limited range.
  func converted(to alpha: AlphaMode, by filter: String) throws(SafelightError) -> ColorDescription {
    guard self.alpha != alpha else {
      throw mismatch(filter, made: "\(alpha == .straight ? "premultiplied" : "straight") alpha")
    }
    var color = try ofFullRange(for: filter)
    color.alpha = alpha
    return color
  }

  /// Returns the error of a stage that is defined for other samples, `made`.
  package func mismatch(_ filter: String, made: String) -> SafelightError {
    SafelightError(
      .unsupported, "filter '\(filter)'", why: "the picture is tagged \(self), but the filter was made for \(made)",
      remedy: "leave the filter out, or correct the tags of the file")
  }
}
