internal import Dispatch
internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// The textures and conversions that frames of one kind go through, used again from frame to frame.
struct FrameWorkspace: Sendable {
  /// What frames must share to share textures.
  struct Kind: Hashable {
    /// A picture's columns and rows, and how a pixel lies.
    struct Shape: Hashable {
      let size: Size
      let format: PixelFormat

      init(_ image: ImageDescriptor) { (size, format) = (image.size, image.pixelFormat) }
    }

    /// What the filters see.
    let picture: Shape
    /// What each of them makes.
    let stages: [Shape]
    /// How luma and chroma come; nil where pictures come.
    let planes: FrameForm?
    let result: FrameForm
    /// Nothing happens to luma and chroma: they are not taken apart for it.
    let isCopy: Bool

    init(_ picture: FramePicture, _ plan: [ImageDescriptor], result: FrameForm, isUnchanged: Bool) {
      self.picture = Shape(picture.filtered)
      stages = plan.map { Shape($0) }
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
    let shape = kind.picture
    let made = kind.stages.last ?? shape
    picture = try TiledTexture(device: device, size: shape.size, pixelFormat: shape.format, label: "source")
    if case .planes(let layout, let color) = kind.planes {
      source = Source(
        planes: try PlanarTexture(
          device: device, size: shape.size, layout: layout, picture: shape.format, label: "source"),
        kernel: kind.isCopy ? nil : try ImageYCbCrToRGB(device: device, layout: layout, color: color))
    } else {
      source = nil
    }
    if case .planes(let layout, let color) = kind.result, !kind.isCopy {
      target = (
        try PlanarTexture(device: device, size: made.size, layout: layout, picture: made.format, label: "result"),
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
  ) throws -> (returns: [FrameReturn], measured: [Readback]) {
    switch frame {
    case .image(let image):
      if let memory {
        picture.encodeUpload(from: memory[0], to: buffer)
      } else {
        picture.encodeUpload(of: image, to: buffer)
      }
    case .planes(let frame):
      guard let source else { return ([], []) }
      if let memory {
        source.planes.encodeUpload(from: memory, to: buffer)
      } else {
        source.planes.encodeUpload(of: frame, to: buffer)
      }
      guard let kernel = source.kernel else { return (try bringBack(source.planes, mapped, buffer), []) }
      source.planes.encodeDecoding(kernel, to: picture, in: buffer)
    }
    let (result, measured) = try filtered(filters, buffer)
    if let target {
      target.planes.encodeEncoding(target.kernel, from: result, in: buffer)
      return (try bringBack(target.planes, mapped, buffer), measured)
    }
    guard let mapped else { return ([.readback(result.encodeReadback(to: buffer))], measured) }
    let memory = try mapped.take(result.byteCount)
    result.encodeReadback(into: memory, to: buffer)
    return ([.mapped(memory)], measured)
  }

  /// Records the filters, and the way back of what they measure, in their order.
  private mutating func filtered(
    _ filters: [any ImageStage], _ buffer: CommandBuffer
  ) throws -> (TiledTexture, measured: [Readback]) {
    var current = picture
    var measured: [Readback] = []
    for (filter, shape) in zip(filters, kind.stages) {
      let next = try stage(shape, beside: current)
      if let measurement = filter.measurement {
        let length = measurement.byteCount(of: current)
        let memory = try device.makeBuffer(length: length, label: measurement.name)
        measurement.encode(to: buffer, source: current, into: memory, offset: 0)
        let blit = buffer.makeBlitCommandEncoder(label: measurement.name)
        measured.append(blit.read(memory, range: 0..<length))
        blit.endEncoding()
      }
      filter.encode(to: buffer, source: current, destination: next)
      current = next
    }
    return (current, measured)
  }

  /// A texture for what a stage makes that reads `source`: two of a shape suffice, since each stage reads one and
  /// writes
  /// the other.
  private mutating func stage(_ shape: Kind.Shape, beside source: TiledTexture) throws -> TiledTexture {
    let kept = stages.first {
      $0.size == shape.size && $0.pixelFormat == shape.format && $0.tiles.first?.texture !== source.tiles.first?.texture
    }
    if let kept { return kept }
    let made = try TiledTexture(
      device: device, size: shape.size, pixelFormat: shape.format, label: "stage \(stages.count)")
    stages.append(made)
    return made
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

/// Threads for decoding and encoding, apart from those of Swift's tasks, which must not be blocked by files.
///
/// The oldest frame is served first: what is nearly done is finished before more is begun, so that frames come out early and few are in
/// memory.
package final class CodecPool: Sendable {
  private struct Work: Sendable {
    let frame: Int
    let run: @Sendable () -> Void
  }

  private struct State {
    var idle: Int
    var waiting: [Work] = []
  }

  private let queue = DispatchQueue(label: "safelight.codec", attributes: .concurrent)
  private let state: Mutex<State>

  /// Does `jobs` pieces of work at a time.
  package init(jobs: Int) { state = Mutex(State(idle: jobs)) }

  /// Pieces of work that no thread has begun.
  package var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Runs `work` for the frame of this number on a thread of the pool.
  package func run<Value: Sendable>(
    for frame: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      begin(Work(frame: frame) { continuation.resume(with: Result { try work() }) })
    }
  }

  /// The same for work that cannot fail.
  package func run<Value: Sendable>(for frame: Int, _ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      begin(Work(frame: frame) { continuation.resume(returning: work()) })
    }
  }

  private func begin(_ work: Work) {
    let isFree = state.withLock { state in
      state.waiting.append(work)
      defer { state.idle = max(0, state.idle - 1) }
      return state.idle > 0
    }
    if isFree { queue.async { [self] in workUntilDone() } }
  }

  /// One of the jobs: works as long as something waits.
  private func workUntilDone() {
    while let work = next() { work.run() }
  }

  /// The work for the oldest frame; of two for one frame, the first. Without any, the thread is given back.
  private func next() -> Work? {
    state.withLock { state in
      guard let oldest = state.waiting.indices.min(by: { state.waiting[$0].frame < state.waiting[$1].frame }) else {
        state.idle += 1
        return nil
      }
      return state.waiting.remove(at: oldest)
    }
  }
}
