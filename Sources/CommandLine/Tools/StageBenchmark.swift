import Safelight

/// The stages of equalization, measured one by one and together, on a device and on the twin in turn.
struct StageBenchmark {
  /// Milliseconds of one stage.
  struct Row: Encodable {
    let depth: Int
    let stage: String
    /// Median and 95th percentile on the device and of the Swift twins.
    let device, deviceP95, twin, twinP95: Double
  }

  private let device: Device
  private let twin: Device
  private let size: Size

  init(device: Device, size: Size) throws {
    self.device = device
    twin = try Device.open(.cpu)
    self.size = size
  }

  func rows(rounds: Int) throws -> [Row] {
    try SampleDepth.allCases.flatMap { depth in
      let image = SyntheticImage.ramp.image(size, channels: .rgb, depth: depth)
      let onDevice = try Stages(device: device, image: image)
      let onTwin = try Stages(device: twin, image: image)
      return try Stage.allCases.map { stage in
        // The first round warms up.
        let times = try (0...rounds).map { _ in
          (device: try onDevice.milliseconds(stage), twin: try onTwin.milliseconds(stage))
        }.dropFirst()
        let (deviceTimes, twinTimes) = (times.map(\.device), times.map(\.twin))
        return Row(
          depth: depth.rawValue, stage: stage.rawValue, device: percentile(deviceTimes, 0.5),
          deviceP95: percentile(deviceTimes, 0.95), twin: percentile(twinTimes, 0.5),
          twinP95: percentile(twinTimes, 0.95))
      }
    }
  }

  private func percentile(_ values: [Double], _ part: Double) -> Double {
    let sorted = values.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  enum Stage: String, CaseIterable {
    case whole = "upload to readback"
    case upload
    case histogram
    case transform
    case render = "look-up, render pass"
    case compute = "look-up, compute kernel"
    case readback
  }

  /// The kernels and resources of one depth on one device.
  private struct Stages {
    let queue: CommandQueue
    let image: Image
    let source: TiledTexture
    let destination: TiledTexture
    let counts: Buffer
    let histogram: ImageHistogram
    let equalization: ImageHistogramEqualization

    init(device: Device, image: Image) throws {
      queue = device.makeCommandQueue(label: "bench")
      self.image = image
      let info = HistogramInfo.complete(image.depth)
      source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: "source")
      destination = try TiledTexture(
        device: device, size: image.size, pixelFormat: image.pixelFormat, label: "destination")
      counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: image.pixelFormat), label: "counts")
      histogram = ImageHistogram(device: device, info: info)
      equalization = ImageHistogramEqualization(device: device, info: info)
      _ = try milliseconds(.whole)
    }

    func milliseconds(_ stage: Stage) throws -> Double {
      let buffer = queue.makeCommandBuffer(label: stage.rawValue)
      if stage == .whole || stage == .upload { source.encodeUpload(of: image, to: buffer) }
      if stage == .whole || stage == .histogram {
        histogram.encode(to: buffer, source: source, histogram: counts)
      }
      if stage == .whole || stage == .transform, let first = source.tiles.first {
        equalization.encodeTransform(to: buffer, source: first.texture, histogram: counts)
      }
      if stage == .whole || stage == .render || stage == .compute {
        for (from, to) in zip(source.tiles, destination.tiles) {
          equalization.encode(
            to: buffer, source: from.texture, destination: to.texture, pipeline: stage == .compute ? .compute : .render)
        }
      }
      if stage == .whole || stage == .readback { _ = destination.encodeReadback(to: buffer) }
      buffer.commit()
      try buffer.waitUntilCompleted()
      return buffer.seconds * 1000
    }
  }
}

/// The CPU cost of an empty dispatch, compared with its raw GL calls; medians over rounds that take turns.
struct DispatchBenchmark: Encodable {
  let device: String
  let driver: String
  let dispatches: Int
  let rounds: Int
  /// Microseconds for each dispatch; null on the CPU, which makes no GL calls.
  let bare: Double?
  let recording: Double
  let replaying: Double
  /// The microseconds that recording and replaying add to the bare calls.
  let added: Double
  /// The ratio of recording and replaying to the bare calls.
  let ratio: Double?

  init(device: Device, dispatches: Int, rounds: Int) throws {
    // The first round warms up.
    let costs = try (0...rounds).map { _ in try device.measureDispatch(count: dispatches) }.dropFirst()
    func median(_ value: (DispatchCost) -> Double) -> Double { costs.map(value).sorted()[costs.count / 2] * 1e6 }
    self.device = device.name
    driver = device.info.driver
    self.dispatches = dispatches
    self.rounds = rounds
    let bare = costs.first?.bare == nil ? nil : median { $0.bare ?? 0 }
    self.bare = bare
    recording = median(\.recording)
    replaying = median(\.replaying)
    added = median(\.added)
    ratio = bare.flatMap { [recording, replaying] in $0 > 0 ? (recording + replaying) / $0 : nil }
  }

  var text: String {
    func line(_ name: String, _ microseconds: Double?) -> String {
      name.padded(to: -24) + (microseconds.map { "\($0.hundredths) µs" } ?? "none made")
    }
    return [
      "an empty dispatch, CPU time, median of \(rounds) rounds of \(dispatches)",
      line("bare GL calls", bare), line("recording", recording), line("replaying", replaying),
      line("above the bare calls", added),
      "ratio".padded(to: -24) + (ratio?.hundredths ?? "none"),
    ].joined(separator: "\n") + "\n"
  }
}
