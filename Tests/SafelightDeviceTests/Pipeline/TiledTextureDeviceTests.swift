import Safelight
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Pictures larger than the largest texture give the bytes of those that fit.
@Suite struct TiledTextureDeviceTests {
  static let chains = [
    "equalize", "clahe=clip=2:columns=3:rows=2", "clahe=clip=0:columns=1:rows=4:channels=luma",
    "equalize=channels=luma", "saturation=1.7", "passthrough", "ycbcr", "ycbcr=siting=center:range=full:bits=16",
    "ycbcr=siting=topLeft:planes=planar:bits=16", "ycbcr=chroma=422:range=full", "ycbcr=chroma=444",
    "affine='0.9 0.3 -2.4 -0.2 1.1 3.6'", "affine='1 0 0.5 0 1 0.5':mode=lanczos:edge=mirror",
    "rotate=30:mode=bicubic:edge=mirror", "undistort=k1=-0.3:fx=40:mode=bicubic:edge=mirror",
    "remap=map='\(Fixtures.path("made/rgb16-noise.png"))':edge=mirror",
    // The horizon crosses both, for all that can lie beyond the edges.
    "\(horizon):color=white", "\(horizon):edge=clamp", "\(horizon):edge=mirror:mode=nearest",
    "\(horizon):edge=mirror:mode=lanczos",
  ]
  private static let horizon = "perspective=to='10/12 14/12 40/30 -20/30'"

  /// A device whose largest texture is of 16 columns and rows.
  private func small(_ test: TestDevice) throws -> Device {
    var limits = Capabilities.minimum
    limits.maximumTextureSize = 16
    return try test.open(limits: limits)
  }

  @Test(arguments: TestDevice.all, chains)
  func tilesChangeNothing(_ test: TestDevice, _ chain: String) async throws {
    let whole = try test.open()
    let tiled = try small(test)
    defer { tiled.close() }
    for pipeline in whole.info.isCPU ? [PipelineKind.automatic] : [.render, .compute] {
      for depth in SampleDepth.allCases {
        for (size, channels) in [
          (Size(33, 17), Channels.rgba), (Size(16, 16), .rgb), (Size(1, 49), .rgb), (Size(50, 31), .grayAlpha),
          (Size(47, 65), .gray),
        ] where pipeline != .compute || channels != .gray {
          let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
          func made(_ device: Device) async throws -> Image {
            let chain = try FilterChain(parsing: chain, device: device, pipeline: pipeline)
            return try await FrameProcessor(device: device, chain: chain).process(image)
          }
          let expected = try await made(whole)
          #expect(try await made(tiled) == expected, "\(size) \(channels) \(depth) \(pipeline)")
          #expect(expected != image || chain == "passthrough" || channels.isGray)
        }
      }
    }
  }

  /// A picture that is laid over others lies in tiles too, and where it meets theirs.
  @Test(arguments: TestDevice.all, ["grey8-noise", "rgba8-sprite"])
  func tilesMayHaveAnotherPictureOverThem(_ test: TestDevice, _ name: String) async throws {
    let tiled = try small(test)
    defer { tiled.close() }
    let call = "over=image='\(Fixtures.path("made/\(name).png"))'"
    for (place, channels) in [("x=3:y=-2", Channels.rgba), ("x=-21:y=11", .rgb), ("x=0:y=0", .gray)] {
      if channels.isGray && name != "grey8-noise" { continue }
      for depth in SampleDepth.allCases {
        let image = SyntheticImage.noise.image(Size(47, 31), channels: channels, depth: depth)
        let made = try await FrameProcessor("\(call):\(place)", on: tiled).process(image)
        let expected = try await FrameProcessor("\(call):\(place)", on: try test.open()).process(image)
        #expect(made == expected, "\(place) \(channels) \(depth)")
        #expect(expected != image)
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func tilesCoverThePicture(_ test: TestDevice) throws {
    let device = try small(test)
    defer { device.close() }
    let texture = try TiledTexture(device: device, size: Size(33, 17), pixelFormat: .rgba8Unorm, label: "tiles")
    #expect(texture.tiles.map(\.region.size.area).reduce(0, +) == 33 * 17)
    #expect(texture.tiles.allSatisfy { $0.texture.size == $0.region.size && $0.region.isInside(Size(33, 17)) })
    #expect(texture.tiles.count == 6)
    #expect(throws: SafelightError.self) { try device.makeTexture(Size(17, 1), .rgba8Unorm) }
  }

  @Test(arguments: TestDevice.all)
  func histogramsOfTilesAreThoseOfTheWhole(_ test: TestDevice) async throws {
    let tiled = try small(test)
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

/// Tiles of any size make the same bytes.
@Suite struct TileDeviceTests {
  /// Runs each example of every filter in tiles of 16 and in one texture; the pixels are so few that a border spans
  /// several tiles. Windows that need larger tiles get them, unless they need the whole picture.
  @Test(arguments: FilterCatalogue.entries.map(\.description.name), TestDevice.all)
  func tilesAreAsTheWhole(_ filter: String, _ test: TestDevice) throws {
    let device = try test.open()
    let entry = try #require(FilterCatalogue.entries.first { $0.description.name == filter })
    var tiled = 0
    for example in entry.examples + FilterWords.examples.filter({ $0.hasPrefix("\(filter)=") }) {
      for image in [
        ConformanceFrame.image, SyntheticImage.noise.image(Size(53, 37), channels: .gray, depth: .bits16),
        SyntheticImage.noise.image(Size(37, 23), channels: .rgba, depth: .bits8),
      ] {
        guard let edge = try [16, 32].first(where: { try Self.admits(image, example, edge: $0) }) else { continue }
        let made = try [4096, edge].map { try Self.made(image, example, device, edge: $0) }
        #expect(made[0] == made[1], "\(example) of \(image.pixelFormat.rawValue)")
        tiled += 1
      }
    }
    #expect(tiled > 0 || entry.examples.isEmpty)
  }

  /// Whether tiles of `edge` columns and rows hold what a pixel needs.
  private static func admits(_ image: Image, _ example: String, edge: Int) throws -> Bool {
    let call = try #require(FilterSyntax.parse(example, catalogue: FilterCatalogue.descriptions).first)
    guard let kernel = try FilterCatalogue.entry(call).applied(call) else { return true }
    do {
      _ = try kernel.plan(for: PassPicture(image.descriptor), edge: edge)
      return true
    } catch {
      #expect(error.kind == .limit || error.kind == .unsupported)
      return error.kind == .unsupported
    }
  }

  /// Tiles are measured like the whole. Where nothing is seen, only alpha has a mean.
  @Test(arguments: TestDevice.all, ["visible", "all"])
  func meansAreThoseOfTheWhole(_ test: TestDevice, _ counts: String) throws {
    let device = try test.open()
    let mean = try #require(try FilterChain(parsing: "mean=\(counts)", device: device).filters.first?.measurement)
    var premultiplied = try Fixtures.image("made/rgba8-sprite.png")
    premultiplied.color.alpha = .premultiplied
    for image in [
      ConformanceFrame.image, SyntheticImage.noise.image(Size(53, 37), channels: .gray, depth: .bits16),
      SyntheticImage.noise.image(Size(37, 53), channels: .rgba, depth: .bits16), premultiplied,
      try Fixtures.image("made/rgba8-sprite.png"), try Fixtures.image("made/greya8-sprite.png"),
      try Fixtures.image("made/rgba8-invisible.png"),
    ] {
      let values = try [4096, 16].map { edge in
        let readback = try device.run { buffer in
          let source = try Self.texture(image.descriptor, device, edge: edge)
          source.encodeUpload(of: image, to: buffer)
          let memory = try device.makeBuffer(length: mean.byteCount(of: source))
          mean.encode(to: buffer, source: source, into: memory, offset: 0)
          return buffer.blit { $0.read(memory, range: 0..<memory.length) }
        }
        return mean.values(try readback.contents(), of: image.descriptor)
      }
      let samples = (image.channels.isGray ? [0] : [0, 1, 2]) + (image.channels.hasAlpha ? [3] : [])
      func value(_ place: Int, _ sample: Int) -> Int {
        image[x: place % image.size.width, y: place / image.size.width, sample: sample]
      }
      let hides = counts == "visible" && image.channels.hasAlpha && image.color.alpha != .premultiplied
      let expected = samples.compactMap { sample -> Double? in
        let places = (0..<image.size.area).filter { !hides || sample == 3 || value($0, 3) > 0 }
        let sum = places.reduce(0) { $0 + value($1, sample) }
        return places.isEmpty ? nil : Double(sum) / Double(places.count * image.pixelFormat.maximum)
      }
      for values in values { #expect(values.map(\.value) == expected) }
    }
  }

  /// A user's kernel gets the pixels around its own, and positions in the picture; one that asks for pixels anywhere is
  /// refused if a texture does not hold them.
  @Test(arguments: TestDevice.gles)
  func usersKernelsMakeTheSameInTilesOfAnySize(_ test: TestDevice) throws {
    let device = try test.open()
    func chain(_ body: String) -> String {
      "shader=file='data:,%23define RADIUS 3%0Auvec4 pointKernel(uvec4 p) { \(body) }'"
    }
    let picture = ConformanceFrame.image
    let bodies = ["return p / 2u + neighbor(-3, 2) / 2u;", "return p / 2u + uvec4(pixelPosition().xyyx);"]
    let made = try bodies.map { body in
      let made = try [4096, 16].map { try Self.made(picture, chain(body), device, edge: $0) }
      #expect(made[0] != nil && made[0] == made[1], "\(body)")
      return made[0]
    }
    #expect(made[0] != made[1])
    let anywhere = try FilterChain(parsing: chain("return fetchPixel(source, ivec2(p.xy));"), device: device)
    #expect(throws: Never.self) { try anywhere.output(of: picture.descriptor) }
    let wide = ImageDescriptor(size: Size(device.capabilities.maximumTextureSize + 1, 1), channels: .rgb, depth: .bits8)
    expectError(.limit, why: .containing("a pixel may depend on all of")) { try anywhere.output(of: wide) }
  }

  /// Returns the bytes of `image` after `chain`, in tiles of `edge`; nil if the chain does not take it.
  private static func made(_ image: Image, _ chain: String, _ device: Device, edge: Int) throws -> [UInt8]? {
    let filters = try FilterSyntax.parse(chain, catalogue: FilterCatalogue.descriptions)
      .map { try FilterCatalogue.entry($0).make($0, device, .automatic) }
    guard filters.allSatisfy({ filter in (try? filter.output(of: image.descriptor)) != nil }) else { return nil }
    let readback = try device.run { buffer in
      var current = try texture(image.descriptor, device, edge: edge)
      current.encodeUpload(of: image, to: buffer)
      var descriptor = image.descriptor
      for filter in filters {
        var input = try filter.input(for: FrameIdentity(name: "a.0007.png", number: 7, position: 6), like: descriptor)
        func second() throws -> TiledTexture {
          let second = try texture(image.descriptor, device, edge: edge)
          second.encodeUpload(of: image.turned, to: buffer)
          return second
        }
        if filter.secondCount > 0 || filter.readsMask {
          let seconds = try (0..<filter.secondCount).map { _ in try second() }
          input = .pictures(seconds, mask: filter.readsMask ? try second() : nil, position: 6)
        }
        descriptor = try filter.output(of: descriptor)
        let next = try texture(descriptor, device, edge: edge)
        filter.encode(to: buffer, source: current, input: input, destination: next)
        current = next
      }
      return current.encodeReadback(to: buffer)
    }
    return try readback.contents()
  }

  /// A texture in tiles of `edge`, or less where the device's textures are smaller.
  private static func texture(_ image: ImageDescriptor, _ device: Device, edge: Int) throws -> TiledTexture {
    try TiledTexture(
      device: device, size: image.size, pixelFormat: image.pixelFormat,
      edge: min(edge, device.capabilities.maximumTextureSize), label: "tiles of \(edge)"
    ).holding(image)
  }
}
