import Foundation
import Safelight
import TestSupport
import Testing

/// The README's library examples, compiled and run; a changed line there must be changed here.
@Suite struct ReadmeDeviceTests {
  @Test func theExamplesRunAndAgree() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "safelight-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let dark = folder.appending(path: "dark.png").path
    let light = folder.appending(path: "light.png").path
    try PNGFile(image: SyntheticImage.ramp.image(Size(33, 17), channels: .rgb, depth: .bits8)).write(to: dark)
    try await spelledOut(dark: dark, light: light)
    let long = try PNGFile(reading: light)
    try await short(dark: dark, light: light)
    #expect(try PNGFile(reading: light) == long)
    try FileManager.default.removeItem(at: folder)
  }

  @Test func theReadmeShowsWhatRunsHere() throws {
    try DocumentedCode("README.md").expect(
      2, blocksIn: #filePath, naming: ["reading: dark)": "reading: \"dark.png\")", "to: light)": "to: \"light.png\")"])
  }

  private func short(dark: String, light: String) async throws {
    let device = try Device.open(.auto)
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: "equalize", device: device))
    var file = try PNGFile(reading: dark)
    file.image = try await processor.process(file.image)
    try file.write(to: light)
  }

  private func spelledOut(dark: String, light: String) async throws {
    let device = try Device.open(.auto)
    let queue = device.makeCommandQueue()
    let picture = try PNGFile(reading: dark).image
    let info = HistogramInfo.complete(picture.depth)
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
