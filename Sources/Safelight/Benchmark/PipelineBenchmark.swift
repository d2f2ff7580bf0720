internal import SafelightFrames
public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// Times each stage of a frame's way from file to file by itself, and computes the frames a second that the stages
/// could sustain.
///
/// A run takes the frames one at a time, with its stages on the device in command buffers of their own. In an ordinary
/// run as many threads as there are jobs read, decode, encode and write, while upload, filters and readback take turns
/// on the device. If the device is the CPU, both draw on the same processors, and a run is slower than either could be.
public struct PipelineBenchmark: Sendable {
  /// A stage, in the order of the way.
  public enum Stage: String, Sendable, CaseIterable, Encodable {
    case read, decode, upload, filters, readback, encode, write

    /// True for stages that run on the codec's threads.
    public var isCodec: Bool { ![.upload, .filters, .readback].contains(self) }
  }

  /// The time of a stage.
  public struct Row: Sendable, Encodable {
    /// The stage.
    public let stage: Stage
    /// Milliseconds a frame, the median.
    public let median: Double
    /// Milliseconds a frame, the 95th percentile.
    public let p95: Double
    /// Frames a second that it could sustain alone: on all jobs, or on the device.
    public let framesPerSecond: Double
  }

  /// The times of all stages.
  public struct Summary: Sendable, Encodable {
    /// Pictures decoded or encoded at a time.
    public let jobs: Int
    /// The stages, in the order of the way.
    public let stages: [Row]
    /// Frames a second that the codec's threads could sustain.
    public let codecFramesPerSecond: Double
    /// Frames a second that the device could sustain.
    public let deviceFramesPerSecond: Double
    /// The stage with the most to gain: the longest of the side that sustains fewer frames.
    public let limit: Stage
  }

  private let device: Device
  private let chain: FilterChain
  private let compression: PNGCompression
  private let jobs: Int

  /// Makes a benchmark of `chain`, which is made for `device`.
  public init(device: Device, chain: FilterChain, compression: PNGCompression, jobs: Int) {
    trap(unless: FramePipeline.Options.jobsRange.contains(jobs), "a run takes \(FramePipeline.Options.jobsRange) jobs")
    self.device = device
    self.chain = chain
    self.compression = compression
    self.jobs = jobs
  }

  /// Writes `count` frames of `size` into `folder`, which exists, and returns their paths.
  public static func makeFrames(_ size: Size, count: Int, in folder: String) throws -> [String] {
    try (1...count).map { number in
      let path = "\(folder)/frame\(number).png"
      try PNGFile(image: BenchmarkFrame.image(size, number: number)).write(to: path, compression: .balanced)
      return path
    }
  }

  /// Processes each file into `folder`, `rounds` times after one round that warms up, and sums up the times.
  ///
  /// - Throws: ``SafelightError`` for a file that cannot be read, or that a filter is not defined for, and
  ///   `CancellationError` if the task is canceled: part of the times would be no summary.
  public func summary(_ files: [String], to folder: String, rounds: Int) async throws -> Summary {
    trap(unless: !files.isEmpty && rounds > 0, "nothing would be measured; pass at least one file and one round")
    let times = Mutex<[Stage: [Double]]>([:])
    var observer = FramePipeline.Observer()
    observer.stageTimed = { stage, seconds in times.withLock { $0[stage, default: []].append(seconds * 1000) } }
    var options = FramePipeline.Options(jobs: 1, inFlight: 1)
    options.compression = compression
    let processor = FrameProcessor(device: device, chain: chain, maps: MappedFrames.suit(device), isTimed: true)
    let pipeline = FramePipeline(processor, options: options)
    for (number, path) in files.enumerated() {
      let work = (Frame(index: 0, number: 1, path: path), FrameTarget.file("\(folder)/\(number).png"))
      for round in 0...rounds {
        try Task.checkCancellation()
        let ledger = try await pipeline.run([work], observer: round == 0 ? FramePipeline.Observer() : observer)
        if let error = ledger.errors.first { throw error }
      }
    }
    return Self.summary(times.withLock { $0 }, jobs: jobs)
  }

  /// Returns the summary of the milliseconds that stages took.
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
