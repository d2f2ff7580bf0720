import SafelightFrames
import SafelightImage
import Testing

@Suite("PNG encoding: what is written is what is read again, in the same kind of file")
struct PNGEncoderTests {
  static let channels: [(channels: Channels, colorType: UInt8)] = [
    (.gray, 0), (.rgb, 2), (.grayAlpha, 4), (.rgba, 6),
  ]
  static let sizes = [Size(1, 1), Size(1, 7), Size(7, 1), Size(37, 23), Size(300, 9)]

  /// The bytes of IHDR.
  static func header(_ file: [UInt8]) -> [UInt8] { Array(file[16..<29]) }

  @Test("channels and depth stay", arguments: channels, SampleDepth.allCases)
  func kinds(kind: (channels: Channels, colorType: UInt8), depth: SampleDepth) throws {
    for compression in PNGCompression.allCases {
      for size in Self.sizes {
        for synthetic in SyntheticImage.allCases {
          let image = synthetic.image(size, channels: kind.channels, depth: depth)
          let bytes = try PNGEncoder.encode(PNGFile(image: image), compression: compression)
          let header =
            HandmadePNG.number(size.width) + HandmadePNG.number(size.height)
            + [UInt8(depth.rawValue), kind.colorType, 0, 0, 0]
          #expect(Self.header(bytes) == header)
          #expect(try PNGDecoder.decode(bytes, name: "a.png") == decodedFile(image))
        }
      }
    }
  }

  private func decodedFile(_ image: Image) -> PNGFile {
    let isGray = image.channels == .gray || image.channels == .grayAlpha
    var image = image
    if image.channels.hasAlpha { image.color.alpha = .straight }
    return PNGFile(image: image, metadata: PNGMetadata(describesGray: isGray))
  }

  @Test("a file without alpha takes no alpha, whatever the fourth sample holds")
  func filler() throws {
    let opaque = SyntheticImage.noise.image(Size(5, 5), channels: .rgb, depth: .bits8)
    var bytes = opaque.bytes
    for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 7 }
    let file = try PNGEncoder.encode(PNGFile(image: opaque.replacing(bytes: bytes)))
    #expect(try PNGDecoder.decode(file, name: "a.png").image == opaque)
  }

  @Test("16-bit samples lie in the file with the high byte first")
  func byteOrder() throws {
    var image = Image(size: Size(1, 1), channels: .gray, depth: .bits16, bytes: [0, 0])
    image[x: 0, y: 0, sample: 0] = 0x1234
    let file = try PNGEncoder.encode(PNGFile(image: image), compression: .store)
    #expect(file.firstRange(of: [0x00, 0x12, 0x34] as [UInt8]) != nil)
  }

  @Test(
    "low grey goes back to its depth while every sample is one of its levels", arguments: [1, 2, 4], [1, 3, 8, 13])
  func lowGray(bits: Int, width: Int) throws {
    let source = PNGDecoderTests.file(Size(width, 5), colorType: 0, bitDepth: bits)
    var file = try PNGDecoder.decode(source.bytes, name: "a.png")
    let packed = try PNGEncoder.encode(file)
    #expect(Self.header(packed) == HandmadePNG.number(width) + HandmadePNG.number(5) + [UInt8(bits), 0, 0, 0, 0])
    #expect(try PNGDecoder.decode(packed, name: "a.png") == file)

    file.image[x: width - 1, y: 4, sample: 0] = 254
    let widened = try PNGEncoder.encode(file)
    #expect(widened[24] == 8)
    let again = try PNGDecoder.decode(widened, name: "a.png")
    #expect(again.image == file.image)
    #expect(again.grayBits == nil)
  }

  @Test("a grey depth says nothing of pictures that are not 8-bit grey")
  func foreignGrayBits() throws {
    for (channels, depth) in [(Channels.rgb, SampleDepth.bits8), (.gray, .bits16), (.grayAlpha, .bits8)] {
      let image = SyntheticImage.checker.image(Size(4, 4), channels: channels, depth: depth)
      let bytes = try PNGEncoder.encode(PNGFile(image: image, grayBits: 1))
      #expect(Int(bytes[24]) == depth.rawValue)
    }
  }

  @Test("the same picture gives the same bytes, on every thread")
  func determinism() async throws {
    let image = SyntheticImage.noise.image(Size(64, 64), channels: .rgb, depth: .bits8)
    let files = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 { group.addTask { try PNGEncoder.encode(PNGFile(image: image)) } }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(files.count == 1)
  }

  @Test("more effort makes smaller files, and none makes the largest")
  func effort() throws {
    let image = SyntheticImage.ramp.image(Size(256, 256), channels: .rgb, depth: .bits8)
    let counts = try [PNGCompression.store, .fast, .balanced, .small].map {
      try PNGEncoder.encode(PNGFile(image: image), compression: $0).count
    }
    #expect(counts[0] > 256 * 256 * 3)
    #expect(counts[1] < counts[0] / 2)
    #expect(counts[3] <= counts[1])
  }

  @Test("large rows and many of them", arguments: [Size(100_000, 3), Size(3, 100_000)])
  func longSides(size: Size) throws {
    let image = SyntheticImage.flat.image(size, channels: .gray, depth: .bits8)
    let bytes = try PNGEncoder.encode(PNGFile(image: image))
    #expect(try PNGDecoder.decode(bytes, name: "a.png").image == image)
  }
}
