import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct BufferDeviceTests {
  @Test(arguments: TestDevice.all, [1, 3, 4, 1000])
  func aNewBufferIsZero(_ test: TestDevice, _ length: Int) throws {
    let device = try test.open()
    #expect(try device.contents(of: try device.makeBuffer(length: length)) == [UInt8](repeating: 0, count: length))
  }

  @Test(arguments: TestDevice.all)
  func fillsAndWritesTouchTheirBytesAlone(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 40)
    let bytes = (0..<7).map { UInt8(100 + $0) }
    try device.run {
      $0.blit {
        $0.fill(buffer, range: 0..<40, value: 0xA5)
        $0.fill(buffer, range: 3..<9, value: 7)
        $0.write(bytes, to: buffer, offset: 33)
        $0.write([1, 2], to: buffer)
        $0.fill(buffer, range: 20..<20, value: 9)
        $0.write([], to: buffer, offset: 40)
      }
    }
    var expected = [UInt8](repeating: 0xA5, count: 40)
    expected.replaceSubrange(3..<9, with: [7, 7, 7, 7, 7, 7])
    expected.replaceSubrange(33..<40, with: bytes)
    expected.replaceSubrange(0..<2, with: [1, 2])
    #expect(try device.contents(of: buffer) == expected)
  }

  @Test(arguments: TestDevice.all)
  func readsSeeTheirRangeAsItWasAtTheirPlace(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 64)
    let all = (0..<64).map { UInt8($0) }
    let (before, part, empty, after) = try device.run {
      $0.blit { blit in
        let before = blit.read(buffer, range: 0..<4)
        blit.write(all, to: buffer)
        let part = blit.read(buffer, range: 13..<29)
        let empty = blit.read(buffer, range: 64..<64)
        blit.fill(buffer, range: 0..<64, value: 255)
        return (before, part, empty, blit.read(buffer, range: 63..<64))
      }
    }
    #expect(try before.contents() == [0, 0, 0, 0])
    #expect(try part.contents() == Array(all[13..<29]))
    #expect(try empty.contents() == [])
    #expect(try after.contents() == [255])
  }

  @Test(arguments: TestDevice.all)
  func contentsOutliveTheCommandBuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 8)
    try device.run { $0.blit { $0.write([1, 2, 3, 4, 5, 6, 7, 8], to: buffer) } }
    try device.run { $0.blit { $0.write([9], to: buffer, offset: 7) } }
    #expect(try device.contents(of: buffer) == [1, 2, 3, 4, 5, 6, 7, 9])
  }

  @Test(arguments: TestDevice.all, [0, -1, Int.max])
  func aLengthBeyondTheLimitIsRefused(_ test: TestDevice, _ length: Int) throws {
    let device = try test.open()
    expectError(.limit, what: "buffer 'counts'", why: .containing("\(device.capabilities.maximumBufferLength)")) {
      try device.makeBuffer(length: length, label: "counts")
    }
  }
}
