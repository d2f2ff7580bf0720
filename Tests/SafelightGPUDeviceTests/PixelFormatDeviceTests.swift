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
    let texture = try device.makeTexture(size, format, bytes: bytes)
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
    try device.render(RenderPassDescriptor(texture: texture, loadAction: .clear(1, 0, 0.4, 1)))
    #expect(try texture.getBytes(from: Region(x: 0, y: 0, width: 1, height: 1)) == [102, 0, 255, 255])
    let picture = SyntheticImage.noise.image(Size(3, 2), channels: .rgba, depth: .bits8)
    let (own, other) = try device.blit { blit in
      blit.copy(from: picture, to: texture)
      return (blit.read(texture), blit.read(texture, as: .rgba8Unorm))
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

/// Kernels that store to formats beyond those of OpenGL ES 3.1.
@Suite struct StorageFormatDeviceTests {
  private static let formats: [(PixelFormat, String)] = [
    (.r8Unorm, "r8ui"), (.rg8Unorm, "rg8ui"), (.r16Uint, "r16ui"), (.r16Unorm, "r16ui"), (.rg16Uint, "rg16ui"),
    (.rg16Unorm, "rg16ui"),
    (.rgba16Unorm, "rgba16ui"), (.r16Float, "r16f"), (.rg16Float, "rg16f"), (.rg32Float, "rg32f"),
  ]

  /// Writes its column, row, 7 and 9.
  private func function(_ layout: String) -> ShaderFunction {
    let isInteger = layout.hasSuffix("ui")
    return ShaderFunction(
      "places",
      """
      #extension GL_NV_image_formats : require
      #include "Common/compute.glsl"
      layout(\(layout), binding = 0) writeonly uniform highp \(isInteger ? "uimage2D" : "image2D") destination;
      void main() {
        if (isOutsideGrid()) return;
        uvec4 value = uvec4(gl_GlobalInvocationID.xy, 7u, 9u);
        imageStore(destination, ivec2(gl_GlobalInvocationID.xy), \(isInteger ? "value" : "vec4(value)"));
      }
      """, arguments: [.storageTexture(0)],
      twin: .storing(0) { arguments, x, y in
        let format = arguments.texture(0).pixelFormat
        return SIMD4(Float(x), Float(y), 7, 9) / (format.sampleKind == .normalized ? Float(format.maximum) : 1)
      })
  }

  @Test(arguments: TestDevice.all, formats)
  func everyFormatIsStoredToOrRefused(_ test: TestDevice, _ format: (pixels: PixelFormat, layout: String)) throws {
    let device = try test.open()
    let features = device.capabilities.features
    guard features.contains(.normalized16) || format.pixels.sampleKind != .normalized || format.layout.hasSuffix("8ui")
    else { return }
    let size = Size(5, 3)
    let texture = try device.makeTexture(size, format.pixels)
    let run = { try device.dispatch(self.function(format.layout), size) { $0.setTexture(texture, index: 0) } }
    guard features.contains(.storageOfAllFormats) else {
      return expectError(.unsupported, remedy: .containing("render pass")) { try run() }
    }
    try run()
    let pixel = { (x: Int, y: Int) -> [UInt8] in
      [x, y, 7, 9].prefix(format.pixels.samplesPerPixel).flatMap { sample in
        format.pixels.sampleKind == .float
          ? format.pixels.bytes(ofSample: Float(sample))
          : (0..<format.pixels.bytesPerSample).map { UInt8(truncatingIfNeeded: sample >> (8 * $0)) }
      }
    }
    let expected = (0..<size.height).flatMap { y in (0..<size.width).flatMap { x in pixel(x, y) } }
    #expect(try texture.getBytes() == expected)
  }
}

/// Formats that cannot be filtered are refused; OpenGL ES would read black.
@Suite struct FilteringDeviceTests {
  /// Reads halfway between the two pixels of a texture, times 1000.
  private static func read(_ sampler: String) -> ShaderFunction {
    let thousand = sampler == "sampler2D" ? "1000.0" : "1000u"
    return ShaderFunction(
      "read",
      """
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform \(sampler) source;
      layout(std430, binding = 1) buffer Words { uint words[]; };
      void main() { words[0] = uint(textureLod(source, vec2(0.5, 0.5), 0.0).x * \(thousand)); }
      """,
      twin: ShaderTwin { arguments in
        let value = arguments.texture(0).sample(arguments.sampler(0), 0.5, 0.5).x
        arguments.buffer(1).withWords { $0[0] = UInt32(value * 1000) }
      })
  }

  private func read(_ device: Device, _ texture: Texture, _ filter: SamplerDescriptor.Filter) throws -> UInt32 {
    let words = try device.makeBuffer(length: 4)
    let sampler = try device.makeSamplerState(SamplerDescriptor(filter: filter), label: "soft")
    let function = Self.read(texture.pixelFormat.sampleKind == .integer ? "usampler2D" : "sampler2D")
    try device.dispatch(function, Size(1, 1), group: Size(1, 1)) {
      $0.setTexture(texture, index: 0)
      $0.setSamplerState(sampler, index: 0)
      $0.setBuffer(words, index: 1)
    }
    return try device.contents(of: words).words(UInt32.self)[0]
  }

  @Test(arguments: TestDevice.all, [true, false])
  func floatsAreFilteredWhereTheDeviceCan(_ test: TestDevice, _ isClamped: Bool) throws {
    var limits = try test.open().capabilities
    if isClamped { limits.features.remove(.linearFloat32) }
    let device = try test.open(limits: limits)
    let texture = try device.makeTexture(Size(2, 1), .r32Float, bytes: ([1, 3] as [Float]).bytes)
    #expect([1000, 3000].contains(try read(device, texture, .nearest)))
    guard device.capabilities.features.contains(.linearFloat32) else {
      return expectError(
        .unsupported, why: "sampler 'soft' filters texture 0 of r32Float, but this device cannot filter that format",
        remedy: "use the half-float format, or a sampler with nearest filters"
      ) { try read(device, texture, .linear) }
    }
    #expect(try read(device, texture, .linear) == 2000)
  }

  @Test(arguments: TestDevice.all)
  func integersAreNeverFiltered(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(2, 1), .r32Uint, bytes: ([1, 3] as [UInt32]).bytes)
    #expect([1000, 3000].contains(try read(device, texture, .nearest)))
    expectError(
      .unsupported, why: "sampler 'soft' filters texture 0 of r32Uint, but this device cannot filter that format"
    ) { try read(device, texture, .linear) }
  }

  @Test(arguments: TestDevice.all, [true, false])
  func floatsAreBlendedWhereTheDeviceCan(_ test: TestDevice, _ isClamped: Bool) throws {
    var limits = try test.open().capabilities
    if isClamped { limits.features.remove(.float32Blending) }
    let device = try test.open(limits: limits)
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].pixelFormat = .rgba32Float
    descriptor.colorAttachments[0].isBlendingEnabled = true
    if device.capabilities.features.contains(.float32Blending) {
      _ = try device.makeRenderPipelineState(descriptor)
    } else {
      expectError(.unsupported, why: "this device cannot blend into attachment 0 of rgba32Float") {
        try device.makeRenderPipelineState(descriptor)
      }
    }
  }
}
