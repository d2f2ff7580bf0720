import Foundation
import Safelight
import TestSupport
import Testing

@Suite struct PNGFrameSinkDeviceTests {
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

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try body(folder.path)
  }

  @Test(arguments: TestDevice.all)
  func framesBecomeFilesInTheirOrder(_ test: TestDevice) throws {
    try withFolder { folder in
      for (output, names) in [
        ("\(folder)/new/shots", ["frame.000001.png", "frame.000002.png", "frame.000003.png"]),
        ("\(folder)/shot-%d.png", ["shot-1.png", "shot-2.png", "shot-3.png"]),
      ] {
        let sink = try PNGFrameSink(output)
        let view = try FrameView(device: try test.open(), size: Size(3, 2), sink: sink)
        try show([0, 0.2, 1], view)
        #expect(sink.paths.map { URL(fileURLWithPath: $0).lastPathComponent } == names)
        #expect(sink.lostFrames.isEmpty)
        for (path, red) in zip(sink.paths, [0, 51, 255] as [UInt8]) {
          let image = try PNGFile(reading: path).image
          #expect(image.size == Size(3, 2))
          #expect(image.channels == .rgba)
          #expect(image.bytes == (0..<6).flatMap { _ in [red, 0, 255, 255] })
        }
      }
    }
  }

  @Test func filesCarryTheTimesOfTheirFrames() throws {
    try withFolder { folder in
      let sink = try PNGFrameSink(folder)
      let view = try FrameView(device: try Device.open(.cpu), size: Size(3, 2), sink: sink)
      try show([0], view)
      try show([1], view, at: MediaTime(value: 1001, timescale: 24000))
      let texts = try sink.paths.map { try PNGFile(reading: $0).metadata["tEXt"] }
      #expect(texts == [nil, Array("Presentation Time\u{0}1001/24000 s".utf8)])
    }
  }

  @Test func aFileThatCannotBeWrittenLosesItsFrame() throws {
    try withFolder { folder in
      let sink = try PNGFrameSink("\(folder)/shot-%d.png")
      let view = try FrameView(device: try Device.open(.cpu), size: Size(3, 2), sink: sink)
      // A folder of that name is in the way.
      try FileManager.default.createDirectory(atPath: "\(folder)/shot-2.png", withIntermediateDirectories: true)
      let error = #expect(throws: SafelightError.self) { try show([0, 0.2, 1], view) }
      #expect(error?.description.contains("shot-2.png") == true)
      #expect(sink.lostFrames.map(\.index) == [1])
      #expect(sink.lostFrames.map(\.error) == [error])
      #expect(sink.paths.map { URL(fileURLWithPath: $0).lastPathComponent } == ["shot-1.png", "shot-3.png"])
    }
  }

  @Test func oneFileCannotHoldAllFrames() throws {
    try withFolder { folder in
      let error = #expect(throws: SafelightError.self) { try PNGFrameSink("\(folder)/shot.png") }
      #expect(error?.kind == .usage)
      #expect(error?.remedy?.contains("%04d") == true)
      _ = try PNGFrameSink("\(folder)/made/%d.png")
      #expect(FileManager.default.fileExists(atPath: "\(folder)/made"))
    }
  }
}

/// The way of a camera's frame: it becomes a texture, the kernels write into a drawable, the view's sink gets the
/// picture.
@Suite struct ViewPipelineDeviceTests {
  private let names = (1...3).map { "dark-room/frame000\($0).png" }

  /// A picture with blue first, as from a camera.
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
