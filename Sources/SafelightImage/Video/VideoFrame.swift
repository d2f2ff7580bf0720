/// One picture of a moving source with its properties: the counterpart of a `CMSampleBuffer` and the `CVPixelBuffer` in
/// it.
///
/// A frame is a value that never changes; copies share its memory. The memory returns to its source when the last copy
/// is released, so keep a frame no longer than necessary.
public struct VideoFrame: Sendable {
  /// The position in the source, from 0.
  public let index: Int
  /// The stored columns and rows; see ``uprightSize``.
  public let size: Size
  /// The layout of ``planes``.
  public let layout: PixelLayout
  private var content: Content
  /// The time at which the frame is to be shown.
  public private(set) var presentationTime: MediaTime
  /// The time for which the frame is to be shown; nil if the source does not state it.
  public private(set) var duration: MediaTime?
  /// The turn that brings the frame upright; ``planes`` are as stored.
  public let orientation: Orientation
  /// The meaning of the samples as colors.
  public private(set) var color: ColorDescription
  /// Kept until the last copy of the frame is released.
  package private(set) var lease: FrameLease?

  private enum Content: Sendable {
    case planes([PixelPlane])
    case shared(any SharedFrameMemory)
  }

  /// The samples, one plane for each format of the layout.
  ///
  /// Traps if the frame is in shared ``memory``; call ``copied()`` first.
  public var planes: [PixelPlane] {
    switch content {
    case .planes(let planes): return planes
    case .shared:
      trap(
        "the planes of frame \(index) lie in shared memory; read the planes of copied(), or make textures with a "
          + "TextureCache"
      )
    }
  }

  /// The columns and rows after applying ``orientation``.
  public var uprightSize: Size { orientation.uprightSize(of: size) }

  /// Returns the same frame with `color` as its description.
  public func tagged(_ color: ColorDescription) -> VideoFrame {
    var frame = self
    frame.color = color
    return frame
  }

  /// Returns the same frame, shown for `duration`.
  package func lasting(_ duration: MediaTime?) -> VideoFrame {
    var frame = self
    frame.duration = duration
    return frame
  }

  /// Returns the same frame, shown at `time`.
  package func shown(at time: MediaTime) -> VideoFrame {
    var frame = self
    frame.presentationTime = time
    return frame
  }

  /// Returns the same frame; `onRelease` runs when its last copy is released.
  package func leased(onRelease: @escaping @Sendable () -> Void) -> VideoFrame {
    leased(FrameLease(inner: lease, onRelease: onRelease))
  }

  /// Returns the same frame with `lease` in place of its own.
  package func leased(_ lease: FrameLease) -> VideoFrame {
    var frame = self
    frame.lease = lease
    return frame
  }
}

extension VideoFrame {
  /// Makes a frame of `planes`; traps unless they have the sizes and formats of `layout` for a picture of `size`.
  public init(
    index: Int, size: Size, layout: PixelLayout, planes: [PixelPlane], presentationTime: MediaTime,
    duration: MediaTime? = nil, orientation: Orientation = .up, color: ColorDescription = .unspecified
  ) {
    trap(
      unless: planes.map(\.pixelFormat) == layout.planeFormats
        && planes.enumerated().allSatisfy { $1.size == layout.planeSize($0, of: size) },
      "\(layout) of \(size) cannot have the planes \(planes.map { "\($0.pixelFormat) \($0.size)" })")
    self.init(
      index: index, size: size, layout: layout, content: .planes(planes), presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color)
  }

  /// Makes a frame of a still picture. Its layout is the picture's: gray or RGBA, 8 or 16 bits. Its color description
  /// is the picture's unless `color` is given.
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

  /// Returns the stored picture, not turned, or nil for layouts that no ``Image`` has: several planes, BGRA, padded
  /// rows. If pixels have four samples, `channels` tells their meaning; it must not be gray then. Traps if the frame is
  /// in shared ``memory``; call ``copied()`` first.
  public func image(channels: Channels = .rgba) -> Image? {
    guard let plane = planes.first, planes.count == 1, plane.isPacked else { return nil }
    guard layout.isGray || layout == .rgba8 || layout == .rgba16 else { return nil }
    trap(
      unless: layout.isGray || channels != .gray, "pixels of four samples are not gray; pass .rgb, .rgba or .grayAlpha")
    return Image(
      size: size, channels: layout.isGray ? .gray : channels, depth: layout.depth, bytes: plane.packedBytes,
      color: color)
  }

  /// Makes a frame whose planes stay in `memory`, which it keeps; call ``copied()`` before reading ``planes``.
  ///
  /// The producer must not change the memory while a copy of the frame, or a texture of it, exists. `onRelease` runs
  /// once, on the thread that releases the last copy, and must be short.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the memory has no ``PixelLayout``.
  public init(
    index: Int, memory: any SharedFrameMemory, presentationTime: MediaTime, duration: MediaTime? = nil,
    orientation: Orientation = .up, color: ColorDescription = .unspecified, onRelease: (@Sendable () -> Void)? = nil
  ) throws(SafelightError) {
    let layout = try required(
      memory.layout, .unsupported, "frame \(index)",
      why: "its memory holds pixels in a layout that frames do not have",
      remedy: "make textures of the memory itself (Device.makeTexture(importing:)), or convert it to one of "
        + "\(PixelLayout.allCases)")
    self.init(
      index: index, size: memory.size, layout: layout, content: .shared(memory), presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color, lease: onRelease.map { FrameLease(onRelease: $0) })
  }

  /// The shared memory that holds the planes; nil if they are in the process's own memory.
  public var memory: (any SharedFrameMemory)? { if case .shared(let memory) = content { memory } else { nil } }

  /// Returns the frame with its planes in the process's own memory, or itself if they already are.
  ///
  /// The copy does not keep the shared memory, which is free for the next frame once this one is released.
  ///
  /// - Throws: ``SafelightError`` if the process cannot read the memory.
  public func copied() throws(SafelightError) -> VideoFrame {
    guard let memory else { return self }
    var planes: [PixelPlane] = []
    for index in layout.planeFormats.indices { planes.append(try memory.copy(ofPlane: index)) }
    return VideoFrame(
      index: index, size: size, layout: layout, planes: planes, presentationTime: presentationTime, duration: duration,
      orientation: orientation, color: color)
  }
}

/// Memory outside the process that holds the planes of a frame, such as a decoder's or a camera's.
///
/// This module only keeps the memory and copies it on request; the layer that makes textures of it knows its kind.
/// Implementations are used from any thread.
public protocol SharedFrameMemory: AnyObject, Sendable {
  /// The columns and rows of the picture.
  var size: Size { get }
  /// The layout of the planes; nil if ``PixelLayout`` has no such case.
  var layout: PixelLayout? { get }
  /// Copies plane `index` into the process, in rows from the top down.
  ///
  /// - Throws: ``SafelightError`` if the process cannot read the memory.
  func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane
}

/// A token that reports the release of a frame's last copy, so that its memory can be reused and frames in use can be
/// counted.
package final class FrameLease: Sendable {
  private let onRelease: @Sendable () -> Void
  /// The lease of the frame that this one is derived from; released with it.
  private let inner: FrameLease?

  /// Makes a lease on top of another. `onRelease` runs once, on the thread that releases the last reference, and must
  /// be short.
  package init(inner: FrameLease? = nil, onRelease: @escaping @Sendable () -> Void) {
    self.inner = inner
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}
