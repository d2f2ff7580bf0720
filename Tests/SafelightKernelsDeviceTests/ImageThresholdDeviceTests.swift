import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageThresholdDeviceTests {
  private static let formats = NoisePixels.formats.filter { $0.samplesPerPixel != 2 }

  /// Thresholds and the samples they are in 8 and 16 bits, by hand: 127.5 and 32767.5, 76.5 and 19660.5, 127 itself.
  private static let thresholds: [(Double, [Int])] = [
    (0.5, [127, 32767]), (0.3, [76, 19660]), (127.0 / 255, [127, 127 * 257]), (0, [0, 0]), (1, [255, 65535]),
  ]

  @Test(arguments: TestDevice.all, formats)
  func everyOperationAndThreshold(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    let pixels = NoisePixels(Size(65, 63), format)
    let source = try batch.source(pixels)
    var results: [(ImageThreshold, threshold: Int, Readback)] = []
    for operation in ImageThreshold.Operation.allCases {
      for (value, samples) in Self.thresholds {
        let kernel = ImageThreshold(device: batch.device, operation: operation, threshold: value, high: 0.8)
        for form in batch.forms(format) {
          let readback = try batch.result(like: source) {
            kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
          }
          results.append((kernel, samples[format.bytesPerSample - 1], readback))
        }
      }
    }
    try batch.run()
    for (kernel, threshold, readback) in results {
      expectEqual(
        try pixels.samples(readback), Self.expected(pixels, kernel.operation, threshold, [19595, 38470, 7471]),
        "\(pixels) \(kernel.operation) \(threshold)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, formats)
  func everySize(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    let kernel = ImageThreshold(
      device: batch.device, operation: .toZero, threshold: 0.3, weights: LumaWeights(0.2126, 0.7152, 0.0722))
    var results: [(NoisePixels, Readback)] = []
    for pixels in NoisePixels.sizes.map({ NoisePixels($0, format) }) {
      let source = try batch.source(pixels)
      for form in batch.forms(format) {
        let readback = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        results.append((pixels, readback))
      }
    }
    try batch.run()
    for (pixels, readback) in results {
      let threshold = format.bytesPerSample == 1 ? 76 : 19660
      expectEqual(
        try pixels.samples(readback), Self.expected(pixels, .toZero, threshold, [13933, 46871, 4732]),
        pixels.description)
    }
  }

  /// By the words of MPS; 0.8 of 255 and of 65535 are 204 and 52428.
  private static func expected(
    _ pixels: NoisePixels, _ operation: ImageThreshold.Operation, _ threshold: Int, _ weights: [Int]
  ) -> [Int] {
    let high = pixels.format.bytesPerSample == 1 ? 204 : 52428
    let count = pixels.format.samplesPerPixel
    var result = pixels.samples
    for pixel in stride(from: 0, to: result.count, by: count) {
      var gray = result[pixel]
      if count == 4 {
        gray = (weights[0] * gray + weights[1] * result[pixel + 1] + weights[2] * result[pixel + 2] + 32768) / 65536
      }
      let made: Int
      switch (operation, gray > threshold) {
      case (.binary, true), (.binaryInverse, false): made = high
      case (.binary, false), (.binaryInverse, true), (.toZero, false), (.toZeroInverse, true): made = 0
      case (.truncate, true): made = threshold
      case (.truncate, false), (.toZero, true), (.toZeroInverse, false): made = gray
      }
      for channel in 0..<min(count, 3) { result[pixel + channel] = made }
    }
    return result
  }
}
