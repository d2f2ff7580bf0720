public import SafelightFrames
internal import SafelightGPU
public import SafelightImage
internal import Synchronization

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

/// Memory that a GPU and the process share, through which frames go to the device and come back; used again from frame to frame.
///
/// The process fills and empties it on threads of its own, while the device works on other frames. There is as much of it as frames were on
/// the way at a time. What renders in software reads and writes the process's memory as it is, and copying into this would be for nothing.
final class MappedFrames: Sendable {
  private let device: Device
  private let idle = Mutex<[Int: [Buffer]]>([:])

  /// Whether frames go this way on `device`: it is a GPU whose driver maps buffers for good (EXT_buffer_storage).
  static func suit(_ device: Device) -> Bool {
    !device.info.isCPU && !device.info.isSoftware && device.capabilities.features.contains(.sharedMemory)
  }

  init(device: Device) { self.device = device }

  /// Memory of `length` bytes, of any contents.
  func take(_ length: Int) throws -> Buffer {
    if let buffer = idle.withLock({ $0[length]?.popLast() }) { return buffer }
    return try device.makeBuffer(length: length, label: "mapped frame")
  }

  /// Memory that holds `bytes`.
  func take(holding bytes: [UInt8]) throws -> Buffer {
    let buffer = try take(bytes.count)
    try buffer.contents().copyBytes(from: bytes)
    return buffer
  }

  /// Takes `buffers` back, which no command buffer on its way refers to.
  func give(_ buffers: [Buffer]) {
    idle.withLock { idle in
      for buffer in buffers { idle[buffer.length, default: []].append(buffer) }
      // Frames of another size have come: memory of theirs alone is kept.
      if idle.count > 6 { idle = idle.filter { length, _ in buffers.contains { $0.length == length } } }
    }
  }
}

/// How a picture or a plane comes back: its bytes are there once the command buffer has completed.
enum FrameReturn: Sendable {
  case readback(Readback)
  case mapped(Buffer)

  func contents() throws -> [UInt8] {
    switch self {
    case .readback(let readback): try readback.contents()
    case .mapped(let buffer): Array(try buffer.contents())
    }
  }
}
