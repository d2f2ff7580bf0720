import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Equalization of every format that point kernels take, those of two channels and of normalised 16 bits among them.
@Suite struct EqualizationFormatDeviceTests {
  @Test(arguments: TestDevice.all)
  func everyFormatHasItsChannels(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var results: [(picture: RawPicture, planes: Int, readback: Readback)] = []
    for format in RawPicture.formats(on: batch.device) {
      for histogramForAlpha in [false, true] {
        let picture = RawPicture(Size(65, 33), format, from: 20, span: 190)
        let source = try picture.source(batch)
        let info = HistogramInfo(entries: format.maximum + 1, histogramForAlpha: histogramForAlpha)
        let bins = try batch.device.makeBuffer(length: info.histogramSize(forSourceFormat: format))
        let equalization = ImageHistogramEqualization(device: batch.device, info: info)
        ImageHistogram(device: batch.device, info: info).encode(to: batch.buffer, source: source, histogram: bins)
        equalization.encodeTransform(to: batch.buffer, source: source, histogram: bins)
        for form in batch.forms(format) where format.isStorable || form != .compute {
          let readback = try batch.result(like: source) {
            equalization.encode(to: batch.buffer, source: source, destination: $0, form: form)
          }
          results.append((picture, info.planes(for: format), readback))
        }
      }
    }
    try batch.run()
    for (picture, planes, readback) in results {
      let format = picture.format
      var expected = picture.samples
      for plane in 0..<planes {
        let outputs = equalized(picture.channel(plane), maximum: format.maximum)
        for index in stride(from: plane, to: expected.count, by: format.samplesPerPixel) {
          expected[index] = outputs[expected[index]] ?? 0
        }
      }
      expectEqual(RawPicture.samples(try readback.contents(), format), expected, "\(picture), \(planes) planes")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }
}
