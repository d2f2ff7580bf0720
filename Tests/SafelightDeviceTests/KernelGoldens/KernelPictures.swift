import Safelight
import TestSupport
import Testing

extension KernelPicture {
  /// Counts as bars: a pixel is a count.
  static let histograms =
    inVariants("histogram", HistogramVariant.allCases) { try counted($0, .rgba8Unorm, $1, HistogramInfo()) }
    + inVariants("histogram-of-luma", HistogramVariant.allCases) {
      try counted($0, .rgba8Unorm, $1, HistogramInfo(channels: .luma))
    }
    + inVariants("histogram-of-floats", HistogramVariant.allCases) {
      let info = HistogramInfo(minPixelValue: SIMD4(repeating: -1), maxPixelValue: SIMD4(repeating: 2))
      return try counted($0, .rgba32Float, $1, info)
    }
    + inVariants("normalized-histogram", HistogramVariant.allCases) { try normalized($0, .rgba8Unorm, $1) }
    + inVariants("normalized-histogram-of-floats", HistogramVariant.allCases) { try normalized($0, .rgba32Float, $1) }
    + [KernelPicture("temporal-histogram", make: temporal)]

  /// The part of the film's frame that is counted: of many colors, and none of them often.
  private static let part = Region(x: 20, y: 8, width: 24, height: 16)

  private static func source(_ buffer: CommandBuffer, _ format: PixelFormat) throws -> Texture {
    let frame = ConformanceFrame.image
    return try buffer.texture(
      frame.size, format,
      format.sampleKind == .float ? frame.bytes.flatMap { format.bytes(ofSample: Float($0) / 256) } : frame.bytes)
  }

  private static func counted(
    _ device: Device, _ format: PixelFormat, _ variant: HistogramVariant, _ info: HistogramInfo
  ) throws -> Image {
    var kernel = ImageHistogram(device: device, info: info)
    (kernel.variant, kernel.clipRectSource) = (variant, part)
    let counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: format))
    let readback = try device.run { buffer in
      kernel.encode(to: buffer, source: try source(buffer, format), histogram: counts)
      return info.encodeReadback(to: buffer, histogram: counts, sourceFormat: format)
    }
    return try .bars(readback.contents(), height: 64)
  }

  /// The counts over the range that the picture has; below them, of integers, the color of its least samples and that
  /// of its greatest.
  private static func normalized(_ device: Device, _ format: PixelFormat, _ variant: HistogramVariant) throws -> Image {
    var kernel = ImageNormalizedHistogram(device: device)
    (kernel.variant, kernel.clipRectSource) = (variant, part)
    let counts = try device.makeBuffer(length: kernel.histogramSize(forSourceFormat: format))
    let ends = try device.makeTexture(Size(2, 1), ImageNormalizedHistogram.minmaxFormat(forSourceFormat: format))
    let readback = try device.run { buffer in
      kernel.encode(to: buffer, source: try source(buffer, format), minmaxTexture: ends, histogram: counts)
      return kernel.info.encodeReadback(to: buffer, histogram: counts, sourceFormat: format)
    }
    let bars = try Image.bars(readback.contents(), height: 64)
    // Not every device brings floats back.
    if format.sampleKind == .float { return bars }
    let pixels = try device.contents(of: ends)
    let row = [pixels[..<4], pixels[4...]].flatMap { pixel in (0..<128).flatMap { _ in pixel } }
    let strip = Image(size: Size(256, 8), channels: .rgb, depth: .bits8, bytes: (0..<8).flatMap { _ in row })
    return try .stacked([bars, strip])
  }

  /// Four pictures of a film, of which two are summed: what was summed after the second, after the third, and after a
  /// cut.
  private static func temporal(_ device: Device) throws -> Image {
    let info = HistogramInfo()
    let passes = TemporalHistogram(length: 2, cut: 0.25).passes(planes: 3, entries: info.entries)
    let (earlier, size) = (EarlierNumbers(), Size(16, 12))
    let plan = PassPlan(
      unlimited: passes, of: "film", from: PassPicture(PixelFormat.rgba8Unorm.descriptor(size)),
      given: [.numbers(0): .init(words: 3 * info.entries)], to: [])
    var kernel = ImageHistogram(device: device, info: info)
    let readbacks = try device.run { buffer in
      let source = try source(buffer, .rgba8Unorm)
      return try [(20, 8), (21, 8), (22, 8), (32, 16)].map { x, y in
        kernel.clipRectSource = Region(x: x, y: y, size: size)
        let resources = earlier.next(plan)
        guard case .words(let counts, _) = resources[.numbers(0)], case .words(let sum, _) = resources[.numbers(4)]
        else {
          throw SafelightError(.input, "film", why: "numbers have no memory", remedy: "")
        }
        kernel.encode(to: buffer, source: source, histogram: counts)
        PassRecorder(plan: plan, call: "film", buffer: buffer).encode((1...4).map { .numbers($0) }, resources)
        return info.encodeReadback(to: buffer, histogram: sum, sourceFormat: source.pixelFormat)
      }
    }
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
    var image = Image(size: size, channels: channels, depth: .bits8, bytes: (0..<size.area).flatMap { _ in black })
    for (plane, counts) in planes.enumerated() {
      for (entry, count) in counts.enumerated() {
        try #require(count <= height, "entry \(entry) has \(count), more than a bar can show")
        for y in height - Int(count)..<height { image[x: entry, y: y, sample: plane] = 255 }
      }
    }
    return image
  }
}

extension KernelPicture {
  /// The film's frame by each rule, one below the other: normalized sum, OpenCV, Pillow, libvips, ffmpeg.
  static let equalizations = inVariants("equalization-rules", [PipelineKind.render, .compute]) { device, pipeline in
    try .stacked(ImageHistogramEqualization.Rule.allCases.map { try equalized(device, $0, pipeline) })
  }

  private static func equalized(
    _ device: Device, _ rule: ImageHistogramEqualization.Rule, _ pipeline: PipelineKind
  ) throws -> Image {
    let frame = ConformanceFrame.image
    let info = HistogramInfo(channels: rule == .ffmpeg ? .histeqLuma : .each)
    let equalization = ImageHistogramEqualization(device: device, info: info, rule: rule)
    let counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: frame.pixelFormat))
    return try device.picture(frame.descriptor) { buffer, target in
      let source = try buffer.texture(frame)
      ImageHistogram(device: device, info: info).encode(to: buffer, source: source, histogram: counts)
      equalization.encodeTransform(to: buffer, source: source, histogram: counts)
      equalization.encode(to: buffer, source: source, destination: target, pipeline: pipeline)
    }
  }
}

extension KernelPicture {
  /// The film's frame under a ramp of alpha, made soft by windows that weigh colors by alpha: blur, below it bilateral.
  static let alphaWeights = inVariants("alpha-weights", [PipelineKind.render, .compute]) { device, pipeline in
    let frame = FilterGoldenDeviceTests.frame(for: "premultiply")
    var (blur, bilateral) = (ImageGaussianBlur(), ImageBilateralFilter())
    (blur.alphaMode, bilateral.alphaMode) = (.weighted, .weighted)
    return try .stacked(
      [blur.encode, bilateral.encode].map { encode in
        try device.picture(frame.descriptor) { encode($0, try $0.texture(frame), $1, pipeline) }
      })
  }
}

extension KernelPicture {
  /// The film's frame under a ramp of alpha, wider and lower: by Lanczos' filter, below it by the bicubic one.
  static let resampled = inVariants("resampled", [PipelineKind.render, .compute]) { device, pipeline in
    let frame = FilterGoldenDeviceTests.frame(for: "premultiply")
    let made = ImageDescriptor(
      size: Size(frame.size.width * 3 / 2, frame.size.height / 2), channels: .rgba, depth: .bits8)
    return try .stacked(
      [ImageResize.Mode.lanczos, .bicubic].map { mode in
        try device.picture(made) { buffer, target in
          try ImageResize(device: device, mode: mode).encode(
            to: buffer, source: try buffer.texture(frame), destination: target, pipeline: pipeline)
        }
      })
  }
}

extension KernelPicture {
  /// The film's frame inverted by a mask that is a ramp, below it for the greater part in a region.
  static let mixtures = inVariants("mixture", [PipelineKind.render, .compute]) { device, pipeline in
    let frame = ConformanceFrame.image
    let mask = SyntheticImage.ramp.image(frame.size, channels: .rgb, depth: .bits8)
    return try .stacked(
      ["invert=mask=MASK.png", "invert=region=30x20+9+6:opacity=0.7"].map { text in
        let call = try #require(FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions).first)
        let stage = try FilterCatalogue.entry(call).make(call, device, pipeline)
        return try device.picture(frame.descriptor) { buffer, target in
          let input = StageInput.pictures([], mask: TiledTexture(try buffer.texture(mask)))
          stage.encode(
            to: buffer, source: TiledTexture(try buffer.texture(frame)), input: input,
            destination: TiledTexture(target))
        }
      })
  }
}

extension KernelPicture {
  /// A colorful picture by a cube of 3, and below it by one of a narrower domain; the golden of the filter `lut` is by
  /// a table of one dimension.
  static let cubes = inVariants("color-cube", [PipelineKind.render, .compute]) { device, pipeline in
    try .stacked([(0.0, 1.0), (0.25, 0.75)].map { try looked(device, domain: $0, pipeline) })
  }

  private static func looked(_ device: Device, domain: (Double, Double), _ pipeline: PipelineKind) throws -> Image {
    let steps = [0.0, 0.5, 1.0]
    // A negative of red, green among all three, blue darkened.
    let samples = steps.flatMap { blue in
      steps.flatMap { green in steps.flatMap { red in [1 - red, (red + 2 * green + blue) / 4, blue * blue] } }
    }
    let cube = ColorCube(
      size: 3, samples: samples, domainMin: SIMD3(repeating: domain.0), domainMax: SIMD3(repeating: domain.1))
    return try device.picture(colorful.descriptor) { buffer, target in
      ImageColorCube(device: device, cube: cube)
        .encode(to: buffer, source: try buffer.texture(colorful), destination: target, pipeline: pipeline)
    }
  }
}

extension KernelPicture {
  /// Both directions alone: on the way there and back, which the filter `ycbcr` takes, faults of both could cancel out.
  static let conversions = [
    KernelPicture("rgb-to-ycbcr") {
      try planes($0, .yCbCr420BiPlanar8, ColorDescription(matrix: .bt601, range: .full, siting: .topLeft))
    },
    KernelPicture("rgb-to-ycbcr-10-bits") {
      try planes($0, .yCbCr422Planar10, ColorDescription(matrix: .bt709, range: .limited, siting: .left))
    },
    KernelPicture("ycbcr-to-rgb") {
      try picture($0, .yCbCr420Planar8, ColorDescription(matrix: .bt709, range: .limited, siting: .center))
    },
    KernelPicture("ycbcr-to-rgb-10-bits") {
      try picture($0, .yCbCr422BiPlanar10, ColorDescription(matrix: .bt2020, range: .full, siting: .left))
    },
    KernelPicture("ycbcr-to-rgb-alpha") {
      try picture(
        $0, .yCbCr444BiPlanar8, ColorDescription(matrix: .bt601, range: .full),
        alpha: FilterGoldenDeviceTests.frame(for: "premultiply"))
    },
  ]

  /// The planes of a colorful picture, one below the other: luma; Cb and Cr side by side where they have half the
  /// columns.
  private static func planes(_ device: Device, _ layout: PixelLayout, _ color: ColorDescription) throws -> Image {
    let frame = colorful
    let isDeep = layout.depth == .bits16
    let planes = try layout.planeFormats.enumerated().map {
      try device.makeTexture(layout.planeSize($0, of: frame.size), $1)
    }
    let readbacks = try device.run { buffer in
      // Times 257: 0 to 65535.
      let source = try buffer.texture(
        frame.size, isDeep ? .rgba16Uint : .rgba8Unorm, isDeep ? frame.bytes.flatMap { [$0, $0] } : frame.bytes)
      try ImageRGBToYCbCr(device: device, layout: layout, color: color)
        .encode(to: buffer, source: source, planes: planes)
      return planes.map { plane in buffer.blit { $0.read(plane) } }
    }
    let samples = try readbacks.map { try layout.depth.words($0.contents()) }
    let chroma: [[Int]] =
      samples.count == 3
      ? Array(samples[1...])
      : (0..<2).map { channel in stride(from: channel, to: samples[1].count, by: 2).map { samples[1][$0] } }
    let width = layout.planeSize(1, of: frame.size).width
    let rows = stride(from: 0, to: chroma[0].count, by: width).flatMap { row in
      chroma.flatMap { $0[row..<row + width] }
    }
    // Ten bits fill the picture's words from above, so that they can be seen.
    let shift = try layout.depth.rawValue - layout.bits - #require(layout.yCbCr).shift
    let all = (samples[0] + rows).map { $0 << shift }
    return Image(
      size: Size(frame.size.width, all.count / frame.size.width), channels: .gray, depth: layout.depth,
      bytes: layout.depth.bytes(all))
  }

  /// The frame's green as luma, with Cb rising from left to right and Cr from top to bottom.
  private static func picture(
    _ device: Device, _ layout: PixelLayout, _ color: ColorDescription, alpha: Image? = nil
  ) throws -> Image {
    let frame = ConformanceFrame.image
    let picture = ImageDescriptor(size: frame.size, channels: alpha == nil ? .rgb : .rgba, depth: layout.depth)
    return try device.picture(picture) { buffer, target in
      let planes = try samples(layout, frame).enumerated().map { index, values in
        try buffer.texture(
          layout.planeSize(index, of: frame.size), layout.planeFormats[index], layout.depth.bytes(values))
      }
      try ImageYCbCrToRGB(device: device, layout: layout, color: color)
        .encode(to: buffer, planes: planes, alpha: alpha.map(buffer.texture), destination: target)
    }
  }

  private static func samples(_ layout: PixelLayout, _ frame: Image) throws -> [[Int]] {
    let yCbCr = try #require(layout.yCbCr)
    let shift = layout.bits - 8 + yCbCr.shift
    let size = layout.planeSize(1, of: frame.size)
    let places = (0..<size.area).map { (x: $0 % size.width, y: $0 / size.width) }
    let blue = places.map { (16 + $0.x * 224 / (size.width - 1)) << shift }
    let red = places.map { (16 + $0.y * 224 / (size.height - 1)) << shift }
    let luma = stride(from: 1, to: frame.bytes.count, by: 4).map { Int(frame.bytes[$0]) << shift }
    return yCbCr.isBiPlanar ? [luma, zip(blue, red).flatMap { [$0, $1] }] : [luma, blue, red]
  }
}

extension SampleDepth {
  /// Samples as numbers, from bytes in the order of the machine.
  fileprivate func words(_ bytes: [UInt8]) -> [Int] {
    self == .bits8 ? bytes.map(Int.init) : bytes.words(UInt16.self).map(Int.init)
  }

  /// Numbers as samples, in bytes in the order of the machine.
  fileprivate func bytes(_ words: [Int]) -> [UInt8] {
    self == .bits8 ? words.map { UInt8($0) } : words.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
  }
}

extension KernelPicture {
  /// The film's frame rendered into a checkerboard of 128 × 96 pixels.
  static let renderings = [
    ("renderer-orientations", orientations), ("renderer-filters", filters), ("renderer-source-over", blends),
  ].flatMap { name, layers in inVariants(name, [PipelineKind.render, .compute]) { try rendered($0, $1, layers) } }

  private struct Layer {
    var bounds: Region
    var orientation = Orientation.up
    var filter = ImageRenderer.Filter.linear
    var blend = ImageRenderer.Blend.copy
    /// Whether the picture has the ramp of alpha, or is gray.
    var hasAlpha = false
    var isGray = false
  }

  /// All eight, four in a row; those that exchange the axes are as high as the others are wide.
  private static let orientations = Orientation.allCases.enumerated().map { number, orientation in
    let size = orientation.uprightSize(of: Size(30, 20))
    return Layer(bounds: Region(x: number % 4 * 32 + 1, y: number / 4 * 48 + 4, size: size), orientation: orientation)
  }

  /// Each filter in a row: larger by no whole number, as it is, smaller, and over the edge.
  private static let filters = ImageRenderer.Filter.allCases.enumerated().flatMap { number, filter in
    [
      Region(x: -9, y: 0, width: 61, height: 31), Region(x: 53, y: 0, width: 24, height: 32),
      Region(x: 78, y: 4, width: 17, height: 11), Region(x: 96, y: -5, width: 48, height: 43),
    ].map { bounds in Layer(bounds: bounds.translated(x: 0, y: 32 * number), filter: filter) }
  }

  /// Over all of it, over that, and gray over that, all partly outside.
  private static let blends = [
    Layer(bounds: Region(x: -10, y: -7, width: 120, height: 80), blend: .sourceOver, hasAlpha: true),
    Layer(
      bounds: Region(x: 60, y: 30, width: 80, height: 70), orientation: .right, filter: .area, blend: .sourceOver,
      hasAlpha: true),
    Layer(bounds: Region(x: 20, y: 70, width: 50, height: 40), filter: .nearest, blend: .sourceOver, isGray: true),
  ]

  private static func rendered(_ device: Device, _ pipeline: PipelineKind, _ layers: [Layer]) throws -> Image {
    let renderer = ImageRenderer()
    return try device.picture(checkerboard.descriptor) { buffer, target in
      buffer.blit { $0.copy(from: checkerboard, to: target) }
      for layer in layers {
        let picture = layer.isGray ? gray : FilterGoldenDeviceTests.frame(for: layer.hasAlpha ? "premultiply" : "")
        try renderer.render(
          buffer.texture(picture), to: target, commandBuffer: buffer, bounds: layer.bounds,
          orientation: layer.orientation, filter: layer.filter, blend: layer.blend, pipeline: pipeline)
      }
    }
  }

  /// Fields of 8 × 8: an opaque gray, and a blue that lets half of what is behind it through.
  private static let checkerboard: Image = {
    let size = Size(128, 96)
    let bytes: [UInt8] = (0..<size.area).flatMap { pixel -> [UInt8] in
      (pixel % size.width / 8 + pixel / size.width / 8) % 2 == 0 ? [160, 160, 160, 255] : [40, 60, 200, 128]
    }
    return Image(size: size, channels: .rgba, depth: .bits8, bytes: bytes)
  }()

  /// The frame's green.
  private static let gray: Image = {
    let frame = ConformanceFrame.image
    return Image(
      size: frame.size, channels: .gray, depth: .bits8,
      bytes: stride(from: 1, to: frame.bytes.count, by: 4).map { frame.bytes[$0] })
  }()
}
