import SafelightFrames
import SafelightImage
import Testing

@Suite("PNG decoding: every kind of file gives the samples that it stores")
struct PNGDecoderTests {
  /// Sizes at which passes are empty, rows end inside a byte, and every pass has several rows.
  static let sizes = [Size(1, 1), Size(1, 9), Size(9, 1), Size(3, 2), Size(5, 5), Size(13, 11), Size(33, 17)]
  static let kinds: [(colorType: Int, bitDepth: Int)] = [
    (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8),
    (6, 16),
  ]

  static func file(_ size: Size, colorType: Int, bitDepth: Int) -> HandmadePNG {
    var png = HandmadePNG(width: size.width, height: size.height, colorType: colorType, bitDepth: bitDepth)
    if bitDepth == 16 { png.sample = { x, y, c in x &* 2311 &+ y &* 15013 &+ c &* 5003 } }
    if colorType == 3 {
      png.palette = (0..<(1 << bitDepth)).map { [$0 * 3 & 255, 255 - $0, $0 * $0 & 255] }
    }
    return png
  }

  @Test("all colour types, depths and sizes", arguments: kinds, [false, true])
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

  @Test("a grey or colour key becomes alpha, compared in the file's depth", arguments: kinds, [false, true])
  func transparentColor(kind: (colorType: Int, bitDepth: Int), isInterlaced: Bool) throws {
    guard kind.colorType == 0 || kind.colorType == 2 else { return }
    for size in Self.sizes {
      var png = Self.file(size, colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.isInterlaced = isInterlaced
      let (x, y) = (size.width / 2, size.height / 2)
      png.transparency = (0..<png.samplesPerPixel).flatMap { channel -> [UInt8] in
        let key = png.stored(x, y, channel)
        return [UInt8(key >> 8), UInt8(key & 255)]
      }
      let decoded = try PNGDecoder.decode(png.bytes, name: "a.png")
      #expect(decoded.image == png.expected, "\(size)")
      #expect(decoded.image[x: x, y: y, sample: 3] == 0)
      #expect(decoded.grayBits == nil)
    }
  }

  @Test("keys of 16 bits differ in their low byte too")
  func fullKey() throws {
    var png = HandmadePNG(width: 2, height: 1, colorType: 0, bitDepth: 16)
    png.sample = { x, _, _ in 0x1234 + x }
    png.transparency = [0x12, 0x34]
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
    var png = HandmadePNG(width: 20, height: 10, colorType: 2, bitDepth: 8)
    png.partSize = partSize
    #expect(try PNGDecoder.decode(png.bytes, name: "a.png").image == png.expected)

    let start = png.bytes.count - 12
    var withEmpty = png.bytes
    withEmpty.insert(contentsOf: HandmadePNG.chunk("IDAT", []), at: start)
    #expect(try PNGDecoder.decode(withEmpty, name: "a.png").image == png.expected)
  }

  @Test("a suggested palette in a colour picture is passed over")
  func suggestedPalette() throws {
    var png = HandmadePNG(width: 4, height: 4, colorType: 2, bitDepth: 8)
    png.palette = [[1, 2, 3], [4, 5, 6]]
    #expect(try PNGDecoder.decode(png.bytes, name: "a.png").image == png.expected)
  }

  @Test("what is tolerated is told")
  func warnings() throws {
    var png = HandmadePNG(width: 4, height: 4, colorType: 6, bitDepth: 8)
    png.transparency = [0, 1, 0, 1, 0, 1]
    png.chunks = [("acTL", HandmadePNG.number(24) + HandmadePNG.number(0)), ("fcTL", [0, 0, 0, 0])]
    png.chunksBehind = [("fdAT", [0, 0, 0, 1, 2, 3])]
    let decoded = try PNGDecoder.decode(png.bytes + [1, 2, 3], name: "a.png")
    #expect(decoded.image == png.expected)
    #expect(decoded.metadata.chunks.isEmpty)
    #expect(
      decoded.warnings == [
        "an animation (24 frames): only its default image is used",
        "a tRNS chunk was left behind: the picture has an alpha channel",
        "3 bytes after the end of the PNG were left behind",
      ])
  }

  @Test("an index that the palette does not have is told, in any depth and interlaced", arguments: [1, 2, 4, 8])
  func indexBeyondPalette(bitDepth: Int) throws {
    for isInterlaced in [false, true] {
      var png = Self.file(Size(9, 9), colorType: 3, bitDepth: bitDepth)
      png.isInterlaced = isInterlaced
      var bytes = png.bytes
      let range = try #require(bytes.firstRange(of: Array("PLTE".utf8)))
      let start = range.lowerBound - 4
      let short = HandmadePNG.chunk("PLTE", [1, 2, 3])
      bytes.replaceSubrange(start..<start + 12 + 3 * png.palette.count, with: short)
      let decoded = try PNGDecoder.decode(bytes, name: "a.png")
      #expect(decoded.warnings == ["pixels without a colour in the palette became black"])
      for y in 0..<9 {
        for x in 0..<9 {
          let pixel = (0..<4).map { decoded.image[x: x, y: y, sample: $0] }
          #expect(pixel == (png.stored(x, y, 0) == 0 ? [1, 2, 3, 255] : [0, 0, 0, 255]))
        }
      }
    }
  }

  @Test("libpng's remarks are told: compressed data that runs on")
  func remarks() throws {
    let png = HandmadePNG(width: 3, height: 1, colorType: 0, bitDepth: 8)
    var bytes = HandmadePNG(width: 3, height: 2, colorType: 0, bitDepth: 8).bytes
    bytes.replaceSubrange(0..<33, with: png.bytes[0..<33])
    let decoded = try PNGDecoder.decode(bytes, name: "a.png")
    #expect(decoded.image == png.expected)
    #expect(decoded.warnings.count == 1, "\(decoded.warnings)")
  }
}
