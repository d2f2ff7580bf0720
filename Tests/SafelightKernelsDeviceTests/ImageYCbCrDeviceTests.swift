import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageYCbCrDeviceTests {
  static let layouts = PixelLayout.allCases.filter(\.isYCbCr)

  /// A few descriptions for each layout; together all of them, several times.
  private static func colors(
    _ layout: PixelLayout, _ sitings: [ChromaSiting] = [.left, .center, .topLeft]
  ) -> [ColorDescription] {
    var all: [ColorDescription] = []
    for matrix in [ColorMatrix.bt601, .bt709, .bt2020] {
      for range in [ColorRange.full, .limited] {
        for siting in sitings {
          all.append(ColorDescription(matrix: matrix, range: range, siting: siting))
        }
      }
    }
    let number = layouts.firstIndex(of: layout) ?? 0
    return all.enumerated().filter { ($0.offset + number) % 4 == 0 }.map(\.element)
  }

  private static let sizes = [Size(1, 1), Size(1, 9), Size(17, 31), Size(64, 5)]

  private static func noise(_ layout: PixelLayout, _ size: Size) -> [[Int]] {
    layout.planeFormats.enumerated().map { index, format in
      // Every plane another one.
      let wide = Size(layout.planeSize(index, of: size).width, layout.planeSize(index, of: size).height + index)
      let samples = NoisePixels(wide, format).samples.dropFirst(index * wide.width * format.samplesPerPixel)
      let mask = layout.yCbCr?.isBiPlanar == true ? layout.bits == 10 ? ~63 : ~0 : (1 << layout.bits) - 1
      return samples.map { $0 & mask }
    }
  }

  private static func texture(_ samples: [Int], _ size: Size, _ format: PixelFormat, _ batch: Batch) throws -> Texture {
    let texture = try batch.device.makeTexture(size, format)
    batch.blit { $0.write(format.bytes(samples), to: texture) }
    return texture
  }

  @Test(arguments: TestDevice.all, layouts)
  func planesBecomePictures(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    let format: PixelFormat = layout.bits == 8 ? .rgba8Unorm : .rgba16Uint
    let yCbCr = try #require(layout.yCbCr)
    var results: [(ColorDescription, Size, Readback)] = []
    for size in Self.sizes {
      let planes = try Self.noise(layout, size).enumerated().map { index, samples in
        try Self.texture(samples, layout.planeSize(index, of: size), layout.planeFormats[index], batch)
      }
      for color in Self.colors(layout, ChromaSiting.allCases.filter { ![.unspecified, .other].contains($0) }) {
        let target = try batch.device.makeTexture(size, format)
        try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
          .encode(to: batch.buffer, planes: planes, destination: target)
        results.append((color, size, batch.blit { $0.read(target) }))
      }
    }
    try batch.run()
    for (color, size, readback) in results {
      expectEqual(
        format.samples(try readback.contents()),
        ExpectedYCbCr(layout: yCbCr, color: color).picture(Self.noise(layout, size), size),
        "\(layout) \(color) \(size)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Samples of ten and twelve bits lie on the right of words whose upper bits nobody promises to be clear.
  @Test(arguments: TestDevice.all, layouts.filter { [10, 12].contains($0.bits) && $0.yCbCr?.isBiPlanar == false })
  func wordsAboveTheLargestSampleCountAsIt(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    let (size, color) = (Size(65, 9), ColorDescription(matrix: .bt709, range: .limited))
    let largest = (1 << layout.bits) - 1
    let words = layout.planeFormats.enumerated().map { index, format in
      NoisePixels(layout.planeSize(index, of: size), format).samples.enumerated().map { place, word in
        place % 2 == 0 ? word & largest : place % 5 == 1 ? 4 * largest + 3 : word
      }
    }
    let planes = try words.enumerated().map { index, samples in
      try Self.texture(samples, layout.planeSize(index, of: size), layout.planeFormats[index], batch)
    }
    let target = try batch.device.makeTexture(size, .rgba16Uint)
    try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
      .encode(to: batch.buffer, planes: planes, destination: target)
    let readback = batch.blit { $0.read(target) }
    try batch.run()
    expectEqual(
      PixelFormat.rgba16Uint.samples(try readback.contents()),
      ExpectedYCbCr(layout: try #require(layout.yCbCr), color: color)
        .picture(words.map { $0.map { min($0, largest) } }, size), "\(layout)")
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, layouts)
  func picturesBecomePlanes(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    let format: PixelFormat = layout.bits == 8 ? .rgba8Unorm : .rgba16Uint
    let yCbCr = try #require(layout.yCbCr)
    var results: [(ColorDescription, NoisePixels, [Readback])] = []
    for pixels in Self.sizes.map({ NoisePixels($0, format) }) {
      let source = try batch.source(pixels)
      for color in Self.colors(layout) {
        let planes = try layout.planeFormats.enumerated().map { index, format in
          try batch.device.makeTexture(layout.planeSize(index, of: pixels.size), format)
        }
        try ImageRGBToYCbCr(device: batch.device, layout: layout, color: color)
          .encode(to: batch.buffer, source: source, planes: planes)
        results.append((color, pixels, planes.map { plane in batch.blit { $0.read(plane) } }))
      }
    }
    try batch.run()
    for (color, pixels, readbacks) in results {
      let expected = ExpectedYCbCr(layout: yCbCr, color: color).planes(pixels.samples, pixels.size)
      for (index, readback) in readbacks.enumerated() {
        expectEqual(
          layout.planeFormats[index].samples(try readback.contents()), expected[index],
          "\(layout) \(color) \(pixels), plane \(index)")
      }
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// All greys of 8 bits, and black and white of every layout, come back from the full range as they were.
  @Test(arguments: TestDevice.all, layouts)
  func greysStayGreys(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    let format: PixelFormat = layout.bits == 8 ? .rgba8Unorm : .rgba16Uint
    let values = layout.bits == 16 ? [0, 1, 7, 32767, 65534, 65535] : Array(0...255).map { $0 * format.maximum / 255 }
    let samples = values.flatMap { value in Array(repeating: [value, value, value, format.maximum], count: 4).joined() }
    let size = Size(4, values.count)
    let source = try Self.texture(samples, size, format, batch)
    var results: [Readback] = []
    for matrix in [ColorMatrix.bt601, .bt709, .bt2020] {
      let color = ColorDescription(matrix: matrix, range: .full, siting: .topLeft)
      let layout = layout
      let planes = try layout.planeFormats.enumerated().map { index, format in
        try batch.device.makeTexture(layout.planeSize(index, of: size), format)
      }
      let target = try batch.device.makeTexture(size, format)
      try ImageRGBToYCbCr(device: batch.device, layout: layout, color: color)
        .encode(to: batch.buffer, source: source, planes: planes)
      try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
        .encode(to: batch.buffer, planes: planes, destination: target)
      results.append(batch.blit { $0.read(target) })
    }
    try batch.run()
    for readback in results {
      let made = format.samples(try readback.contents())
      for pixel in stride(from: 0, to: made.count, by: 4) {
        #expect(made[pixel] == made[pixel + 1] && made[pixel] == made[pixel + 2])
        // Ten bits round to one of 1024 steps, twelve to one of 4096.
        #expect(abs(made[pixel] - samples[pixel]) <= ([10: 32, 12: 8][layout.bits] ?? 0))
        if [0, format.maximum].contains(samples[pixel]) { #expect(made[pixel] == samples[pixel]) }
      }
    }
  }

  /// Normalised words, one channel, alpha from a picture, blue first.
  @Test(arguments: TestDevice.all) func otherFormatsHoldTheSameSamples(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let color = ColorDescription(matrix: .bt709, range: .limited)
    let size = Size(17, 9)
    var results: [(Readback, [Int], PixelFormat)] = []
    for (layout, normalized, target, gray) in [
      (
        PixelLayout.yCbCr420BiPlanar16, [PixelFormat.r16Unorm, .rg16Unorm], PixelFormat.rgba16Unorm, PixelFormat.r16Uint
      ),
      (.yCbCr422Planar8, [.r8Unorm, .r8Unorm, .r8Unorm], .bgra8Unorm, .r8Unorm),
    ] {
      guard batch.has(target) else { continue }
      let expected = ExpectedYCbCr(layout: try #require(layout.yCbCr), color: color)
      let noise = Self.noise(layout, size)
      let planes = try noise.enumerated().map { index, samples in
        try Self.texture(samples, layout.planeSize(index, of: size), normalized[index], batch)
      }
      let picture = NoisePixels(size, target)
      let alpha = try batch.source(picture)
      let kernel = try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
      var made = expected.picture(noise, size)
      for (format, alpha) in [(target, Optional(alpha)), (gray, nil)] {
        let texture = try batch.device.makeTexture(size, format)
        kernel.encode(to: batch.buffer, planes: planes, alpha: alpha, destination: texture)
        for pixel in stride(from: 3, to: made.count, by: 4) { made[pixel] = picture.samples[pixel] }
        let samples = format == gray ? stride(from: 0, to: made.count, by: 4).map { made[$0] } : made
        results.append((batch.blit { $0.read(texture) }, samples, format))
      }
      let back = try ImageRGBToYCbCr(device: batch.device, layout: layout, color: color)
      for source in [alpha, try batch.source(NoisePixels(size, gray))] {
        let planes = try normalized.enumerated().map { index, format in
          try batch.device.makeTexture(layout.planeSize(index, of: size), format)
        }
        back.encode(to: batch.buffer, source: source, planes: planes)
        let colors =
          source === alpha ? picture.samples : NoisePixels(size, gray).samples.flatMap { [$0, $0, $0, 0] }
        for (index, samples) in expected.planes(colors, size).enumerated() {
          results.append((batch.blit { $0.read(planes[index]) }, samples, normalized[index]))
        }
      }
    }
    try batch.run()
    for (number, (readback, samples, format)) in results.enumerated() {
      expectEqual(
        NoisePixels.ordered(format.samples(try readback.contents()), format), samples, "\(number) \(format.rawValue)")
    }
    #expect(results.isEmpty ? true : try batch.readbacksUnlikeTwins() == 0)
  }
}
