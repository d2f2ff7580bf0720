import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Point kernels against their formulas; golden pictures of other programs prove `threshold`.
@Suite struct PointKernelDeviceTests {
  /// Weights, and what they are in 65536ths by hand.
  private static let weights: [(LumaWeights, [Int])] = [
    (.bt601, [19595, 38470, 7471]), (.bt709, [13933, 46871, 4732]), (.bt2020, [17216, 44434, 3886]),
    (.average, [21845, 21846, 21845]), (LumaWeights(0.2126, 0.7152, 0.0722), [13933, 46871, 4732]),
  ]

  private static func luma(_ pixel: [Int], _ weights: [Int]) -> Int {
    zip(weights, pixel).reduce(32768) { $0 + $1.0 * $1.1 } / 65536
  }

  /// The colors of a pixel at `gain`, in 4096ths, from its gray; a floor that negative sums need is cut anyway.
  private static func mixed(_ pixel: [Int], _ gray: Int, _ gain: Int, _ maximum: Int) -> [Int] {
    pixel.prefix(3).map { value in
      let sum = gray * 4096 + (value - gray) * gain + 2048
      return sum < 0 ? 0 : min(sum / 4096, maximum)
    } + pixel.dropFirst(3)
  }

  @Test(arguments: TestDevice.all, Picture.allFormats)
  func passthrough(_ test: TestDevice, _ format: PixelFormat) throws {
    try expectPixels(test, format, [(ImagePassthrough(), ())]) { pixel, _, _ in pixel }
  }

  /// Amounts, and their nearest 4096ths by hand.
  @Test(arguments: TestDevice.all, Picture.allFormats)
  func saturation(_ test: TestDevice, _ format: PixelFormat) throws {
    let amounts = [(0, 0), (0.5, 2048), (1, 4096), (1.2, 4915), (4, 16384)]
    let cases = zip(amounts, Self.weights).map { amount, weights in
      (with(ImageSaturation()) { ($0.amount, $0.weights) = (amount.0, weights.0) }, (amount.1, weights.1))
    }
    try expectPixels(test, format, cases) { pixel, maximum, each in
      Self.mixed(pixel, Self.luma(pixel, each.1), each.0, maximum)
    }
  }

  @Test(arguments: TestDevice.all, Picture.allFormats)
  func vibrance(_ test: TestDevice, _ format: PixelFormat) throws {
    let amounts = [(-1, -4096), (-0.3, -1229), (0, 0), (0.75, 3072), (1, 4096)]
    let cases = zip(amounts, Self.weights).map { amount, weights in
      (with(ImageVibrance()) { ($0.amount, $0.weights) = (amount.0, weights.0) }, (amount.1, weights.1))
    }
    try expectPixels(test, format, cases) { pixel, maximum, each in
      let rest = maximum - ((pixel.prefix(3).max() ?? 0) - (pixel.prefix(3).min() ?? 0))
      let gain = 4096 + each.0.signum() * ((abs(each.0) * rest + maximum / 2) / maximum)
      return Self.mixed(pixel, Self.luma(pixel, each.1), gain, maximum)
    }
  }

  @Test(arguments: TestDevice.all, Picture.allFormats)
  func premultiply(_ test: TestDevice, _ format: PixelFormat) throws {
    try expectPixels(test, format, [(ImagePremultiply(), ())]) { pixel, maximum, _ in
      pixel.prefix(3).map { ($0 * pixel[3] + maximum / 2) / maximum } + [pixel[3]]
    }
    try expectPixels(test, format, [(ImageUnpremultiply(), ())]) { pixel, maximum, _ in
      let alpha = pixel[3]
      return pixel.prefix(3).map { alpha == 0 ? 0 : min(($0 * maximum + alpha / 2) / alpha, maximum) } + [alpha]
    }
  }

  /// Every color of 8 bits with every alpha.
  @Test(arguments: TestDevice.all) func everyColorWithEveryAlpha(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let samples = (0..<65536).flatMap { [$0 & 255, 255, ($0 & 255) / 2, $0 >> 8] }
    let source = try batch.source(Picture(Size(256, 256), .rgba8Unorm, samples: samples))
    let multiplied = try batch.result(ImagePremultiply(device: batch.device).encode, source)
    let divided = try batch.result(ImageUnpremultiply(device: batch.device).encode, source)
    func made(_ color: (_ value: Int, _ alpha: Int) -> Int) -> [Int] {
      samples.enumerated().map { $0 % 4 == 3 ? $1 : color($1, samples[$0 / 4 * 4 + 3]) }
    }
    batch.expect(multiplied, .rgba8Unorm, "times alpha") { made { ($0 * $1 + 127) / 255 } }
    batch.expect(divided, .rgba8Unorm, "by alpha") { made { $1 == 0 ? 0 : min(($0 * 255 + $1 / 2) / $1, 255) } }
    try batch.check(againstTwins: false)
  }

  /// Rows and what they are in 65536ths and samples, by hand; biases of 16 bits last.
  private struct Matrix {
    var vectors: ColorVectors
    var rows: [[Int]]
    var bias8 = [0, 0, 0]
    var bias16 = [0, 0, 0]
  }

  private static let matrices = [
    Matrix(
      vectors: ColorVectors(
        red: SIMD3(0.25, -1.5, 2), green: SIMD3(16, -15.5, 0), blue: SIMD3(-1, -1.0 / 3, 0.1),
        bias: SIMD3(0, 0.1, 1)),
      // The last row's sum is −80828, its coefficients rounded make −80827: the largest takes the rest.
      rows: [[16384, -98304, 131072], [1_048_576, -1_015_808, 0], [-65537, -21845, 6554]],
      bias8: [0, 26, 255], bias16: [0, 6554, 65535]),
    // The farthest that sums can go, and back.
    Matrix(
      vectors: ColorVectors(
        red: SIMD3(16, 16, 16), green: SIMD3(-16, -16, -16), blue: SIMD3(16, 16, -16), bias: SIMD3(-16, 16, -16)),
      rows: [
        [1_048_576, 1_048_576, 1_048_576], [-1_048_576, -1_048_576, -1_048_576], [1_048_576, 1_048_576, -1_048_576],
      ], bias8: [-4080, 4080, -4080], bias16: [-1_048_560, 1_048_560, -1_048_560]),
  ]

  /// floor((Σ c · v + 32768) / 65536) + bias, cut, in 64 bits.
  @Test(arguments: TestDevice.all, Picture.allFormats.filter { $0.samplesPerPixel > 1 })
  func colorMatrix(_ test: TestDevice, _ format: PixelFormat) throws {
    let cases = Self.matrices.map { each in (with(ImageColorMatrix()) { $0.vectors = each.vectors }, each) }
    try expectPixels(test, format, cases) { pixel, maximum, matrix in
      let bias = maximum == 255 ? matrix.bias8 : matrix.bias16
      return pixel.indices.map { channel in
        if channel == 3 { return pixel[3] }
        let sum = zip(matrix.rows[channel], pixel.prefix(3)).reduce(32768) { $0 + $1.0 * $1.1 }
        let floor = (sum - (sum % 65536 + 65536) % 65536) / 65536
        return min(max(floor + bias[channel], 0), maximum)
      }
    }
  }

  /// Rows that leave grays gray act as one.
  @Test(arguments: TestDevice.all, Picture.allFormats.filter { $0.samplesPerPixel == 1 })
  func colorMatrixOfGrays(_ test: TestDevice, _ format: PixelFormat) throws {
    let kernel = with(ImageColorMatrix()) {
      $0.vectors = ColorVectors(
        red: SIMD3(0.5, 0.25, 0.5), green: SIMD3(0, 1.25, 0), blue: SIMD3(2, -0.75, 0), bias: SIMD3(repeating: -0.2))
    }
    #expect(kernel.keepsGrays)
    try expectPixels(test, format, [(kernel, ())]) { pixel, maximum, _ in
      [min(max((pixel[0] * 81920 + 32768) / 65536 - (maximum == 255 ? 51 : 13107), 0), maximum)]
    }
  }

  @Test func mistakesTrap() async {
    // A picture of one channel holds no color.
    await #expect(processExitsWith: .failure) {
      let batch = try Batch()
      try batch.result(
        ImageColorMatrix(device: batch.device, vectors: ColorVectors(gains: SIMD3(2, 1, 1))).encode,
        batch.texture(.r8Unorm))
    }
    // A parameter outside the range on the card.
    await #expect(processExitsWith: .failure) {
      let batch = try Batch()
      try batch.result(ImageSaturation(device: batch.device, amount: 4.1).encode, batch.texture(.rgba8Unorm))
    }
  }
}

/// Compares kernels with `expected` in every pixel of noise, in both pipelines and in all sizes that go wrong, and what
/// the device made with the twins.
///
/// `expected` gets the samples of a pixel, the greatest sample and the case, and writes the formula anew in plain
/// integers. Formats that the kernel does not take are passed over, and pictures without color stay if the kernel says
/// so.
private func expectPixels<Kernel: PointKernel, Case>(
  _ test: TestDevice, _ format: PixelFormat, _ cases: [(kernel: Kernel, case: Case)],
  _ expected: @escaping (_ pixel: [Int], _ maximum: Int, _ case: Case) -> [Int],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let batch = try Batch(test)
  guard batch.device.canRead(format), Kernel.formats.contains(format) else { return }
  let isKept = Kernel.grays == .kept && format.samplesPerPixel != 4
  for picture in Picture.sizes.map({ Picture($0, format) }) {
    let source = try batch.source(picture)
    for (number, each) in cases.enumerated() {
      try batch.expectForms(each.kernel.encode, source, "\(picture), case \(number)", sourceLocation: sourceLocation) {
        isKept ? picture.samples : picture.pixels.flatMap { expected($0, format.maximum, each.case) }
      }
    }
  }
  try batch.check(sourceLocation: sourceLocation)
}

/// `kernel` with other parameters.
private func with<Kernel: ImageKernel>(_ kernel: Kernel, _ change: (inout Kernel) -> Void) -> Kernel {
  var kernel = kernel
  change(&kernel)
  return kernel
}
