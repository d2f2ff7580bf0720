import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Levels, slices, views and copies between them.
@Suite struct TextureImagesDeviceTests {
  private static func descriptors() -> [TextureDescriptor] {
    [
      TextureDescriptor(Size(13, 9), .rgba8Unorm, mipmapped: true),
      TextureDescriptor(.type2DArray, Size(6, 4), .rgba8Unorm, length: 3, levels: 3),
      TextureDescriptor(.type3D, Size(6, 4), .r16Uint, depth: 4, levels: 3),
      TextureDescriptor(.typeCube, Size(4, 4), .r8Unorm, levels: 3),
    ]
  }

  @Test(arguments: TestDevice.all, descriptors())
  func everyImageKeepsItsOwnPixels(_ test: TestDevice, _ descriptor: TextureDescriptor) throws {
    let device = try test.open()
    let texture = try device.makeTexture(descriptor)
    var images: [(TextureImage, [UInt8])] = []
    for level in 0..<descriptor.mipmapLevelCount {
      for slice in 0..<descriptor.sliceCount(atLevel: level) {
        let size = descriptor.size(atLevel: level)
        let bytes = [UInt8].noise(size.area * descriptor.pixelFormat.bytesPerPixel, seed: level * 7 + slice)
        #expect(try texture.getBytes(mipmapLevel: level, slice: slice).allSatisfy { $0 == 0 }, "made zero")
        try texture.replace(region: Region(size: size), mipmapLevel: level, slice: slice, withBytes: bytes)
        images.append((TextureImage(level: level, slice: slice), bytes))
      }
    }
    for (image, bytes) in images {
      #expect(try texture.getBytes(mipmapLevel: image.level, slice: image.slice) == bytes)
    }
  }

  @Test func levelsRunDownToOnePixel() {
    #expect(TextureDescriptor(Size(13, 9), .r8Unorm).fullLevelCount == 4)
    #expect(TextureDescriptor(Size(1, 1), .r8Unorm).fullLevelCount == 1)
    #expect(TextureDescriptor(Size(1, 1024), .r8Unorm).fullLevelCount == 11)
    let descriptor = TextureDescriptor(Size(13, 9), .rgba8Unorm, mipmapped: true)
    #expect((0..<4).map { descriptor.size(atLevel: $0) } == [Size(13, 9), Size(6, 4), Size(3, 2), Size(1, 1)])
    #expect(descriptor.byteCount == 4 * (117 + 24 + 6 + 1))
  }

  @Test(arguments: TestDevice.all)
  func copiesGoBetweenImages(_ test: TestDevice) throws {
    let device = try test.open()
    let array = try device.makeTexture(TextureDescriptor(.type2DArray, Size(8, 8), .rgba8Unorm, length: 2, levels: 4))
    let source = [UInt8].noise(80)
    let flat = try device.makeTexture(Size(5, 4), .rgba8Unorm, bytes: source)
    let region = Region(x: 1, y: 1, width: 3, height: 2)
    try device.blit { blit in
      blit.copy(from: flat, region: region, to: array, destinationImage: TextureImage(level: 1, slice: 1), x: 1, y: 2)
      blit.copy(
        from: array, sourceImage: TextureImage(level: 1, slice: 1), region: Region(x: 1, y: 2, width: 3, height: 2),
        to: array, destinationImage: TextureImage(level: 0, slice: 0), x: 4, y: 6)
    }
    var expected = [UInt8](repeating: 0, count: 8 * 8 * 4)
    for y in 0..<2 {
      for byte in 0..<12 { expected[((6 + y) * 8 + 4) * 4 + byte] = source[((1 + y) * 5 + 1) * 4 + byte] }
    }
    #expect(try array.getBytes() == expected)
    #expect(try array.getBytes(slice: 1).allSatisfy { $0 == 0 })
  }

  @Test(arguments: TestDevice.all)
  func aViewSharesThePixelsOfItsParent(_ test: TestDevice) throws {
    let device = try test.open()
    let parent = try device.makeTexture(TextureDescriptor(Size(8, 8), .rgba8Unorm, mipmapped: true))
    let view = parent.makeTextureView(levels: 1..<3)
    #expect(view.size == Size(4, 4) && view.parent === parent)
    let fine = [UInt8].noise(64)
    try view.replace(region: view.bounds, withBytes: fine)
    try view.replace(region: Region(size: Size(2, 2)), mipmapLevel: 1, withBytes: .noise(16, seed: 9))
    #expect(try parent.getBytes(mipmapLevel: 1) == fine)
    #expect(try parent.getBytes(mipmapLevel: 2) == .noise(16, seed: 9))
    #expect(try parent.getBytes().allSatisfy { $0 == 0 })
    let nested = view.makeTextureView(levels: 1..<2)
    #expect(try nested.getBytes() == .noise(16, seed: 9))
  }

  @Test(arguments: TestDevice.all)
  func viewsOfSlicesAndFormatsNeedTheExtension(_ test: TestDevice) throws {
    let device = try test.open()
    let parent = try device.makeTexture(TextureDescriptor(.type2DArray, Size(4, 2), .rgba8Unorm, length: 3))
    let pixels = [UInt8].noise(32)
    try parent.replace(region: parent.bounds, slice: 2, withBytes: pixels)
    let slice = parent.makeTextureView(textureType: .type2D, slices: 2..<3)
    let words = parent.makeTextureView(pixelFormat: .r32Uint)
    guard device.capabilities.features.contains(.textureViews) else {
      for view in [slice, words] {
        expectError(.unsupported, remedy: .containing("copy")) { try view.getBytes() }
      }
      return
    }
    #expect(try slice.getBytes() == pixels)
    #expect(try words.getBytes(slice: 2) == pixels)
  }

  @Test(arguments: TestDevice.all)
  func aViewOfABlockHasThePlanesOfItsLevel(_ test: TestDevice) throws {
    let device = try test.open()
    let parent = try device.makeTexture(TextureDescriptor(.type3D, Size(8, 4), .rgba8Unorm, depth: 4, levels: 3))
    let view = parent.makeTextureView(levels: 1..<3)
    #expect(view.descriptor.depth == 2 && view.descriptor.sliceCount() == 2)
    try view.replace(region: view.bounds, slice: 1, withBytes: .noise(32, seed: 6))
    #expect(try parent.getBytes(mipmapLevel: 1, slice: 1) == .noise(32, seed: 6))
    #expect(try parent.getBytes(mipmapLevel: 1, slice: 0).allSatisfy { $0 == 0 })
  }

  /// Swizzles apply to sampling only: levels are made of the stored values.
  @Test(arguments: TestDevice.all)
  func mipmapsTakeNoNoticeOfSwizzles(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = TextureDescriptor(Size(2, 2), .rgba8Unorm, mipmapped: true)
    descriptor.swizzle = [.blue, .green, .red, .alpha]
    let texture = try device.makeTexture(descriptor)
    try texture.replace(region: texture.bounds, withBytes: (0..<4).flatMap { _ in [UInt8(40), 80, 120, 200] })
    try device.blit { $0.generateMipmaps(for: texture) }
    #expect(try texture.getBytes(mipmapLevel: 1) == [40, 80, 120, 200])
  }

  /// The mean of four if sizes are even.
  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .r8Unorm, .bgra8Unorm])
  func mipmapsAreMeansWithinOne(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(TextureDescriptor(Size(16, 8), format, mipmapped: true))
    let count = format.bytesPerPixel
    let pixels = [UInt8].noise(128 * count)
    try texture.replace(region: texture.bounds, withBytes: pixels)
    try device.blit { $0.generateMipmaps(for: texture) }
    let half = try texture.getBytes(mipmapLevel: 1)
    for y in 0..<4 {
      for x in 0..<8 {
        for channel in 0..<count {
          let sum = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(0) {
            $0 + Int(pixels[((2 * y + $1.1) * 16 + 2 * x + $1.0) * count + channel])
          }
          let found = Double(half[(y * 8 + x) * count + channel])
          #expect(abs(found - Double(sum) / 4) <= 1, "channel \(channel) at (\(x), \(y))")
        }
      }
    }
    #expect(try texture.getBytes(mipmapLevel: 3).count == 2 * count)
  }
}
