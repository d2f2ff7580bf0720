import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct ReplayDeviceTests {
  /// One recording with copies and computation, made for `test`.
  private func record(_ device: Device) throws -> (buffer: CommandBuffer, readbacks: [Readback]) {
    let image = SyntheticImage.noise.image(Size(19, 5), channels: .rgba, depth: .bits16)
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    let numbers = try device.makeBuffer(length: 400)
    let pipeline = ComputePipelineState(ComputeFunctions.scale)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "recorded")
    let early = buffer.blit { blit in
      blit.copy(from: image, to: texture)
      blit.fill(numbers, range: 0..<400, value: 3)
      return blit.read(numbers, range: 0..<8)
    }
    buffer.compute {
      $0.setComputePipelineState(pipeline)
      $0.setBuffer(numbers, index: 0)
      for step in UInt32(1)...5 {
        $0.setBytes(SIMD4<UInt32>(step, 1, 0, 0), index: 3)
        $0.dispatchThreads(Size(77, 1), threadsPerThreadgroup: Size(32, 1))
      }
    }
    let late = buffer.blit { [$0.read(numbers, range: 0..<400), $0.read(texture)] }
    return (buffer, [early] + late)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func aRecordingGivesTheSameBytesOnTheCPU(_ test: TestDevice) throws {
    let (buffer, readbacks) = try record(test.open())
    try buffer.finish()
    let twin = try Device.open(.cpu).replay(buffer.recording)
    for readback in readbacks { #expect(twin.contents(of: readback) == (try readback.contents())) }
    // And they are the right ones: 3 in each byte, times 5!, plus 1 * 2 * 3 * 4 * 5 / 1 and so on, for the first 77
    // words.
    let word = (1...5).reduce(UInt64(0x0303_0303)) { ($0 * UInt64($1) + 1) & 0xFFFF_FFFF }
    let words = try readbacks[1].contents().words(UInt32.self).map(UInt64.init)
    #expect(words == [UInt64](repeating: word, count: 77) + [UInt64](repeating: 0x0303_0303, count: 23))
    #expect(try readbacks[0].contents() == [3, 3, 3, 3, 3, 3, 3, 3])
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func aRecordingMayBeReplayedAgain(_ test: TestDevice) throws {
    let device = try test.open()
    let (buffer, readbacks) = try record(device)
    let first = try device.replay(buffer.recording)
    let second = try device.replay(buffer.recording)
    for readback in readbacks {
      #expect(first.contents(of: readback) != nil)
      #expect(first.contents(of: readback) == second.contents(of: readback))
    }
    #expect(first.contents(of: Readback(length: 8)) == nil)
  }
}
