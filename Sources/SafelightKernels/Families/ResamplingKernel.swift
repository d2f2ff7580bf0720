public import SafelightImage

/// A kernel that scales a picture, which changes the shape of its pixels where one side is scaled more than the other.
public protocol ResamplingKernel: PassKernel {
  /// Returns the size that all of a picture of `size` becomes, before something is cut off or added around it.
  func scaledSize(of size: Size) -> Size
}
