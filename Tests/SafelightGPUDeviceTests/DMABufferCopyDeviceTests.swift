import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Shared memory that a device cannot work in, copied at the beginning and end of each command buffer.
@Suite struct DMABufferCopyDeviceTests {
  private let size = Size(29, 13)

  /// Bytes of a plane, none equal to its neighbors.
  private func noise(_ buffer: DMABuffer, seed: Int) -> [UInt8] {
    (0..<buffer.size.area * buffer.format.pixelFormat(ofPlane: 0).bytesPerPixel).map {
      UInt8(truncatingIfNeeded: $0 * seed + ($0 >> 4))
    }
  }

  /// Returns the pixels of a texture over `bytes`: opaque if the fourth byte has no meaning.
  private func seen(_ bytes: [UInt8], _ format: DRMFormat) -> [UInt8] {
    bytes.enumerated().map { format.isOpaque && $0.offset % 4 == 3 ? 255 : $0.element }
  }

  /// Copies of frames reuse memory.
  @Test(arguments: TestDevice.onEveryPlatform, [DRMFormat.r8, .gr88, .argb8888, .xrgb8888, .xbgr8888])
  func aThousandFramesAllocateNothingAfterTheFirst(_ test: TestDevice, _ format: DRMFormat) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let (source, target) = (
      try DMABufferTextureDeviceTests.Memory.file.make(size, format),
      try DMABufferTextureDeviceTests.Memory.file.make(size, format)
    )
    let shown = try device.makeTexture(importing: source)
    let drawn = try device.makeTexture(importing: target)
    let pipeline = try device.makeRenderPipelineState(fullScreen: DMABufferTextureDeviceTests.invert)
    func draw() throws {
      try device.run {
        $0.render(RenderPassDescriptor(texture: drawn), pipeline) { $0.setFragmentTexture(shown, index: 0) }
      }
    }
    try draw()
    let before = device.statistics
    for number in 1..<1000 {
      let bytes = number % 250 == 0 ? noise(source, seed: number) : nil
      if let bytes { try source.replace(with: bytes) }
      try draw()
      guard let bytes else { continue }
      for (index, pair) in zip(seen(bytes, format), try target.contents()).enumerated() {
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
