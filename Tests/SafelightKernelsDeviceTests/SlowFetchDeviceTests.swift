import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The driver workaround "slow fetches": passes load their textures as images where fragment functions have images.
@Suite struct SlowFetchDeviceTests {
  private static let size = Size(19, 7)

  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .bgra8Unorm, .rgba16Uint])
  func passesLoadWhereFetchesAreSlow(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.openAnother()
    let isSlow =
      device.info.workarounds.contains("slow fetches") && device.capabilities.render.fragmentStorageTextures > 0
    #expect(isSlow == (device.info.name.hasPrefix("llvmpipe") && !test.name.hasSuffix("-minimum")))
    let source = try device.makeTexture(Self.size, format)
    #expect(try readings(of: source, on: device) == [isSlow ? .loadedTexture : .sampledTexture])
  }

  /// Images have no swizzle, and OpenGL ES has none of one channel.
  @Test(arguments: TestDevice.all) func whatHasNoSuchImageIsFetched(_ test: TestDevice) throws {
    let device = try test.openAnother()
    var swizzled = TextureDescriptor(Self.size, .rgba8Unorm)
    swizzled.swizzle = [.blue, .green, .red, .alpha]
    for descriptor in [swizzled, TextureDescriptor(Self.size, .r8Unorm)] {
      #expect(try readings(of: device.makeTexture(descriptor), on: device) == [.sampledTexture])
    }
  }

  /// How a pass reads `source`, as a capture says.
  private func readings(
    of source: Texture, on device: Device
  ) throws -> Set<CaptureManifest.Argument.Kind> {
    let target = try device.makeTexture(source.size, source.pixelFormat)
    let captures = try device.captures {
      try device.run { ImagePassthrough().encode(to: $0, source: source, destination: target) }
    }
    let functions = try #require(captures.first).manifest.functions
    return Set(functions.flatMap(\.arguments).filter { $0.index == 0 }.map(\.kind))
  }
}
