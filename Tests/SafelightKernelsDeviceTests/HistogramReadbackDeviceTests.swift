import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct HistogramReadbackDeviceTests {
  /// Several frames on the way at once: each has its own counts, though they share one buffer.
  @Test(arguments: TestDevice.all)
  func framesBehindNeedNotWait(_ test: TestDevice) async throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    let info = HistogramInfo()
    let kernel = ImageHistogram(device: device, info: info)
    let bins = try device.makeBuffer(length: 32 + info.histogramSize(forSourceFormat: .rgba8Unorm))
    let pictures = (1...6).map { Picture(.noise, Size(7 * $0, 31), .rgba8Unorm) }
    let readbacks = try pictures.map { picture in
      let batch = Batch(on: device, queue: queue)
      let source = try batch.source(picture.image)
      kernel.encode(to: batch.buffer, source: source, histogram: bins, offset: 32)
      let readback = info.encodeReadback(to: batch.buffer, histogram: bins, sourceFormat: .rgba8Unorm, offset: 32)
      #expect(throws: SafelightError.self) { try readback.contents() }
      batch.buffer.commit()
      return readback
    }
    for (picture, readback) in zip(pictures, readbacks).reversed() {
      let histogram = try await readback.histogram()
      #expect(histogram.channels == [.red, .green, .blue])
      let counts = histogram.channels.flatMap { histogram.counts($0).map { Int($0) } }
      expectEqual(counts, expectedCounts(picture), "\(picture)")
    }
  }
}
