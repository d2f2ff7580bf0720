public import SafelightImage

/// A kernel as a value: its parameters are its properties, and what else there is to know of it stands on its card.
///
/// A kernel belongs to a family, such as ``PointKernel``, which has all that its members share: both forms on a device, the twin's loop,
/// checks and variants.
public protocol ImageKernel: Sendable {
  /// Makes the kernel with the defaults of its parameters.
  init()

  /// What there is to know of it.
  static var card: KernelCard<Self> { get }

  /// What the samples mean after the kernel, when they meant `color` before it.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` where the kernel is not defined for that, naming both.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription
}

extension ImageKernel {
  /// Samples mean what they meant.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { color }
}
