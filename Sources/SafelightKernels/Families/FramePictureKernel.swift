package import SafelightImage

/// A kernel whose second picture is one of its own, which it makes for each frame of a run.
package protocol FramePictureKernel: PassKernel {
  /// True if frames have different pictures; false if one serves all that are alike.
  var hasPictureForEachFrame: Bool { get }
  /// True if a frame's picture depends on its position in the sequence.
  var picturesDependOnPosition: Bool { get }
  /// True if a frame's picture depends on its file's or film's name, or on its number there.
  var picturesDependOnName: Bool { get }

  /// Returns the size and the meaning of the pictures for frames like `image`.
  func framePicture(like image: ImageDescriptor) -> ImageDescriptor

  /// Returns the picture for `frame`, which is like `image`. Several calls may be made at once, in any order.
  ///
  /// - Throws: ``SafelightError`` if there is none for this frame.
  func framePicture(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> Image
}

extension PassKernel {
  /// The shape of the kernel's own second picture for pictures like `image`; none if it has none.
  func given(for image: ImageDescriptor) -> [Pass.Resource: PassPlan.Shape] {
    guard let kernel = self as? any FramePictureKernel else { return [:] }
    return [.further(0): PassPlan.Shape(PassPicture(kernel.framePicture(like: image)))]
  }
}
