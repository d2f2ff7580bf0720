internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `match`: ``ImageHistogramSpecification`` to the histogram of a file.
struct MatchFilter: ImageKernel {
  /// The file's path.
  var reference = ""
  var channels = HistogramInfo.Channels.each

  static let card = KernelCard<Self>(
    "match", "gives the picture the distribution of another (histogram specification)",
    discussion: """
      A look-up table is made from the picture's histogram and that of the reference. Per channel, S(i) counts the
      pixels of the picture up to entry i, N all of them; D(j) and M those of the reference:

          table(i) = value(j), j of the entries that the reference has, with |D(j)/M - S(i)/N| least, of two the lower
          value(j) = nearest(j * maximum / (entries - 1))

      Fractions are compared crosswise in 64 bits. With an entry for every value, value(j) is j, and only values of
      the reference come out. Alpha stays; a picture matched with itself stays as it is.

      The reference is a PNG picture of any size and depth, or what safelight histogram --format json wrote, whose
      frames are summed. A gray reference serves red, green and blue alike; a gray picture needs a gray reference or
      channels=luma.

      With channels=luma the luma Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is matched and the chroma
      kept: d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).
      """,
    [
      .file(
        "reference", "the picture or histogram to match", \.reference, form: "a PNG picture or a histogram in JSON"),
      .choice("channels", "what is matched", \.channels),
    ],
    // Conformance makes references of its own.
    examples: [], defects: [])

  func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage {
    try Self.makeStage(HistogramReference(reading: reference), channels, device, form)
  }

  static func makeStage(
    _ reference: HistogramReference, _ channels: HistogramInfo.Channels, _ device: Device, _ form: KernelForm
  ) throws -> any ImageStage {
    try HistogramStage(MatchFilter(channels: channels), on: device, form: form) { depth in
      try MatchTransform(
        device: device, reference: reference.histogram(channels, depth: depth, device: device), channels)
    }
  }
}

/// A specification, and the histogram to specify.
private struct MatchTransform: HistogramTransform {
  let info: HistogramInfo
  private let specification: ImageHistogramSpecification
  private let desired: Buffer
  private let reference: Histogram

  init(device: Device, reference: Histogram, _ channels: HistogramInfo.Channels) throws {
    info = HistogramInfo(entries: reference.entries, channels: channels)
    specification = ImageHistogramSpecification(device: device, info: info)
    desired = try device.makeBuffer(
      length: info.histogramSize(forSourceFormat: .rgba8Unorm), label: "reference's histogram")
    self.reference = reference
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    guard image.channels.isGray, info.channels == .each, reference.channels != [.gray] else { return }
    throw SafelightError(
      .unsupported, "filter 'match'",
      why: "the picture is gray, and the reference has \(reference.channels.map(\.rawValue).joined(separator: ", "))",
      remedy: "use channels=luma, or a gray reference")
  }

  func encodeTransform(to buffer: CommandBuffer, source: Texture, histogram: Buffer, offset: Int) {
    // Recorded with each picture, since a command buffer holds all that a replay needs. Gray serves every channel.
    let channels = reference.channels
    let words = (0..<info.planes(for: source.pixelFormat)).flatMap { plane in
      reference.counts(channels.count == 1 ? channels[0] : channels[plane]).map { UInt32(truncatingIfNeeded: $0) }
    }
    let blit = buffer.makeBlitCommandEncoder(label: "reference's histogram")
    blit.write(words.withUnsafeBytes { Array($0) }, to: desired)
    blit.endEncoding()
    specification.encodeTransform(
      to: buffer, source: source, sourceHistogram: histogram, sourceHistogramOffset: offset, desiredHistogram: desired)
  }

  func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm) {
    specification.encode(to: buffer, source: source, destination: destination, form: form)
  }
}
