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
      for form in batch.forms(.rgba8Unorm) { try batch.result(kernel.encode, source, form) }
    }
    try batch.check()
  }
}
