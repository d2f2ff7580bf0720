internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `match`: histogram of the whole picture, transform to the reference's histogram, look-up; tile by tile where the picture
/// is larger than a texture.
struct MatchFilter: ImageStage {
  /// The stages for one depth.
  private struct Stages: Sendable {
    let histogram: ImageHistogram
    let specification: ImageHistogramSpecification
    let counts: Buffer
    let desired: Buffer
    let reference: Histogram

    init(device: Device, reference: Histogram, channels: HistogramInfo.Channels) throws {
      let info = HistogramInfo(entries: reference.entries, channels: channels)
      let length = info.histogramSize(forSourceFormat: .rgba8Unorm)
      histogram = ImageHistogram(device: device, info: info)
      specification = ImageHistogramSpecification(device: device, info: info)
      counts = try device.makeBuffer(length: length, label: "histogram")
      desired = try device.makeBuffer(length: length, label: "reference's histogram")
      self.reference = reference
    }
  }

  private let channels: HistogramInfo.Channels
  private let stages: [SampleDepth: Stages]
  private let form: KernelForm

  init(device: Device, reference: HistogramReference, channels: HistogramInfo.Channels, form: KernelForm) throws {
    var stages: [SampleDepth: Stages] = [:]
    for depth in SampleDepth.allCases {
      let histogram = try reference.histogram(channels, depth: depth, device: device)
      stages[depth] = try Stages(device: device, reference: histogram, channels: channels)
    }
    self.channels = channels
    self.stages = stages
    self.form = form
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    let isGray = image.channels == .gray || image.channels == .grayAlpha
    guard isGray, channels == .each, let reference = stages[image.depth]?.reference, reference.channels != [.gray]
    else {
      return
    }
    throw SafelightError(
      .unsupported, "filter 'match'",
      why: "the picture is gray, and the reference has \(reference.channels.map(\.rawValue).joined(separator: ", "))",
      remedy: "use channels=luma, or a gray reference")
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    let depth: SampleDepth = source.pixelFormat.bytesPerSample == 1 ? .bits8 : .bits16
    guard let stages = stages[depth], let first = source.tiles.first else { return }
    // Recorded with each picture, since a command buffer holds all that a replay needs. Gray serves every channel.
    let planes = stages.histogram.info.planes(for: source.pixelFormat)
    let channels = stages.reference.channels
    let words = (0..<planes).flatMap { plane in
      stages.reference.counts(channels.count == 1 ? channels[0] : channels[plane]).map {
        UInt32(truncatingIfNeeded: $0)
      }
    }
    let blit = buffer.makeBlitCommandEncoder(label: "reference's histogram")
    blit.write(words.withUnsafeBytes { Array($0) }, to: stages.desired)
    blit.endEncoding()
    var histogram = stages.histogram
    for tile in source.tiles {
      histogram.encode(to: buffer, source: tile.texture, histogram: stages.counts)
      // The other tiles add to the counts of the first.
      histogram.zeroHistogram = false
    }
    stages.specification.encodeTransform(
      to: buffer, source: first.texture, sourceHistogram: stages.counts, desiredHistogram: stages.desired)
    for (from, to) in zip(source.tiles, destination.tiles) {
      stages.specification.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
