import Safelight
import TestSupport
import Testing

/// Luma and chroma on their way through filters: what the kernels of conversion make of them, around a picture's way.
@Suite struct FramePlanesDeviceTests {
  static let color = ColorDescription(matrix: .bt709, range: .limited, siting: .left)
  private static let layouts: [PixelLayout] = [
    .yCbCr420Planar8, .yCbCr422Planar10, .yCbCr444Planar16, .yCbCr420BiPlanar8,
  ]

  private func result(
    _ frame: VideoFrame, _ filter: String, as form: FrameForm, on device: Device
  ) async throws -> FramePicture {
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(parsing: filter, device: device), verifying: try Device.open(.cpu))
    return try await processor.submit(.planes(frame), as: form, label: "frame").finished()
  }

  private func planes(_ picture: FramePicture) throws -> [PixelPlane] {
    guard case .planes(let frame) = picture else {
      throw SafelightError(.driver, "test", why: "no planes came back")
    }
    return frame.planes
  }

  /// The picture that a frame becomes, by the kernel alone.
  private func decoded(_ frame: VideoFrame, on device: Device) throws -> Image {
    let layout = frame.layout
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let blit = buffer.makeBlitCommandEncoder()
    let textures = try frame.planes.map { plane in
      let texture = try device.makeTexture(plane.size, plane.pixelFormat)
      blit.write(plane.bytes, to: texture)
      return texture
    }
    blit.endEncoding()
    let descriptor = ImageDescriptor(size: frame.size, channels: .rgb, depth: layout.depth)
    let target = try device.makeTexture(frame.size, descriptor.pixelFormat)
    try ImageYCbCrToRGB(device: device, layout: layout, color: frame.color)
      .encode(to: buffer, planes: textures, destination: target)
    let reading = buffer.makeBlitCommandEncoder()
    let readback = reading.read(target)
    reading.endEncoding()
    buffer.commit()
    try buffer.waitUntilCompleted()
    return Image(descriptor, bytes: try readback.contents())
  }

  @Test(arguments: TestDevice.all, layouts)
  func filtersSeeThePicture(_ test: TestDevice, _ layout: PixelLayout) async throws {
    let device = try test.open()
    let frame = MemoryFilm(1, Size(37, 21), layout, color: Self.color).frames[0]
    let picture = try decoded(frame, on: device)
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: "invert", device: device))
    let expected = try await processor.process(picture)
    let result = try #require(try await result(frame, "invert", as: .image, on: device).image)
    #expect(result.bytes == expected.bytes)
    #expect(result.bytes != picture.bytes)
    #expect(result.color == ColorDescription(matrix: .identity, range: .full, alpha: .opaque))
  }

  /// Inverted twice is as it was, but for what was outside red, green and blue; untouched is byte for byte.
  @Test(arguments: TestDevice.all, layouts)
  func whatNoFilterTouchesComesBackAsItWas(_ test: TestDevice, _ layout: PixelLayout) async throws {
    let device = try test.open()
    // Nothing says what its samples mean, and nobody needs to know.
    let frame = MemoryFilm(1, Size(37, 21), layout, color: .unspecified).frames[0]
    let result = try await result(frame, "passthrough", as: .planes(layout, .unspecified), on: device)
    #expect(try planes(result) == frame.planes)
    await #expect(throws: SafelightError.self) {
      try await self.result(frame, "invert", as: .planes(layout, .unspecified), on: device)
    }
  }

  /// A device that holds only small textures cuts the frame, and nobody sees where.
  @Test(arguments: layouts)
  func framesLargerThanATextureComeOutAsWholeOnes(_ layout: PixelLayout) async throws {
    let whole = try Device.open(.cpu)
    let small = try Device.open(.cpu, options: DeviceOptions(limits: .minimum))
    let edge = small.capabilities.maximumTextureSize
    var color = Self.color
    color.range = .full
    for size in [Size(edge + 7, 5), Size(5, edge + 7)] {
      let frame = MemoryFilm(1, size, layout, color: Self.color).frames[0]
      for form in [FrameForm.image, .planes(layout, color)] {
        let expected = try await result(frame, "levels=gamma=1.4", as: form, on: whole)
        let actual = try await result(frame, "levels=gamma=1.4", as: form, on: small)
        switch (expected, actual) {
        case (.image(let expected), .image(let actual)): #expect(expected == actual)
        case (.planes(let expected), .planes(let actual)): #expect(expected.planes == actual.planes)
        default: Issue.record("one is a picture, the other is not")
        }
      }
    }
  }

  @Test func anotherDepthIsRefused() async throws {
    let device = try Device.open(.cpu)
    let frame = MemoryFilm(1, Size(4, 4), .yCbCr420Planar8, color: Self.color).frames[0]
    let error = await #expect(throws: SafelightError.self) {
      try await result(frame, "invert", as: .planes(.yCbCr420Planar10, Self.color), on: device)
    }
    #expect(error?.kind == .unsupported)
    #expect(error?.why.contains("8 bits") == true)
  }
}
