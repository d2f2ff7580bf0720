import Foundation
import Safelight
import TestSupport
import Testing

/// Colours against what `scripts/oracle freeze-color` let other programs make of them.
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
