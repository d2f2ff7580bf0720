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
