package import SafelightGPU
package import SafelightImage

/// A transform that makes a table from the counts of a picture and looks pixels up in it, for one depth on one device.
package protocol HistogramTransform: Sendable {
  /// The description of what is counted.
  var info: HistogramInfo { get }

  /// Throws if the transform is not defined for pictures like `image`.
  func check(_ image: ImageDescriptor) throws(SafelightError)

  /// Records the making of the table; `source` only gives the format.
  func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int)

  func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm)
}

extension HistogramTransform {
  /// Accepts every picture of the depth by default.
  package func check(_ image: ImageDescriptor) throws(SafelightError) {}
}

extension ImageHistogramEqualization: HistogramTransform {}
extension ImageContrastStretch: HistogramTransform {}

/// A stage that counts the whole picture, makes a table of the counts and looks every pixel up in it, tile by tile.
/// With smoothing, the table is made from the sum of several pictures' counts.
package struct HistogramStage: ImageStage {
  /// The number of pictures from which a table is made, and the threshold that ends a scene; see ``TemporalHistogram``.
  package typealias Smoothing = (frames: Int, cut: Double)

  private struct Steps: Sendable {
    let histogram: ImageHistogram
    let transform: any HistogramTransform
    let counts: Buffer
    /// Nil without smoothing.
    let film: TemporalHistogram?
  }

  private let kernel: any ImageKernel
  package let history: Int
  private let steps: [SampleDepth: Steps]
  private let form: KernelForm

  /// Makes the stage of `kernel` with a transform for each of `depths`.
  package init(
    _ kernel: some ImageKernel, on device: Device, form: KernelForm, depths: [SampleDepth] = SampleDepth.allCases,
    smoothing: Smoothing = (1, 1), makeTransform: (SampleDepth) throws -> any HistogramTransform
  ) throws {
    var steps: [SampleDepth: Steps] = [:]
    for depth in depths {
      let transform = try makeTransform(depth)
      let info = transform.info
      let length = info.histogramSize(forSourceFormat: PixelFormat(channels: .rgba, depth: depth))
      steps[depth] = Steps(
        histogram: ImageHistogram(device: device, info: info), transform: transform,
        counts: try device.makeBuffer(length: length, label: "histogram of \(depth.rawValue) bits"),
        film: smoothing.frames == 1
          ? nil : try TemporalHistogram(device: device, info: info, length: smoothing.frames, cut: smoothing.cut))
    }
    self.kernel = kernel
    history = smoothing.frames - 1
    self.steps = steps
    self.form = form
  }

  package func reset() {
    for steps in steps.values { steps.film?.reset() }
  }

  package func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try steps[image.depth]?.transform.check(image)
    try steps[image.depth]?.film?.check(image.size)
    return try kernel.output(of: image)
  }

  package func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    let depth = source.pixelFormat.depth
    guard let steps = steps[depth], let first = source.tiles.first else { return }
    // A picture of another depth ends the scene.
    for (other, steps) in self.steps where other != depth { steps.film?.reset() }
    func count(_ counts: Buffer) { steps.histogram.encode(to: buffer, source: source, histogram: counts) }
    if let film = steps.film {
      film.encode(to: buffer, size: source.size, sourceFormat: source.pixelFormat, count: count)
    } else {
      count(steps.counts)
    }
    steps.transform.encodeTransform(
      to: buffer, source: first.texture, histogram: steps.film?.sum ?? steps.counts, offset: 0)
    for (from, to) in zip(source.tiles, destination.tiles) {
      steps.transform.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
