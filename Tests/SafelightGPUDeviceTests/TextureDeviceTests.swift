import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct TextureDeviceTests {
  static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint]

  private func noise(_ size: Size, _ format: PixelFormat) -> Image {
    SyntheticImage.noise.image(
      size, channels: format.samplesPerPixel == 1 ? .gray : .rgba, depth: format.bytesPerSample == 1 ? .bits8 : .bits16)
  }

  @Test(arguments: TestDevice.all, formats)
  func uploadAndReadbackKeepEveryByte(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    for size in [Size(1, 1), Size(1, 9), Size(17, 31), Size(64, 3)] {
      let image = noise(size, format)
      let texture = try device.makeTexture(size, format)
      try device.run { $0.blit { $0.copy(from: image, to: texture) } }
      #expect(try device.contents(of: texture) == image.bytes)
    }
  }

  @Test(arguments: TestDevice.all, PixelFormat.colors)
  func aNewTextureIsZero(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    guard device.canRead(format) else { return }
    let texture = try device.makeTexture(Size(5, 3), format)
    #expect(try device.contents(of: texture) == [UInt8](repeating: 0, count: 15 * format.bytesPerPixel))
  }

  @Test(arguments: TestDevice.all, formats)
  func aPartOfAPictureGoesToTheTopLeft(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let image = noise(Size(13, 11), format)
    let texture = try device.makeTexture(Size(7, 6), format)
    let part = Region(x: 4, y: 3, width: 5, height: 2)
    try device.run { $0.blit { $0.copy(from: image, region: part, to: texture) } }
    let pixel = format.bytesPerPixel
    var expected = [UInt8](repeating: 0, count: 7 * 6 * pixel)
    for y in 0..<2 {
      for x in 0..<5 {
        for byte in 0..<pixel {
          expected[(y * 7 + x) * pixel + byte] = image.bytes[((y + 3) * 13 + x + 4) * pixel + byte]
        }
      }
    }
    #expect(try device.contents(of: texture) == expected)
  }

  @Test(arguments: TestDevice.all, formats)
  func tilesReadIntoOnePicture(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let image = noise(Size(13, 11), format)
    let readback = Readback(image.size, format)
    let texture = try device.makeTexture(Size(5, 5), format)
    try device.run {
      $0.blit { blit in
        for tile in Region(size: image.size).tiles(edge: 5) {
          blit.copy(from: image, region: tile, to: texture)
          blit.read(texture, into: readback, ofSize: image.size, at: tile)
        }
      }
    }
    #expect(try readback.contents() == image.bytes)
  }

  @Test func theMinimumDeviceRefusesMoreThanTheMinimum() throws {
    let device = try TestDevice.minimum.open()
    for size in [Size(2049, 1), Size(1, 2049), Size(0, 4), Size(4, -1)] {
      expectError(
        .limit, what: "texture 'wide'", why: "\(size) was asked for; this device takes 1×1 to 2048×2048",
        remedy: .containing("tiles")
      ) { try device.makeTexture(size, .rgba8Unorm, label: "wide") }
    }
    let image = SyntheticImage.noise.image(Size(2048, 2), channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(image.size, .rgba8Unorm)
    try device.run { $0.blit { $0.copy(from: image, to: texture) } }
    #expect(try device.contents(of: texture) == image.bytes)
  }
}

extension TestDevice {
  /// The device clamped to the minimums of the specification; the CPU if there is none in the list.
  static var minimum: TestDevice { all.first { $0.name.hasSuffix("-minimum") } ?? TestDevice(name: "cpu-minimum") }
}
