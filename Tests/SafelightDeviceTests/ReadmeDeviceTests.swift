import Foundation
import GoldenTesting
import Safelight
import TestSupport
import Testing

/// The first examples of the README and of the documentation, compiled and run; a changed line there must be changed
/// here.
@Suite struct ReadmeDeviceTests {
  private let scratch = TemporaryFolder()

  @Test func theExamplesRunAndAgree() async throws {
    let (dark, light) = (scratch.path("dark.png"), scratch.path("light.png"))
    try PNGFile(image: SyntheticImage.ramp.image(Size(33, 17), channels: .rgb, depth: .bits8)).write(to: dark)
    try await spelledOut(dark: dark, light: light)
    let long = try PNGFile(reading: light)
    try await short(dark: dark, light: light)
    #expect(try PNGFile(reading: light) == long)
  }

  @Test func thePagesShowWhatRunsHere() throws {
    let tests = ["../../fixtures/golden/readme": "Goldens", "Fixtures.path(\"made/rgb8-ramp.png\")": "\"photo.png\""]
    let names = ["reading: dark)": "reading: \"dark.png\")", "to: light)": "to: \"light.png\")"]
    try DocumentedCode("README.md").expect(2, blocksIn: #filePath, naming: names.merging(tests) { $1 })
    try DocumentedCode("Sources/Safelight/Safelight.docc/Safelight.md").expect(1, blocksIn: #filePath, naming: names)
    try DocumentedCode("Sources/Safelight/Safelight.docc/Comparing.md").expect(1, blocksIn: #filePath, naming: tests)
  }

  private func short(dark: String, light: String) async throws {
    let device = try Device.open(.auto, for: "equalize")  // a GPU, else the CPU: the same bytes
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: "equalize", device: device))
    var file = try PNGFile(reading: dark)
    file.image = try await processor.process(file.image)
    try file.write(to: light)
  }

  private func spelledOut(dark: String, light: String) async throws {
    let device = try Device.open(.auto)
    let queue = device.makeCommandQueue()
    let picture = try PNGFile(reading: dark).image
    let info = HistogramInfo.complete(picture.depth, channels: .luma)
    let histogram = ImageHistogram(device: device, info: info)
    let equalization = ImageHistogramEqualization(device: device, info: info)
    let source = try device.makeTexture(picture.size, picture.pixelFormat)
    let target = try device.makeTexture(picture.size, picture.pixelFormat)
    let counts = try device.makeBuffer(length: info.histogramSize(forSourceFormat: picture.pixelFormat))

    let buffer = queue.makeCommandBuffer(label: "one frame")
    let upload = buffer.makeBlitCommandEncoder()
    upload.copy(from: picture, to: source)
    upload.endEncoding()
    histogram.encode(to: buffer, source: source, histogram: counts)
    equalization.encodeTransform(to: buffer, source: source, histogram: counts)
    equalization.encode(to: buffer, source: source, destination: target)
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(target)
    blit.endEncoding()
    buffer.commit()
    try await buffer.completed()
    try PNGFile(image: picture.replacing(bytes: result.contents())).write(to: light)
  }
}

@Suite(.golden(in: "../../fixtures/golden/readme"), .requiresGPU()) struct PosterizeTests {
  @Test(arguments: [2, 7]) func posterize(_ levels: Int) async throws {
    let photo = try PNGFile(reading: Fixtures.path("made/rgb8-ramp.png")).image
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let output = try Output<GPU>(await posterized(photo, levels, on: device), by: device)
    let expected = try Output<CPU>(await posterized(photo, levels, on: twins), by: twins)
    try expectGolden(output, case: levels)  // Goldens/posterize-2.png and -7.png beside this file
    try expectConforms(output, to: expected)
  }
}

private func posterized(_ photo: Image, _ levels: Int, on device: Device) async throws -> Image {
  let chain = try FilterChain(parsing: "posterize=\(levels)", device: device)
  return try await FrameProcessor(device: device, chain: chain).process(photo)
}
