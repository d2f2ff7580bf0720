public import SafelightGPU
public import SafelightImage

/// A kernel that scales a picture: each pixel is made from a rectangle around its place in the source.
///
/// The family has both bodies, and checks the scale.
public protocol ResamplingKernel: PassKernel {
  /// Returns the filter by which a picture of `source` becomes one of `made`.
  func filter(from source: Size, to made: Size) -> ImageRenderer.Filter
}

extension ResamplingKernel {
  /// The formats of ``ImageRenderer``.
  public static var formats: [PixelFormat] { ImageRenderer.formats }

  /// Checks that 32-bit arithmetic and a texture of any device suffice for the scale.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let made = output(of: image.size)
    let scaling = "\(Self.card.name) of \(image.size) to \(made)"
    try ensure(
      made.width <= 1 << 16 && made.height <= 1 << 16 && made.area <= 1 << 29, .limit, scaling,
      why: "a result has at most 65536 columns and rows and \(1 << 29) pixels", remedy: "choose a smaller size")
    // Every device has textures of 2048 columns and rows (OpenGL ES 3.1, table 20.40), of which a border takes some.
    try ensure(
      image.size.width / made.width < 2000 && image.size.height / made.height < 2000, .limit, scaling,
      why: "it would join 2000 or more columns or rows into one", remedy: "scale in two steps")
    try ensure(
      PictureScale(from: image.size, to: made) != nil, .limit, scaling,
      why: "the ratio of the two sizes is beyond 32-bit arithmetic",
      remedy: "choose a size in a simpler ratio to the picture's, such as a half")
  }

  /// One pass; none for a picture that has the size.
  public func passes(for picture: PassPicture) throws(SafelightError) -> [Pass] {
    let made = output(of: picture.size)
    guard made != picture.size, let scale = PictureScale(from: picture.size, to: made) else { return [] }
    let placement = Placement(scale: scale, filter: filter(from: picture.size, to: made))
    return [.rendering(.picture, of: picture.size, isGray: picture.pixelFormat.samplesPerPixel == 1, placement)]
  }

  /// Records the scaling of all of `source` to all of `destination`, two textures of one format and of any sizes.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` for a scale beyond 32-bit arithmetic.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) throws(SafelightError) {
    try ImageRenderer().render(
      source, to: destination, commandBuffer: buffer, bounds: Region(size: destination.size),
      filter: filter(from: source.size, to: destination.size), pipeline: pipeline, label: Self.card.name)
  }
}
