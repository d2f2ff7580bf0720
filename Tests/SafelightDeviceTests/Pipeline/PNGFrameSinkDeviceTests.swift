import Foundation
import Safelight
import TestSupport
import Testing

@Suite struct PNGFrameSinkDeviceTests {
  private let scratch = TemporaryFolder()

  /// Presents frames of that much red.
  private func show(_ colors: [Double], _ view: FrameView, at time: MediaTime? = nil) throws {
    let queue = view.device.makeCommandQueue()
    for red in colors {
      view.clearColor = RenderPassDescriptor.ClearColor(red: red, green: 0, blue: 1, alpha: 1)
      let drawable = try #require(try view.nextDrawable(timeout: .seconds(60)))
      let buffer = queue.makeCommandBuffer()
      buffer.makeRenderCommandEncoder(
        RenderPassDescriptor(texture: drawable.texture, loadAction: .clear(Float(red), 0, 1, 1))
      ).endEncoding()
      drawable.presentationTime = time
      buffer.present(drawable)
      buffer.commit()
    }
    try view.waitUntilPresented()
  }

  private func view(_ device: Device, _ sink: PNGFrameSink) throws -> FrameView {
    try FrameView(device: device, size: Size(3, 2), sink: sink)
  }

  private func names(_ sink: PNGFrameSink) -> [String] {
    sink.paths.map { URL(filePath: $0).lastPathComponent }
  }

  @Test(arguments: TestDevice.all)
  func framesBecomeFilesInTheirOrder(_ test: TestDevice) throws {
    for (output, names) in [
      ("new/shots", ["frame.000001.png", "frame.000002.png", "frame.000003.png"]),
      ("shot-%d.png", ["shot-1.png", "shot-2.png", "shot-3.png"]),
    ] {
      let sink = try PNGFrameSink(scratch.path(output))
      try show([0, 0.2, 1], view(test.open(), sink))
      #expect(self.names(sink) == names && sink.lostFrames.isEmpty)
      for (path, red) in zip(sink.paths, [0, 51, 255] as [UInt8]) {
        let image = try PNGFile(reading: path).image
        #expect(image.size == Size(3, 2) && image.channels == .rgba)
        #expect(image.bytes == (0..<6).flatMap { _ in [red, 0, 255, 255] })
      }
    }
  }

  @Test func filesCarryTheTimesOfTheirFrames() throws {
    let sink = try PNGFrameSink(scratch.path)
    let view = try view(.open(.cpu), sink)
    try show([0], view)
    try show([1], view, at: MediaTime(value: 1001, timescale: 24000))
    let texts = try sink.paths.map { try PNGFile(reading: $0).metadata["tEXt"] }
    #expect(texts == [nil, Array("Presentation Time\u{0}1001/24000 s".utf8)])
  }

  @Test func aFileThatCannotBeWrittenLosesItsFrame() throws {
    let sink = try PNGFrameSink(scratch.path("shot-%d.png"))
    // A folder of that name is in the way.
    try scratch.make("shot-2.png")
    let error = #expect(throws: SafelightError.self) { try show([0, 0.2, 1], view(.open(.cpu), sink)) }
    #expect(error?.description.contains("shot-2.png") == true)
    #expect(sink.lostFrames.map(\.index) == [1] && sink.lostFrames.map(\.error) == [error])
    #expect(names(sink) == ["shot-1.png", "shot-3.png"])
  }

  @Test func oneFileCannotHoldAllFrames() throws {
    expectError(.usage, remedy: .containing("%04d")) { try PNGFrameSink(scratch.path("shot.png")) }
    _ = try PNGFrameSink(scratch.path("made/%d.png"))
    #expect(try scratch.names() == ["made"])
  }
}

/// The way of a camera's frame: it becomes a texture, the kernels write into a drawable, the view's sink gets the
/// picture.
@Suite struct ViewPipelineDeviceTests {
  /// A picture with blue first, as from a camera.
  private func cameraFrame(_ image: Image, index: Int) throws -> VideoFrame {
    let swapped = try Image(size: image.size, pixelFormat: .bgra8Unorm, bytes: image.bytes)
    let plane = PixelPlane(size: image.size, pixelFormat: .bgra8Unorm, bytes: swapped.bytes)
    return VideoFrame(
      index: index, size: image.size, layout: .bgra8, planes: [plane],
      presentationTime: MediaTime(value: Int64(index) * 1001, timescale: 24000))
  }

  @Test(arguments: TestDevice.all, [PipelineKind.compute, .render])
  func equalizedFramesAreThoseOfTheFilter(_ test: TestDevice, _ pipeline: PipelineKind) async throws {
    let device = try test.open()
    let pictures = try (1...3).map { try Fixtures.image("dark-room/frame000\($0).png") }
    let size = pictures[0].size
    let sink = CollectingFrameSink()
    let view = try FrameView(device: device, size: size, sink: sink)
    view.framebufferOnly = pipeline == .render
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
      equalization.encode(to: buffer, source: source, destination: drawable.texture, pipeline: pipeline)
      buffer.present(drawable, atTime: frame.presentationTime)
      buffer.commit()
    }
    try await view.presented()

    let processor = try FrameProcessor("equalize=channels=each", on: device)
    for (frame, picture) in zip(sink.frames, pictures) {
      let expected = try await processor.process(picture)
      #expect(try frame.image().bytes == expected.bytes)
    }
    #expect(sink.frames.map(\.presentationTime?.value) == [0, 1001, 2002])
  }
}
