internal import SafelightGPU
internal import SafelightImage

/// A kernel's picture and outputs, the same in every command buffer, so that nothing but the kernel is measured.
final class BenchmarkScene: KernelScene {
  private(set) var buffer: CommandBuffer
  let source: TiledTexture

  private let queue: CommandQueue
  private var textures: [TiledTexture] = []
  private var memories: [Buffer] = []
  /// How many of each the kernel has asked for in this call.
  private var used = (textures: 0, memories: 0)

  /// Uploads `image`.
  init(device: Device, image: Image) throws {
    queue = device.makeCommandQueue(label: "bench")
    source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
    buffer = queue.makeCommandBuffer(label: "upload")
    source.encodeUpload(of: image, to: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
  }

  /// Seconds that the device needs for `count` times what `record` records.
  func seconds(count: Int, _ record: (any KernelScene) throws -> Void) throws -> Double {
    buffer = queue.makeCommandBuffer(label: "bench")
    for _ in 0..<count {
      used = (0, 0)
      try record(self)
    }
    buffer.commit()
    try buffer.waitUntilCompleted()
    return buffer.gpuEndTime - buffer.gpuStartTime
  }

  /// The textures of the call before, which asked for the same in the same order.
  func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
    if used.textures == textures.count {
      textures.append(try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: "output"))
    }
    used.textures += 1
    return textures[used.textures - 1]
  }

  func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int) {
    if used.memories == memories.count {
      memories.append(try buffer.device.makeBuffer(length: byteCount, label: "output"))
    }
    used.memories += 1
    return (memories[used.memories - 1], 0)
  }
}
