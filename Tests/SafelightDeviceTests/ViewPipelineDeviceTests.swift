import Safelight
import TestSupport
import Testing

/// A camera's way: a frame becomes a texture, the kernels write into a drawable, the view's sink gets the picture.
@Suite struct ViewPipelineDeviceTests {
  private let names = (1...3).map { "dark-room/frame000\($0).png" }

  /// As a camera delivers it: blue first.
  private func cameraFrame(_ image: Image, index: Int) throws -> VideoFrame {
    let swapped = try Image(size: image.size, pixelFormat: .bgra8Unorm, bytes: image.bytes)
    let plane = PixelPlane(size: image.size, pixelFormat: .bgra8Unorm, bytes: swapped.bytes)
    return VideoFrame(
      index: index, size: image.size, layout: .bgra8, planes: [plane],
      presentationTime: MediaTime(value: Int64(index) * 1001, timescale: 24000))
  }

  @Test(arguments: TestDevice.all, [KernelForm.compute, .render])
  func equalizedFramesAreThoseOfTheFilter(_ test: TestDevice, _ form: KernelForm) async throws {
    let device = try test.open()
    let pictures = try names.map { try PNGFile(reading: Fixtures.path($0)).image }
    let size = try #require(pictures.first).size
    let sink = CollectingFrameSink()
    let view = try FrameView(device: device, size: size, sink: sink)
    view.framebufferOnly = form == .render
    let cache = TextureCache(device: device)
    let queue = device.makeCommandQueue()
    let histogram = ImageHistogram(device: device)
    let equalization = ImageHistogramEqualization(device: device)
    let counts = try device.makeBuffer(
      length: histogram.info.histogramSize(forSourceFormat: .bgra8Unorm), storageMode: .private)

    for (index, picture) in pictures.enumerated() {
      let frame = try cameraFrame(picture, index: index)
      let drawable = try await view.nextDrawable()
      let buffer = queue.makeCommandBuffer(label: "frame \(index)")
      let source = try cache.makeTextures(from: frame, in: buffer)[0]
      histogram.encode(to: buffer, source: source, histogram: counts)
      equalization.encodeTransform(to: buffer, source: source, histogram: counts)
      equalization.encode(to: buffer, source: source, destination: drawable.texture, form: form)
      buffer.present(drawable, atTime: frame.presentationTime)
      buffer.commit()
    }
    try await view.presented()

    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: "equalize=channels=each", device: device))
    for (frame, picture) in zip(sink.frames, pictures) {
      let expected = try await processor.process(picture)
      #expect(try frame.image().bytes == expected.bytes)
    }
    #expect(sink.frames.map(\.presentationTime?.value) == [0, 1001, 2002])
    #expect(sink.frames.count == 3)
  }
}
