internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// A picture on its way through a chain in bands of rows, so that memory is bounded by bands and not by the picture.
final class BandedPicture: Sendable {
  let plan: BandPlan
  /// The measurements that filters have taken so far, in the order of the filters.
  let measured = Mutex<[MeasuredFrame]>([])
  let processor: FrameProcessor
  private let inputs: [StageInput?]
  private let label: String
  /// The textures of the last band of each picture.
  private let textures = Mutex<[Int: TiledTexture]>([:])

  /// Finds what the filters read besides the picture of `frame`.
  ///
  /// - Throws: ``SafelightError`` if a filter lacks an input.
  init(_ plan: BandPlan, of frame: FrameIdentity, _ processor: FrameProcessor) throws {
    self.plan = plan
    self.processor = processor
    inputs = try processor.inputs(for: frame, of: plan.images[0], Array(plan.images.dropFirst()))
    label = frame.name
  }

  /// Records and commits the work on a band, of which `source` has the rows that are needed. A survey makes no picture.
  func submit(_ band: Range<Int>, of source: Image, in sweep: BandPlan.Sweep) throws -> FrameSubmission {
    let needs = plan.needs(for: band, in: sweep)
    return try processor.submit(part: source, firstRow: needs[sweep.level].lowerBound, label: label) { buffer in
      let measurements = band.lowerBound == 0 ? begin(sweep, in: buffer) : []
      var current = try texture(0, needs[0])
      current.encodeUpload(of: source, to: buffer)
      for (level, stage) in plan.stages[..<sweep.level].enumerated() {
        let next = try texture(level + 1, needs[level + 1])
        if inputs[level]?.isUnchanged ?? false {
          for tile in next.tiles { current.encodeCopy(of: tile.region, to: tile.texture, in: buffer) }
        } else {
          stage.encode(to: buffer, source: current, input: inputs[level], destination: next)
        }
        current = next
      }
      guard let survey = sweep.survey else { return (current, plan.result, measurements) }
      plan.stages[sweep.level].encode(survey: survey, of: band, source: current, to: buffer)
      return (nil, plan.result, measurements)
    }
  }

  /// Records what filters need before a sweep, and the readback of what those have measured whose results are made for
  /// the first time.
  private func begin(_ sweep: BandPlan.Sweep, in buffer: CommandBuffer) -> [FrameMeasurement] {
    var measurements: [FrameMeasurement] = []
    for level in sweep.beginning {
      let stage = plan.stages[level]
      stage.begin(survey: nil, in: buffer)
      guard !(inputs[level]?.isUnchanged ?? false), let memory = stage.measured,
        let measurement = processor.chain.filters[level].measurement
      else { continue }
      let readback = buffer.blit(measurement.name) { $0.read(memory, range: 0..<memory.length) }
      measurements.append(
        FrameMeasurement(readback: readback, measurement: measurement, image: plan.images[level]))
    }
    if let survey = sweep.survey { plan.stages[sweep.level].begin(survey: survey, in: buffer) }
    return measurements
  }

  /// Returns textures for `rows` of a picture, those of its last band if they have as many rows.
  private func texture(_ level: Int, _ rows: Range<Int>) throws -> TiledTexture {
    try textures.withLock { textures in
      if let known = textures[level], known.region.size.height == rows.count {
        return known.moved(toRow: rows.lowerBound)
      }
      let (image, device) = (plan.images[level], processor.device)
      let made = try TiledTexture(
        device: device, holding: Region(x: 0, y: rows.lowerBound, width: image.size.width, height: rows.count),
        of: image.size, pixelFormat: image.pixelFormat, edge: device.capabilities.maximumTextureSize,
        label: "band of picture \(level)"
      ).holding(image)
      textures[level] = made
      return made
    }
  }
}
