import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Kernels of what lies around a pixel, against brute force.
@Suite struct WindowKernelDeviceTests {
  /// Compares `kernel` with `expected` of the samples around each, of one channel, in all sizes that go wrong.
  private func expectWindows<Kernel: WindowKernel>(
    _ test: TestDevice, _ format: PixelFormat, _ kernels: [Kernel], _ expected: (_ window: [Int]) -> Int
  ) throws {
    let batch = try Batch(test)
    guard batch.has(format), Kernel.formats.contains(format) else { return }
    var results: [(pixels: NoisePixels, radius: Int, readback: Readback)] = []
    for pixels in NoisePixels.sizes.map({ NoisePixels($0, format) }) {
      let source = try batch.source(pixels)
      for kernel in kernels {
        for form in batch.forms(format) {
          let readback = try batch.result(like: source) {
            kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
          }
          results.append((pixels, kernel.radius, readback))
        }
      }
    }
    try batch.run()
    for (pixels, radius, readback) in results {
      let (size, step) = (pixels.size, format.samplesPerPixel)
      func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
        let (column, row) = (min(max(x, 0), size.width - 1), min(max(y, 0), size.height - 1))
        return pixels.samples[(row * size.width + column) * step + channel]
      }
      let made = pixels.samples.indices.map { place in
        let (x, y) = (place / step % size.width, place / step / size.width)
        let around = (y - radius...y + radius).flatMap { row in
          (x - radius...x + radius).map { sample($0, row, place % step) }
        }
        return expected(around)
      }
      expectEqual(try pixels.samples(readback), made, "\(pixels), radius \(radius)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, NoisePixels.formats)
  func median(_ test: TestDevice, _ format: PixelFormat) throws {
    let kernels = [3, 5, 7].map { diameter in with(ImageMedian()) { $0.diameter = diameter } }
    try expectWindows(test, format, kernels) { $0.sorted()[$0.count / 2] }
  }
}
