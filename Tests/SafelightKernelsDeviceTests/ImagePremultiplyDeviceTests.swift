import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImagePremultiplyDeviceTests {
  @Test(arguments: TestDevice.all, NoisePixels.formats)
  func coloursAndAlpha(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    var results: [(NoisePixels, divides: Bool, Readback)] = []
    for pixels in NoisePixels.sizes.map({ NoisePixels($0, format) }) {
      let source = try batch.source(pixels)
      for form in batch.forms(format) {
        let multiplied = try batch.result(like: source) {
          ImagePremultiply(device: batch.device).encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        let divided = try batch.result(like: source) {
          ImageUnpremultiply(device: batch.device).encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        results += [(pixels, false, multiplied), (pixels, true, divided)]
      }
    }
    try batch.run()
    for (pixels, divides, readback) in results {
      expectEqual(try pixels.samples(readback), Self.expected(pixels, divides), "\(pixels), divides \(divides)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// Every colour of 8 bits with every alpha.
  @Test(arguments: TestDevice.all) func everyPair(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let source = try batch.device.makeTexture(Size(256, 256), .rgba8Unorm)
    let samples = (0..<65536).flatMap { [$0 & 255, 255, ($0 & 255) / 2, $0 >> 8] }
    batch.blit { $0.write(PixelFormat.rgba8Unorm.bytes(samples), to: source) }
    let multiplied = try batch.result(like: source) {
      ImagePremultiply(device: batch.device).encode(to: batch.buffer, source: source, destination: $0)
    }
    let divided = try batch.result(like: source) {
      ImageUnpremultiply(device: batch.device).encode(to: batch.buffer, source: source, destination: $0)
    }
    try batch.run()
    let (up, down) = (
      PixelFormat.rgba8Unorm.samples(try multiplied.contents()), PixelFormat.rgba8Unorm.samples(try divided.contents())
    )
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      let alpha = samples[pixel + 3]
      for index in pixel..<pixel + 3 {
        let (product, quotient) = (Self.product(samples[index], alpha, 255), Self.quotient(samples[index], alpha, 255))
        guard up[index] != product || down[index] != quotient else { continue }
        Issue.record("\(samples[index]) with alpha \(alpha): \(up[index]), \(down[index])")
        return
      }
    }
  }

  private static func product(_ value: Int, _ alpha: Int, _ maximum: Int) -> Int {
    (value * alpha + maximum / 2) / maximum
  }

  private static func quotient(_ value: Int, _ alpha: Int, _ maximum: Int) -> Int {
    alpha == 0 ? 0 : min((value * maximum + alpha / 2) / alpha, maximum)
  }

  private static func expected(_ pixels: NoisePixels, _ divides: Bool) -> [Int] {
    guard pixels.format.samplesPerPixel == 4 else { return pixels.samples }
    return pixels.samples.enumerated().map { index, value in
      let alpha = pixels.samples[index / 4 * 4 + 3]
      if index % 4 == 3 { return value }
      return divides
        ? quotient(value, alpha, pixels.format.maximum) : product(value, alpha, pixels.format.maximum)
    }
  }
}
