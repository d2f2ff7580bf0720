import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct TextureDeviceTests {
  @Test(arguments: TestDevice.all, [PixelFormat.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint])
  func uploadAndReadbackKeepEveryByte(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    for size in [Size(1, 1), Size(1, 9), Size(17, 31), Size(64, 3)] {
      let channels: Channels = format.samplesPerPixel == 1 ? .gray : .rgba
      let image = SyntheticImage.noise.image(
        size, channels: channels, depth: format.bytesPerSample == 1 ? .bits8 : .bits16)
      let texture = try device.makeTexture(size, format)
      let buffer = queue.makeCommandBuffer()
      let blit = buffer.makeBlitCommandEncoder()
      blit.copy(from: image, to: texture)
      let readback = blit.read(texture)
      blit.endEncoding()
      buffer.commit()
      try buffer.waitUntilCompleted()
      #expect(try readback.contents() == image.bytes)
    }
  }
}
