import Dispatch
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Planes of frames as textures.
@Suite struct TextureCacheDeviceTests {

  /// A 4:2:0 frame of odd size.
  private func frame(_ index: Int, size: Size = Size(7, 5)) -> VideoFrame {
    let layout = PixelLayout.yCbCr420BiPlanar8
    let planes = layout.planeFormats.enumerated().map { number, format in
      let planeSize = layout.planeSize(number, of: size)
      return PixelPlane(
        size: planeSize, pixelFormat: format,
        bytes: .noise(planeSize.area * format.bytesPerPixel, seed: index * 2 + number))
    }
    return VideoFrame(
      index: index, size: size, layout: layout, planes: planes, presentationTime: MediaTime(value: 0, timescale: 30))
  }

  private func statistics(made: Int, reused: Int, bytes: Int) -> TextureCache.Statistics {
    TextureCache.Statistics(made: made, reused: reused, bytes: bytes)
  }

  @Test(arguments: TestDevice.all)
  func planesBecomeTextures(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    let frame = frame(3)
    let textures = try device.run { try cache.makeTextures(from: frame, in: $0) }
    #expect(textures.map(\.size) == [Size(7, 5), Size(4, 3)])
    #expect(textures.map(\.pixelFormat) == [.r8Unorm, .rg8Unorm])
    for (texture, plane) in zip(textures, frame.planes) {
      #expect(try device.contents(of: texture) == plane.bytes)
    }
    #expect(cache.statistics == statistics(made: 2, reused: 0, bytes: 59))
  }

  @Test(arguments: TestDevice.all, [PixelFormat.bgra8Unorm, .rgba8Unorm, .r8Unorm, .rg8Unorm, .rgba16Uint])
  func paddedRowsAreLeftOut(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    let size = Size(5, 3)
    let row = 8 * format.bytesPerPixel
    let padded = [UInt8].noise(row * 3)
    let plane = PixelPlane(size: size, pixelFormat: format, bytesPerRow: row, bytes: padded)
    let texture = try device.run { try cache.makeTexture(from: plane, in: $0) }
    let used = 5 * format.bytesPerPixel
    #expect(try device.contents(of: texture) == (0..<3).flatMap { padded[$0 * row..<$0 * row + used] })
  }

  /// Nothing is allocated for a frame after the earlier ones are done.
  @Test(arguments: TestDevice.all)
  func aThousandFramesMakeNothingAfterTheFirst(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let cache = TextureCache(device: device)
    try scope { _ = try cache.makeTextures(from: frame(0)) }
    try device.settle()
    #expect(cache.statistics == statistics(made: 2, reused: 0, bytes: 59))
    let before = device.statistics
    for index in 1..<1000 {
      try scope {
        let frame = frame(index)
        let textures = try cache.makeTextures(from: frame)
        // They are there for command buffers that are committed later.
        if index % 100 == 0 {
          #expect(try textures.map { try device.contents(of: $0) } == frame.planes.map(\.bytes))
        }
      }
      try device.settle()
    }
    #expect(cache.statistics == statistics(made: 2, reused: 1998, bytes: 59))
    #expect(device.statistics.textures == before.textures)
    #expect(device.statistics.bytes == before.bytes)
  }

  /// Storage is not reused while a caller or a command buffer in flight refers to it.
  @Test(arguments: TestDevice.all)
  func texturesInUseStayAsTheyAre(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    let queue = device.makeCommandQueue()
    let gate = DispatchSemaphore(value: 0)
    let kept = try cache.makeTextures(from: frame(0))
    let readback = try {
      queue.hold(gate)
      let buffer = queue.makeCommandBuffer()
      let textures = try cache.makeTextures(from: frame(1), in: buffer)
      let readback = buffer.blit { $0.read(textures[0]) }
      buffer.commit()
      return readback
    }()
    _ = try cache.makeTextures(from: frame(2))
    #expect(cache.statistics == statistics(made: 6, reused: 0, bytes: 177))
    gate.signal()
    try device.settle()
    #expect(try readback.contents() == frame(1).planes[0].bytes)
    _ = try cache.makeTextures(from: frame(3))
    #expect(cache.statistics == statistics(made: 6, reused: 2, bytes: 177))
    #expect(try device.contents(of: kept[1]) == frame(0).planes[1].bytes)
  }

  @Test(arguments: TestDevice.all)
  func storageOfAPastSizeIsFreed(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device)
    try scope { _ = try cache.makeTextures(from: frame(0, size: Size(40, 40))) }
    try device.settle()
    for index in 0..<TextureCache.maximumTextureAge / 2 {
      #expect(cache.statistics.bytes >= 2400, "at \(index)")
      try scope { _ = try cache.makeTextures(from: frame(index)) }
      try device.settle()
    }
    try scope { _ = try cache.makeTextures(from: frame(0)) }
    try device.settle()
    #expect(cache.statistics.bytes == 59)
    cache.flush()
    #expect(cache.statistics.bytes == 0)
  }

  @Test(arguments: TestDevice.all)
  func aBudgetHolds(_ test: TestDevice) throws {
    let device = try test.open()
    let cache = TextureCache(device: device, budget: 100, label: "camera")
    let kept = try cache.makeTextures(from: frame(0))
    expectError(
      what: "texture 'frame 1, plane 1'", why: "it needs 24 bytes; 'camera' has 94 of 100 in use, so that 6 are left"
    ) { try cache.makeTextures(from: frame(1)) }
    #expect(kept.count == 2)
  }

  @Test(arguments: TestDevice.all)
  func anUploadThatFailedIsToldAtTheNextFrame(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let cache = TextureCache(device: device)
    device.close()
    _ = try cache.makeTextures(from: frame(0))
    expectError(why: "it was closed") { try cache.makeTextures(from: frame(1)) }
  }
}
