import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageRendererBlendDeviceTests {
  /// Every alpha of 8 bits, and as many of 16, along the rows of a source or the columns of a backdrop; their colors
  /// differ.
  private static func alphas(_ format: PixelFormat, isBackdrop: Bool) -> Picture {
    let noise = Picture(Size(256, 256), format).samples
    var samples = isBackdrop ? noise.reversed() : noise
    for place in 0..<256 * 256 {
      let alpha = isBackdrop ? place / 256 : place % 256
      // The ends of the range and what lies between them, in 16 bits.
      samples[4 * place + 3] = format.maximum == 255 ? alpha : min(65535, alpha < 8 ? alpha : alpha * 257)
      if place % 3 == 0 { samples[4 * place] = isBackdrop ? format.maximum : 0 }
      if place % 5 == 0 { samples[4 * place + 1] = isBackdrop ? 0 : format.maximum }
    }
    return Picture(Size(256, 256), format, samples: samples, "alphas \(format)")
  }

  private static let known = KnownBytes()

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func everyAlphaOverEveryOther(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let (source, backdrop) = (Self.alphas(format, isBackdrop: false), Self.alphas(format, isBackdrop: true))
    let rendering = RenderingCase(source: source, bounds: Region(size: source.size), blend: .sourceOver)
    try batch.render([rendering], over: backdrop, format, with: ImageRenderer(), knownAs: Self.known)
    try batch.check()
  }

  /// The rule itself, against the formula in real numbers: premultiplied, no sample is off by more than one.
  @Test(arguments: [PixelFormat.rgba8Unorm, .rgba16Uint])
  func theRuleIsSourceOver(_ format: PixelFormat) throws {
    let (source, backdrop) = (Self.alphas(format, isBackdrop: false), Self.alphas(format, isBackdrop: true))
    var raster = Raster(backdrop)
    raster.paint(Raster(source), x: 0, y: 0, .sourceOver)
    let (found, front, back) = (raster.samples, source.samples, backdrop.samples)
    let maximum = Double(format.maximum)
    var worst = 0.0
    for pixel in stride(from: 0, to: found.count, by: 4) {
      let alpha = Double(front[pixel + 3])
      let rest = Double(back[pixel + 3]) * (maximum - alpha) / maximum
      worst = max(worst, abs(Double(found[pixel + 3]) - alpha - rest))
      for channel in pixel..<pixel + 3 {
        let exact = (alpha * Double(front[channel]) + rest * Double(back[channel])) / maximum
        worst = max(worst, abs(Double(found[pixel + 3] * found[channel]) / maximum - exact))
      }
    }
    #expect(worst > 0 && worst <= 1, "\(format): off by \(worst)")
  }

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func transparentPixelsLeaveEveryBitAndOpaqueOnesReplaceIt(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let noise = Picture(Size(33, 17), format)
    let start = Picture(Size(40, 20), format)
    let renderer = ImageRenderer()
    func rendered(_ alpha: Int, _ blend: ImageRenderer.Blend) throws -> Readback {
      let source = Picture(noise.size, format, samples: noise.mapping(3..<4) { _, _ in alpha }, "alpha \(alpha)")
      let rendering = RenderingCase(source: source, bounds: Region(x: 2, y: 3, size: noise.size), blend: blend)
      return try batch.render([rendering], over: start, format, with: renderer)
    }
    let transparent = try rendered(0, .sourceOver)
    let copied = try rendered(format.maximum, .copy)
    let blended = try rendered(format.maximum, .sourceOver)
    batch.expect(transparent, format, "transparent") { start.samples }
    try batch.check()
    #expect(try blended.contents() == copied.contents())
    #expect(try copied.contents() != transparent.contents())
  }

  /// Layers of different sizes, kinds and turns, one over the other; the last ones show that order counts.
  private static func layers(_ format: PixelFormat, _ gray: PixelFormat) -> [RenderingCase] {
    let picture = Picture(Size(50, 30), format)
    return [
      RenderingCase(source: picture, bounds: Region(x: 0, y: 0, width: 64, height: 48), filter: .linear),
      RenderingCase(
        source: picture, bounds: Region(x: 30, y: -8, width: 20, height: 33), orientation: .right, filter: .area,
        blend: .sourceOver),
      RenderingCase(
        source: Picture(.ramp, Size(9, 9), gray), bounds: Region(x: 5, y: 20, width: 18, height: 7), filter: .linear,
        blend: .sourceOver),
      RenderingCase(
        source: Picture(.checker, Size(20, 12), format), bounds: Region(x: 10, y: 10, width: 60, height: 60),
        orientation: .downMirrored, filter: .nearest, blend: .sourceOver),
      RenderingCase(
        source: picture, bounds: Region(x: 12, y: 22, width: 50, height: 30), blend: .sourceOver),
    ]
  }

  @Test(arguments: TestDevice.all, [(PixelFormat.rgba8Unorm, PixelFormat.r8Unorm), (.rgba16Uint, .r16Uint)])
  func manyPicturesInOneCommandBuffer(_ test: TestDevice, _ formats: (PixelFormat, PixelFormat)) throws {
    let batch = try Batch(test)
    let renderer = ImageRenderer()
    let start = Picture(Size(64, 48), formats.0)
    let layers = Self.layers(formats.0, formats.1)
    let readbacks = try [PipelineKind.automatic, .render].flatMap { pipeline in
      try [layers, layers.reversed()].map {
        try batch.render($0, over: start, formats.0, with: renderer, pipeline: pipeline)
      }
    }
    try batch.check()
    #expect(try readbacks[0].contents() != readbacks[1].contents())
  }

  @Test(arguments: TestDevice.all)
  func oneRendererServesTwoDevices(_ test: TestDevice) throws {
    let renderer = ImageRenderer()
    let layers = Self.layers(.rgba8Unorm, .r8Unorm)
    let batches = try [Batch(test), Batch(on: test.openAnother(), label: "the other"), Batch(test)]
    for batch in batches {
      try batch.render(layers, over: Picture(Size(64, 48), .rgba8Unorm), .rgba8Unorm, with: renderer)
    }
    // All are on their way before the first is awaited.
    for batch in batches { batch.buffer.commit() }
    for batch in batches { try batch.checkCommitted() }
  }
}
