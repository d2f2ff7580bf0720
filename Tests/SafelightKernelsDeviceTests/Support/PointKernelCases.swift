import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Compares kernels with `expected` in every pixel of noise, in both forms and in all sizes that go wrong, and what the
/// device made with the twins.
///
/// `expected` gets the samples of a pixel, the greatest sample and the case, and writes the formula anew in plain
/// integers. Formats that the kernel does not take are passed over, and pictures without color stay where the kernel
/// says so.
func expectPixels<Kernel: PointKernel, Case>(
  _ test: TestDevice, _ format: PixelFormat, _ cases: [(kernel: Kernel, case: Case)],
  _ expected: (_ pixel: [Int], _ maximum: Int, _ case: Case) -> [Int],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let batch = try Batch(test)
  guard batch.has(format), Kernel.formats.contains(format) else { return }
  let isKept = Kernel.grays == .kept && format.samplesPerPixel != 4
  var results: [(pixels: NoisePixels, number: Int, readback: Readback)] = []
  for pixels in NoisePixels.sizes.map({ NoisePixels($0, format) }) {
    let source = try batch.source(pixels)
    for (number, each) in cases.enumerated() {
      for form in batch.forms(format) {
        let readback = try batch.result(like: source) {
          each.kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        results.append((pixels, number, readback))
      }
    }
  }
  try batch.run()
  for (pixels, number, readback) in results {
    let count = format.samplesPerPixel
    let made = stride(from: 0, to: pixels.samples.count, by: count).flatMap { place in
      let pixel = Array(pixels.samples[place..<place + count])
      return isKept ? pixel : expected(pixel, format.maximum, cases[number].case)
    }
    expectEqual(try pixels.samples(readback), made, "\(pixels), case \(number)", sourceLocation: sourceLocation)
  }
  #expect(try batch.readbacksUnlikeTwins() == 0, sourceLocation: sourceLocation)
}

/// `kernel` with other parameters.
func with<Kernel: ImageKernel>(_ kernel: Kernel, _ change: (inout Kernel) -> Void) -> Kernel {
  var kernel = kernel
  change(&kernel)
  return kernel
}
