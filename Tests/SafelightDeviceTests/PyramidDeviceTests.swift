import Safelight
import SafelightImage
import TestSupport
import Testing

/// Pictures at several sizes, against `scripts/oracle freeze-pyramid`.
@Suite struct PyramidDeviceTests {
  private struct Frozen: Decodable {
    let levels: [String]
    let differences: [String]
  }

  @Test(arguments: TestDevice.all, [PipelineKind.render, .compute])
  func levelsAreOpenCVsAndDifferencesNumPys(_ test: TestDevice, _ pipeline: PipelineKind) throws {
    let device = try test.open()
    let frozen: [String: Frozen] = try Fixtures.golden("pyramid/hashes")
    #expect(frozen.count > 10)
    for (name, hashes) in frozen {
      let image = try Fixtures.image(name)
      if pipeline == .compute && !image.pixelFormat.isStorable { continue }
      let pyramid = ImagePyramid(device: device, levels: hashes.levels.count)
      let (format, sizes) = (image.pixelFormat, pyramid.sizes(of: image.size))
      let levels = try sizes.map { try device.makeTexture($0, format) }
      let wide = ImagePyramid.differenceFormat(for: format)
      let differences = try ([image.size] + sizes.dropLast()).map { try device.makeTexture($0, wide) }
      let again = try device.makeTexture(image.size, format)
      let readbacks = try device.run { buffer in
        let source = try buffer.texture(image)
        pyramid.encodeGaussian(to: buffer, source: source, destinations: levels, pipeline: pipeline)
        pyramid.encodeLaplacian(
          to: buffer, source: source, gaussian: levels, differences: differences, pipeline: pipeline)
        pyramid.encodeReconstruction(
          to: buffer, smallest: levels[levels.count - 1], differences: differences, destination: again,
          pipeline: pipeline)
        return buffer.blit { blit in (levels + differences + [again]).map { blit.read($0) } }
      }
      let made = try readbacks.map { try $0.contents() }
      #expect(made.dropLast().map { SHA256.hash($0).hexadecimal } == hashes.levels + hashes.differences, "\(name)")
      #expect(made.last == image.bytes, "\(name)")
    }
  }

  /// Regions of tiles go through halves and doubles of them.
  @Test(arguments: TestDevice.all) func tilesAreAsTheWhole(_ test: TestDevice) throws {
    let device = try test.open()
    let pyramid = ImagePyramid(device: device, levels: 2)
    for image in [ConformanceFrame.image, SyntheticImage.noise.image(Size(53, 37), channels: .gray, depth: .bits16)] {
      let (format, sizes) = (image.pixelFormat, pyramid.sizes(of: image.size))
      let made = try [4096, 16].map { edge in
        func texture(_ size: Size, _ format: PixelFormat) throws -> TiledTexture {
          try TiledTexture(
            device: device, size: size, pixelFormat: format,
            edge: min(edge, device.capabilities.maximumTextureSize), label: "tiles of \(edge)")
        }
        let readbacks = try device.run { buffer in
          let source = try texture(image.size, format)
          source.encodeUpload(of: image, to: buffer)
          let levels = try sizes.map { try texture($0, format) }
          let difference = try texture(image.size, ImagePyramid.differenceFormat(for: format))
          let again = try texture(image.size, format)
          pyramid.encodeGaussian(to: buffer, source: source, destinations: levels, .render)
          pyramid.encodeDifference(
            to: buffer, source: source, smaller: levels[0], destination: difference, .render)
          pyramid.encodeSum(to: buffer, smaller: levels[0], difference: difference, destination: again, .render)
          return (levels + [difference, again]).map { $0.encodeReadback(to: buffer) }
        }
        return try readbacks.map { try $0.contents() }
      }
      #expect(made[0] == made[1])
      #expect(made[0].last == image.bytes)
    }
  }

  /// Differences that a user changed do not leave the range of samples.
  @Test(arguments: TestDevice.all) func sumsAreClamped(_ test: TestDevice) throws {
    let device = try test.open()
    for (format, wide, differences) in [
      (PixelFormat.r8Unorm, PixelFormat.r16Uint, [0, 0, 255, 255, 0, 128, 255, 127]),
      (.r16Uint, .r32Uint, [0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 128, 255, 255, 255, 127]),
    ] {
      let made = try device.makeTexture(Size(4, 1), format)
      let readback = try device.run { buffer in
        let smallest = try buffer.texture(Size(2, 1), format, [UInt8](repeating: 7, count: 2 * format.bytesPerPixel))
        let difference = try buffer.texture(Size(4, 1), wide, differences.map { UInt8($0) })
        ImagePyramid(device: device, levels: 1)
          .encodeReconstruction(to: buffer, smallest: smallest, differences: [difference], destination: made)
        return buffer.blit { $0.read(made) }
      }
      let seven = format == .r8Unorm ? 7 : 7 * 257
      let expected = [0, format.maximum, seven, seven - 1]
      let bytes = try readback.contents()
      let samples = stride(from: 0, to: bytes.count, by: format.bytesPerSample).map { first in
        bytes[first..<first + format.bytesPerSample].reversed().reduce(0) { $0 << 8 | Int($1) }
      }
      #expect(samples == expected, "\(format.rawValue)")
    }
  }

  /// Textures of another format than the differences have would be written beyond their ends.
  @Test func wrongTexturesTrap() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let pyramid = ImagePyramid(device: device, levels: 1)
      try device.run { buffer in
        let source = try device.makeTexture(Size(8, 8), .rgba8Unorm)
        let smaller = try device.makeTexture(Size(4, 4), .rgba8Unorm)
        let narrow = try device.makeTexture(Size(8, 8), .rgba8Unorm)
        pyramid.encodeLaplacian(to: buffer, source: source, gaussian: [smaller], differences: [narrow])
      }
    }
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let pyramid = ImagePyramid(device: device, levels: 1)
      try device.run { buffer in
        let source = try device.makeTexture(Size(8, 8), .rgba16Uint)
        pyramid.encodeGaussian(
          to: buffer, source: source, destinations: [try device.makeTexture(Size(4, 4), .rgba8Unorm)])
      }
    }
  }

  @Test func sizesAreHalvedUpward() throws {
    let pyramid = ImagePyramid(device: try .open(.cpu), levels: 4)
    #expect(pyramid.sizes(of: Size(17, 2)) == [Size(9, 1), Size(5, 1), Size(3, 1), Size(2, 1)])
  }
}
