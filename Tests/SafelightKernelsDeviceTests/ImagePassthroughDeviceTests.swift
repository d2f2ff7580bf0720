import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImagePassthroughDeviceTests {
  @Test(arguments: TestDevice.all, Picture.formats)
  func everyByteOfEverySizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let kernel = ImagePassthrough(device: batch.device)
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
    #expect(!results.isEmpty)
    for (picture, readback) in results {
      #expect(try readback.contents() == picture.image.bytes, "\(picture)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }
}
