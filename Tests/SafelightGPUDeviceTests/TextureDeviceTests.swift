import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct TextureDeviceTests {
  /// The CPU has the limits of most GPUs, and takes less if it is asked to.
  @Test func theCPUHasLimits() throws {
    let cpu = try Device.open(.cpu)
    _ = try cpu.makeTexture(Size(16384, 1), .r8Unorm)
    for size in [Size(16385, 1), Size(1, 16385), Size(100_000, 100_000)] {
      expectError(.limit, why: "\(size) was asked for; this device takes 1×1 to 16384×16384") {
        try cpu.makeTexture(size, .rgba8Unorm)
      }
    }
    expectError(.limit, why: .containing("this device takes 1 to 1073741824")) {
      try cpu.makeBuffer(length: (1 << 30) + 1)
    }
    var limits = cpu.capabilities
    (limits.maximumTextureSize, limits.maximumBufferLength, limits.maximumThreadsPerThreadgroup) = (4096, 1 << 20, 256)
    let less = try Device.open(.cpu, options: DeviceOptions(limits: limits))
    #expect(less.capabilities == limits)
    expectError(.limit, why: .containing("this device takes 1×1 to 4096×4096")) {
      try less.makeTexture(Size(4097, 1), .rgba8Unorm)
    }
    expectError(.limit, why: .containing("this device takes 1 to 1048576")) {
      try less.makeBuffer(length: (1 << 20) + 1)
    }
    // No limits raise those of the device.
    limits.maximumTextureSize = 1 << 20
    #expect(try Device.open(.cpu, options: DeviceOptions(limits: limits)).capabilities.maximumTextureSize == 16384)
  }

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
      let texture = try device.makeTexture(of: image)
      #expect(texture.pixelFormat == format)
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
    try device.blit { $0.copy(from: image, region: part, to: texture) }
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
    try device.blit { blit in
      for tile in Region(size: image.size).tiles(edge: 5) {
        blit.copy(from: image, region: tile, to: texture)
        blit.read(texture, into: readback, ofSize: image.size, at: tile)
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
    #expect(try device.contents(of: device.makeTexture(of: image)) == image.bytes)
  }
}

extension TestDevice {
  /// The device clamped to the minimums of the specification; the CPU if there is none in the list.
  static var minimum: TestDevice { all.first { $0.name.hasSuffix("-minimum") } ?? TestDevice(name: "cpu-minimum") }
}

/// Textures made with contents: tables that kernels read.
@Suite struct TextureContentsDeviceTests {
  private static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .rgba16Uint]

  private func table(_ format: PixelFormat) -> (Texture, [UInt8]) {
    let size = Size(7, 5)
    let bytes = [UInt8].noise(size.area * format.bytesPerPixel)
    return (Texture(size: size, pixelFormat: format, contents: bytes, label: "table"), bytes)
  }

  /// No command uploads them.
  @Test(arguments: TestDevice.all, formats)
  func areThereOnEveryDevice(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let (table, bytes) = table(format)
    let copy = try device.makeTexture(table.size, format)
    let (found, twin) = try device.replayed {
      $0.blit { $0.copy(from: table, to: copy) }
      return $0.blit { $0.read(copy) }
    }
    #expect(found == bytes && twin == bytes)
  }

  /// The process has the contents, so a reset loses nothing.
  @Test(arguments: TestDevice.all)
  func outliveAContext(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let (table, bytes) = table(.rgba8Unorm)
    for _ in 0..<2 {
      #expect(try device.contents(of: table) == bytes)
      device.simulateContextLoss()
    }
    #expect(device.statistics.rebuiltContexts == 1)
  }
}

/// Textures that a kernel reads and writes in place.
@Suite struct ReadWriteTextureDeviceTests {
  /// Doubles each pixel and adds its column, with arguments read from the text.
  private static let double = ShaderFunction(
    "double",
    """
    #include "Common/compute.glsl"
    layout(binding = 0, r32ui) uniform highp uimage2D picture;
    void main() {
      if (isOutsideGrid()) return;
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      imageStore(picture, place, imageLoad(picture, place) * 2u + uvec4(place.x));
    }
    """,
    twin: ShaderTwin { arguments in
      let width = arguments.grid.width
      arguments.texture(0).withMutableSamples(of: UInt32.self) { samples in
        for index in samples.indices { samples[index] = samples[index] * 2 + UInt32(index % width) }
      }
    })

  private func doubled(_ words: [UInt32], width: Int) -> [UInt32] {
    words.enumerated().map { $1 * 2 + UInt32($0 % width) }
  }

  private func run(_ commands: CommandBuffer, on texture: Texture, times: Int = 1) {
    commands.compute(ComputePipelineState(Self.double)) { encoder in
      encoder.setTexture(texture, index: 0)
      for _ in 0..<times { encoder.dispatchThreads(texture.size, threadsPerThreadgroup: Size(4, 4)) }
    }
  }

  @Test func theTextSaysWhatItIs() { #expect(Self.double.arguments == [.readWriteTexture(0)]) }

  /// Each dispatch sees the results of the one before.
  @Test(arguments: TestDevice.all)
  func pixelsAreReadAndWritten(_ test: TestDevice) throws {
    let device = try test.open()
    let words = (0..<15).map { UInt32($0 * 1000) }
    let texture = try device.makeTexture(Size(5, 3), .r32Uint, bytes: words.bytes)
    try device.run { run($0, on: texture, times: 3) }
    let expected = (0..<3).reduce(words) { words, _ in doubled(words, width: 5) }
    #expect(try texture.getBytes().words(UInt32.self) == expected)
  }

  /// A capture lists the texture's earlier contents as an input.
  @Test(arguments: TestDevice.all)
  func aCaptureKeepsWhatWasThere(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let words = (0..<6).map { UInt32($0 + 7) }
    let texture = try device.makeTexture(Size(3, 2), .r32Uint, bytes: words.bytes)
    let captures = try device.captures { try device.run { run($0, on: texture) } }
    let outputs = try #require(captures.first).replay(on: Device.open(.cpu), twins: TwinLibrary(Self.double))
    #expect(outputs.map(\.difference) == [nil])
    #expect(outputs.first?.expected.words(UInt32.self) == doubled(words, width: 3))
  }

  /// OpenGL ES reads and writes in place only formats of one 32-bit channel; the CPU refuses others alike.
  @Test(arguments: TestDevice.all)
  func otherFormatsAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      "wide",
      """
      #include "Common/compute.glsl"
      layout(binding = 0, rgba8ui) uniform highp uimage2D picture;
      void main() { imageStore(picture, ivec2(0), imageLoad(picture, ivec2(0))); }
      """, twin: ShaderTwin { _ in })
    expectError(
      what: "'picture' of 'wide'", why: .containing("an image of rgba8ui cannot be read and written in place")
    ) { try device.makeComputePipelineState(function) }
  }

  @Test(arguments: TestDevice.all)
  func aStatementThatHidesReadsIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      name: "double", assembly: Self.double.assembly, arguments: [.storageTexture(0)], twin: Self.double.twin)
    expectError(remedy: "declare it writeonly, or state .readWriteTexture(0)") {
      try device.makeComputePipelineState(function)
    }
  }
}
