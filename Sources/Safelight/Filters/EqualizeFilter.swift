internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `equalize`: histogram of the whole picture, transform, look-up; tile by tile where the picture is larger than a
/// texture. With smoothing the transform is made from the sum of the last histograms.
struct EqualizeFilter: ImageStage {
  /// The three stages for one depth: an entry for every sample value, so that nothing is lost.
  private struct Stages: Sendable {
    let histogram: ImageHistogram
    let equalization: ImageHistogramEqualization
    let counts: Buffer
    /// Nil where each picture stands for itself.
    let film: TemporalHistogram?

    init(
      device: Device, depth: SampleDepth, rule: Rule, channels: HistogramInfo.Channels, strength: Float,
      intensity: Float, smoothing: Smoothing
    ) throws {
      let info = HistogramInfo.complete(depth, channels: channels)
      histogram = ImageHistogram(device: device, info: info)
      equalization = ImageHistogramEqualization(
        device: device, info: info, rule: rule, strength: strength, intensity: intensity)
      let length = info.histogramSize(forSourceFormat: PixelFormat(channels: .rgba, depth: depth))
      film =
        smoothing.frames == 1
        ? nil : try TemporalHistogram(device: device, info: info, length: smoothing.frames, cut: smoothing.cut)
      counts = try device.makeBuffer(length: length, label: "histogram of \(depth.rawValue) bits")
    }
  }

  typealias Rule = ImageHistogramEqualization.Rule

  /// How many pictures one table is made from, and what ends a scene.
  struct Smoothing: Sendable {
    var frames = 1
    var cut = 1.0
  }

  private let rule: Rule
  private let smoothing: Smoothing
  private let stages: [Int: Stages]
  private let form: KernelForm

  init(
    device: Device, rule: Rule, channels: HistogramInfo.Channels, strength: Float, intensity: Float,
    smoothing: Smoothing, form: KernelForm
  ) throws {
    var stages: [Int: Stages] = [:]
    for depth in rule.depths {
      stages[depth.rawValue / 8] = try Stages(
        device: device, depth: depth, rule: rule, channels: channels, strength: strength, intensity: intensity,
        smoothing: smoothing)
    }
    self.rule = rule
    self.smoothing = smoothing
    self.stages = stages
    self.form = form
  }

  var history: Int { smoothing.frames - 1 }

  func reset() {
    for stages in stages.values { stages.film?.reset() }
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    try rule.check(image.depth)
    try stages[image.pixelFormat.bytesPerSample]?.film?.check(image.size)
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    let depth = source.pixelFormat.bytesPerSample
    guard let stages = stages[depth], let first = source.tiles.first else { return }
    // A picture of another depth ends the scene.
    for (other, stages) in self.stages where other != depth { stages.film?.reset() }
    let histogram: Buffer
    if let film = stages.film {
      film.encode(to: buffer, size: source.size, sourceFormat: source.pixelFormat) { counts in
        encodeCounts(of: source, to: buffer, stages.histogram, counts)
      }
      histogram = film.sum
    } else {
      encodeCounts(of: source, to: buffer, stages.histogram, stages.counts)
      histogram = stages.counts
    }
    stages.equalization.encodeTransform(to: buffer, source: first.texture, histogram: histogram)
    for (from, to) in zip(source.tiles, destination.tiles) {
      stages.equalization.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }

  private func encodeCounts(
    of source: TiledTexture, to buffer: CommandBuffer, _ histogram: ImageHistogram, _ counts: Buffer
  ) {
    var histogram = histogram
    for tile in source.tiles {
      histogram.encode(to: buffer, source: tile.texture, histogram: counts)
      // The other tiles add to the counts of the first.
      histogram.zeroHistogram = false
    }
  }
}
