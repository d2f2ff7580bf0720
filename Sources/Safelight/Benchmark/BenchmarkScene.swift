internal import SafelightGPU
internal import SafelightImage

/// A kernel's picture and outputs, the same in every command buffer, so that nothing but the kernel is measured.
package final class BenchmarkScene: KernelScene {
  package private(set) var buffer: CommandBuffer
  package let source: TiledTexture

  private let queue: CommandQueue
  private typealias Outputs = (textures: [TiledTexture], memories: [Buffer])
  /// Those of calls with even numbers and those of the others. What is drawn over before anybody has read it, a renderer that works bin by bin
  /// does not draw at all (llvmpipe, and the GPUs of phones).
  private var outputs: [Outputs] = [([], []), ([], [])]
  /// Those of this call, and how many of them the kernel has asked for.
  private var turn = 0
  private var used = (textures: 0, memories: 0)

  /// Uploads `image`.
  package init(device: Device, image: Image) throws {
    queue = device.makeCommandQueue(label: "bench")
    source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
    buffer = queue.makeCommandBuffer(label: "upload")
    source.encodeUpload(of: image, to: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
  }

  /// Seconds that the device needs for `count` times what `record` records.
  package func seconds(count: Int, _ record: (any KernelScene) throws -> Void) throws -> Double {
    buffer = queue.makeCommandBuffer(label: "bench")
    for call in 0..<count {
      (turn, used) = (call % 2, (0, 0))
      try record(self)
    }
    buffer.commit()
    try buffer.waitUntilCompleted()
    return buffer.gpuEndTime - buffer.gpuStartTime
  }

  /// The textures of the last call but one, which asked for the same in the same order.
  package func output(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
    if used.textures == outputs[turn].textures.count {
      outputs[turn].textures.append(
        try TiledTexture(device: buffer.device, size: size, pixelFormat: format, label: "output"))
    }
    used.textures += 1
    return outputs[turn].textures[used.textures - 1]
  }

  package func output(byteCount: Int) throws -> (buffer: Buffer, offset: Int) {
    if used.memories == outputs[turn].memories.count {
      outputs[turn].memories.append(try buffer.device.makeBuffer(length: byteCount, label: "output"))
    }
    used.memories += 1
    return (outputs[turn].memories[used.memories - 1], 0)
  }
}
