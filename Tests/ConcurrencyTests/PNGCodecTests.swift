import SafelightFrames
import SafelightImage
import Testing

@Suite struct PNGCodecTests {
  @Test("threads share a codec", arguments: PNGCodec.Backend.allCases)
  func threads(backend: PNGCodec.Backend) async throws {
    let image = SyntheticImage.noise.image(Size(96, 96), channels: .rgb, depth: .bits8)
    let codec = PNGCodec(backend)
    let files = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for index in 0..<24 {
        group.addTask {
          let other = SyntheticImage.ramp.image(Size(1 + index * 5, 30), channels: .gray, depth: .bits16)
          let bytes = try PNGEncoder.encode(PNGFile(image: other), codec: codec)
          #expect(try PNGDecoder.decode(bytes, name: "a.png", codec: codec).image == other)
          return try PNGEncoder.encode(PNGFile(image: image), codec: codec)
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(files.count == 1)
  }
}
