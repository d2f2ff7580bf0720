public import SafelightFrames
public import SafelightImage

/// What a frame of a run holds.
public enum FramePicture: Sendable {
  /// Grey, or red, green and blue.
  case image(Image)
  /// Luma and chroma.
  case planes(VideoFrame)

  /// What `frame` holds; `name` stands for its film in errors.
  ///
  /// Throws a ``SafelightImage/SafelightError`` of kind `unsupported` for layouts of red, green and blue that an ``SafelightImage/Image``
  /// does not have.
  public init(_ frame: VideoFrame, name: String) throws(SafelightError) {
    if frame.layout.isYCbCr {
      self = .planes(frame)
      return
    }
    guard let image = frame.image(channels: frame.color.alpha == .opaque ? .rgb : .rgba) else {
      throw SafelightError(
        .unsupported, name, why: "its frames are \(frame.layout) with rows apart or another order",
        remedy: "ask its source for rgba8 or rgba16")
    }
    self = .image(image)
  }

  /// The picture, where it is one.
  public var image: Image? {
    switch self {
    case .image(let image): image
    case .planes: nil
    }
  }

  /// The bytes of the picture, or of each plane, rows without padding.
  var packedPlanes: [[UInt8]] {
    switch self {
    case .image(let image): [image.bytes]
    case .planes(let frame): frame.planes.map(\.packedBytes)
    }
  }

  /// What the filters see: luma and chroma become red, green and blue of the full range, of 16 bits where they have more than 8.
  var filtered: ImageDescriptor {
    switch self {
    case .image(let image): return image.descriptor
    case .planes(let frame): return .filtered(frame.size, frame.layout, frame.color)
    }
  }
}

extension VideoFormat {
  /// What the filters see of frames of the format.
  public var filtered: ImageDescriptor { .filtered(size, layout, color) }
}

extension ImageDescriptor {
  /// Luma and chroma become red, green and blue of the full range, of 16 bits where they have more than 8.
  fileprivate static func filtered(_ size: Size, _ layout: PixelLayout, _ color: ColorDescription) -> ImageDescriptor {
    guard layout.isYCbCr else {
      let channels: Channels = layout.isGray ? .gray : color.alpha == .opaque ? .rgb : .rgba
      return ImageDescriptor(size: size, channels: channels, depth: layout.depth, color: color)
    }
    return ImageDescriptor(
      size: size, channels: .rgb, depth: layout.depth,
      color: ColorDescription(
        matrix: .identity, range: .full, transfer: color.transfer, primaries: color.primaries, alpha: .opaque))
  }
}

/// What a run makes of its frames.
public enum FrameForm: Hashable, Sendable {
  /// Pictures as the filters leave them.
  case image
  /// Luma and chroma that mean what is said.
  case planes(PixelLayout, ColorDescription)
}
