internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `equalize`: histogram of the whole picture, transform, look-up; tile by tile where the picture is larger than a
/// texture.
struct EqualizeFilter: ImageFilter {
  /// The three stages for one depth: an entry for every sample value, so that nothing is lost.
  private struct Stages: Sendable {
    let histogram: ImageHistogram
    let equalization: ImageHistogramEqualization
    let counts: Buffer

    init(device: Device, depth: SampleDepth, rule: Rule, channels: HistogramInfo.Channels) throws {
      let info = HistogramInfo.complete(depth, channels: channels)
      histogram = ImageHistogram(device: device, info: info)
      equalization = ImageHistogramEqualization(device: device, info: info, rule: rule)
      let length = info.histogramSize(forSourceFormat: PixelFormat(channels: .rgba, depth: depth))
      counts = try device.makeBuffer(length: length, label: "histogram of \(depth.rawValue) bits")
    }
  }

  typealias Rule = ImageHistogramEqualization.Rule

  private let rule: Rule
  private let stages: [Int: Stages]
  private let form: KernelForm

  init(device: Device, rule: Rule, channels: HistogramInfo.Channels, form: KernelForm) throws {
    var stages: [Int: Stages] = [:]
    for depth in rule.depths {
      stages[depth.rawValue / 8] = try Stages(device: device, depth: depth, rule: rule, channels: channels)
    }
    self.rule = rule
    self.stages = stages
    self.form = form
  }

  func check(_ image: Image) throws(SafelightError) { try rule.check(image.depth) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    guard let stages = stages[source.pixelFormat.bytesPerSample], let first = source.tiles.first else { return }
    var histogram = stages.histogram
    for tile in source.tiles {
      histogram.encode(to: buffer, source: tile.texture, histogram: stages.counts)
      // The other tiles add to the counts of the first.
      histogram.zeroHistogram = false
    }
    stages.equalization.encodeTransform(to: buffer, source: first.texture, histogram: stages.counts)
    for (from, to) in zip(source.tiles, destination.tiles) {
      stages.equalization.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
