import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures made with contents: tables that kernels read.
@Suite struct TextureContentsDeviceTests {
  private static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .rgba16Uint]

  private func table(_ format: PixelFormat) -> (Texture, [UInt8]) {
    let size = Size(7, 5)
    let bytes = (0..<size.area * format.bytesPerPixel).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
    return (Texture(size: size, pixelFormat: format, contents: bytes, label: "table"), bytes)
  }

  /// No command uploads them.
  @Test(arguments: TestDevice.all, formats)
  func areThereOnEveryDevice(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let (table, bytes) = table(format)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let copy = try device.makeTexture(table.size, format)
    let readback = buffer.blit { blit in
      blit.copy(from: table, to: copy)
      return blit.read(copy)
    }
    try buffer.finish()
    #expect(try readback.contents() == bytes)
    #expect(try Device.open(.cpu).replay(buffer.recording).contents(of: readback) == bytes)
  }

  /// The process has the contents, so a reset loses nothing.
  @Test(arguments: TestDevice.all)
  func outliveAContext(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let (table, bytes) = table(.rgba8Unorm)
    for _ in 0..<2 {
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let readback = buffer.blit { $0.read(table) }
      try buffer.finish()
      #expect(try readback.contents() == bytes)
      device.simulateContextLoss()
    }
    #expect(device.statistics.rebuiltContexts == 1)
  }
}
