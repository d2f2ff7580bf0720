package import SafelightImage

/// A kernel that lays something over the frame at a place of which numbers say where it is.
package protocol PlacedKernel: PassKernel {
  /// True if it may lie wholly outside the frame, as what moves over time may; false if that is a mistake.
  var mayLieOutside: Bool { get set }
}

/// A kernel that lays a picture of any size over the frame: its own, which a parameter names, or a second one.
package protocol PlacedPictureKernel: PlacedKernel {
  /// True if the kernel has a picture of its own and reads no second one.
  var hasPictureOfItsOwn: Bool { get }

  /// Checks the place of a second picture of `size`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if nothing of it is seen in `frame`.
  func checkPlace(of size: Size, in frame: Size) throws(SafelightError)
}

/// A kernel that shows second pictures beside the frame.
package protocol SeveralPicturesKernel: PassKernel {
  /// The number of second pictures. A call that names some sets it.
  var secondCount: Int { get set }
}

/// A kernel whose result depends on the frame's position, from which a second sequence begins.
package protocol TimedKernel: PassKernel {
  /// The position, from 0, of the frame that goes with the first second picture.
  var beginning: Int { get }
  /// The number of frames from there on that depend on both pictures.
  var mixedCount: Int { get }

  /// Returns the number, not negative, on which the passes depend for the frame at `position`, or for a picture that
  /// stands alone.
  func moment(at position: Int?) -> Int
}

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

extension TimedKernel {
  /// Returns whether the frame at `position`, or a picture that stands alone, goes with a second picture.
  package func readsSecond(at position: Int?) -> Bool { moment(at: position) > 0 }
}

extension PassKernel {
  /// The number of second pictures that the kernel reads.
  package var numberOfSeconds: Int {
    if let several = self as? any SeveralPicturesKernel { return several.secondCount }
    return Self.card.secondPicture == nil || (self as? any PlacedPictureKernel)?.hasPictureOfItsOwn == true ? 0 : 1
  }

  /// The kernel for so many second pictures; the same unless it takes several.
  package func reading(_ count: Int) -> any PassKernel {
    guard count > 0, var several = self as? any SeveralPicturesKernel else { return self }
    several.secondCount = count
    return several
  }

  /// Returns the picture of which the passes are made for `image`, in a texture of `format`, with second pictures of
  /// `seconds` and at `position`.
  func picture(
    _ image: ImageDescriptor, _ format: PixelFormat? = nil, seconds: [Size] = [], at position: Int? = nil
  ) -> PassPicture {
    let isPlain = seconds == [image.size] && !(self is any SeveralPicturesKernel)
    return PassPicture(
      image, format, secondSizes: isPlain || numberOfSeconds == 0 ? [] : seconds,
      moment: (self as? any TimedKernel)?.moment(at: position))
  }

  /// Checks that frames like `frame` can go with second pictures like `second`, which have the size to which they were
  /// scaled.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported`.
  package func check(second: ImageDescriptor, beside frame: ImageDescriptor) throws(SafelightError) {
    try frame.check(beside: second, of: Self.card.name)
    if let placed = self as? any PlacedPictureKernel { return try placed.checkPlace(of: second.size, in: frame.size) }
    try ensure(
      second.size == frame.size, .unsupported, "filter '\(Self.card.name)'",
      why: "its picture is of \(second.size), and the frame of \(frame.size)",
      remedy: "write fit=contain, fit=cover or fit=stretch, or resize one of them to the other's size")
    let showsSecond = self is any TimedKernel || self is any SeveralPicturesKernel
    try ensure(
      !showsSecond || frame.channels.hasAlpha || !second.channels.hasAlpha, .unsupported, "filter '\(Self.card.name)'",
      why: "its picture has alpha, and the frame has none",
      remedy: "use an opaque picture, or frames with alpha")
  }

  /// The shape of the kernel's own second picture for pictures like `image`; none if it has none.
  func given(for image: ImageDescriptor) -> [Pass.Resource: PassPlan.Shape] {
    guard let kernel = self as? any FramePictureKernel else { return [:] }
    return [.further(0): PassPlan.Shape(PassPicture(kernel.framePicture(like: image)))]
  }
}
