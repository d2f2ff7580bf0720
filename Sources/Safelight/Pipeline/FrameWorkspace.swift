internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The command buffers of a frame: the same for all stages, unless the stages are timed.
struct FrameBuffers: Sendable {
  let upload: CommandBuffer
  let filters: CommandBuffer
  let readback: CommandBuffer

  init(_ queue: CommandQueue, label: String, areSeparate: Bool) {
    readback = queue.makeCommandBuffer(label: label)
    upload = areSeparate ? queue.makeCommandBuffer(label: label) : readback
    filters = areSeparate ? queue.makeCommandBuffer(label: label) : readback
  }

  var areSeparate: Bool { upload !== readback }

  /// Commits them; waits for all but the last, so that each is alone on the device.
  func commit() throws {
    if areSeparate {
      for buffer in [upload, filters] {
        buffer.commit()
        try buffer.waitUntilCompleted()
      }
    }
    readback.commit()
  }
}

/// The textures and conversions for frames of one kind, reused from frame to frame.
struct FrameWorkspace: Sendable {
  /// The properties that frames must have in common to use the same textures.
  struct Kind: Hashable {
    /// The picture that the filters see, and those that they make, one for each.
    let images: [TextureDescriptor]
    /// The layout of frames that come as luma and chroma; nil for pictures.
    let planes: FrameLayout?
    let result: FrameLayout
    /// True if luma and chroma are only copied.
    let isCopy: Bool

    init(_ picture: FramePicture, _ images: [ImageDescriptor], result: FrameLayout, isUnchanged: Bool) {
      self.images = images.map { TextureDescriptor($0.size, $0.pixelFormat) }
      planes = if case .planes(let frame) = picture { .planes(frame.layout, frame.color) } else { nil }
      self.result = result
      isCopy = isUnchanged && planes == result
    }
  }

  let kind: Kind
  /// Planes on the device, and the conversion that makes a picture of them; nil if they are only copied, since then
  /// their meaning is not needed.
  private let source: (planes: [TiledTexture], kernel: ImageYCbCrToRGB?)?
  private let target: (planes: [TiledTexture], kernel: ImageRGBToYCbCr)?
  private var picture: TiledTexture
  private var stages: [TiledTexture] = []
  private let device: Device

  /// Makes the textures for frames of `kind`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if luma and chroma do not state their meaning, `limit` if the
  ///   device lacks memory.
  init(device: Device, kind: Kind) throws {
    self.device = device
    self.kind = kind
    let (seen, made) = (kind.images[0], kind.images[kind.images.count - 1])
    func planes(_ layout: PixelLayout, of size: Size, _ label: String) throws -> [TiledTexture] {
      try layout.planeFormats.enumerated().map { index, format in
        try TiledTexture(
          device: device, size: layout.planeSize(index, of: size), pixelFormat: format,
          label: "\(label), plane \(index)")
      }
    }
    picture = try TiledTexture(device: device, size: seen.size, pixelFormat: seen.pixelFormat, label: "source")
    if case .planes(let layout, let color) = kind.planes {
      source = (
        try planes(layout, of: seen.size, "source"),
        kind.isCopy ? nil : try ImageYCbCrToRGB(device: device, layout: layout, color: color)
      )
    } else {
      source = nil
    }
    if case .planes(let layout, let color) = kind.result, !kind.isCopy {
      target = (
        try planes(layout, of: made.size, "result"),
        try ImageRGBToYCbCr(device: device, layout: layout, color: color)
      )
    } else {
      target = nil
    }
  }

  /// Records the work of `filters`, each with its input, on `frame`, which is of this kind; `memory`, if any, holds the
  /// frame or its planes. `images` are the picture that the filters see and those that they make. Returns the means by
  /// which the picture or each plane comes back, through `mapped` memory if that is used; with `endsInRows`, a look-up
  /// that ends the filters is left to the reader.
  mutating func encode(
    _ frame: FramePicture, in memory: [Buffer]?, through filters: [(stage: any ImageStage, input: StageInput?)],
    making images: [ImageDescriptor], returning mapped: MappedFrames?, endsInRows: Bool, to buffers: FrameBuffers
  ) throws -> (returns: [FrameReturn], measured: [FrameMeasurement]) {
    switch frame {
    case .image(let image):
      if let memory {
        picture.encodeUpload(from: memory[0], to: buffers.upload)
      } else {
        picture.encodeUpload(of: image, to: buffers.upload)
      }
    case .planes(let frame):
      guard let source else { return ([], []) }
      for (index, (plane, texture)) in zip(frame.planes, source.planes).enumerated() {
        if let memory {
          texture.encodeUpload(from: memory[index], to: buffers.upload)
        } else {
          texture.encodeUpload(of: plane.bytes, bytesPerRow: plane.bytesPerRow, to: buffers.upload)
        }
      }
      guard let kernel = source.kernel else {
        return (try returned(source.planes, through: mapped, buffers.readback), [])
      }
      kernel.encode(to: buffers.filters, planes: source.planes, destination: picture)
    }
    let (made, measured) = try filtered(filters, images, endsInRows, buffers.filters)
    let result: TiledTexture
    switch made {
    case .rows(let rows, let image): return ([.rows(rows, of: image)], measured)
    case .picture(let picture): result = picture
    }
    guard let target else { return (try returned([result], through: mapped, buffers.readback), measured) }
    target.kernel.encode(to: buffers.filters, source: result, planes: target.planes)
    return (try returned(target.planes, through: mapped, buffers.readback), measured)
  }

  /// Records the readback of pictures, in their order, through `mapped` memory if that is used.
  private func returned(
    _ pictures: [TiledTexture], through mapped: MappedFrames?, _ buffer: CommandBuffer
  ) throws -> [FrameReturn] {
    try pictures.map { picture in
      guard let mapped else { return .readback(picture.encodeReadback(to: buffer)) }
      let memory = try mapped.take(picture.byteCount)
      picture.encodeReadback(into: memory, to: buffer)
      return .mapped(memory)
    }
  }

  /// The result of the filters: a picture, or the rows of one that its reader makes.
  private enum Made {
    case picture(TiledTexture)
    case rows(PassRows, of: ImageDescriptor)
  }

  /// Records the filters, and the readback of their measurements, in their order.
  private mutating func filtered(
    _ filters: [(stage: any ImageStage, input: StageInput?)], _ images: [ImageDescriptor], _ endsInRows: Bool,
    _ buffer: CommandBuffer
  ) throws -> (Made, measured: [FrameMeasurement]) {
    var current = picture
    var measured: [FrameMeasurement] = []
    for (number, (filter, (image, made))) in zip(filters, zip(images, images.dropFirst())).enumerated() {
      if filter.input?.isUnchanged ?? false {
        // The next frame on which the filter works remembers none from before this one.
        filter.stage.reset()
        continue
      }
      let source = current.holding(image)
      if let measurement = filter.stage.measurement {
        let length = measurement.byteCount(of: source)
        let memory = try device.makeBuffer(length: length, label: measurement.name)
        measurement.encode(to: buffer, source: source, into: memory, offset: 0)
        let readback = buffer.blit(measurement.name) { $0.read(memory, range: 0..<length) }
        measured.append(FrameMeasurement(readback: readback, measurement: measurement, image: image))
      }
      if endsInRows, number == filters.count - 1, let last = filter.stage as? any BandedStage,
        let rows = last.encodeButRows(to: buffer, source: source)
      {
        return (.rows(rows, of: made), measured)
      }
      let next = try stage(made, beside: current)
      filter.stage.encode(to: buffer, source: source, input: filter.input, destination: next)
      current = next
    }
    return (.picture(current), measured)
  }

  /// Returns a texture for a stage that reads `source`. Two of a shape suffice: each stage reads one and writes the
  /// other.
  private mutating func stage(_ image: ImageDescriptor, beside source: TiledTexture) throws -> TiledTexture {
    let format = image.pixelFormat
    let kept = stages.first {
      $0.size == image.size && $0.pixelFormat == format && $0.tiles.first?.texture !== source.tiles.first?.texture
    }
    if let kept { return kept }
    let made = try TiledTexture(device: device, size: image.size, pixelFormat: format, label: "stage \(stages.count)")
    stages.append(made)
    return made
  }
}

/// Memory shared by a GPU and the process, through which frames reach the device and come back; reused from frame to
/// frame.
///
/// The process fills and empties it on its own threads while the device works on other frames. It grows to the largest
/// number of frames in flight at a time. Software renderers access the process's memory directly and gain nothing by
/// it.
final class MappedFrames: Sendable {
  private let device: Device
  private let idle = Mutex<[Int: [Buffer]]>([:])

  /// Returns true if `device` is a GPU whose driver maps buffers persistently (EXT_buffer_storage).
  static func suit(_ device: Device) -> Bool {
    !device.info.isCPU && !device.info.isSoftware && device.capabilities.features.contains(.sharedMemory)
  }

  init(device: Device) { self.device = device }

  /// Returns memory of `length` bytes with unspecified contents.
  func take(_ length: Int) throws -> Buffer {
    if let buffer = idle.withLock({ $0[length]?.popLast() }) { return buffer }
    return try device.makeBuffer(length: length, label: "mapped frame")
  }

  /// Returns memory that holds `bytes`.
  func take(holding bytes: [UInt8]) throws -> Buffer {
    let buffer = try take(bytes.count)
    try buffer.contents().copyBytes(from: bytes)
    return buffer
  }

  /// Takes back `buffers`, to which no command buffer in flight refers.
  func give(_ buffers: [Buffer]) {
    idle.withLock { idle in
      for buffer in buffers { idle[buffer.length, default: []].append(buffer) }
      // Frames of another size have come: only memory of their size is kept.
      if idle.count > 6 { idle = idle.filter { length, _ in buffers.contains { $0.length == length } } }
    }
  }
}

/// The means by which a picture or a plane comes back; its contents are complete once the command buffer is.
enum FrameReturn: Sendable {
  case readback(Readback)
  case mapped(Buffer)
  case rows(PassRows, of: ImageDescriptor)

  func contents() throws -> FrameContents {
    switch self {
    case .readback(let readback): .bytes(try readback.contents())
    case .mapped(let buffer): .bytes(Array(try buffer.contents()))
    case .rows(let rows, let image): .rows(try rows.rows(of: image))
    }
  }
}

/// A picture or a plane that has come back.
enum FrameContents: Sendable {
  case bytes([UInt8])
  /// A picture whose rows are still to be made.
  case rows(ImageRows)

  /// The bytes, without padding between rows.
  var bytes: [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .rows(let rows): rows.image.bytes
    }
  }
}
