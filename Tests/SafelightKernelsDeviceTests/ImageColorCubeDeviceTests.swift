import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Cubes beyond the golden pictures of `lut`, which another program made.
@Suite struct ImageColorCubeDeviceTests {
  private static func noise(_ size: Int) -> ColorCube {
    let noise = Picture(Size(size * size, size), .rgba16Uint).samples
    return ColorCube(size: size, samples: noise.indices.filter { $0 % 4 < 3 }.map { Double(noise[$0]) / 65535 })
  }

  /// Corners, edges, faces and diagonals, where parts are equal or 0, and every corner of the largest cube there is.
  @Test(arguments: TestDevice.gles) func tiesAndTheLargestCube(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let values = [0, 1, 127, 128, 254, 255]
    var samples: [Int] = []
    for red in values { for green in values { for blue in values { samples += [red, green, blue, 77] } } }
    let source = try batch.source(Picture(Size(36, 6), .rgba8Unorm, samples: samples))
    for size in [2, 129] {
      let kernel = ImageColorCube(device: batch.device, cube: Self.noise(size))
      for pipeline in batch.pipelines(.rgba8Unorm) { try batch.result(kernel.encode, source, pipeline) }
    }
    try batch.check()
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
      let kernel = ImageColorCube(device: batch.device, cube: ColorCube(size: size, samples: samples))
      try batch.expectForms(kernel.encode, batch.source(picture), "identity of \(size)") { picture.samples }
    }
    try batch.check(againstTwins: false)
  }
}
