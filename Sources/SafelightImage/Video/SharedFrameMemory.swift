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

extension VideoFrame {
  /// Makes a frame whose planes stay in `memory`, which it keeps; call ``copied()`` before reading ``planes``.
  ///
  /// The producer must not change the memory while a copy of the frame, or a texture of it, exists. `onRelease` runs
  /// once, on the thread that releases the last copy, and must be short.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the memory has no ``PixelLayout``.
  public init(
    index: Int, memory: any SharedFrameMemory, presentationTime: MediaTime, duration: MediaTime? = nil,
    orientation: Orientation = .up, color: ColorDescription = .unspecified,
    onRelease: (@Sendable () -> Void)? = nil
  ) throws(SafelightError) {
    guard let layout = memory.layout else {
      throw SafelightError(
        .unsupported, "frame \(index)", why: "its memory holds pixels in a layout that frames do not have",
        remedy:
          "make textures of the memory itself (Device.makeTexture(importing:)), or have it converted to one of \(PixelLayout.allCases)"
      )
    }
    self.init(
      index: index, size: memory.size, layout: layout, content: .shared(memory), presentationTime: presentationTime,
      duration: duration, orientation: orientation, color: color,
      lease: onRelease.map { FrameLease(onRelease: $0) })
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
