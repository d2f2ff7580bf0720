import Safelight
import TestSupport
import Testing

/// Pictures rendered into others, against hashes that were computed without this package.
@Suite struct ImageRendererGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["nearest", "linear", "area"])
  func pixelsHaveTheFrozenHashes(_ test: TestDevice, _ filter: String) throws {
    let device = try test.open()
    // Each case belongs to the filter of its first picture; those of several pictures have others as well.
    let cases = try Fixtures.renderings().filter { $0.renders.first?.filter == filter }
    let renderer = ImageRenderer()
    var images: [String: Image] = [:]
    for (number, rendering) in cases.enumerated() {
      images[String(number)] = try Self.image(of: rendering, renderer, device)
    }
    let hashes = try PixelHashes.of(images)
    #expect(hashes.count == cases.count && cases.count > 60)
    for (number, rendering) in cases.enumerated() { #expect(hashes[String(number)] == rendering.hash, "\(rendering)") }
  }

  private static func image(
    of rendering: FrozenRendering, _ renderer: ImageRenderer, _ device: Device
  ) throws -> Image {
    let start = try PNGFile(reading: Fixtures.path(rendering.destination)).image
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: rendering.destination)
    let destination = try texture(start, device, buffer)
    for layer in rendering.renders {
      let source = try texture(PNGFile(reading: Fixtures.path(layer.source)).image, device, buffer)
      try renderer.render(
        source, to: destination, commandBuffer: buffer,
        bounds: Region(x: layer.bounds[0], y: layer.bounds[1], width: layer.bounds[2], height: layer.bounds[3]),
        orientation: #require(Orientation(rawValue: layer.orientation)),
        filter: #require(ImageRenderer.Filter(rawValue: layer.filter)),
        blend: #require(ImageRenderer.Blend(rawValue: layer.blend)))
    }
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(destination)
    blit.endEncoding()
    buffer.commit()
    try buffer.waitUntilCompleted()
    return start.replacing(bytes: try result.contents())
  }

  private static func texture(_ image: Image, _ device: Device, _ buffer: CommandBuffer) throws -> Texture {
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    let blit = buffer.makeBlitCommandEncoder()
    blit.copy(from: image, to: texture)
    blit.endEncoding()
    return texture
  }
}
