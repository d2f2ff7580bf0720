import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Uploads and reads of every format, and the refusal of a device without it.
@Suite struct PixelFormatDeviceTests {
  /// Bytes without a NaN, which need not keep its bits.
  private func noise(_ format: PixelFormat, _ size: Size) -> [UInt8] {
    (0..<size.area * format.bytesPerPixel).map {
      let isHigh = format.sampleKind == .float && $0 % format.bytesPerSample == format.bytesPerSample - 1
      return UInt8(truncatingIfNeeded: $0 * 37 + ($0 >> 4)) & (isHigh ? 0x3F : 0xFF)
    }
  }

  @Test(arguments: TestDevice.all, PixelFormat.colors)
  func replaceAndGetBytesKeepEveryByte(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    guard device.canRead(format) else { return }
    let size = Size(7, 5)
    let bytes = noise(format, size)
    let texture = try device.makeTexture(size, format)
    try texture.replace(region: texture.bounds, withBytes: bytes)
    #expect(try texture.getBytes() == bytes)
    // A part, rows further apart than needed.
    let pixel = format.bytesPerPixel
    let part = try texture.getBytes(from: Region(x: 2, y: 1, width: 3, height: 2), bytesPerRow: 5 * pixel)
    #expect(part.count == 10 * pixel)
    #expect(Array(part[..<(3 * pixel)]) == Array(bytes[(9 * pixel)..<(12 * pixel)]))
    #expect(Array(part[(5 * pixel)..<(8 * pixel)]) == Array(bytes[(16 * pixel)..<(19 * pixel)]))
    try texture.replace(region: Region(x: 6, y: 4, width: 1, height: 1), withBytes: [UInt8](repeating: 1, count: pixel))
    #expect(Array(try texture.getBytes().suffix(pixel)) == [UInt8](repeating: 1, count: pixel))
    #expect(Array(try texture.getBytes().dropLast(pixel)) == bytes.dropLast(pixel))
  }

  @Test(arguments: TestDevice.all)
  func blueComesFirstInMemoryAlone(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(3, 2), .bgra8Unorm)
    try device.run { $0.render(RenderPassDescriptor(texture: texture, loadAction: .clear(1, 0, 0.4, 1)), nil) }
    #expect(try texture.getBytes(from: Region(x: 0, y: 0, width: 1, height: 1)) == [102, 0, 255, 255])
    let picture = SyntheticImage.noise.image(Size(3, 2), channels: .rgba, depth: .bits8)
    let (own, other) = try device.run { buffer in
      buffer.blit { blit in
        blit.copy(from: picture, to: texture)
        return (blit.read(texture), blit.read(texture, as: .rgba8Unorm))
      }
    }
    #expect(try other.contents() == picture.bytes)
    #expect(try own.contents() == (0..<6).flatMap { pixel in [2, 1, 0, 3].map { picture.bytes[4 * pixel + $0] } })
  }

  @Test(arguments: TestDevice.all, PixelFormat.colors)
  func aFormatThatIsMissingIsRefusedWithAnother(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    guard !device.canRead(format) else { return }
    expectError(.unsupported, remedy: .something) {
      let texture = try device.makeTexture(Size(2, 2), format, label: "missing")
      _ = try texture.getBytes()
    }
  }

  /// The minimum device refuses normalized 16-bit and float targets, and does not approximate them.
  @Test func theMinimumDeviceLacksWhatExtensionsBring() throws {
    let device = try TestDevice.atMinimumLimits[0].open()
    #expect(device.capabilities.features == [])
    #expect(!device.canRead(.r16Unorm) && !device.canRead(.rgba32Float) && device.canRead(.bgra8Unorm))
  }
}
