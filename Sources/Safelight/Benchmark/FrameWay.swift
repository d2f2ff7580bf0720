internal import SafelightFrames
internal import SafelightGPU
internal import SafelightImage

/// The way of frames of one size and format from file to file, stage after stage, each waited for.
struct FrameWay {
  private let queue: CommandQueue
  private let chain: FilterChain
  private let codec: PNGCodec
  private let source: TiledTexture
  /// The picture that each filter makes.
  private let stages: [TiledTexture]

  init(device: Device, chain: FilterChain, codec: PNGCodec, size: Size, pixelFormat: PixelFormat) throws {
    queue = device.makeCommandQueue(label: "bench")
    self.chain = chain
    self.codec = codec
    source = try TiledTexture(device: device, size: size, pixelFormat: pixelFormat, label: "source")
    stages = try chain.plan(source.descriptor).map {
      try TiledTexture(device: device, size: $0.size, pixelFormat: $0.pixelFormat, label: "stage")
    }
  }

  /// What each stage took from `path` to `output`; `color` is what the samples then mean.
  func milliseconds(
    _ path: String, to output: String, color: ColorDescription, _ compression: PNGCompression
  ) throws -> [PipelineBenchmark.Stage: Double] {
    var watch = Stopwatch()
    let bytes = try watch.time(.read) { try readFile(path) }
    var file = try watch.time(.decode) { try PNGDecoder.decode(bytes, name: path, codec: codec) }
    file.image = try taken(file.image, color: color, &watch)
    let made = file
    let encoded = try watch.time(.encode) { try PNGEncoder.encode(made, compression: compression, codec: codec) }
    try watch.time(.write) {
      let file = try AtomicFile(path: output)
      try file.write(encoded)
      try file.commit()
    }
    return watch.times
  }

  /// The stages of the device, each in a command buffer of its own.
  private func taken(_ image: Image, color: ColorDescription, _ watch: inout Stopwatch) throws -> Image {
    try watch.time(.upload) { try run(.upload) { source.encodeUpload(of: image, to: $0) } }
    var current = source
    try watch.time(.filters) {
      try run(.filters) { buffer in
        for (filter, stage) in zip(chain.filters, stages) {
          filter.encode(to: buffer, source: current, destination: stage)
          current = stage
        }
      }
    }
    let bytes = try watch.time(.readback) {
      try run(.readback) { current.encodeReadback(to: $0) }.contents()
    }
    return Image(
      size: current.size, channels: image.channels, depth: image.depth, bytes: bytes, color: color)
  }

  private func run<Value>(_ stage: PipelineBenchmark.Stage, _ record: (CommandBuffer) -> Value) throws -> Value {
    let buffer = queue.makeCommandBuffer(label: stage.rawValue)
    let value = record(buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    return value
  }

  private struct Stopwatch {
    var times: [PipelineBenchmark.Stage: Double] = [:]

    mutating func time<Value>(_ stage: PipelineBenchmark.Stage, _ work: () throws -> Value) rethrows -> Value {
      let clock = ContinuousClock()
      let start = clock.now
      let value = try work()
      times[stage] = (clock.now - start).inSeconds * 1000
      return value
    }
  }
}
