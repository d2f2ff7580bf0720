import Safelight
import Testing

extension KernelPicture {
  /// Counts as bars: a pixel is a count.
  static let histograms =
    HistogramForm.allCases.flatMap { form in
      [
        KernelPicture("histogram", way: "\(form)") { try counted($0, .rgba8Unorm, form, HistogramInfo()) },
        KernelPicture("histogram-of-luma", way: "\(form)") {
          try counted($0, .rgba8Unorm, form, HistogramInfo(channels: .luma))
        },
        KernelPicture("histogram-of-floats", way: "\(form)") {
          try counted(
            $0, .rgba32Float, form,
            HistogramInfo(minPixelValue: SIMD4(repeating: -1), maxPixelValue: SIMD4(repeating: 2)))
        },
        KernelPicture("normalized-histogram", way: "\(form)") { try normalized($0, .rgba8Unorm, form) },
        KernelPicture("normalized-histogram-of-floats", way: "\(form)") { try normalized($0, .rgba32Float, form) },
      ]
    } + [KernelPicture("temporal-histogram", make: temporal)]

  /// The part of the film's frame that is counted: of many colours, and none of them often.
  private static let part = Region(x: 20, y: 8, width: 24, height: 16)

  private static func source(_ run: KernelRun, _ format: PixelFormat) throws -> Texture {
    let frame = ConformanceFrame.image
    return try run.texture(
      frame.size, format,
      format.sampleKind == .float ? frame.bytes.flatMap { format.bytes(ofSample: Float($0) / 256) } : frame.bytes)
  }

  private static func counted(
    _ device: Device, _ format: PixelFormat, _ form: HistogramForm, _ info: HistogramInfo
  ) throws -> Image {
    let run = KernelRun(device)
    var kernel = ImageHistogram(device: device, info: info)
    kernel.form = form
    kernel.clipRectSource = part
    let counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: format))
    kernel.encode(to: run.buffer, source: try source(run, format), histogram: counts)
    let readback = info.encodeReadback(to: run.buffer, histogram: counts, sourceFormat: format)
    try run.run()
    return try .bars(readback.contents(), height: 64)
  }

  /// The counts over the range that the picture has; below them, of integers, the colour of its least samples and that of its greatest.
  private static func normalized(_ device: Device, _ format: PixelFormat, _ form: HistogramForm) throws -> Image {
    let run = KernelRun(device)
    var kernel = ImageNormalizedHistogram(device: device)
    kernel.form = form
    kernel.clipRectSource = part
    let counts = try device.makeBuffer(length: kernel.histogramSize(forSourceFormat: format))
    let ends = try device.makeTexture(Size(2, 1), ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format))
    kernel.encode(to: run.buffer, source: try source(run, format), minmaxTexture: ends, histogram: counts)
    let readback = kernel.info.encodeReadback(to: run.buffer, histogram: counts, sourceFormat: format)
    // Not every device brings floats back.
    let found = format.sampleKind == .float ? nil : run.blit { $0.read(ends) }
    try run.run()
    let bars = try Image.bars(readback.contents(), height: 64)
    guard let pixels = try found?.contents() else { return bars }
    let row = [pixels[..<4], pixels[4...]].flatMap { pixel in (0..<128).flatMap { _ in pixel } }
    let strip = Image(size: Size(256, 8), channels: .rgb, depth: .bits8, bytes: (0..<8).flatMap { _ in row })
    return try .stacked([bars, strip])
  }

  /// Four pictures of a film, of which two are summed: what was summed after the second, after the third, and after a cut.
  private static func temporal(_ device: Device) throws -> Image {
    let run = KernelRun(device)
    let size = Size(16, 12)
    let film = try TemporalHistogram(device: device, info: HistogramInfo(), length: 2, cut: 0.25)
    var kernel = ImageHistogram(device: device, info: film.info)
    let source = try source(run, .rgba8Unorm)
    let readbacks = [(20, 8), (21, 8), (22, 8), (32, 16)].map { x, y in
      film.encode(to: run.buffer, size: size, sourceFormat: source.pixelFormat) { counts in
        kernel.clipRectSource = Region(x: x, y: y, size: size)
        kernel.encode(to: run.buffer, source: source, histogram: counts)
      }
      return film.info.encodeReadback(to: run.buffer, histogram: film.sum, sourceFormat: source.pixelFormat)
    }
    try run.run()
    return try .stacked(readbacks.dropFirst().map { try .bars($0.contents(), height: 64) })
  }
}

extension Image {
  /// A column for each entry, a pixel from below for each count; red, green and blue add as light does.
  fileprivate static func bars(_ histogram: Histogram, height: Int) throws -> Image {
    let planes = histogram.channels.map(histogram.counts)
    let size = Size(try #require(planes.first).count, height)
    let channels: Channels = planes.count == 1 ? .gray : .rgb
    let black: [UInt8] = channels == .gray ? [0] : [0, 0, 0, 255]
    var image = Image(
      size: size, channels: channels, depth: .bits8, bytes: (0..<size.area).flatMap { _ in black })
    for (plane, counts) in planes.enumerated() {
      for (entry, count) in counts.enumerated() {
        try #require(count <= height, "entry \(entry) has \(count), more than a bar can show")
        for y in height - Int(count)..<height { image[x: entry, y: y, sample: plane] = 255 }
      }
    }
    return image
  }
}
