public import SafelightFrames
public import SafelightGPU
public import SafelightImage

/// The stages of a frame's way from file to file, each alone: what they take, and how many frames a second they could sustain.
///
/// Reading, decoding, encoding and writing are done by as many threads as there are jobs; upload, filters and readback take turns on the
/// device. Where the device is the CPU, both draw on the same processors, and a run is slower than either could be.
public struct PipelineBenchmark: Sendable {
  /// A stage, in the order of the way.
  public enum Stage: String, Sendable, CaseIterable, Encodable {
    case read
    case decode
    case upload
    case filters
    case readback
    case encode
    case write

    /// True for what the codec's threads do.
    public var isCodec: Bool { ![.upload, .filters, .readback].contains(self) }
  }

  /// What a stage takes.
  public struct Row: Sendable, Encodable {
    /// Which one.
    public let stage: Stage
    /// Milliseconds a frame, the median.
    public let median: Double
    /// Milliseconds a frame, the 95th percentile.
    public let p95: Double
    /// Frames a second that it could sustain, were it alone: on all jobs, or on the device.
    public let framesPerSecond: Double
  }

  /// What the stages take together.
  public struct Summary: Sendable, Encodable {
    /// Pictures decoded or encoded at a time.
    public let jobs: Int
    /// In the order of the way.
    public let stages: [Row]
    /// Frames a second that the codec's threads could sustain.
    public let codecFramesPerSecond: Double
    /// Frames a second that the device could sustain.
    public let deviceFramesPerSecond: Double
    /// The stage that most is to be gained from: the longest of the side that sustains fewer frames.
    public let limit: Stage
  }

  private let device: Device
  private let chain: FilterChain
  private let compression: PNGCompression
  private let jobs: Int

  /// Takes frames through `chain`, which is made for `device`.
  public init(device: Device, chain: FilterChain, compression: PNGCompression, jobs: Int) {
    trap(unless: FramePipeline.Options.jobsRange.contains(jobs), "a run has \(FramePipeline.Options.jobsRange) jobs")
    self.device = device
    self.chain = chain
    self.compression = compression
    self.jobs = jobs
  }

  /// Writes frames of `size` to read into `folder`, which exists; their files.
  public static func makeFrames(_ size: Size, count: Int, in folder: String) throws -> [String] {
    try (1...count).map { number in
      let path = "\(folder)/frame\(number).png"
      try PNGFile(image: BenchmarkFrame.image(size, number: number)).write(to: path, compression: .balanced)
      return path
    }
  }

  /// Takes each file to one in `folder` so many times; one time more warms up.
  ///
  /// - Throws: ``SafelightError`` for a file that cannot be read, or that a filter is not defined for.
  public func summary(_ files: [String], to folder: String, rounds: Int) async throws -> Summary {
    trap(unless: !files.isEmpty && rounds > 0, "nothing would be measured")
    var times: [Stage: [Double]] = [:]
    let codec = PNGCodec()
    for (number, path) in files.enumerated() {
      // A run's own way warms up, and says what the filters make of the frame.
      let processor = FrameProcessor(device: device, chain: chain)
      let made = try await processor.process(PNGFile(reading: path).image, label: path)
      let way = try FrameWay(
        device: device, chain: chain, codec: codec, size: made.size, pixelFormat: made.pixelFormat)
      // The codec's memory and the textures are a run's after the first round.
      for round in 0...rounds {
        let one = try way.milliseconds(path, to: "\(folder)/\(number).png", color: made.color, compression)
        if round > 0 { times.merge(one.mapValues { [$0] }, uniquingKeysWith: +) }
      }
    }
    return Self.summary(times, jobs: jobs)
  }

  package static func summary(_ times: [Stage: [Double]], jobs: Int) -> Summary {
    let rows = Stage.allCases.map { stage in
      let sorted = (times[stage] ?? []).sorted()
      func part(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
      }
      return Row(
        stage: stage, median: part(0.5), p95: part(0.95),
        framesPerSecond: 1000 * Double(stage.isCodec ? jobs : 1) / max(part(0.5), 0.001))
    }
    func sustained(_ rows: [Row], at once: Int) -> Double {
      1000 * Double(once) / max(rows.reduce(0) { $0 + $1.median }, 0.001)
    }
    let codec = rows.filter(\.stage.isCodec)
    let onDevice = rows.filter { !$0.stage.isCodec }
    let codecRate = sustained(codec, at: jobs)
    let deviceRate = sustained(onDevice, at: 1)
    let slower = codecRate <= deviceRate ? codec : onDevice
    return Summary(
      jobs: jobs, stages: rows, codecFramesPerSecond: codecRate, deviceFramesPerSecond: deviceRate,
      limit: slower.max { $0.median < $1.median }?.stage ?? .decode)
  }
}

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
