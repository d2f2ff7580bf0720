import Foundation
import GoldenTesting
import Safelight
import SafelightGolden
import TestSupport
import Testing

/// Every filter against one golden for all drivers, and the device against the twins.
@Suite(.golden(in: "../../fixtures/golden/filters")) struct FilterGoldenDeviceTests {
  /// The filters but `shader`, which has no twin.
  static let filters = FilterCatalogue.entries.map(\.description.name).filter { $0 != "shader" }

  @Test(.golden(comparisons: 1), arguments: filters, TestDevice.all)
  func aFrameIsTheGolden(_ filter: String, _ test: TestDevice) async throws {
    let device = try test.open()
    let image = try await Self.image(filter, device)
    if device.info.isCPU {
      try expectGolden(try Output<CPU>(image, by: device), filter)
    } else {
      try expectGolden(try Output<GPU>(image, by: device), filter)
    }
  }

  @Test(arguments: filters, TestDevice.gles)
  func aFrameIsThatOfTheTwins(_ filter: String, _ test: TestDevice) async throws {
    let (device, twins) = (try test.open(), try Device.open(.cpu))
    try expectConforms(
      try Output(try await Self.image(filter, device), by: device),
      to: try Output(try await Self.image(filter, twins), by: twins))
  }

  /// The input of a filter: part of a film's frame, with a ramp of alpha for filters that change alpha.
  static func frame(for filter: String) -> Image {
    let frame = ConformanceFrame.image
    guard filter.hasSuffix("premultiply") else { return frame }
    var bytes = frame.bytes
    for pixel in 0..<frame.size.area { bytes[4 * pixel + 3] = UInt8(pixel % 256) }
    return Image(size: frame.size, channels: .rgba, depth: .bits8, bytes: bytes)
  }

  /// The frame after the filter's first example.
  static func image(_ filter: String, _ device: Device) async throws -> Image {
    let entry = try #require(FilterCatalogue.entries.first { $0.description.name == filter })
    // `match` needs a file, so it has no example.
    let example = filter == "match" ? "match='\(Fixtures.path("haze/haze.png"))'" : try #require(entry.examples.first)
    var frame = Self.frame(for: filter)
    if filter == "unpremultiply" { frame.color.alpha = .premultiplied }
    return try await FrameProcessor(device: device, chain: try FilterChain(parsing: example, device: device))
      .process(frame)
  }
}

/// The goldens themselves.
@Suite struct FilterGoldenTests {
  @Test func everyFilterHasOneAndItShowsTheFilter() throws {
    let folder = try GoldenFolder(Fixtures.path("golden/filters"))
    #expect(Set(folder.names) == Set(FilterGoldenDeviceTests.filters))
    for name in folder.names {
      let golden = try #require(try folder.golden(named: name)?.picture())
      let isSame = golden.bytes == FilterGoldenDeviceTests.frame(for: name).bytes
      #expect(
        isSame == ["passthrough", "mean"].contains(name),
        "\(name) leaves the frame as it is, so its golden proves nothing")
    }
  }
}

/// Colors against what `scripts/oracle freeze-color` let other programs make of them.
@Suite struct ColorGoldenDeviceTests {
  /// Pillow's `L` and `RGBa`, OpenCV's `mRGBA2RGBA`: every byte.
  @Test(arguments: TestDevice.all, ["gray", "premultiply", "unpremultiply"])
  func pixelsAreThoseOfTheProgram(_ test: TestDevice, _ filter: String) async throws {
    let device = try test.open()
    let frozen = try Fixtures.colorHashes().compactMapValues { $0[filter] }.filter { name, _ in
      device.info.isCPU || !name.hasPrefix("dark-room/") || name.hasSuffix("12.png")
    }
    let chain = try FilterChain(parsing: filter, device: device)
    let processor = FrameProcessor(device: device, chain: chain)
    var images: [String: Image] = [:]
    for name in frozen.keys {
      var image = try PNGFile(reading: Fixtures.path(name)).image
      // The program divides whatever it is given.
      if filter == "unpremultiply" { image.color.alpha = .premultiplied }
      images[name] = try await processor.process(image, label: name)
    }
    #expect(images.count > (filter == "gray" ? 20 : 5))
    let hashes = try PixelHashes.of(images)
    for (name, hash) in hashes { #expect(hash == frozen[name], "\(name)") }
  }

  /// NumPy's floats and zscale: no sample is more than a step away, and one in 137 is one.
  @Test(arguments: TestDevice.all) func conversionsAreWithinAStep(_ test: TestDevice) throws {
    let device = try test.open()
    let frozen = try Fixtures.conversions()
    let size = Size(frozen.width, frozen.height)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    func filled(_ samples: [Int], _ size: Size, _ format: PixelFormat) throws -> Texture {
      let texture = try device.makeTexture(size, format)
      var bytes: [UInt8] = []
      for sample in samples {
        bytes.append(UInt8(sample & 255))
        if format.bytesPerSample == 2 { bytes.append(UInt8(sample >> 8)) }
      }
      let encoder = buffer.makeBlitCommandEncoder()
      encoder.write(bytes, to: texture)
      encoder.endEncoding()
      return texture
    }
    func read(_ texture: Texture) -> Readback {
      let encoder = buffer.makeBlitCommandEncoder()
      defer { encoder.endEncoding() }
      return encoder.read(texture)
    }
    var results: [(expected: [Int], samples: Int, Readback, String)] = []
    for each in frozen.conversions {
      let layout = try #require(PixelLayout(rawValue: each.layout))
      let color = ColorDescription(
        matrix: try #require(ColorMatrix(rawValue: each.matrix)), range: try #require(ColorRange(rawValue: each.range)),
        siting: try #require(ChromaSiting(rawValue: each.siting)))
      let format: PixelFormat = layout.bits == 8 ? .rgba8Unorm : .rgba16Uint
      let name = "\(each.by), \(layout) \(color)"
      let source = try filled((layout.bits == 8 ? frozen.rgb8 : frozen.rgb16).withAlpha, size, format)
      let planes = try layout.planeFormats.enumerated().map { index, format in
        try device.makeTexture(layout.planeSize(index, of: size), format)
      }
      try ImageRGBToYCbCr(device: device, layout: layout, color: color).encode(
        to: buffer, source: source, planes: planes)
      for (index, plane) in planes.enumerated() { results.append((each.planes[index], 1, read(plane), name)) }
      let target = try device.makeTexture(size, format)
      let stored = try each.planes.enumerated().map { index, samples in
        try filled(samples, layout.planeSize(index, of: size), layout.planeFormats[index])
      }
      try ImageYCbCrToRGB(device: device, layout: layout, color: color)
        .encode(to: buffer, planes: stored, destination: target)
      results.append((each.picture.withAlpha, 4, read(target), name))
    }
    buffer.commit()
    try buffer.waitUntilCompleted()
    var (compared, away) = (0, 0)
    for (expected, samples, readback, name) in results {
      let bytes = try readback.contents()
      let isWide = bytes.count == 2 * expected.count
      for index in expected.indices where samples == 1 || index % 4 != 3 {
        let made = isWide ? Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8 : Int(bytes[index])
        #expect(abs(made - expected[index]) <= 1, "\(name), sample \(index)")
        compared += 1
        away += made == expected[index] ? 0 : 1
      }
    }
    // The page on Y'CbCr names these.
    #expect(compared == 18336)
    #expect(away == 140)
  }
}

extension [Int] {
  /// Opaque alpha behind every three samples.
  fileprivate var withAlpha: [Int] {
    var pixels: [Int] = []
    for (index, sample) in enumerated() {
      pixels.append(sample)
      if index % 3 == 2 { pixels.append(255) }
    }
    return pixels
  }
}

/// Filters of tone, size and surroundings on pictures of the fixtures, against hashes of what decimals and integers of
/// another program make.
@Suite struct ToneGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen = try Fixtures.toneHashes()
    let pictures = try Dictionary(
      uniqueKeysWithValues: Set(frozen.values.flatMap(\.keys)).map {
        ($0, try PNGFile(reading: Fixtures.path($0)).image)
      })
    var images: [String: Image] = [:]
    for (text, hashes) in frozen {
      let chain = try FilterChain(
        parsing: text.replacing("FIXTURES", with: Fixtures.path("")), device: device)
      let processor = FrameProcessor(device: device, chain: chain)
      for (name, picture) in pictures {
        // Tables of 16 bits are made by the CPU for every device: once is enough where nothing else is.
        if picture.depth == .bits16, !device.info.isCPU, !Self.worksOnTheDevice(text) { continue }
        guard hashes[name] != nil else {
          let error = await #expect(throws: SafelightError.self) { try await processor.process(picture, label: name) }
          #expect(error?.kind == .unsupported)
          continue
        }
        images["\(text) \(name)"] = try await processor.process(picture, label: name)
      }
    }
    #expect(images.count > 400)
    let made = try PixelHashes.of(images)
    for (text, hashes) in frozen {
      for (name, hash) in hashes {
        guard let found = made["\(text) \(name)"] else { continue }
        #expect(found == hash, "\(text) of \(name)")
      }
    }
  }

  /// Whether more than a look-up happens there.
  private static func worksOnTheDevice(_ chain: String) -> Bool {
    ["stretch", "threshold", "lut", "invert", "crop", "median", "resize", "over"].contains { chain.hasPrefix($0) }
  }
}

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
