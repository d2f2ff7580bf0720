import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Textures over shared memory: a file, which every device copies, the process's own memory, which some devices share
/// if the kernel supports it, and a buffer of a real node if one is named.
@Suite struct DMABufferTextureDeviceTests {
  enum Memory: String, Sendable, CaseIterable {
    case file, host, node

    /// The kinds that this machine has.
    static let available = allCases.filter { $0 != .node || PrimaryNode.path != nil }

    func make(_ size: Size, _ format: DRMFormat) throws -> DMABuffer {
      if self == .node { return try DMABuffer(allocating: size, format, onNode: try #require(PrimaryNode.path)) }
      if self == .host { return try DMABuffer(hostMemoryFor: size, format) }
      var planes: [DMABuffer.Plane] = []
      var offset = 20
      for index in 0..<format.planeCount {
        let extent = format.size(ofPlane: index, in: size)
        let stride = extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel + 12
        planes.append(DMABuffer.Plane(descriptor: -1, offset: offset, stride: stride))
        offset += stride * extent.height
      }
      let descriptor = try MemoryFile.make(length: offset)
      for index in planes.indices { planes[index].descriptor = descriptor }
      return try DMABuffer(adopting: planes, format: format, size: size)
    }
  }

  private let size = Size(29, 13)

  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func everyPlaneIsATextureThatShowsWhatIsThere(_ test: TestDevice, _ memory: Memory) throws {
    let device = try test.open()
    for format in DRMFormat.allCases {
      let buffer = try memory.make(size, format)
      for plane in 0..<format.planeCount {
        let texture = try device.makeTexture(importing: buffer, plane: plane)
        #expect(texture.pixelFormat == format.pixelFormat(ofPlane: plane))
        #expect(texture.size == format.size(ofPlane: plane, in: size))
        // Written after the texture was made, and again after it was read.
        for seed in [37, 91] {
          let bytes = buffer.noise(plane: plane, seed: seed)
          try buffer.replace(plane: plane, with: bytes)
          #expect(try device.contents(of: texture) == format.seen(bytes), "\(format) plane \(plane)")
        }
      }
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func whatIsDrawnIsInTheMemory(_ test: TestDevice, _ memory: Memory) throws {
    let device = try test.open()
    for format in DRMFormat.allCases {
      let (source, target) = (try memory.make(size, format), try memory.make(size, format))
      for plane in 0..<format.planeCount {
        let bytes = source.noise(plane: plane)
        try source.replace(plane: plane, with: bytes)
        let shown = try device.makeTexture(importing: source, plane: plane)
        let drawn = try device.makeTexture(importing: target, plane: plane)
        let pipeline = try device.makeRenderPipelineState(fullScreen: Self.invert)
        try device.render(RenderPassDescriptor(texture: drawn), pipeline) { $0.setFragmentTexture(shown, index: 0) }
        let expected = format.seen(bytes).map { 255 - $0 }
        let found = try target.contents(ofPlane: plane)
        for (index, byte) in found.enumerated() where !(format.isOpaque && index % 4 == 3) {
          try #require(byte == expected[index], "\(format) plane \(plane), byte \(index)")
        }
        #expect(try source.contents(ofPlane: plane) == bytes)
      }
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func copiesUploadsAndClearsReachTheMemory(_ test: TestDevice, _ memory: Memory) throws {
    let device = try test.open()
    for format in [DRMFormat.argb8888, .abgr8888, .r8] {
      let (source, target) = (try memory.make(size, format), try memory.make(size, format))
      let bytes = source.noise()
      try source.replace(with: bytes)
      let shown = try device.makeTexture(importing: source)
      let written = try device.makeTexture(importing: target)
      let own = try device.makeTexture(size, shown.pixelFormat)
      // Through a texture that is not shared, whose layout the driver chooses.
      try device.blit {
        $0.copy(from: shown, to: own)
        $0.copy(from: own, to: written)
      }
      #expect(try device.contents(of: own) == bytes)
      #expect(try target.contents() == bytes)
      try written.replace(region: written.bounds, withBytes: bytes.reversed())
      #expect(try target.contents() == bytes.reversed())
      try device.render(RenderPassDescriptor(texture: written, loadAction: .clear(1, 0, 0, 1)))
      let pixel: [UInt8] = format == .r8 ? [255] : format == .argb8888 ? [0, 0, 255, 255] : [255, 0, 0, 255]
      #expect(try target.contents() == (0..<size.area).flatMap { _ in pixel })
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func aCopyIsCalledACopy(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(importing: Memory.file.make(size, .r8), label: "plane")
    #expect(!texture.isZeroCopy)
    let reason = try #require(texture.copyReason)
    #expect(reason.kind == .unsupported)
    #expect(reason.remedy != nil)
    if device.info.isCPU {
      #expect(reason.why == "the device 'cpu' works in its own memory and cannot use shared memory")
    }
    #expect(try device.makeTexture(size, .r8Unorm).isZeroCopy == false)
    #expect(try device.makeTexture(size, .r8Unorm).copyReason == nil)
  }

  @Test(.enabled(if: PrimaryNode.path != nil), arguments: TestDevice.onEveryPlatform)
  func aDeviceThatImportsCopiesNothing(_ test: TestDevice) throws {
    let device = try test.open()
    let imports = device.capabilities.features.contains(.dmaBufferImport)
    let texture = try device.makeTexture(importing: Memory.node.make(size, .argb8888))
    #expect(texture.isZeroCopy == imports)
    #expect((texture.copyReason == nil) == imports)
    // Devices on the node itself can import.
    #expect(imports == (device.info.node == PrimaryNode.path))
    // The same node within the minimums: a copy, which says so.
    let minimum = try test.open(limits: .minimum)
    let copied = try minimum.makeTexture(importing: Memory.node.make(size, .argb8888))
    #expect(!copied.isZeroCopy)
    #expect(copied.copyReason != nil)
  }

  @Test(arguments: TestDevice.onEveryPlatform, Memory.available)
  func theRecordingGivesTheSameBytesOnTheCPU(_ test: TestDevice, _ memory: Memory) throws {
    let buffer = try memory.make(size, .nv12)
    try buffer.replace(plane: 0, with: buffer.noise())
    let device = try test.open()
    let texture = try device.makeTexture(importing: buffer)
    let target = try device.makeTexture(size, .r8Unorm)
    let pipeline = try device.makeRenderPipelineState(fullScreen: Self.invert)
    let (painted, twin) = try device.replayed { commands in
      commands.render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(texture, index: 0) }
      return commands.blit { $0.read(target) }
    }
    #expect(twin == painted)
    #expect(painted == buffer.noise().map { 255 - $0 })
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func storingIsRefusedAlike(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(importing: Memory.file.make(size, .abgr8888), label: "plane")
    expectError(
      .unsupported, why: .containing("texture 0, 'plane', which shows shared memory"),
      remedy: .containing("render pass")
    ) { try device.dispatch(Self.store, Size(1, 1)) { $0.setTexture(texture, index: 0) } }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func tiledMemoryThatIsNotImportedIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = try MemoryFile.make(length: 4096)
    let buffer = try DMABuffer(
      adopting: [DMABuffer.Plane(descriptor: descriptor, stride: 64)], format: .r8, size: size,
      modifier: 0x0100_0000_0000_0001)
    expectError(.unsupported, what: .beginning("texture 'tiles'")) {
      try device.makeTexture(importing: buffer, label: "tiles")
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func descriptorsGoWithTheTexture(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = try MemoryFile.make(length: 4096)
    let witness = try #require(MemoryFile.anotherDescriptor(of: descriptor))
    defer { MemoryFile.close(witness) }
    do {
      let texture = try device.makeTexture(
        importing: DMABuffer(
          adopting: [DMABuffer.Plane(descriptor: descriptor, stride: 64)], format: .r8, size: size))
      _ = try device.contents(of: texture)
      #expect(MemoryFile.isSame(descriptor, witness))
    }
    // Released on the device's thread, after earlier work.
    _ = device.statistics
    #expect(!MemoryFile.isSame(descriptor, witness))
  }

  @Test func aPlaneLargerThanTheLimitIsRefused() throws {
    let device = try TestDevice.minimum.open()
    expectError(.limit) { try device.makeTexture(importing: Memory.file.make(Size(2049, 1), .r8), label: "wide") }
  }

  /// Inverts what it samples.
  static let invert = ShaderFunction(
    "invert",
    """
    layout(binding = 0) uniform sampler2D source;
    layout(location = 0) out vec4 color;
    void main() {
      vec4 pixel = floor(texelFetch(source, ivec2(gl_FragCoord.xy), 0) * 255.0 + 0.5);
      color = (255.0 - pixel + 0.25) / 255.0;
    }
    """, arguments: [.sampledTexture(0)],
    twin: ShaderTwin { arguments in
      let pixels = arguments.texture(0).withSamples(of: UInt8.self) { $0.map { 255 - $0 } }
      arguments.colorAttachment?.withMutableSamples(of: UInt8.self) { samples in
        for (index, sample) in pixels.enumerated() { samples[index] = sample }
      }
    })

  /// Stores into its texture.
  private static let store = ShaderFunction(
    "store",
    """
    #include "Common/compute.glsl"
    layout(binding = 0, rgba8ui) writeonly uniform uimage2D destination;
    void main() { imageStore(destination, ivec2(0), uvec4(1u)); }
    """, arguments: [.storageTexture(0)], twin: ShaderTwin { _ in })
}

/// Shared memory that a device cannot work in, copied at the beginning and end of each command buffer.
@Suite struct DMABufferCopyDeviceTests {
  private typealias Memory = DMABufferTextureDeviceTests.Memory
  private let size = Size(29, 13)

  /// Copies of frames reuse memory.
  @Test(arguments: TestDevice.onEveryPlatform, [DRMFormat.r8, .gr88, .argb8888, .xrgb8888, .xbgr8888])
  func aThousandFramesAllocateNothingAfterTheFirst(_ test: TestDevice, _ format: DRMFormat) throws {
    let device = try test.openAnother()
    let (source, target) = (try Memory.file.make(size, format), try Memory.file.make(size, format))
    let shown = try device.makeTexture(importing: source)
    let drawn = try device.makeTexture(importing: target)
    let pipeline = try device.makeRenderPipelineState(fullScreen: DMABufferTextureDeviceTests.invert)
    func draw() throws {
      try device.render(RenderPassDescriptor(texture: drawn), pipeline) { $0.setFragmentTexture(shown, index: 0) }
    }
    try draw()
    let before = device.statistics
    for number in 1..<1000 {
      let bytes = number % 250 == 0 ? source.noise(seed: number) : nil
      if let bytes { try source.replace(with: bytes) }
      try draw()
      guard let bytes else { continue }
      for (index, pair) in zip(format.seen(bytes), try target.contents()).enumerated() {
        if format.isOpaque && index % 4 == 3 { continue }
        try #require(pair.1 == 255 - pair.0, "frame \(number), byte \(index)")
      }
    }
    #expect(device.statistics == before)
  }

  /// A file that shrank would end the process at the first access.
  @Test(arguments: TestDevice.onEveryPlatform)
  func memoryThatShrankFailsTheCommandBuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = try MemoryFile.make(length: 4096)
    let buffer = try DMABuffer(
      adopting: [DMABuffer.Plane(descriptor: descriptor, stride: 64)], format: .r8, size: size)
    let texture = try device.makeTexture(importing: buffer, label: "shrunk")
    #expect(try device.contents(of: texture).count == size.area)
    try MemoryFile.setLength(100, of: descriptor)
    expectError(.input, why: "plane 0 ends at byte 797 of a buffer of 100") { try device.contents(of: texture) }
  }
}

extension DMABuffer {
  /// Bytes of a plane.
  fileprivate func noise(plane: Int = 0, seed: Int = 37) -> [UInt8] {
    .noise(format.size(ofPlane: plane, in: size).area * format.pixelFormat(ofPlane: plane).bytesPerPixel, seed: seed)
  }
}

extension DRMFormat {
  /// Returns the pixels of a texture over `bytes`: opaque if the fourth byte has no meaning.
  fileprivate func seen(_ bytes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { isOpaque && $0.offset % 4 == 3 ? 255 : $0.element }
  }
}
