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

  /// What straight alpha makes of every pixel, by the formula; quotients are rounded, halves upward.
  private static func over(_ front: [Int], _ back: [Int], _ maximum: Int) -> [Int] {
    func rounded(_ value: Int, _ divisor: Int) -> Int { (2 * value + divisor) / (2 * divisor) }
    return stride(from: 0, to: front.count, by: 4).flatMap { pixel -> [Int] in
      let share = rounded(back[pixel + 3] * (maximum - front[pixel + 3]), maximum)
      let alpha = front[pixel + 3] + share
      if alpha == 0 { return Array(back[pixel..<pixel + 4]) }
      return (pixel..<pixel + 3).map { rounded(front[pixel + 3] * front[$0] + share * back[$0], alpha) } + [alpha]
    }
  }

  private static let known = KnownBytes()

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func everyAlphaOverEveryOther(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let rendering = RenderingCase(
      source: Self.alphas(format, isBackdrop: false), bounds: Region(x: 0, y: 0, width: 256, height: 256),
      blend: .sourceOver)
    let backdrop = Self.alphas(format, isBackdrop: true)
    let readback = try batch.render([rendering], over: backdrop, format)
    batch.expect(readback, format, "alphas of \(format)", knownAs: Self.known) {
      Self.over(rendering.source.samples, backdrop.samples, format.maximum)
    }
    try batch.check()
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
    let readbacks = try [KernelForm.automatic, .render].flatMap { form in
      try [layers, layers.reversed()].map {
        try batch.render($0, over: start, formats.0, with: renderer, form: form)
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
    let readbacks = try batches.map { batch in
      try batch.render(layers, over: Picture(Size(64, 48), .rgba8Unorm), .rgba8Unorm, with: renderer)
    }
    // All are on their way before the first is awaited.
    for batch in batches { batch.buffer.commit() }
    for batch in batches { try batch.buffer.waitUntilCompleted() }
    #expect(try Set(readbacks.map { try $0.contents() }).count == 1)
  }
}
