import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// dma-bufs of a real DRM node, shared with textures without a copy.
@Suite(.enabled(if: PrimaryNode.path != nil)) struct DMABufferImportDeviceTests {
  /// The devices on that node.
  static let importing = TestDevice.glesOnEveryPlatform.filter { test in
    PrimaryNode.path.map { test.name == "node=\($0)" } ?? false
  }
  static let formats = DRMFormat.allCases.filter { $0.planeCount == 1 }
  private let size = Size(61, 17)

  /// Returns the bytes of a texture over `bytes`: unused fourth bytes are opaque.
  private func seen(_ bytes: [UInt8], _ format: DRMFormat) -> [UInt8] {
    bytes.enumerated().map { format.isOpaque && $0.offset % 4 == 3 ? 255 : $0.element }
  }

  /// Returns bytes for a plane, different from their neighbors.
  private func noise(_ format: DRMFormat, _ size: Size, seed: Int = 37) -> [UInt8] {
    (0..<size.area * format.pixelFormat(ofPlane: 0).bytesPerPixel).map {
      UInt8(truncatingIfNeeded: $0 * seed + ($0 >> 4))
    }
  }

  private func contents(_ texture: TextureObject) throws -> [UInt8] {
    let (size, format) = (texture.descriptor.size, texture.descriptor.pixelFormat)
    var bytes = [UInt8](repeating: 0, count: size.area * format.bytesPerPixel)
    try bytes.withUnsafeMutableBytes {
      try $0.baseAddress.map { try texture.read(TextureImage(), Region(size: size), into: $0, rowLength: size.width) }
    }
    // Contexts return red first in every format; backends swap.
    if format == .bgra8Unorm { swapRedAndBlue(&bytes, offset: 0, size: size, bytesPerRow: size.width * 4) }
    return bytes
  }

  @Test(arguments: importing, formats)
  func aTextureSeesTheBufferAndTheBufferTheTexture(_ test: TestDevice, _ format: DRMFormat) throws {
    let shared = try DMABuffer(allocating: size, format, onNode: try #require(PrimaryNode.path))
    let (before, after) = (noise(format, size), noise(format, size, seed: 91))
    try test.withContext { context in
      let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
      // Written after the import, so that a copy would not show it.
      try shared.replace(with: before)
      #expect(try contents(texture) == seen(before, format))
      try shared.replace(with: after)
      #expect(try contents(texture) == seen(after, format))
      try texture.clear(to: (1, 0.2, 0, 1))
      try context.wait(seconds: 10, during: "test")
      let pixel = format.pixelFormat(ofPlane: 0).bytes(ofPixel: 1, 0.2, 0, 1)
      let bytes = try shared.contents()
      for (index, byte) in bytes.enumerated() where !(format.isOpaque && index % 4 == 3) {
        try #require(byte == pixel[index % pixel.count], "byte \(index)")
      }
    }
  }

  /// The two planes in one buffer become two textures.
  @Test(arguments: importing)
  func planesOfVideoBecomeTextures(_ test: TestDevice) throws {
    let shared = try DMABuffer(allocating: size, .nv12, onNode: try #require(PrimaryNode.path))
    let (luma, chroma) = (noise(.r8, size), noise(.gr88, Size(31, 9)))
    try shared.replace(plane: 0, with: luma)
    try shared.replace(plane: 1, with: chroma)
    try test.withContext { context in
      let first = try TextureObject(context, importing: shared, plane: 0, label: "luma")
      let second = try TextureObject(context, importing: shared, plane: 1, label: "chroma")
      #expect(first.descriptor == TextureDescriptor(size, .r8Unorm))
      #expect(second.descriptor == TextureDescriptor(Size(31, 9), .rg8Unorm))
      #expect(try contents(first) == luma)
      #expect(try contents(second) == chroma)
    }
  }

  @Test(arguments: importing)
  func anImportedTextureIsSharedOnward(_ test: TestDevice) throws {
    let shared = try DMABuffer(allocating: size, .argb8888, onNode: try #require(PrimaryNode.path))
    let bytes = noise(.argb8888, size)
    try shared.replace(with: bytes)
    try test.withContext { context in
      let onward = try TextureObject(context, importing: shared, plane: 0, label: "imported").export()
      #expect(onward.format == .argb8888)
      #expect(onward.size == size)
      #expect(onward.planes.map(\.stride) == shared.planes.map(\.stride))
      #expect(onward.descriptors.isDisjoint(with: shared.descriptors))
      #expect(try onward.contents() == bytes)
    }
  }

  /// A software renderer has the texture in the process's own memory, and says so rather than share a copy.
  @Test(arguments: importing)
  func aTextureOfItsOwnIsSharedOrRefused(_ test: TestDevice) throws {
    try test.withContext { context in
      let texture = try TextureObject(context, TextureDescriptor(size, .rgba8Unorm), label: "own")
      guard context.isSoftware else { return #expect(try texture.export().size == size) }
      expectError(.unsupported, what: "texture to share") { try texture.export() }
    }
  }

  @Test func aRenderNodeOfASoftwareDriverGivesNoBuffers() throws {
    let node = try #require(PrimaryNode.path).replacing("card0", with: "renderD128").replacing(
      "card1", with: "renderD129")
    expectError(
      .unsupported, why: .containing("Permission denied"), remedy: .containing("primary node (/dev/dri/card0)")
    ) { try DMABuffer(allocating: size, .r8, onNode: node) }
  }

  /// The driver would accept the import and crash when it first uses it.
  @Test func aRenderNodeOfASoftwareDriverImportsNothing() throws {
    let path = try #require(PrimaryNode.path)
    let node = path.replacing("card0", with: "renderD128").replacing("card1", with: "renderD129")
    let shared = try DMABuffer(allocating: size, .argb8888, onNode: path)
    try TestDevice(name: "node=\(node)").withContext { context in
      expectError(
        why: "a software renderer cannot map this memory through \(node): the kernel lets no render node map memory"
      ) {
        let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
        _ = try contents(texture)
      }
    }
  }

  /// A primary node does not map another device's memory either.
  @Test(arguments: importing)
  func anotherDevicesMemoryIsRefused(_ test: TestDevice) throws {
    let path = try #require(PrimaryNode.path)
    let other = path.hasSuffix("0") ? "/dev/dri/card1" : "/dev/dri/card0"
    let shared = try DMABuffer(allocating: size, .argb8888, onNode: other)
    try test.withContext { context in
      expectError(.unsupported, why: .beginning("a software renderer cannot map this memory through \(path): ")) {
        let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
        _ = try contents(texture)
      }
    }
  }
}
