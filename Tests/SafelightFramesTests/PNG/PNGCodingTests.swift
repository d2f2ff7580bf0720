import SafelightFrames
import SafelightImage
import Testing

@Suite("PNG decoding: every kind of file gives the samples that it stores") struct PNGDecoderTests {
  /// Sizes at which passes are empty, rows end inside a byte, and every pass has several rows.
  static let sizes = [Size(1, 1), Size(1, 9), Size(9, 1), Size(3, 2), Size(5, 5), Size(13, 11), Size(33, 17)]
  static let kinds: [(colorType: Int, bitDepth: Int)] = [
    (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8),
    (6, 16),
  ]

  static func file(_ size: Size, colorType: Int, bitDepth: Int) -> HandmadePNG {
    var png = HandmadePNG(width: size.width, height: size.height, colorType: colorType, bitDepth: bitDepth)
    if bitDepth == 16 { png.sample = { x, y, c in x &* 2311 &+ y &* 15013 &+ c &* 5003 } }
    if colorType == 3 { png.palette = (0..<(1 << bitDepth)).map { [$0 * 3 & 255, 255 - $0, $0 * $0 & 255] } }
    return png
  }

  @Test("all color types, depths and sizes", arguments: kinds, [false, true])
  func samples(kind: (colorType: Int, bitDepth: Int), isInterlaced: Bool) throws {
    for size in Self.sizes {
      var png = Self.file(size, colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.isInterlaced = isInterlaced
      let decoded = try PNGDecoder.decode(png.bytes, name: "a.png")
      #expect(decoded.image == png.expected, "\(size)")
      #expect(decoded.warnings.isEmpty)
      #expect(decoded.grayBits == (kind.colorType == 0 && kind.bitDepth < 8 ? kind.bitDepth : nil))
    }
  }

  @Test("a gray or color key becomes alpha, compared in the file's depth", arguments: kinds, [false, true])
  func transparentColor(kind: (colorType: Int, bitDepth: Int), isInterlaced: Bool) throws {
    guard kind.colorType == 0 || kind.colorType == 2 else { return }
    for size in Self.sizes {
      var png = Self.file(size, colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.isInterlaced = isInterlaced
      let (x, y) = (size.width / 2, size.height / 2)
      png.transparency = png.key(x, y)
      let decoded = try PNGDecoder.decode(png.bytes, name: "a.png")
      #expect(decoded.image == png.expected, "\(size)")
      #expect(decoded.image[x: x, y: y, sample: 3] == 0)
      #expect(decoded.grayBits == nil)
    }
  }

  @Test("keys of 16 bits differ in their low byte too") func fullKey() throws {
    var png = HandmadePNG(width: 2, height: 1, colorType: 0, bitDepth: 16, transparency: [0x12, 0x34])
    png.sample = { x, _, _ in 0x1234 + x }
    let image = try PNGDecoder.decode(png.bytes, name: "a.png").image
    #expect((0..<2).map { image[x: $0, y: 0, sample: 3] } == [0, 65535])
  }

  @Test("palette entries without transparency are opaque", arguments: [1, 2, 4, 8])
  func transparentPalette(bitDepth: Int) throws {
    var png = Self.file(Size(19, 7), colorType: 3, bitDepth: bitDepth)
    png.transparency = [0, 100, 200].prefix(max(1, png.palette.count - 1)).map { $0 }
    let decoded = try PNGDecoder.decode(png.bytes, name: "a.png")
    #expect(decoded.image == png.expected)
    #expect(decoded.image.channels == .rgba)
  }

  @Test("compressed data may be cut anywhere into chunks, empty ones included", arguments: [1, 2, 3, 100])
  func parts(partSize: Int) throws {
    let png = HandmadePNG(width: 20, height: 10, colorType: 2, bitDepth: 8, partSize: partSize)
    #expect(try PNGDecoder.decode(png.bytes, name: "a.png").image == png.expected)

    var withEmpty = png.bytes
    withEmpty.insert(contentsOf: HandmadePNG.chunk("IDAT", []), at: png.bytes.count - 12)
    #expect(try PNGDecoder.decode(withEmpty, name: "a.png").image == png.expected)
  }

  @Test("a suggested palette in a color picture is ignored") func suggestedPalette() throws {
    let png = HandmadePNG(width: 4, height: 4, colorType: 2, bitDepth: 8, palette: [[1, 2, 3], [4, 5, 6]])
    #expect(try PNGDecoder.decode(png.bytes, name: "a.png").image == png.expected)
  }

  @Test("tolerated faults are reported") func warnings() throws {
    let png = HandmadePNG(
      width: 4, height: 4, colorType: 6, bitDepth: 8, transparency: [0, 1, 0, 1, 0, 1],
      chunks: [("acTL", HandmadePNG.number(24) + HandmadePNG.number(0)), ("fcTL", [0, 0, 0, 0])],
      chunksBehind: [("fdAT", [0, 0, 0, 1, 2, 3])])
    let decoded = try PNGDecoder.decode(png.bytes + [1, 2, 3], name: "a.png")
    #expect(decoded.image == png.expected)
    #expect(decoded.metadata.chunks.isEmpty)
    #expect(
      decoded.warnings == [
        "an animation (24 frames): only its default image is used",
        "a tRNS chunk was ignored: the picture has an alpha channel", "3 bytes after the end of the PNG were ignored",
      ])
  }

  @Test("an index beyond the palette is reported, in any depth and interlaced", arguments: [1, 2, 4, 8])
  func indexBeyondPalette(bitDepth: Int) throws {
    for isInterlaced in [false, true] {
      var png = Self.file(Size(9, 9), colorType: 3, bitDepth: bitDepth)
      png.isInterlaced = isInterlaced
      var bytes = png.bytes
      bytes.replaceSubrange(try HandmadePNG.place(of: "PLTE", in: bytes), with: HandmadePNG.chunk("PLTE", [1, 2, 3]))
      let decoded = try PNGDecoder.decode(bytes, name: "a.png")
      #expect(decoded.warnings == ["pixels without a color in the palette became black"])
      for y in 0..<9 {
        for x in 0..<9 {
          let pixel = (0..<4).map { decoded.image[x: x, y: y, sample: $0] }
          #expect(pixel == (png.stored(x, y, 0) == 0 ? [1, 2, 3, 255] : [0, 0, 0, 255]))
        }
      }
    }
  }

  @Test("libpng's warnings are reported: compressed data that continues") func remarks() throws {
    let png = HandmadePNG(width: 3, height: 1, colorType: 0, bitDepth: 8)
    var bytes = HandmadePNG(width: 3, height: 2, colorType: 0, bitDepth: 8).bytes
    bytes.replaceSubrange(0..<33, with: png.bytes[0..<33])
    let decoded = try PNGDecoder.decode(bytes, name: "a.png")
    #expect(decoded.image == png.expected)
    #expect(decoded.warnings.count == 1, "\(decoded.warnings)")
  }
}

@Suite("PNG encoding: pictures are read back unchanged, from the same kind of file") struct PNGEncoderTests {
  static let channels: [(channels: Channels, colorType: UInt8)] = [(.gray, 0), (.rgb, 2), (.grayAlpha, 4), (.rgba, 6)]
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

  @Test("a file without alpha ignores the fourth sample") func filler() throws {
    let opaque = SyntheticImage.noise.image(Size(5, 5), channels: .rgb, depth: .bits8)
    var bytes = opaque.bytes
    for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 7 }
    let file = try PNGEncoder.encode(PNGFile(image: opaque.replacing(bytes: bytes)))
    #expect(try PNGDecoder.decode(file, name: "a.png").image == opaque)
  }

  @Test("16-bit samples are stored with the high byte first") func byteOrder() throws {
    var image = Image(size: Size(1, 1), channels: .gray, depth: .bits16, bytes: [0, 0])
    image[x: 0, y: 0, sample: 0] = 0x1234
    let file = try PNGEncoder.encode(PNGFile(image: image), compression: .store)
    #expect(file.firstRange(of: [0x00, 0x12, 0x34] as [UInt8]) != nil)
  }

  @Test("low gray returns to its depth while every sample is one of its levels", arguments: [1, 2, 4], [1, 3, 8, 13])
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

  @Test("a gray depth does not apply to pictures that are not 8-bit gray") func foreignGrayBits() throws {
    for (channels, depth) in [(Channels.rgb, SampleDepth.bits8), (.gray, .bits16), (.grayAlpha, .bits8)] {
      let image = SyntheticImage.checker.image(Size(4, 4), channels: channels, depth: depth)
      let bytes = try PNGEncoder.encode(PNGFile(image: image, grayBits: 1))
      #expect(Int(bytes[24]) == depth.rawValue)
    }
  }

  @Test("the same picture gives the same bytes, on every thread") func determinism() async throws {
    let image = SyntheticImage.noise.image(Size(64, 64), channels: .rgb, depth: .bits8)
    let files = try await withThrowingTaskGroup(of: [UInt8].self) { group in
      for _ in 0..<8 { group.addTask { try PNGEncoder.encode(PNGFile(image: image)) } }
      return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
    }
    #expect(files.count == 1)
  }

  @Test("more effort makes smaller files, and none makes the largest") func effort() throws {
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
