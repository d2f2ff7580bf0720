internal import SafelightFrames
internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels
internal import Synchronization

/// A huge picture's way through a chain in bands of rows, so that memory is bounded by bands and not by the picture.
///
/// The picture is read once for each survey of a filter, from the top down, and once more for the result. Each reading
/// takes it through the filters before.
final class BandedPicture: Sendable {
  /// A reading of the picture.
  struct Sweep: Sendable {
    /// The number of filters that the picture passes.
    let level: Int
    /// The survey of the filter behind them; nil for the result.
    let survey: Int?
    /// The filters whose results are made for the first time.
    let beginning: Range<Int>
    /// The rows that are surveyed or made together: of the picture that the last of the filters makes.
    let bands: [Range<Int>]
  }

  /// The picture, then what each filter makes.
  let images: [ImageDescriptor]
  let sweeps: [Sweep]
  private let processor: FrameProcessor
  private let stages: [any StageBands]
  private let inputs: [StageInput?]
  private let label: String
  /// The textures of the last band of each picture.
  private let textures = Mutex<[Int: TiledTexture]>([:])

  /// Prepares for the picture of `frame`, which is like `image`; about `byteCount` bytes of each picture are made
  /// together. Nil if a filter needs whole pictures.
  ///
  /// - Throws: ``SafelightError`` if a filter is not defined for the picture, or lacks an input.
  init?(_ image: ImageDescriptor, of frame: FrameIdentity, _ processor: FrameProcessor, byteCount: Int) throws {
    let plan = try processor.plan(image, as: .image, label: frame.name)
    let images = [image] + plan
    guard case .bands(let stages) = try processor.chain.bands(of: images) else { return nil }
    let temporaries = try processor.chain.temporaryByteCounts(for: images)
    self.images = images
    self.stages = stages
    self.processor = processor
    inputs = try processor.inputs(for: frame, of: image, plan)
    label = frame.name
    var sweeps: [Sweep] = []
    func add(_ level: Int, _ survey: Int?) {
      let known = sweeps.last?.level ?? 0
      sweeps.append(
        Sweep(
          level: level, survey: survey, beginning: known..<level,
          bands: stages.bands(of: images, temporaries, level, survey, byteCount: byteCount)))
    }
    for (level, stage) in stages.enumerated() {
      for survey in 0..<stage.surveys { add(level, survey) }
    }
    add(stages.count, nil)
    self.sweeps = sweeps
  }

  /// The picture that is made.
  var result: ImageDescriptor { images[images.count - 1] }

  /// Returns the rows of the picture that are needed for a band.
  func rows(for band: Range<Int>, in sweep: Sweep) -> Range<Int> {
    stages.needs(for: band, sweep.level, sweep.survey)[0]
  }

  /// Records and commits the work on a band, of which `source` has the rows that are needed. A survey makes no picture.
  func submit(_ band: Range<Int>, of source: Image, in sweep: Sweep) throws -> FrameSubmission {
    let needs = stages.needs(for: band, sweep.level, sweep.survey)
    return try processor.submit(part: source, firstRow: needs[sweep.level].lowerBound, label: label) { buffer in
      let measurements = band.lowerBound == 0 ? try begin(sweep, in: buffer) : []
      var current = try texture(0, needs[0])
      current.encodeUpload(of: source, to: buffer)
      for (level, stage) in stages[..<sweep.level].enumerated() {
        let next = try texture(level + 1, needs[level + 1])
        stage.encode(to: buffer, source: current, input: inputs[level], destination: next)
        current = next
      }
      guard let survey = sweep.survey else { return (current, result, measurements) }
      stages[sweep.level].encode(survey: survey, of: band, source: current, to: buffer)
      return (nil, result, measurements)
    }
  }

  /// Records what filters need before a sweep, and the readback of what those have measured whose results are made for
  /// the first time.
  private func begin(_ sweep: Sweep, in buffer: CommandBuffer) throws -> [FrameMeasurement] {
    var measurements: [FrameMeasurement] = []
    for level in sweep.beginning {
      stages[level].begin(survey: nil, in: buffer)
      guard let memory = stages[level].measured, let measurement = processor.chain.filters[level].measurement else {
        continue
      }
      let readback = buffer.blit(measurement.name) { $0.read(memory, range: 0..<memory.length) }
      measurements.append(FrameMeasurement(readback: readback, measurement: measurement, image: images[level]))
    }
    if let survey = sweep.survey { stages[sweep.level].begin(survey: survey, in: buffer) }
    return measurements
  }

  /// Returns textures for `rows` of a picture, those of its last band if they have as many rows.
  private func texture(_ level: Int, _ rows: Range<Int>) throws -> TiledTexture {
    try textures.withLock { textures in
      if let known = textures[level], known.region.size.height == rows.count {
        return known.moved(toRow: rows.lowerBound)
      }
      let (image, device) = (images[level], processor.device)
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

/// The ways of one picture through the filters of a chain in bands.
enum ChainBands {
  case bands([any StageBands])
  /// A filter, with this call, needs whole pictures.
  case whole(String)
}

extension FilterChain {
  /// Returns the ways of one picture through the filters; `images` are the picture and what each filter makes.
  func bands(of images: [ImageDescriptor]) throws(SafelightError) -> ChainBands {
    var stages: [any StageBands] = []
    for (filter, (source, result)) in zip(filters, zip(images, images.dropFirst())) {
      let banded = filter as? any BandedStage
      let stage = filter.isPointwise ? PointwiseBands(filter) : try banded?.bands(of: source)
      guard let stage, filter.history == 0, stage.streams(from: source.size, to: result.size) else {
        return .whole(banded?.call ?? "of its own")
      }
      stages.append(stage)
    }
    return .bands(stages)
  }

  /// Returns the bytes of each filter's temporaries.
  func temporaryByteCounts(for images: [ImageDescriptor]) throws(SafelightError) -> [Int] {
    var counts: [Int] = []
    for (filter, image) in zip(filters, images) {
      counts.append(try (filter as? any BandedStage)?.temporaryByteCount(for: image) ?? 0)
    }
    return counts
  }
}

extension StageBands {
  /// Returns whether the rows that results need come from the top down, and few of them for each.
  fileprivate func streams(from source: Size, to result: Size) -> Bool {
    ((0..<surveys).map { $0 } + [nil]).allSatisfy { (survey: Int?) in
      let height = survey == nil ? result.height : source.height
      var last = 0..<0
      // A footprint has one shape everywhere, so some of the rows tell.
      return stride(from: 0, to: height, by: max(1, height / 64)).allSatisfy { row in
        let needed = rows(for: row..<row + 1, survey: survey)
        defer { last = needed }
        return needed.lowerBound >= last.lowerBound && needed.upperBound >= last.upperBound
          && 4 * (needed.count - 1) <= source.height
      }
    }
  }
}

extension [any StageBands] {
  /// Returns the rows of each picture that are needed for a band of the one behind `level` stages, or for a survey of
  /// it, those of the first picture first.
  fileprivate func needs(for band: Range<Int>, _ level: Int, _ survey: Int?) -> [Range<Int>] {
    var needed = survey.map { self[level].rows(for: band, survey: $0) } ?? band
    var needs = [needed]
    for stage in self[..<level].reversed() {
      needed = stage.rows(for: needed, survey: nil)
      needs.append(needed)
    }
    return needs.reversed()
  }

  /// Divides the picture behind `level` stages so that the rows of all pictures that are made together have about
  /// `byteCount` bytes, besides those that windows need around.
  fileprivate func bands(
    of images: [ImageDescriptor], _ temporaries: [Int], _ level: Int, _ survey: Int?, byteCount: Int
  ) -> [Range<Int>] {
    let height = images[level].size.height
    func bytes(for count: Int) -> Int {
      let first = (height - count) / 2
      return zip(needs(for: first..<first + count, level, survey), images)
        .map { $0.count * $1.size.width * $1.pixelFormat.bytesPerPixel }.reduce(0, +)
    }
    // What lies around a band is uploaded for each band, so bands of high windows are high.
    let around = bytes(for: 1)
    let most = Swift.max(byteCount, around / 2)
    let row =
      images[...level].map { $0.size.width * $0.pixelFormat.bytesPerPixel }.reduce(0, +)
      + zip(temporaries[..<level], images).map { $0 / $1.size.height }.reduce(0, +)
    var count = Swift.min(height, Swift.max(1, most / row))
    while count > 1, bytes(for: count) - around > most { count /= 2 }
    return stride(from: 0, to: height, by: count).map { $0..<Swift.min($0 + count, height) }
  }
}
