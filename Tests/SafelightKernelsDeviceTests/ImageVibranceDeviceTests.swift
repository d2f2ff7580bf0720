import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageVibranceDeviceTests {
  /// Amounts and their nearest 4096ths; weights in 65536ths.
  private static let cases: [(amount: Double, steps: Int, weights: LumaWeights, parts: [Int])] = [
    (-1, -4096, .bt601, [19595, 38470, 7471]), (-0.3, -1229, .bt2020, [17216, 44434, 3886]),
    (0, 0, .bt601, [19595, 38470, 7471]), (0.75, 3072, .bt709, [13933, 46871, 4732]),
    (1, 4096, .average, [21845, 21846, 21845]),
  ]

  @Test(arguments: TestDevice.all, NoisePixels.formats)
  func weakColorsChangeTheMost(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    var results: [(NoisePixels, Int, Readback)] = []
    for (number, each) in Self.cases.enumerated() {
      let kernel = ImageVibrance(device: batch.device, amount: each.amount, weights: each.weights)
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
        try pixels.samples(readback), Self.expected(pixels, Self.cases[number].steps, Self.cases[number].parts),
        "\(pixels), amount \(Self.cases[number].amount)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  private static func expected(_ pixels: NoisePixels, _ amount: Int, _ weights: [Int]) -> [Int] {
    guard pixels.format.samplesPerPixel == 4 else { return pixels.samples }
    let maximum = pixels.format.maximum
    var result = pixels.samples
    for pixel in stride(from: 0, to: result.count, by: 4) {
      let colors = Array(pixels.samples[pixel..<pixel + 3])
      let gray = (zip(weights, colors).reduce(32768) { $0 + $1.0 * $1.1 }) / 65536
      let rest = maximum - ((colors.max() ?? 0) - (colors.min() ?? 0))
      let gain = 4096 + amount.signum() * ((abs(amount) * rest + maximum / 2) / maximum)
      for index in pixel..<pixel + 3 {
        let sum = gray * 4096 + (result[index] - gray) * gain + 2048
        result[index] = sum < 0 ? 0 : min(sum / 4096, maximum)
      }
    }
    return result
  }
}
