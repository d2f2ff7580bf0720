internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `stretch`: histogram of the whole picture, table, look-up; tile by tile where the picture is larger than a texture.
struct StretchFilter: ImageStage {
  /// The three stages for one depth.
  private struct Stages: Sendable {
    let histogram: ImageHistogram
    let stretch: ImageContrastStretch
    let counts: Buffer
  }

  private let stages: [Int: Stages]
  private let form: KernelForm

  init(device: Device, low: Double, high: Double, channels: ImageContrastStretch.Channels, form: KernelForm) throws {
    var stages: [Int: Stages] = [:]
    for depth in SampleDepth.allCases {
      let stretch = ImageContrastStretch(device: device, depth: depth, low: low, high: high, channels: channels)
      let length = stretch.info.histogramSize(forSourceFormat: PixelFormat(channels: .rgba, depth: depth))
      stages[depth.rawValue / 8] = Stages(
        histogram: ImageHistogram(device: device, info: stretch.info), stretch: stretch,
        counts: try device.makeBuffer(length: length, label: "histogram of \(depth.rawValue) bits"))
    }
    self.stages = stages
    self.form = form
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    guard let stages = stages[source.pixelFormat.bytesPerSample], let first = source.tiles.first else { return }
    var histogram = stages.histogram
    for tile in source.tiles {
      histogram.encode(to: buffer, source: tile.texture, histogram: stages.counts)
      // The other tiles add to the counts of the first.
      histogram.zeroHistogram = false
    }
    stages.stretch.encodeTransform(to: buffer, source: first.texture, histogram: stages.counts)
    for (from, to) in zip(source.tiles, destination.tiles) {
      stages.stretch.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
