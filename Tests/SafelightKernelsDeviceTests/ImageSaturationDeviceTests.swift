import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageSaturationDeviceTests {
  /// An amount and its nearest 4096th.
  static let amounts = [(0, 0), (0.5, 2048), (1, 4096), (1.2, 4915), (4, 16384)]

  /// Weights and what they are in 65536ths, by hand.
  static let weights = [
    (LumaWeights.bt601, [19595, 38470, 7471]), (.bt709, [13933, 46871, 4732]),
    (.bt2020, [17216, 44434, 3886]),
  ]

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func everyAmountWeightAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    var results: [(Picture, amount: Int, weights: [Int], Readback)] = []
    for input in SyntheticImage.allCases {
      let picture = Picture(input, Size(17, 31), format)
      let source = try batch.source(picture.image)
      for (amount, steps) in Self.amounts {
        for (weights, parts) in Self.weights {
          let kernel = ImageSaturation(device: batch.device, amount: amount, weights: weights)
          for form in batch.forms(format) {
            let readback = try batch.result(like: source) {
              kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
            }
            results.append((picture, steps, parts, readback))
          }
        }
      }
    }
    try batch.run()
    for (picture, amount, weights, readback) in results {
      expectEqual(
        format.samples(try readback.contents()), Self.expected(picture, amount, weights),
        "\(picture), amount \(amount) / 4096, weights \(weights)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func everySize(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let kernel = ImageSaturation(device: batch.device, amount: 1.2)
    var results: [(Picture, Readback)] = []
    for picture in Picture.all(format, on: batch.device) {
      let source = try batch.source(picture.image)
      for form in batch.forms(format) {
        let readback = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        results.append((picture, readback))
      }
    }
    try batch.run()
    for (picture, readback) in results {
      let expected = Self.expected(picture, 4915, [19595, 38470, 7471])
      expectEqual(format.samples(try readback.contents()), expected, picture.description)
    }
  }

  @Test(arguments: TestDevice.all, [PixelFormat.bgra8Unorm, .rgba16Unorm])
  func formatsOfCamerasAndFilters(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    let pixels = NoisePixels(Size(65, 63), format)
    let picture = Picture(.noise, pixels.size, format.bytesPerSample == 1 ? .rgba8Unorm : .rgba16Uint)
    let source = try batch.source(pixels)
    let kernel = ImageSaturation(device: batch.device, amount: 0.5)
    let readbacks = try batch.forms(format).map { form in
      try batch.result(like: source) { kernel.encode(to: batch.buffer, source: source, destination: $0, form: form) }
    }
    try batch.run()
    for readback in readbacks {
      expectEqual(
        try pixels.samples(readback), Self.expected(picture, 2048, [19595, 38470, 7471]), format.rawValue)
    }
  }

  @Test(arguments: TestDevice.all, [PixelFormat.r8Unorm, .r16Uint])
  func grayPicturesStay(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), format)
    let source = try batch.source(picture.image)
    let readback = try batch.result(like: source) {
      ImageSaturation(device: batch.device, amount: 4).encode(to: batch.buffer, source: source, destination: $0)
    }
    try batch.run()
    #expect(try readback.contents() == picture.image.bytes)
  }

  /// clamp(floor((gray · 4096 + (v − gray) · a + 2048) / 4096), 0, maximum), with a floor that negative sums need.
  private static func expected(_ picture: Picture, _ amount: Int, _ weights: [Int]) -> [Int] {
    var result = picture.samples
    for pixel in stride(from: 0, to: result.count, by: 4) {
      let gray =
        (weights[0] * result[pixel] + weights[1] * result[pixel + 1] + weights[2] * result[pixel + 2] + 32768) / 65536
      for index in pixel..<pixel + 3 {
        let sum = gray * 4096 + (result[index] - gray) * amount + 2048
        result[index] = sum < 0 ? 0 : min(sum / 4096, picture.format.maximum)
      }
    }
    return result
  }
}
