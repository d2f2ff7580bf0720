import Safelight
import TestSupport
import Testing

/// The code of the page "Sharing memory with cameras and codecs", in its order.
@Suite struct SharedMemoryDeviceTests {
  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/SharedMemory.md").expect(3, blocksIn: #filePath)
  }

  @Test(arguments: TestDevice.all)
  func aDecodersPlanesAreTextures(_ test: TestDevice) throws {
    let device = try test.open()
    let descriptor = try MemoryFile.make(length: 1920 * 1080 * 3 / 2, value: 90)
    let frame = try DMABuffer(
      adopting: [
        .init(descriptor: descriptor, offset: 0, stride: 1920),
        .init(descriptor: descriptor, offset: 1920 * 1080, stride: 1920),
      ],
      format: .nv12, size: Size(1920, 1080))
    let luma = try device.makeTexture(importing: frame, plane: 0)  // r8Unorm, 1920×1080
    let chroma = try device.makeTexture(importing: frame, plane: 1)  // rg8Unorm, 960×540
    #expect(luma.descriptor == TextureDescriptor(Size(1920, 1080), .r8Unorm))
    #expect(chroma.descriptor == TextureDescriptor(Size(960, 540), .rg8Unorm))
    #expect(try luma.getBytes(from: Region(size: Size(2, 1))) == [90, 90])
  }

  @Test(arguments: TestDevice.all)
  func aDecodersFramesGoThroughTheCache(_ test: TestDevice) throws {
    let device = try test.open()
    let textureCache = TextureCache(device: device)
    let memory = try DMABuffer(hostMemoryFor: Size(64, 36), .nv12)
    let queue = device.makeCommandQueue()
    let giveBack: @Sendable () -> Void = {}
    let frame = try VideoFrame(
      index: 0, memory: memory, presentationTime: .zero, color: ColorDescription(matrix: .bt709, range: .limited),
      onRelease: giveBack)
    let buffer = queue.makeCommandBuffer()
    let textures = try textureCache.makeTextures(from: frame, in: buffer)
    buffer.commit()
    try buffer.waitUntilCompleted()
    #expect(textures.map(\.size) == [Size(64, 36), Size(32, 18)])
  }

  @Test(arguments: TestDevice.all)
  func aTextureIsHandedOn(_ test: TestDevice) throws {
    let device = try test.open()
    let other = try Device.open(.cpu)
    let shared = try device.makeSharedTexture(Size(640, 360), .rgba8Unorm)
    let handle = try shared.exportDMABuffer()
    let seen = try other.makeTexture(importing: handle)
    try shared.replace(region: Region(size: Size(1, 1)), withBytes: [1, 2, 3, 4])
    #expect(try seen.getBytes(from: Region(size: Size(1, 1))) == [1, 2, 3, 4])
  }
}
