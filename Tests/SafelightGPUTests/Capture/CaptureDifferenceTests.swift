import SafelightGPU
import SafelightImage
import Testing

@Suite struct CaptureDifferenceTests {
  @Test func equalBytesHaveNone() {
    #expect(CaptureDifference(expected: [1, 2], actual: [1, 2], pixelFormat: .r8Unorm) == nil)
  }

  @Test(
    arguments: [
      (PixelFormat?.some(.r8Unorm), [1, 2, 3, 4], [1, 9, 3, 2], 2, 4, 1, 7.0),
      (.some(.r16Uint), [1, 2, 3, 4], [1, 2, 3, 6], 1, 2, 1, 512.0),
      (nil, [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], 1, 2, 1, 255.0),
      (nil, [0, 0, 5], [0, 0, 4], 1, 3, 2, 1.0),
      // 1.0 and 2.0 as halves.
      (.some(.r16Float), [0, 0x3C], [0, 0x40], 1, 1, 0, 1.0),
      // 1.0 and NaN as floats.
      (.some(.r32Float), [0, 0, 0x80, 0x3F], [0, 0, 0xC0, 0x7F], 1, 1, 0, .infinity),
    ] as [(PixelFormat?, [UInt8], [UInt8], Int, Int, Int, Double)])
  func samplesAreComparedInTheirFormat(
    _ format: PixelFormat?, _ expected: [UInt8], _ actual: [UInt8], _ differing: Int, _ count: Int, _ first: Int,
    _ largest: Double
  ) throws {
    let difference = try #require(CaptureDifference(expected: expected, actual: actual, pixelFormat: format))
    #expect(difference.differing == differing && difference.count == count && difference.first == first)
    #expect(difference.largest == largest)
  }

  @Test(arguments: [
    ("frame 17", "frame-17"), ("../../etc", "etc"), ("a/b:c", "a-b-c"), ("", ""), ("äö", ""), (".hidden", "hidden"),
    ("SafelightTests/File.swift:12", "SafelightTests-File.swift-12"),
  ])
  func labelsBecomeFileNames(_ label: String, _ name: String) {
    #expect(Capture.fileName(label) == name)
  }
}
