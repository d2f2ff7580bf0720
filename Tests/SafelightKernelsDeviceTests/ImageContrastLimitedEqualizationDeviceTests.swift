import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// What golden pictures of OpenCV and conformance do not show.
@Suite struct ImageContrastLimitedEqualizationDeviceTests {
  /// As many tiles as there can be, whose tables fill a texture of 2048×2048.
  @Test(arguments: TestDevice.gles, [(PixelFormat.rgba8Unorm, 16), (.r16Uint, 8)])
  func asManyTilesAsTablesFit(_ test: TestDevice, _ most: (format: PixelFormat, edge: Int)) throws {
    let batch = try Batch(test)
    let source = try batch.source(Picture(Size(64, 63), most.format))
    for channels in [HistogramInfo.Channels.each, .luma] {
      let kernel = try ImageContrastLimitedEqualization(
        device: batch.device, columns: most.edge, rows: most.edge, clipLimit: 3.7, channels: channels)
      for form in batch.forms(most.format) {
        _ = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
      }
    }
    try batch.check()
  }

  @Test func moreTilesThanTablesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let kernel = try ImageContrastLimitedEqualization(device: device, columns: 16, rows: 5)
      let texture = try device.makeTexture(Size(1, 1), .r16Uint)
      kernel.encode(
        to: device.makeCommandQueue().makeCommandBuffer(), source: texture,
        destination: try device.makeTexture(Size(1, 1), .r16Uint))
    }
    expectStop(result, saying: "use at most 64 for 16 bits")
  }
}
