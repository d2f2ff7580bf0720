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
