import Safelight
import TestSupport
import Testing

/// Pictures larger than the largest texture give the bytes of those that fit.
@Suite struct TiledTextureDeviceTests {
  static let chains = [
    "equalize", "clahe=clip=2:columns=3:rows=2", "clahe=clip=0:columns=1:rows=4:channels=luma",
    "equalize=channels=luma", "saturation=1.7",
    "passthrough", "ycbcr", "ycbcr=siting=center:range=full:bits=16", "ycbcr=siting=topLeft:planes=planar:bits=16",
    "ycbcr=chroma=422:range=full", "ycbcr=chroma=444",
  ]

  @Test(arguments: TestDevice.all, chains)
  func tilesChangeNothing(_ test: TestDevice, _ chain: String) async throws {
    let whole = try test.open()
    var limits = Capabilities.minimum
    limits.maximumTextureSize = 16
    let tiled = try test.open(limits: limits)
    defer { tiled.close() }
    for form in whole.info.isCPU ? [KernelForm.automatic] : [.render, .compute] {
      for depth in SampleDepth.allCases {
        for (size, channels) in [
          (Size(33, 17), Channels.rgba), (Size(16, 16), .rgb), (Size(1, 49), .rgb), (Size(50, 31), .grayAlpha),
          (Size(47, 65), .gray),
        ] where form != .compute || channels != .gray {
          let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
          let results = try await [whole, tiled].asyncMap { device in
            try await FrameProcessor(device: device, chain: FilterChain(parsing: chain, device: device, form: form))
              .process(image)
          }
          #expect(results[0] == results[1], "\(size) \(channels) \(depth) \(form)")
          #expect(results[0] != image || chain == "passthrough" || channels == .gray || channels == .grayAlpha)
        }
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func tilesCoverThePicture(_ test: TestDevice) throws {
    var limits = Capabilities.minimum
    limits.maximumTextureSize = 16
    let device = try test.open(limits: limits)
    defer { device.close() }
    let texture = try TiledTexture(device: device, size: Size(33, 17), pixelFormat: .rgba8Unorm, label: "tiles")
    #expect(texture.tiles.map(\.region.size.area).reduce(0, +) == 33 * 17)
    #expect(texture.tiles.allSatisfy { $0.texture.size == $0.region.size && $0.region.isInside(Size(33, 17)) })
    #expect(texture.tiles.count == 6)
    #expect(throws: SafelightError.self) { try device.makeTexture(Size(17, 1), .rgba8Unorm) }
  }

  @Test(arguments: TestDevice.all)
  func histogramsOfTilesAreThoseOfTheWhole(_ test: TestDevice) async throws {
    var limits = Capabilities.minimum
    limits.maximumTextureSize = 16
    let tiled = try test.open(limits: limits)
    defer { tiled.close() }
    let image = SyntheticImage.noise.image(Size(50, 31), channels: .rgb, depth: .bits8)
    let series = try await HistogramReader(device: tiled, entries: 256).histogram(of: image).series
    #expect(series.count == 3)
    for (channel, series) in series.enumerated() {
      var counts = [UInt64](repeating: 0, count: 256)
      for pixel in stride(from: channel, to: image.bytes.count, by: 4) { counts[Int(image.bytes[pixel])] += 1 }
      #expect(series.counts == counts)
    }
  }
}

extension Array {
  /// Transforms one element after the other.
  func asyncMap<Result>(_ transform: (Element) async throws -> Result) async throws -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
