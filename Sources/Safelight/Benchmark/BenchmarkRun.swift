internal import SafelightGPU
internal import SafelightImage

/// A chain on a device with a picture that lies there.
struct BenchmarkRun: Sendable {
  private let queue: CommandQueue
  private let chain: FilterChain
  private let source: TiledTexture
  private let stages: [TiledTexture]
  /// How often a command buffer does the work.
  private let count: Int

  /// Uploads, warms up and finds out how often the work must be done to be measured.
  init(device: Device, chain: FilterChain, image: Image) throws {
    queue = device.makeCommandQueue(label: "bench")
    self.chain = chain
    source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
    stages = try (0..<2).map { number in
      try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "stage \(number)")
    }
    let upload = queue.makeCommandBuffer(label: "upload")
    source.encodeUpload(of: image, to: upload)
    upload.commit()
    try upload.waitUntilCompleted()
    _ = try Self.seconds(queue, chain, source, stages, count: 1)
    let once = try Self.seconds(queue, chain, source, stages, count: 1)
    count = once > 0 ? min(64, max(1, Int((0.002 / once).rounded(.up)))) : 64
  }

  /// Seconds that the device needs for the chain.
  func seconds() throws -> Double {
    try Self.seconds(queue, chain, source, stages, count: count) / Double(count)
  }

  private static func seconds(
    _ queue: CommandQueue, _ chain: FilterChain, _ source: TiledTexture, _ stages: [TiledTexture], count: Int
  ) throws -> Double {
    let buffer = queue.makeCommandBuffer(label: "bench")
    for _ in 0..<count {
      var current = source
      for (number, filter) in chain.filters.enumerated() {
        filter.encode(to: buffer, source: current, destination: stages[number % 2])
        current = stages[number % 2]
      }
    }
    buffer.commit()
    try buffer.waitUntilCompleted()
    return buffer.gpuEndTime - buffer.gpuStartTime
  }
}
