import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageColorCubeDeviceTests {
  private static let formats = Picture.allFormats.filter { $0.samplesPerPixel == 4 }

  /// Cubes of noise: one cell, one that fills more than a row of the texture, the largest of the usual and an odd one.
  private static let sizes = [2, 13, 33]

  private static func cube(_ size: Int, domain: (SIMD3<Double>, SIMD3<Double>)? = nil) -> ColorCube {
    let noise = Picture(Size(size * size, size), .rgba16Uint).samples
    let samples = noise.indices.filter { $0 % 4 < 3 }.map { Double(noise[$0]) / 65535 }
    guard let domain else { return ColorCube(size: size, samples: samples) }
    return ColorCube(size: size, samples: samples, domainMin: domain.0, domainMax: domain.1)
  }

  private static let domain = (SIMD3(0.1, 0, -0.25), SIMD3(0.9, 1.5, 1))

  @Test(arguments: TestDevice.all, formats)
  func everyCubeAndSize(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    for cube in Self.sizes.map({ Self.cube($0) }) + [Self.cube(5, domain: Self.domain)] {
      for size in Picture.sizes {
        try check(cube, Picture(size, format), batch)
      }
    }
    try batch.check()
  }

  /// Corners, edges, faces and diagonals, where parts are equal or 0, and every corner of the largest cube there is.
  @Test(arguments: TestDevice.all) func tiesAndTheLargestCube(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let values = [0, 1, 127, 128, 254, 255]
    var samples: [Int] = []
    for red in values { for green in values { for blue in values { samples += [red, green, blue, 77] } } }
    for cube in [Self.cube(2), Self.cube(129)] {
      try check(cube, Picture(Size(36, 6), .rgba8Unorm, samples: samples), batch)
    }
    try batch.check(againstTwins: false)
  }

  /// The cube that has every color for itself leaves every sample as it is, if its entries are whole samples of 16
  /// bits.
  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func identityStays(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(Size(65, 63), format)
    for size in format.bytesPerSample == 1 ? [2, 17, 33, 52] : [2, 18, 52] {
      let axis = (0..<size).map { Double($0) / Double(size - 1) }
      let samples = axis.flatMap { blue in axis.flatMap { green in axis.flatMap { red in [red, green, blue] } } }
      try check(ColorCube(size: size, samples: samples), picture, batch) { picture.samples }
    }
    try batch.check(againstTwins: false)
  }

  private func check(_ cube: ColorCube, _ picture: Picture, _ batch: Batch, _ expected: (() -> [Int])? = nil) throws {
    let kernel = ImageColorCube(device: batch.device, cube: cube)
    let source = try batch.source(picture)
    for form in batch.forms(picture.format) {
      let readback = try batch.result(like: source) {
        kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
      }
      batch.expect(
        readback, picture.format, "\(picture), cube of \(cube.size)",
        expected ?? { Self.expected(picture, cube) })
    }
  }

  // MARK: Expectations

  private static func expected(_ picture: Picture, _ cube: ColorCube) -> [Int] {
    let hasDomain = cube.domainMin != SIMD3(repeating: 0)
    let maximum = picture.format.maximum
    let scale = maximum == 65535 ? 65535 : hasDomain ? 65280 : 255
    func position(_ value: Int, _ channel: Int) -> Int {
      guard hasDomain else { return value }
      let (least, greatest) = (cube.domainMin[channel], cube.domainMax[channel])
      let place = (Double(value) / Double(maximum) - least) / (greatest - least)
      return Int(max(0, min(1, place)) * Double(scale) + 0.5)
    }
    var result = picture.samples
    for pixel in stride(from: 0, to: result.count, by: 4) {
      let places = (0..<3).map { position(result[pixel + $0], $0) * (cube.size - 1) }
      let weights = corners(places.map { $0 % scale }, scale)
      for channel in 0..<3 {
        var sum = 0
        for (corner, weight) in weights where weight > 0 {
          let entry = zip(places, corner).map { $0 / scale + $1 }
          sum += weight * Int(cube.entries[3 * (entry[0] + cube.size * (entry[1] + cube.size * entry[2])) + channel])
        }
        let divisor = scale * 65535 / maximum
        result[pixel + channel] = (2 * sum + divisor) / (2 * divisor)
      }
    }
    return result
  }

  /// The corners of a cell and their weights, by the six cases of tetrahedral interpolation.
  private static func corners(_ f: [Int], _ one: Int) -> [([Int], Int)] {
    let (r, g, b) = (f[0], f[1], f[2])
    if r >= g {
      if g >= b { return [([0, 0, 0], one - r), ([1, 0, 0], r - g), ([1, 1, 0], g - b), ([1, 1, 1], b)] }
      if r >= b { return [([0, 0, 0], one - r), ([1, 0, 0], r - b), ([1, 0, 1], b - g), ([1, 1, 1], g)] }
      return [([0, 0, 0], one - b), ([0, 0, 1], b - r), ([1, 0, 1], r - g), ([1, 1, 1], g)]
    }
    if b >= g { return [([0, 0, 0], one - b), ([0, 0, 1], b - g), ([0, 1, 1], g - r), ([1, 1, 1], r)] }
    if b >= r { return [([0, 0, 0], one - g), ([0, 1, 0], g - b), ([0, 1, 1], b - r), ([1, 1, 1], r)] }
    return [([0, 0, 0], one - g), ([0, 1, 0], g - r), ([1, 1, 0], r - b), ([1, 1, 1], b)]
  }
}
