/// One picture of a moving source with all that is known of it: the counterpart of a `CMSampleBuffer` and the
/// `CVPixelBuffer` inside.
///
/// A value: copies share the memory, and nobody can change a frame under another's hands. The memory goes back to
/// its source when the last copy is gone, so keep a frame no longer than needed.
public struct VideoFrame: Sendable {
  /// The place in the source, from 0.
  public let index: Int
  /// Columns and rows as stored; see ``uprightSize``.
  public let size: Size
  /// How ``planes`` are made up.
  public let layout: PixelLayout
  /// Where the samples are.
  let content: Content
  /// When it is to be shown.
  public let presentationTime: MediaTime
  /// How long; nil where the source does not say.
  public let duration: MediaTime?
  /// How to turn it upright; the planes are not turned.
  public let orientation: Orientation
  /// What the samples mean.
  public let color: ColorDescription
  /// Held until the last copy is gone.
  package let lease: FrameLease?

  enum Content: Sendable {
    case planes([PixelPlane])
    case shared(any SharedFrameMemory)
  }

  /// The samples, one plane for each of the layout's formats.
  ///
  /// Those of a frame in shared ``memory`` are not the process's to look at: take them of ``copied()``.
  public var planes: [PixelPlane] {
    switch content {
    case .planes(let planes): return planes
    case .shared:
      trap(
        "the planes of frame \(index) lie in shared memory; take those of copied(), or make textures (TextureCache)")
    }
  }

  /// Makes a frame of `planes`, which must have the sizes and formats that `layout` gives a picture of `size`.
  public init(
    index: Int, size: Size, layout: PixelLayout, planes: [PixelPlane], presentationTime: MediaTime,
    duration: MediaTime? = nil, orientation: Orientation = .up, color: ColorDescription = .unspecified
  ) {
    self.init(
      index: index, size: size, layout: layout, planes: planes, presentationTime: presentationTime, duration: duration,
      orientation: orientation, color: color, lease: nil)
  }

  package init(
    index: Int, size: Size, layout: PixelLayout, planes: [PixelPlane], presentationTime: MediaTime,
    duration: MediaTime?, orientation: Orientation, color: ColorDescription, lease: FrameLease?
  ) {
    trap(
      unless: planes.map(\.pixelFormat) == layout.planeFormats
        && planes.enumerated().allSatisfy { $1.size == layout.planeSize($0, of: size) },
      "\(layout) of \(size) has other planes than \(planes.map { "\($0.pixelFormat) \($0.size)" })")
    self.init(
      index: index, size: size, layout: layout, content: .planes(planes), presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color, lease: lease)
  }

  init(
    index: Int, size: Size, layout: PixelLayout, content: Content, presentationTime: MediaTime, duration: MediaTime?,
    orientation: Orientation, color: ColorDescription, lease: FrameLease?
  ) {
    self.index = index
    self.size = size
    self.layout = layout
    self.content = content
    self.presentationTime = presentationTime
    self.duration = duration
    self.orientation = orientation
    self.color = color
    self.lease = lease
  }

  /// Columns and rows once ``orientation`` is applied.
  public var uprightSize: Size { orientation.uprightSize(of: size) }

  /// The same frame, whose samples mean `color`.
  public func tagged(_ color: ColorDescription) -> VideoFrame {
    VideoFrame(
      index: index, size: size, layout: layout, content: content, presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color, lease: lease)
  }

  /// The same frame; `onRelease` runs when its last copy is gone.
  package func leased(onRelease: @escaping @Sendable () -> Void) -> VideoFrame {
    VideoFrame(
      index: index, size: size, layout: layout, content: content, presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color, lease: FrameLease(inner: lease, onRelease: onRelease))
  }
}

extension VideoFrame {
  /// Makes a frame of a still picture. The layout is that of the picture's pixel format: grey, or red, green, blue and
  /// alpha, of 8 or 16 bits. Its samples mean what the picture says, unless `color` is given.
  public init(
    index: Int = 0, image: Image, presentationTime: MediaTime = .zero, duration: MediaTime? = nil,
    orientation: Orientation = .up, color: ColorDescription? = nil
  ) {
    let layout: PixelLayout =
      switch (image.channels, image.depth) {
      case (.gray, .bits8): .gray8
      case (.gray, .bits16): .gray16
      case (_, .bits8): .rgba8
      case (_, .bits16): .rgba16
      }
    let plane = PixelPlane(size: image.size, pixelFormat: image.pixelFormat, bytes: image.bytes)
    self.init(
      index: index, size: image.size, layout: layout, planes: [plane], presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color ?? image.color)
  }

  /// The stored picture, not turned, with `channels` said of its samples where they are four; nil for layouts that an
  /// ``Image`` cannot have: several planes, blue first, padded rows. Of a frame in shared memory take that of ``copied()``.
  public func image(channels: Channels = .rgba) -> Image? {
    guard let plane = planes.first, planes.count == 1, plane.isPacked else { return nil }
    let count = size.area * plane.pixelFormat.bytesPerPixel
    let bytes = plane.bytes.count == count ? plane.bytes : Array(plane.bytes.prefix(count))
    switch layout {
    case .gray8, .gray16: return Image(size: size, channels: .gray, depth: layout.depth, bytes: bytes, color: color)
    case .rgba8, .rgba16:
      trap(unless: channels != .gray, "four samples a pixel are not grey; pass .rgb, .rgba or .grayAlpha")
      return Image(size: size, channels: channels, depth: layout.depth, bytes: bytes, color: color)
    default: return nil
    }
  }
}

/// Says when the last copy of a frame is gone, so that its memory can serve another and those in use can be counted.
package final class FrameLease: Sendable {
  private let onRelease: @Sendable () -> Void
  /// The lease of the frame that this one is a copy of; released with it.
  private let inner: FrameLease?

  /// Makes a lease on top of another; `onRelease` runs once, on whichever thread lets go last, and must be short.
  package init(inner: FrameLease? = nil, onRelease: @escaping @Sendable () -> Void) {
    self.inner = inner
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}
