import Logging
import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// dma-bufs of a real node, shared with textures without a copy.
@Suite(.enabled(if: PrimaryNode.path != nil)) struct DMABufferImportDeviceTests {
  /// The devices on the node itself.
  static let importing = TestDevice.glesOnEveryPlatform.filter { test in
    PrimaryNode.path.map { test.name == "node=\($0)" } ?? false
  }
  static let formats = DRMFormat.allCases.filter { $0.planeCount == 1 }
  private let size = Size(61, 17)

  /// Runs `body` with a context of the test's device, on a thread of its own.
  private func withContext(_ test: TestDevice, _ body: @escaping @Sendable (Context) throws -> Void) throws {
    let info = try test.open().info
    let candidates = try DeviceEnumeration.candidates(for: info.node.map { .node($0) } ?? .auto)
    let candidate = try #require(candidates.first { $0.index == info.index })
    let thread = ContextThread()
    let outcome = thread.sync {
      Result {
        let context = try Context(candidate, options: ContextOptions(isDebugging: true, logger: Logger(label: "test")))
        defer { context.close() }
        try body(context)
      }
    }
    thread.close {}
    try #require(outcome).get()
  }

  /// What a texture shows of `bytes`: opaque where the fourth byte means nothing.
  private func seen(_ bytes: [UInt8], _ format: DRMFormat) -> [UInt8] {
    bytes.enumerated().map { format.isOpaque && $0.offset % 4 == 3 ? 255 : $0.element }
  }

  /// Bytes of a plane, none like its neighbours.
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
    // A context hands out red first in every format; backends swap.
    if format == .bgra8Unorm { swapRedAndBlue(&bytes, offset: 0, size: size, bytesPerRow: size.width * 4) }
    return bytes
  }

  @Test(arguments: [DRMFormat.argb8888, .xrgb8888, .abgr8888, .xbgr8888])
  func whatGBMMapsIsTheSharedMemory(_ format: DRMFormat) throws {
    let node = try #require(PrimaryNode.path)
    let buffer = try GBMBuffer(size, format, onNode: node)
    #expect(buffer.stride >= 61 * 4)
    let bytes = noise(format, size)
    try buffer.write(bytes)
    #expect(try buffer.read() == bytes)
    let shared = try buffer.export()
    #expect(try shared.contents() == bytes)
    try shared.replace(with: bytes.reversed())
    #expect(try buffer.read() == bytes.reversed())
  }

  @Test(arguments: importing, formats)
  func aTextureSeesTheBufferAndTheBufferTheTexture(_ test: TestDevice, _ format: DRMFormat) throws {
    let shared = try DMABuffer(allocating: size, format, onNode: try #require(PrimaryNode.path))
    let (before, after) = (noise(format, size), noise(format, size, seed: 91))
    try withContext(test) { context in
      let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
      // Written after the import: a copy would not see it.
      try shared.replace(with: before)
      #expect(try contents(texture) == seen(before, format))
      try shared.replace(with: after)
      #expect(try contents(texture) == seen(after, format))
      try texture.clear(to: (1, 0.2, 0, 1))
      try FenceSync.wait(context, seconds: 10, during: "test")
      let pixel = format.pixelFormat(ofPlane: 0).bytes(ofPixel: 1, 0.2, 0, 1)
      let bytes = try shared.contents()
      for (index, byte) in bytes.enumerated() where !(format.isOpaque && index % 4 == 3) {
        try #require(byte == pixel[index % pixel.count], "byte \(index)")
      }
    }
  }

  /// One buffer of two planes becomes two textures, each of its own part.
  @Test(arguments: importing)
  func planesOfVideoBecomeTextures(_ test: TestDevice) throws {
    let shared = try DMABuffer(allocating: size, .nv12, onNode: try #require(PrimaryNode.path))
    let (luma, chroma) = (noise(.r8, size), noise(.gr88, Size(31, 9)))
    try shared.replace(plane: 0, with: luma)
    try shared.replace(plane: 1, with: chroma)
    try withContext(test) { context in
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
    try withContext(test) { context in
      let onward = try TextureObject(context, importing: shared, plane: 0, label: "imported").export()
      #expect(onward.format == .argb8888)
      #expect(onward.size == size)
      #expect(onward.planes.map(\.stride) == shared.planes.map(\.stride))
      #expect(onward.descriptors.isDisjoint(with: shared.descriptors))
      #expect(try onward.contents() == bytes)
    }
  }

  /// Its memory is the process's own in a software renderer, which says so rather than share a copy.
  @Test(arguments: importing)
  func aTextureOfItsOwnIsSharedOrRefused(_ test: TestDevice) throws {
    try withContext(test) { context in
      let texture = try TextureObject(context, TextureDescriptor(size, .rgba8Unorm), label: "own")
      guard context.isSoftware else { return #expect(try texture.export().size == size) }
      let error = #expect(throws: SafelightError.self) { try texture.export() }
      #expect(error?.kind == .unsupported)
      #expect(error?.what == "texture to share")
    }
  }

  @Test func aRenderNodeOfASoftwareDriverGivesNoBuffers() throws {
    let node = try #require(PrimaryNode.path).replacing("card0", with: "renderD128").replacing(
      "card1", with: "renderD129")
    let error = #expect(throws: SafelightError.self) { try DMABuffer(allocating: size, .r8, onNode: node) }
    #expect(error?.kind == .unsupported)
    #expect(error?.why.contains("Permission denied") == true)
    #expect(error?.remedy?.contains("primary node (/dev/dri/card0)") == true)
  }

  /// The driver would take it, and crash at its first use.
  @Test func aRenderNodeOfASoftwareDriverImportsNothing() throws {
    let path = try #require(PrimaryNode.path)
    let node = path.replacing("card0", with: "renderD128").replacing("card1", with: "renderD129")
    let shared = try DMABuffer(allocating: size, .argb8888, onNode: path)
    try withContext(TestDevice(name: "node=\(node)")) { context in
      let error = #expect(throws: SafelightError.self) {
        let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
        _ = try contents(texture)
      }
      #expect(
        error?.why
          == "a software renderer cannot map this memory through \(node): a render node maps no shared memory")
    }
  }

  /// Nor does a primary node map the memory of another device.
  @Test(arguments: importing)
  func anotherDevicesMemoryIsRefused(_ test: TestDevice) throws {
    let path = try #require(PrimaryNode.path)
    let other = path.hasSuffix("0") ? "/dev/dri/card1" : "/dev/dri/card0"
    let shared = try DMABuffer(allocating: size, .argb8888, onNode: other)
    try withContext(test) { context in
      let error = #expect(throws: SafelightError.self) {
        let texture = try TextureObject(context, importing: shared, plane: 0, label: "imported")
        _ = try contents(texture)
      }
      #expect(error?.kind == .unsupported)
      #expect(error?.why.hasPrefix("a software renderer cannot map this memory through \(path): ") == true)
    }
  }
}
