import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures with exported memory.
@Suite struct DMABufferExportDeviceTests {
  static let formats: [PixelFormat] = [.r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm]
  private let size = Size(37, 9)

  private func noise(_ format: PixelFormat) -> [UInt8] {
    (0..<size.area * format.bytesPerPixel).map { UInt8(truncatingIfNeeded: $0 &* 0x9E37_79B1 >> 11) }
  }

  /// Two devices see each other's drawing in the same memory.
  @Test(arguments: TestDevice.onEveryPlatform, formats)
  func aSecondDeviceSeesWhatTheFirstDrew(_ test: TestDevice, _ format: PixelFormat) throws {
    let first = try test.open()
    let texture = try first.makeSharedTexture(size, format, label: "shared")
    #expect(texture.pixelFormat == format)
    #expect(try first.contents(of: texture).allSatisfy { $0 == 0 })
    try texture.replace(region: texture.bounds, withBytes: noise(format))
    let exported = try texture.exportDMABuffer()
    #expect(exported.size == size)
    #expect(exported.identity == texture.sharedPlane?.buffer.identity)
    for second in [try test.openAnother(), try Device.open(.cpu)] {
      defer { second.close() }
      let other = try second.makeTexture(importing: exported)
      #expect(try second.contents(of: other) == noise(format))
      // And back.
      try second.run { $0.render(RenderPassDescriptor(texture: other, loadAction: .clear(1, 1, 1, 1)), nil) }
      #expect(try first.contents(of: texture).allSatisfy { $0 == 255 })
      try texture.replace(region: texture.bounds, withBytes: noise(format))
    }
    #expect(texture.isZeroCopy == (texture.copyReason == nil))
    if first.info.isCPU { #expect(!texture.isZeroCopy) }
  }

  @Test(.enabled(if: PrimaryNode.path != nil), arguments: TestDevice.glesOnEveryPlatform)
  func memoryOfTheDevicesNodeIsPreferred(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeSharedTexture(size, .bgra8Unorm)
    #expect(texture.isZeroCopy == (device.info.node == PrimaryNode.path))
  }

  /// A texture with memory of its own is shared without a copy, or every backend refuses with the same words.
  @Test(arguments: TestDevice.onEveryPlatform)
  func aTextureOfItsOwnIsSharedOrRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(size, .rgba8Unorm, label: "own")
    try texture.replace(region: texture.bounds, withBytes: noise(.rgba8Unorm))
    let exports = device.capabilities.features.contains(.dmaBufferExport)
    if exports && !device.info.isSoftware {
      let other = try test.openAnother()
      defer { other.close() }
      #expect(try other.contents(of: other.makeTexture(importing: texture.exportDMABuffer())) == noise(.rgba8Unorm))
      return
    }
    let error = #expect(throws: SafelightError.self) { try texture.exportDMABuffer() }
    #expect(error?.kind == .unsupported)
    #expect(error?.what.hasPrefix("texture 'own'") == true)
    if !exports {
      #expect(error?.why == "this device cannot share memory of its own (no EGL_MESA_image_dma_buf_export)")
      #expect(error?.remedy?.contains("makeSharedTexture") == true)
    }
    // The texture is not affected.
    #expect(try device.contents(of: texture) == noise(.rgba8Unorm))
  }

  @Test func theCPUAndTheMinimumsShareNothingOfTheirOwn() throws {
    for device in [try Device.open(.cpu), try TestDevice.minimum.open()] {
      #expect(!device.capabilities.features.contains(.dmaBufferExport))
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func formatsThatAreNotSharedAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    expectError(
      .unsupported, what: "texture 'deep'",
      remedy: "copy it into a texture of one of these formats: r8Unorm, rg8Unorm, rgba8Unorm, bgra8Unorm"
    ) {
      try device.makeSharedTexture(size, .rgba16Uint, label: "deep")
    }
    expectError(.limit) {
      try device.makeSharedTexture(Size(1 << 21, 1), .r8Unorm, label: "wide")
    }
  }

  /// Each descriptor is closed exactly once.
  @Test(arguments: TestDevice.onEveryPlatform)
  func noDescriptorIsLeft(_ test: TestDevice) throws {
    let device = try test.open()
    var witness: Int32 = -1
    try scope {
      let texture = try device.makeSharedTexture(size, .rgba8Unorm)
      let descriptor = try #require(texture.sharedPlane?.buffer.planes.first?.descriptor)
      witness = try #require(MemoryFile.anotherDescriptor(of: descriptor))
      for _ in 0..<20 {
        let exported = try texture.exportDMABuffer()
        let again = try device.makeTexture(importing: exported)
        #expect(try device.contents(of: again).count == size.area * 4)
      }
    }
    defer { MemoryFile.close(witness) }
    try device.settle()
    _ = device.statistics
    #expect(MemoryFile.descriptorCount(of: witness) == 1)
  }
}
