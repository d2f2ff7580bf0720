import Safelight
import TestSupport
import Testing

/// Tiles of any size make the same bytes.
@Suite struct TileDeviceTests {
  /// Every filter by each of its examples, in tiles of 16 and in one texture; few enough pixels that a border reaches
  /// over more than one tile.
  @Test(arguments: FilterCatalogue.entries.map(\.description.name), TestDevice.all)
  func tilesAreAsTheWhole(_ filter: String, _ test: TestDevice) throws {
    let device = try test.open()
    let entry = try #require(FilterCatalogue.entries.first { $0.description.name == filter })
    for example in entry.examples {
      for image in [ConformanceFrame.image, SyntheticImage.noise.image(Size(53, 37), channels: .gray, depth: .bits16)] {
        let picture = image.size.width > 100 ? image.part(53, 37) : image
        let made = try [4096, 16].map { try Self.made(picture, example, device, edge: $0) }
        #expect(made[0] == made[1], "\(example) of \(picture.pixelFormat.rawValue)")
      }
    }
  }

  /// What is measured of tiles is what is measured of the whole.
  @Test(arguments: TestDevice.all) func meansAreThoseOfTheWhole(_ test: TestDevice) throws {
    let device = try test.open()
    let mean = try #require(try FilterChain(parsing: "mean", device: device).filters.first?.measurement)
    for image in [
      ConformanceFrame.image, SyntheticImage.noise.image(Size(53, 37), channels: .gray, depth: .bits16),
      SyntheticImage.noise.image(Size(37, 53), channels: .rgba, depth: .bits16),
    ] {
      let values = try [4096, 16].map { edge in
        let buffer = device.makeCommandQueue().makeCommandBuffer(label: "tiles of \(edge)")
        let edge = min(edge, device.capabilities.maximumTextureSize)
        let source = try TiledTexture(
          device: device, size: image.size, pixelFormat: image.pixelFormat, edge: edge, label: "source")
        source.encodeUpload(of: image, to: buffer)
        let memory = try device.makeBuffer(length: mean.byteCount(of: source))
        mean.encode(to: buffer, source: source, into: memory, offset: 0)
        let blit = buffer.makeBlitCommandEncoder()
        let readback = blit.read(memory, range: 0..<memory.length)
        blit.endEncoding()
        buffer.commit()
        try buffer.waitUntilCompleted()
        return mean.values(try readback.contents(), of: image.descriptor)
      }
      let samples = image.channels.isGray ? [0] : [0, 1, 2] + (image.channels.hasAlpha ? [3] : [])
      let expected = samples.map { sample in
        let sum = (0..<image.size.area).reduce(0) {
          $0 + image[x: $1 % image.size.width, y: $1 / image.size.width, sample: sample]
        }
        return Double(sum) / Double(image.size.area * image.pixelFormat.maximum)
      }
      for values in values { #expect(values.map(\.value) == expected) }
    }
  }

  /// A user's kernel of neighbors gets its borders, and one that asks for places is refused where those would be tiles'.
  @Test(arguments: TestDevice.gles)
  func usersKernelsMakeTheSameInTilesOfAnySize(_ test: TestDevice) throws {
    let device = try test.open()
    let body = "%23define RADIUS 3%0Auvec4 pointKernel(uvec4 p) { return p / 2u + neighbor(-3, 2) / 2u; }"
    let picture = ConformanceFrame.image
    let made = try [4096, 16].map { try Self.made(picture, "shader=file='data:,\(body)'", device, edge: $0) }
    #expect(made[0] != nil && made[0] == made[1])
    let placed = try FilterChain(
      parsing: "shader=file='data:,uvec4 pointKernel(uvec4 p) { return p * uint(pixelPosition().x); }'", device: device)
    #expect(throws: Never.self) { try placed.output(of: picture.descriptor) }
    let wide = ImageDescriptor(
      size: Size(device.capabilities.maximumTextureSize + 1, 1), channels: .rgb, depth: .bits8)
    let error = #expect(throws: SafelightError.self) { try placed.output(of: wide) }
    #expect(error?.kind == .limit)
  }

  /// The bytes of `image` after the stages of `chain`, in tiles of `edge`; nil where they do not take it.
  private static func made(_ image: Image, _ chain: String, _ device: Device, edge: Int) throws -> [UInt8]? {
    let chain = try FilterChain(parsing: chain, device: device)
    guard (try? chain.output(of: image.descriptor)) != nil else { return nil }
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "tiles of \(edge)")
    let edge = min(edge, device.capabilities.maximumTextureSize)
    func texture(_ image: ImageDescriptor, _ label: String) throws -> TiledTexture {
      try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, edge: edge, label: label)
    }
    var current = try texture(image.descriptor, "source")
    current.encodeUpload(of: image, to: buffer)
    var descriptor = image.descriptor
    for filter in chain.filters {
      descriptor = try filter.output(of: descriptor)
      let next = try texture(descriptor, "made")
      filter.encode(to: buffer, source: current, destination: next)
      current = next
    }
    let readback = current.encodeReadback(to: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    return try readback.contents()
  }
}

extension Image {
  /// Its upper left corner.
  fileprivate func part(_ width: Int, _ height: Int) -> Image {
    let row = size.width * pixelFormat.bytesPerPixel
    let bytes = (0..<height).flatMap { y in self.bytes[y * row..<y * row + width * pixelFormat.bytesPerPixel] }
    return Image(size: Size(width, height), channels: channels, depth: depth, bytes: bytes)
  }
}
