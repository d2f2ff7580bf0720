import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageHistogramEqualizationDeviceTests {
  @Test(arguments: TestDevice.all)
  func threeStages(_ test: TestDevice) throws {
    let device = try test.open()
    let image = SyntheticImage.noise.image(Size(33, 17), channels: .rgb, depth: .bits8)
    let source = try device.makeTexture(image.size, image.pixelFormat)
    let destination = try device.makeTexture(image.size, image.pixelFormat)
    let info = HistogramInfo.complete(.bits8)
    let bins = try device.makeBuffer(length: info.histogramSize(forSourceFormat: image.pixelFormat))
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let upload = buffer.makeBlitCommandEncoder()
    upload.copy(from: image, to: source)
    upload.endEncoding()
    ImageHistogram(device: device, info: info).encode(to: buffer, source: source, histogram: bins)
    let equalization = ImageHistogramEqualization(device: device, info: info)
    equalization.encodeTransform(to: buffer, source: source, histogram: bins)
    equalization.encode(to: buffer, source: source, destination: destination)
    let blit = buffer.makeBlitCommandEncoder()
    let counts = blit.read(bins, range: 0..<bins.length)
    let readback = blit.read(destination)
    blit.endEncoding()
    buffer.commit()
    try buffer.waitUntilCompleted()
    let expectedCounts = (0..<3).flatMap { channel in
      (0..<256).map { value in
        stride(from: channel, to: image.bytes.count, by: 4).filter { Int(image.bytes[$0]) == value }.count
      }
    }
    let words = try counts.contents().withUnsafeBytes { Array($0.bindMemory(to: UInt32.self)).map(Int.init) }
    #expect(words == expectedCounts)
    let twin = try Device.open(.cpu).replay(buffer.recording)
    #expect(twin.contents(of: readback) == (try readback.contents()))
    #expect(try readback.contents() != image.bytes)
  }
}
