internal import SafelightFrames
internal import SafelightImage

// A run writes frames to films, and says what a film cannot hold of them; a frame of a film brings the film's metadata.

extension FramePicture {
  private var color: ColorDescription {
    switch self {
    case .image(let image): image.color
    case .planes(let frame): frame.color
    }
  }

  /// Returns what `film` cannot hold of this picture, whose pixels have the shape `aspect` and which was made from the
  /// file's picture `original`; one sentence each.
  func losses(in film: any VideoWriter, of original: FramePicture, _ aspect: PixelAspect?) -> [String] {
    var losses: [String] = []
    let hasAlpha = original.image.map { $0.channels.hasAlpha && $0.color.alpha != .opaque } ?? false
    if hasAlpha, film.format.layout.isYCbCr { losses.append("its alpha is left out of \(film.name)") }
    let (color, meant) = (color, film.format.color)
    if color.transfer != meant.transfer || color.primaries != meant.primaries {
      losses.append("its color tags differ from those of \(film.name), which has the tags of the first frame")
    }
    if case .image(let image) = original, image.color.range == .limited {
      losses.append("its samples have the limited range, and \(film.name) takes them for full")
    }
    if !PixelAspect.areEqual(aspect, film.format.pixelAspect) {
      losses.append(
        "its pixels are \(aspect ?? .square), but those of \(film.name) are \(film.format.pixelAspect ?? .square)")
    }
    return losses
  }
}

extension FrameStep {
  /// Returns the metadata of a picture made from the frame of a film. What the film says of its light holds for its own
  /// colors only.
  func metadata(of image: ImageDescriptor) throws(SafelightError) -> PNGMetadata {
    guard let color = picture?.color, image.color.transfer == color.transfer, image.color.primaries == color.primaries
    else { return PNGMetadata() }
    return try facts.metadata(image.color)
  }

  /// Returns the result `made` from the step's frame as a frame of a film of `format`, at its time in its own film or
  /// at the time that follows from its place among files; upright as it is stored if `isUpright`, else as its own film
  /// says.
  func frame(
    of made: FramePicture, in format: VideoFormat, isUpright: Bool
  ) throws(SafelightError) -> VideoFrame {
    let time = picture?.presentationTime ?? format.frameDuration?.multiplied(by: Int64(place))
    guard let time else {
      throw SafelightError(
        .limit, label, why: "its time in the film is out of range or unknown", remedy: "set a frame rate")
    }
    let duration = picture?.duration ?? format.frameDuration
    let orientation = isUpright ? .up : picture?.orientation ?? .up
    switch made {
    case .image(let image):
      return VideoFrame(
        index: place, image: image, presentationTime: time, duration: duration, orientation: orientation)
    case .planes(let frame):
      return VideoFrame(
        index: place, size: frame.size, layout: frame.layout, planes: frame.planes, presentationTime: time,
        duration: duration, orientation: orientation, color: frame.color)
    }
  }
}
