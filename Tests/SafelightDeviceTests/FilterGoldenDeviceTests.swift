import Foundation
import GoldenTesting
import Safelight
import SafelightGolden
import SafelightKernels
import TestSupport
import Testing

/// Every filter against one golden for all drivers and the twins, to the last bit.
@Suite(.golden(in: "../../fixtures/golden/filters")) struct FilterGoldenDeviceTests {
  /// The filters but `shader`, which has no twin.
  static let filters = FilterCatalogue.entries.map(\.description.name).filter { $0 != "shader" }

  @Test(.golden(comparisons: 1), arguments: filters, TestDevice.all)
  func aFrameIsTheGolden(_ filter: String, _ test: TestDevice) async throws {
    let device = try test.open()
    try expectGoldenOfDevice(try await Self.image(filter, device), by: device, filter)
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
    var example = filter == "match" ? "match='\(Fixtures.path("haze/haze.png"))'" : try #require(entry.examples.first)
    var frame = Self.frame(for: filter)
    if entry.description.parameter("with") != nil, !example.contains("image=") {
      let second = try PNGEncoder.encode(PNGFile(image: frame.turned), compression: .fast)
      let word = "with='data:;base64,\(Data(second).base64EncodedString())'"
      let words = Array(repeating: word, count: filter == "montage" ? 2 : 1).joined(separator: ":")
      example += "\(example.contains("=") ? ":" : "=")\(words)"
    }
    if filter == "unpremultiply" { frame.color.alpha = .premultiplied }
    return try await FrameProcessor(example, on: device).process(frame)
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
    let pictures: [String: [String: String]] = try Fixtures.pictureHashes("color/pictures", above: 50)
    let frozen = pictures.compactMapValues { $0[filter] }.filter { name, _ in
      device.info.isCPU || !name.hasPrefix("dark-room/") || name.hasSuffix("12.png")
    }
    let count = try await expectHashes(frozen, after: filter, on: device) { image in
      // The program divides whatever it is given.
      if filter == "unpremultiply" { image.color.alpha = .premultiplied }
    }
    #expect(count > (filter == "gray" ? 20 : 5))
  }

  /// NumPy's floats and zscale: no sample is more than a step away, and one in 111 is one.
  @Test(arguments: TestDevice.all) func conversionsAreWithinAStep(_ test: TestDevice) throws {
    let device = try test.open()
    let frozen = try Fixtures.conversions()
    let size = Size(frozen.width, frozen.height)
    var results: [(expected: [Int], samples: Int, Readback, String)] = []
    try device.run { buffer in
      func filled(_ samples: [Int], _ size: Size, _ format: PixelFormat) throws -> Texture {
        let bytes = samples.flatMap { sample in
          [UInt8(sample & 255), UInt8(sample >> 8)].prefix(format.bytesPerSample)
        }
        return try buffer.texture(size, format, bytes)
      }
      for each in frozen.conversions {
        let layout = try #require(PixelLayout(rawValue: each.layout))
        let color = ColorDescription(
          matrix: try #require(ColorMatrix(rawValue: each.matrix)),
          range: try #require(ColorRange(rawValue: each.range)),
          siting: try #require(ChromaSiting(rawValue: each.siting)))
        let format: PixelFormat = layout.bits == 8 ? .rgba8Unorm : .rgba16Uint
        let name = "\(each.by), \(layout) \(color)"
        let source = try filled((layout.bits == 8 ? frozen.rgb8 : frozen.rgb16).withAlpha, size, format)
        let planes = try layout.planeFormats.enumerated().map { index, format in
          try device.makeTexture(layout.planeSize(index, of: size), format)
        }
        try ImageRGBToYCbCr(device: device, layout: layout, color: color)
          .encode(to: buffer, source: source, planes: planes)
        for (expected, plane) in zip(each.planes, planes) {
          results.append((expected, 1, buffer.blit { $0.read(plane) }, name))
        }
        let target = try device.makeTexture(size, format)
        let stored = try each.planes.enumerated().map { index, samples in
          try filled(samples, layout.planeSize(index, of: size), layout.planeFormats[index])
        }
        try ImageYCbCrToRGB(device: device, layout: layout, color: color)
          .encode(to: buffer, planes: stored, destination: target)
        results.append((each.picture.withAlpha, 4, buffer.blit { $0.read(target) }, name))
      }
    }
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
    #expect(compared == 36672)
    #expect(away == 329)
  }
}

extension [Int] {
  /// Opaque alpha behind every three samples.
  fileprivate var withAlpha: [Int] { stride(from: 0, to: count, by: 3).flatMap { self[$0..<$0 + 3] + [255] } }
}

/// Filters of tone, size and surroundings on pictures of the fixtures, against hashes of what decimals and integers of
/// another program make.
@Suite struct ToneGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func pixelsAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen: [String: [String: String]] = try Fixtures.hashes("tone/hashes", above: 35)
    let names = Set(frozen.values.flatMap(\.keys))
    var compared = 0
    for (text, hashes) in frozen {
      // Tables of 16 bits are made by the CPU for every device: once is enough where nothing else is.
      let tried = try names.filter { name in
        try device.info.isCPU || Self.worksOnTheDevice(text) || Fixtures.image(name).depth == .bits8
      }
      compared += try await expectHashes(
        Dictionary(uniqueKeysWithValues: tried.map { ($0, hashes[$0]) }),
        after: text.replacing("FIXTURES", with: Fixtures.path("")), on: device)
    }
    #expect(compared > 400)
  }

  /// Whether more than a look-up happens there.
  private static func worksOnTheDevice(_ chain: String) throws -> Bool {
    let calls = try FilterSyntax.parse(
      chain.replacing("FIXTURES", with: Fixtures.path("")), catalogue: FilterCatalogue.descriptions)
    return try !calls.allSatisfy { try FilterCatalogue.entry($0).kernel($0) is any ToneKernel }
  }
}

/// Text in pictures of the fixtures, against hashes of what another HarfBuzz, fontTools and Python's integers make.
@Suite struct TextGoldenDeviceTests {
  @Test(arguments: TestDevice.all)
  func lettersAreThoseOfTheDefinition(_ test: TestDevice) async throws {
    let device = try test.open()
    let frozen: [String: [String: String]] = try Fixtures.hashes("text/hashes", above: 8)
    let names = Set(frozen.values.flatMap(\.keys))
    var compared = 0
    for (text, hashes) in frozen {
      let expected = Dictionary(uniqueKeysWithValues: names.map { ($0, hashes[$0]) })
      compared += try await expectHashes(expected, after: text, on: device)
    }
    #expect(compared > 100)
  }
}

/// Pictures rendered into others, against hashes that were computed without this package.
@Suite struct ImageRendererGoldenDeviceTests {
  @Test(arguments: TestDevice.all, ["nearest", "linear", "area"])
  func pixelsHaveTheFrozenHashes(_ test: TestDevice, _ filter: String) throws {
    let device = try test.open()
    // Each case belongs to the filter of its first picture; those of several pictures have others as well.
    let cases = try Fixtures.renderings().filter { $0.renders.first?.filter == filter }
    #expect(cases.count > 60)
    let renderer = ImageRenderer()
    for rendering in cases {
      let start = try Fixtures.image(rendering.destination)
      let image = try device.picture(start.descriptor) { buffer, destination in
        buffer.blit { $0.copy(from: start, to: destination) }
        for layer in rendering.renders {
          try renderer.render(
            buffer.texture(Fixtures.image(layer.source)), to: destination, commandBuffer: buffer,
            bounds: Region(x: layer.bounds[0], y: layer.bounds[1], width: layer.bounds[2], height: layer.bounds[3]),
            orientation: #require(Orientation(rawValue: layer.orientation)),
            filter: #require(ImageRenderer.Filter(rawValue: layer.filter)),
            blend: #require(ImageRenderer.Blend(rawValue: layer.blend)))
        }
      }
      #expect(image.pixelHash == rendering.hash, "\(rendering)")
    }
  }
}
