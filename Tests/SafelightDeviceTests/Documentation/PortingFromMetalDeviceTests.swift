import Foundation
import Safelight
import TestSupport
import Testing

private let functions = """
  #pragma kernel dim
  #include "Common/compute.glsl"
  layout(binding = 0) uniform sampler2D source;
  layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
  layout(std140, binding = 2) uniform Parameters { uvec4 amount; };  // in 1/256
  void main() {
    if (isOutsideGrid()) return;
    ivec2 position = ivec2(gl_GlobalInvocationID.xy);
    uvec4 pixel = uvec4(texelFetch(source, position, 0) * 255.0 + 0.5);
    imageStore(destination, position, uvec4((pixel.rgb * amount.x) >> 8, pixel.a));
  }

  #pragma fragment show
  layout(binding = 0) uniform sampler2D source;
  layout(location = 0) out vec4 color;
  void main() {
    uvec4 pixel = uvec4(texelFetch(source, ivec2(gl_FragCoord.xy), 0) * 255.0 + 0.5);
    color = (vec4(pixel) + 0.25) / 255.0;
  }
  """

private func dimTwin(_ arguments: TwinArguments) {
  let amount = arguments.words(2)[0]
  arguments.texture(0).withSamples(of: UInt8.self) { source in
    arguments.texture(1).withMutableSamples(of: UInt8.self) { destination in
      for index in source.indices {
        let isColor = index % 4 < 3
        destination[index] = isColor ? UInt8((UInt32(source[index]) * amount) >> 8) : source[index]
      }
    }
  }
}

private func showTwin(_ arguments: TwinArguments) {
  arguments.texture(0).withSamples(of: UInt8.self) { source in
    arguments.colorAttachment?.withMutableSamples(of: UInt8.self) { target in
      for index in source.indices { target[index] = source[index] }
    }
  }
}

/// The code of the page "Porting from Metal", in its order.
@Suite struct PortingFromMetalDeviceTests {
  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/PortingFromMetal.md").expect(
      18, blocksIn: #filePath, naming: ["private ": "", "try test.open()": "try Device.open(.auto)"])
  }

  @Test(arguments: TestDevice.all)
  func aCamerasPipelineGivesTheSameFramesEverywhere(_ test: TestDevice) async throws {
    let frames = try await pipeline(test)
    #expect(frames.map(\.presentationTime) == [0, 1, 2].map { MediaTime(value: $0, timescale: 25) })
    let twins = try await pipeline(TestDevice(name: "cpu"))
    #expect(frames.map(\.bytes) == twins.map(\.bytes))
    let first = try #require(frames.first).image()
    #expect(Set(first.bytes).count > 100, "an equalized test picture has most of the values")
  }

  private func pipeline(_ test: TestDevice) async throws -> [PresentedFrame] {
    let device = try test.open()
    let queue = device.makeCommandQueue()

    let library = try device.makeLibrary(source: functions)
    let dim = try await device.makeComputePipelineState(library.makeFunction(name: "dim").withTwin(dimTwin))
    let show = try device.makeRenderPipelineState(fullScreen: library.makeFunction(name: "show").withTwin(showTwin))
    let info = HistogramInfo.complete(.bits8)
    let histogram = ImageHistogram(device: device, info: info)
    let equalization = ImageHistogramEqualization(device: device, info: info)

    let camera = try await FFmpegSource(.lavfi("testsrc2=size=96x64"), options: FFmpegOptions(frameLimit: 3))
    let capture = FrameCapture(camera, alwaysDiscardsLateVideoFrames: false)
    let textureCache = TextureCache(device: device)

    let size = camera.format.size
    let dimmed = try device.makeTexture(size, .bgra8Unorm, label: "dimmed")
    let equalized = try device.makeTexture(size, .bgra8Unorm, label: "equalized")
    let counts = try device.makeBuffer(
      length: info.histogramSize(forSourceFormat: .bgra8Unorm), storageMode: .private, label: "counts")
    let pixels = try device.makeBuffer(length: size.area * 4, label: "pixels")

    let sink = CollectingFrameSink()
    let view = try FrameView(device: device, size: size, sink: sink)

    for try await frame in capture.frames {
      let buffer = queue.makeCommandBuffer(label: "frame \(frame.index)")
      let source = try textureCache.makeTextures(from: frame, in: buffer)[0]

      let compute = buffer.makeComputeCommandEncoder(label: "dim")
      compute.setComputePipelineState(dim)
      compute.setTexture(source, index: 0)
      compute.setTexture(dimmed, index: 1)
      compute.setBytes(SIMD4<UInt32>(128, 0, 0, 0), index: 2)
      compute.dispatchThreads(dimmed.size, threadsPerThreadgroup: Size(8, 8))
      compute.endEncoding()

      histogram.encode(to: buffer, source: dimmed, histogram: counts)
      equalization.encodeTransform(to: buffer, source: dimmed, histogram: counts)
      equalization.encode(to: buffer, source: dimmed, destination: equalized)

      let blit = buffer.makeBlitCommandEncoder(label: "keep")
      blit.copy(from: equalized, to: pixels, bytesPerRow: size.width * 4)
      blit.endEncoding()

      let drawable = try await view.nextDrawable()
      let pass = RenderPassDescriptor(texture: drawable.texture, loadAction: .clear(0, 0, 0, 1))
      let render = buffer.makeRenderCommandEncoder(pass, label: "show")
      render.setRenderPipelineState(show)
      render.setFragmentTexture(equalized, index: 0)
      render.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      render.endEncoding()

      buffer.present(drawable, atTime: frame.presentationTime)
      buffer.addCompletedHandler { done in
        if let error = done.error { print(error) }
      }
      buffer.commit()
    }
    try await view.presented()

    let last = try #require(sink.frames.last).bytes
    let kept = try pixels.withContents(of: UInt8.self) { bytes in bytes.indices.map { bytes[$0] } }
    #expect(kept == last)

    let ready = device.makeEvent(label: "ready")
    let producer = queue.makeCommandBuffer(label: "producer")
    let fill = producer.makeBlitCommandEncoder()
    fill.fill(pixels, range: 0..<pixels.length, value: 7)
    fill.endEncoding()
    producer.encodeSignalEvent(ready, value: 1)

    let consumer = device.makeCommandQueue(label: "another").makeCommandBuffer(label: "consumer")
    consumer.encodeWaitForEvent(ready, value: 1)
    let fetch = consumer.makeBlitCommandEncoder()
    let fetched = fetch.read(pixels, range: 0..<pixels.length)
    fetch.endEncoding()

    consumer.commit()
    producer.commit()
    try await consumer.completed()
    #expect(try fetched.contents() == [UInt8](repeating: 7, count: pixels.length))
    return sink.frames
  }
}

private let source = """
  #pragma kernel brighten
  #include "Common/compute.glsl"
  layout(std430, binding = 0) buffer Words { uint words[]; };
  void main() {
    if (isOutsideGrid()) return;
    words[gl_GlobalInvocationID.x] += 7u;
  }
  """

private func brighten(on device: Device) throws -> ShaderFunction {
  try device.makeLibrary(source: source).makeFunction(name: "brighten").withTwin { arguments in
    arguments.buffer(0).withWords { words in
      for index in 0..<arguments.grid.width { words[index] += 7 }
    }
  }
}

private func drawFrame(on queue: CommandQueue) throws {
  let words = try queue.device.makeBuffer(length: 16, label: "words")
  let buffer = queue.makeCommandBuffer(label: "frame")
  let encoder = buffer.makeComputeCommandEncoder()
  encoder.setComputePipelineState(try queue.device.makeComputePipelineState(brighten(on: queue.device)))
  encoder.setBuffer(words, index: 0)
  encoder.dispatchThreads(Size(4, 1), threadsPerThreadgroup: Size(4, 1))
  encoder.endEncoding()
  buffer.commit()
  try buffer.waitUntilCompleted()
}

/// The code of the page "Capture and replay", in its order.
@Suite struct CapturePageDeviceTests {
  private let scratch = TemporaryFolder()

  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/Capture.md").expect(
      2, blocksIn: #filePath,
      naming: ["CaptureFolder(path)": "CaptureFolder(\"captures\")", "read(first)": "read(\"captures/0001-frame\")"])
  }

  @Test(arguments: TestDevice.all)
  func aFrameIsCapturedAndReplayed(_ test: TestDevice) throws {
    let path = scratch.path
    let device = try test.openAnother()
    defer { device.close() }
    let queue = device.makeCommandQueue()

    let folder = CaptureFolder(path)
    try device.captureManager.startCapture(CaptureDescriptor(captureObject: .commandQueue(queue), destination: folder))
    try drawFrame(on: queue)
    device.captureManager.stopCapture()

    let first = "\(path)/0001-frame"
    let myFunction = try brighten(on: device)

    var twins = TwinLibrary.kernels
    twins.add(myFunction)
    let outputs = try CaptureReplay(try CaptureFolder.read(first), device: device, twins: twins).run()

    #expect(outputs.map(\.name) == ["buffer-1-words"])
    #expect(outputs.first?.actual == [7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0])
    #expect(outputs.allSatisfy { $0.difference == nil })
  }
}

/// The code of the page "Sharing memory with cameras and codecs", in its order.
@Suite struct SharedMemoryDeviceTests {
  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/SharedMemory.md").expect(3, blocksIn: #filePath)
  }

  @Test(arguments: TestDevice.all)
  func aDecodersPlanesAreTextures(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = try MemoryFile.make(length: 1920 * 1080 * 3 / 2, value: 90)
    let frame = try DMABuffer(
      adopting: [
        .init(descriptor: descriptor, offset: 0, stride: 1920),
        .init(descriptor: descriptor, offset: 1920 * 1080, stride: 1920),
      ],
      format: .nv12, size: Size(1920, 1080))
    let luma = try device.makeTexture(importing: frame, plane: 0)  // r8Unorm, 1920×1080
    let chroma = try device.makeTexture(importing: frame, plane: 1)  // rg8Unorm, 960×540
    #expect(luma.descriptor == TextureDescriptor(Size(1920, 1080), .r8Unorm))
    #expect(chroma.descriptor == TextureDescriptor(Size(960, 540), .rg8Unorm))
    #expect(try luma.getBytes(from: Region(size: Size(2, 1))) == [90, 90])
  }

  @Test(arguments: TestDevice.all)
  func aDecodersFramesGoThroughTheCache(_ test: TestDevice) throws {
    let device = try test.open()
    let textureCache = TextureCache(device: device)
    let memory = try DMABuffer(hostMemoryFor: Size(64, 36), .nv12)
    let queue = device.makeCommandQueue()
    let giveBack: @Sendable () -> Void = {}
    let frame = try VideoFrame(
      index: 0, memory: memory, presentationTime: .zero, color: ColorDescription(matrix: .bt709, range: .limited),
      onRelease: giveBack)
    let buffer = queue.makeCommandBuffer()
    let textures = try textureCache.makeTextures(from: frame, in: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    #expect(textures.map(\.size) == [Size(64, 36), Size(32, 18)])
  }

  @Test(arguments: TestDevice.all)
  func aTextureIsHandedOn(_ test: TestDevice) throws {
    let device = try test.open()
    let other = try Device.open(.cpu)
    let shared = try device.makeSharedTexture(Size(640, 360), .rgba8Unorm)
    let handle = try shared.exportDMABuffer()
    let seen = try other.makeTexture(importing: handle)
    try shared.replace(region: Region(size: Size(1, 1)), withBytes: [1, 2, 3, 4])
    #expect(try seen.getBytes(from: Region(size: Size(1, 1))) == [1, 2, 3, 4])
  }
}
