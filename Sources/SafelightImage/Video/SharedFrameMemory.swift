/// Memory outside the process's own that holds the planes of a frame, such as a decoder's or a camera's.
///
/// What it is, the layer that makes textures of it knows; here it is only kept, and copied where somebody asks for bytes.
public protocol SharedFrameMemory: AnyObject, Sendable {
  /// Columns and rows of the picture.
  var size: Size { get }
  /// How its planes are made up; nil where frames have no such layout.
  var layout: PixelLayout? { get }
  /// Copies a plane out; throws where the process cannot reach the memory.
  func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane
}

extension VideoFrame {
  /// Makes a frame whose planes stay in `memory`, which it keeps; ``planes`` is for ``copied()`` of it.
  ///
  /// Whoever fills the memory leaves it alone as long as a copy of the frame, or a texture of it, is there. Throws
  /// ``SafelightError/Kind/unsupported`` where frames have no such layout.
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

  /// The memory that holds the planes; nil where the process's own does.
  public var memory: (any SharedFrameMemory)? { if case .shared(let memory) = content { memory } else { nil } }

  /// The same frame with its planes in the process's own memory; itself where they are there already.
  ///
  /// The copy does without the shared memory, which is free for the next frame once this one is gone.
  public func copied() throws(SafelightError) -> VideoFrame {
    guard let memory else { return self }
    var planes: [PixelPlane] = []
    for index in layout.planeFormats.indices { planes.append(try memory.copy(ofPlane: index)) }
    return VideoFrame(
      index: index, size: size, layout: layout, planes: planes, presentationTime: presentationTime, duration: duration,
      orientation: orientation, color: color)
  }
}
