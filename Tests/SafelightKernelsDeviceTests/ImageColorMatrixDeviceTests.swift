import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageColorMatrixDeviceTests {
  /// Rows and what they are in 65536ths and samples, by hand; biases of 16 bits last.
  private struct Case {
    var vectors: ColorVectors
    var rows: [[Int]]
    var bias8 = [0, 0, 0]
    var bias16 = [0, 0, 0]
  }

  private static let cases = [
    Case(
      vectors: ColorVectors(
        red: SIMD3(0.25, -1.5, 2), green: SIMD3(16, -15.5, 0), blue: SIMD3(-1, -1.0 / 3, 0.1),
        bias: SIMD3(0, 0.1, 1)),
      // The last row's sum is −80828, its coefficients rounded make −80827: the largest takes the rest.
      rows: [[16384, -98304, 131072], [1_048_576, -1_015_808, 0], [-65537, -21845, 6554]],
      bias8: [0, 26, 255], bias16: [0, 6554, 65535]),
    // The farthest that sums can go, and back.
    Case(
      vectors: ColorVectors(
        red: SIMD3(16, 16, 16), green: SIMD3(-16, -16, -16), blue: SIMD3(16, 16, -16), bias: SIMD3(-16, 16, -16)),
      rows: [
        [1_048_576, 1_048_576, 1_048_576], [-1_048_576, -1_048_576, -1_048_576], [1_048_576, 1_048_576, -1_048_576],
      ], bias8: [-4080, 4080, -4080], bias16: [-1_048_560, 1_048_560, -1_048_560]),
  ]

  @Test(arguments: TestDevice.all, NoisePixels.formats.filter { $0.samplesPerPixel > 1 })
  func everySampleIsTheRoundedSum(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    var results: [(NoisePixels, Int, Readback)] = []
    for (number, matrix) in Self.cases.enumerated() {
      let kernel = ImageColorMatrix(device: batch.device, vectors: matrix.vectors)
      for pixels in NoisePixels.sizes.map({ NoisePixels($0, format) }) {
        let source = try batch.source(pixels)
        for form in batch.forms(format) {
          let readback = try batch.result(like: source) {
            kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
          }
          results.append((pixels, number, readback))
        }
      }
    }
    try batch.run()
    for (pixels, number, readback) in results {
      expectEqual(
        try pixels.samples(readback), Self.expected(pixels, Self.cases[number]), "\(pixels), matrix \(number)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Rows that leave greys grey act as one.
  @Test(arguments: TestDevice.all, NoisePixels.formats.filter { $0.samplesPerPixel == 1 })
  func graysGoThroughTheSum(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    let vectors = ColorVectors(
      red: SIMD3(0.5, 0.25, 0.5), green: SIMD3(0, 1.25, 0), blue: SIMD3(2, -0.75, 0), bias: SIMD3(repeating: -0.2))
    let kernel = ImageColorMatrix(device: batch.device, vectors: vectors)
    #expect(kernel.keepsGrays)
    let pixels = NoisePixels(Size(65, 63), format)
    let source = try batch.source(pixels)
    let readback = try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0) }
    try batch.run()
    let bias = format.maximum == 255 ? 51 : 13107
    let expected = pixels.samples.map { min(max(($0 * 81920 + 32768) / 65536 - bias, 0), format.maximum) }
    expectEqual(try pixels.samples(readback), expected, "\(pixels)")
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Where the sum of a row is 1, every grey stays, whatever rounding made of its coefficients.
  @Test(arguments: TestDevice.all) func graysStay(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let source = try batch.device.makeTexture(Size(256, 256), .rgba16Uint)
    let samples = (0..<65536).flatMap { [$0, $0, $0, $0 ^ 0xff] }
    batch.blit { $0.write(PixelFormat.rgba16Uint.bytes(samples), to: source) }
    let all = [
      ColorVectors(hueTurnedBy: 77, weights: .bt2020), ColorVectors(grayOf: .average), .identity,
      ColorVectors(red: SIMD3(1.0 / 3, 1.0 / 3, 1.0 / 3), green: SIMD3(-2.1, 3.3, -0.2), blue: SIMD3(1, 15.7, -15.7)),
    ]
    let readbacks = try all.map { vectors in
      try batch.result(like: source) {
        ImageColorMatrix(device: batch.device, vectors: vectors)
          .encode(to: batch.buffer, source: source, destination: $0)
      }
    }
    try batch.run()
    for readback in readbacks {
      expectEqual(PixelFormat.rgba16Uint.samples(try readback.contents()), samples, "greys")
    }
  }

  @Test func aPictureOfOneChannelHoldsNoColour() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let gray = try device.makeTexture(Size(2, 2), .r8Unorm)
      ImageColorMatrix(device: device, vectors: ColorVectors(gains: SIMD3(2, 1, 1)))
        .encode(to: device.makeCommandQueue().makeCommandBuffer(), source: gray, destination: gray)
    }
  }

  /// floor((Σ c · v + 32768) / 65536) + bias, cut, in 64 bits.
  private static func expected(_ pixels: NoisePixels, _ matrix: Case) -> [Int] {
    let maximum = pixels.format.maximum
    let bias = maximum == 255 ? matrix.bias8 : matrix.bias16
    let count = pixels.format.samplesPerPixel
    var result = pixels.samples
    for pixel in stride(from: 0, to: result.count, by: count) {
      let colors = (0..<3).map { $0 < count ? pixels.samples[pixel + $0] : 0 }
      for channel in 0..<min(count, 3) {
        let sum = zip(matrix.rows[channel], colors).reduce(32768) { $0 + $1.0 * $1.1 }
        let floor = (sum - (sum % 65536 + 65536) % 65536) / 65536
        result[pixel + channel] = min(max(floor + bias[channel], 0), maximum)
      }
    }
    return result
  }
}
