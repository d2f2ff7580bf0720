internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// The textures and conversions that frames of one kind go through, used again from frame to frame.
struct FrameWorkspace: Sendable {
  /// What frames must share to share textures.
  struct Kind: Hashable {
    let size: Size
    /// What the filters see.
    let picture: PixelFormat
    /// How luma and chroma come; nil where pictures come.
    let planes: FrameForm?
    let result: FrameForm
    /// Nothing happens to luma and chroma: they are not taken apart for it.
    let isCopy: Bool

    init(_ picture: FramePicture, result: FrameForm, isUnchanged: Bool) {
      let filtered = picture.filtered
      size = filtered.size
      self.picture = filtered.pixelFormat
      if case .planes(let frame) = picture {
        planes = .planes(frame.layout, frame.color)
      } else {
        planes = nil
      }
      self.result = result
      isCopy = isUnchanged && planes == result
    }
  }

  /// Planes on the device, and what makes a picture of them.
  private struct Source {
    let planes: PlanarTexture
    /// nil where the planes are only copied: then nobody needs to know what they mean.
    let kernel: ImageYCbCrToRGB?
  }

  let kind: Kind
  private let source: Source?
  private let target: (planes: PlanarTexture, kernel: ImageRGBToYCbCr)?
  private var picture: TiledTexture
  private var stages: [TiledTexture] = []
  private let device: Device

  /// Throws a ``SafelightError`` of kind `unsupported` where luma and chroma do not say what they mean, `limit` where the device has no room.
  init(device: Device, kind: Kind) throws {
    self.device = device
    self.kind = kind
    picture = try TiledTexture(device: device, size: kind.size, pixelFormat: kind.picture, label: "source")
    if case .planes(let layout, let color) = kind.planes {
      source = Source(
        planes: try PlanarTexture(
          device: device, size: kind.size, layout: layout, picture: kind.picture, label: "source"),
        kernel: kind.isCopy ? nil : try ImageYCbCrToRGB(device: device, layout: layout, color: color))
    } else {
      source = nil
    }
    if case .planes(let layout, let color) = kind.result, !kind.isCopy {
      target = (
        try PlanarTexture(device: device, size: kind.size, layout: layout, picture: kind.picture, label: "result"),
        try ImageRGBToYCbCr(device: device, layout: layout, color: color)
      )
    } else {
      target = nil
    }
  }

  /// Records the way of `frame`, which is of this kind, through `filters`; where `memory` is there, it holds the frame, or its planes.
  /// Returns what brings the result back: the picture, or each plane, by way of `mapped` memory where that is used.
  mutating func encode(
    _ frame: FramePicture, in memory: [Buffer]?, through filters: [any ImageStage], returning mapped: MappedFrames?,
    to buffer: CommandBuffer
  ) throws -> [FrameReturn] {
    switch frame {
    case .image(let image):
      if let memory {
        picture.encodeUpload(from: memory[0], to: buffer)
      } else {
        picture.encodeUpload(of: image, to: buffer)
      }
    case .planes(let frame):
      guard let source else { return [] }
      if let memory {
        source.planes.encodeUpload(from: memory, to: buffer)
      } else {
        source.planes.encodeUpload(of: frame, to: buffer)
      }
      guard let kernel = source.kernel else { return try bringBack(source.planes, mapped, buffer) }
      source.planes.encodeDecoding(kernel, to: picture, in: buffer)
    }
    let result = try filtered(filters, buffer)
    if let target {
      target.planes.encodeEncoding(target.kernel, from: result, in: buffer)
      return try bringBack(target.planes, mapped, buffer)
    }
    guard let mapped else { return [.readback(result.encodeReadback(to: buffer))] }
    let memory = try mapped.take(result.byteCount)
    result.encodeReadback(into: memory, to: buffer)
    return [.mapped(memory)]
  }

  private mutating func filtered(_ filters: [any ImageStage], _ buffer: CommandBuffer) throws -> TiledTexture {
    var current = picture
    for (number, filter) in filters.enumerated() {
      // Two textures beside the source suffice: each stage reads one and writes the other.
      if stages.count <= number % 2 {
        stages.append(
          try TiledTexture(device: device, size: kind.size, pixelFormat: kind.picture, label: "stage \(number)"))
      }
      let next = stages[number % 2]
      filter.encode(to: buffer, source: current, destination: next)
      current = next
    }
    return current
  }

  private func bringBack(
    _ planes: PlanarTexture, _ mapped: MappedFrames?, _ buffer: CommandBuffer
  ) throws -> [FrameReturn] {
    guard let mapped else { return planes.encodeReadback(to: buffer).map { .readback($0) } }
    let memory = try planes.byteCounts.map { try mapped.take($0) }
    planes.encodeReadback(into: memory, to: buffer)
    return memory.map { .mapped($0) }
  }
}
