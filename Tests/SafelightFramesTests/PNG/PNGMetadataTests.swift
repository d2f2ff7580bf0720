import SafelightFrames
import SafelightImage
import Testing

@Suite("PNG metadata: what still holds survives byte for byte")
struct PNGMetadataTests {
  /// Types and data of all chunks of a file, checksums verified.
  static func chunks(_ file: [UInt8]) -> [(type: String, data: [UInt8])] {
    var result: [(String, [UInt8])] = []
    var position = 8
    while position + 12 <= file.count {
      let length = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      let body = Array(file[position + 4..<position + 8 + length])
      #expect(HandmadePNG.number(HandmadePNG.crc(body)) == Array(file[position + 8 + length..<position + 12 + length]))
      result.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
      position += length + 12
    }
    return result
  }

  static func file(_ chunks: [(String, [UInt8])], behind: [(String, [UInt8])] = [], colorType: Int = 2) -> HandmadePNG {
    var png = HandmadePNG(width: 6, height: 4, colorType: colorType, bitDepth: 8)
    png.chunks = chunks
    png.chunksBehind = behind
    return png
  }

  static func rewritten(_ png: HandmadePNG) throws -> [UInt8] {
    try PNGEncoder.encode(PNGDecoder.decode(png.bytes, name: "a.png"))
  }

  /// No decoder would accept all of these data: nothing looks into them.
  static let kept: [(String, [UInt8])] = [
    ("cICP", [9, 16, 0, 1]), ("mDCV", Array(0..<24)), ("cLLI", Array(0..<8)), ("gAMA", [0, 0, 0, 0]),
    ("cHRM", Array(repeating: 255, count: 32)), ("iCCP", Array("profile".utf8) + [0, 0, 1, 2, 3, 255]),
    ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]), ("eXIf", Array("MM".utf8) + [0, 42, 0, 0, 0, 8]),
    ("oFFs", [0, 0, 0, 1, 0, 0, 0, 2, 0]), ("sTER", [1]), ("tEXt", Array("Title".utf8) + [0] + [0xE9, 0xFF]),
    ("zTXt", Array("Comment".utf8) + [0, 0, 99]), ("iTXt", Array("Author".utf8) + [0, 0, 0, 0, 0] + Array("ß".utf8)),
    ("tEXt", Array("Title".utf8) + [0] + Array("again".utf8)),
  ]

  @Test("colour, size, Exif and texts, in their order")
  func survival() throws {
    let written = try Self.chunks(Self.rewritten(Self.file(Self.kept)))
    #expect(written.map(\.type) == ["IHDR"] + Self.kept.map(\.0) + ["IDAT", "IEND"])
    #expect(written.dropFirst().dropLast(2).map(\.data) == Self.kept.map(\.1))
  }

  @Test("texts behind the pixels move before them, where every reader finds them")
  func textBehind() throws {
    let written = try Self.chunks(Self.rewritten(Self.file([], behind: [("tEXt", Array("a\0b".utf8)), ("eXIf", [1])])))
    #expect(written.map(\.type) == ["IHDR", "tEXt", "eXIf", "IDAT", "IEND"])
  }

  @Test("what describes the old encoding goes, and so does the time of the last change")
  func dropped() throws {
    let gone: [(String, [UInt8])] = [
      ("tIME", [7, 232, 1, 1, 0, 0, 0]), ("sBIT", [5, 6, 5]), ("bKGD", [0, 0, 0, 0, 0, 0]), ("sPLT", [65, 0, 8]),
      ("iDOT", [1, 2, 3]), ("prIV", [1]), ("fcTL", [1]), ("hIST", [0, 1]),
    ]
    var png = Self.file(gone)
    png.palette = [[1, 2, 3]]
    #expect(try Self.chunks(Self.rewritten(png)).map(\.type) == ["IHDR", "IDAT", "IEND"])
  }

  @Test("unknown chunks that are safe to copy stay on their side of the pixels")
  func safeToCopy() throws {
    let png = Self.file([("prIv", [1]), ("abCd", [2])], behind: [("prIv", [3]), ("prIV", [4])])
    let written = try Self.chunks(Self.rewritten(png))
    #expect(written.map(\.type) == ["IHDR", "prIv", "abCd", "IDAT", "prIv", "IEND"])
    #expect(written[4].data == [3])
  }

  @Test("a profile and sRGB never stand together: the profile has precedence")
  func exclusiveColor() throws {
    let written = try Self.chunks(Self.rewritten(Self.file([("sRGB", [0]), ("gAMA", [1]), ("iCCP", [2])])))
    #expect(written.map(\.type) == ["IHDR", "gAMA", "iCCP", "IDAT", "IEND"])
    #expect(try Self.chunks(Self.rewritten(Self.file([("sRGB", [3])])))[1].data == [3])
  }

  @Test("a colour profile does not go into a grey picture, nor a grey one into colour", arguments: [0, 2, 4, 6])
  func profileKind(colorType: Int) throws {
    var file = try PNGDecoder.decode(
      Self.file([("sRGB", [0]), ("iCCP", [2])], colorType: colorType).bytes, name: "a.png")
    let isGray = colorType == 0 || colorType == 4
    file.image = SyntheticImage.flat.image(Size(2, 2), channels: isGray ? .rgba : .grayAlpha, depth: .bits8)
    #expect(try Self.chunks(PNGEncoder.encode(file)).map(\.type) == ["IHDR", "sRGB", "IDAT", "IEND"])
    file.image = SyntheticImage.flat.image(Size(2, 2), channels: isGray ? .gray : .rgb, depth: .bits16)
    #expect(try Self.chunks(PNGEncoder.encode(file)).map(\.type) == ["IHDR", "iCCP", "IDAT", "IEND"])
  }

  @Test("of what PNG allows once, the first counts")
  func duplicates() throws {
    let file = try PNGDecoder.decode(Self.file([("gAMA", [1]), ("gAMA", [2])]).bytes, name: "a.png")
    #expect(file.metadata["gAMA"] == [1])
    #expect(file.metadata.chunks.count == 1)
    #expect(file.warnings == ["a second gAMA chunk was left behind: PNG allows one"])

    let doubled = PNGMetadata(chunks: [PNGChunk(type: "pHYs", data: [1]), PNGChunk(type: "pHYs", data: [2])])
    let image = SyntheticImage.flat.image(Size(2, 2), channels: .gray, depth: .bits8)
    let written = try Self.chunks(PNGEncoder.encode(PNGFile(image: image, metadata: doubled)))
    #expect(written.map(\.type) == ["IHDR", "pHYs", "IDAT", "IEND"])
  }

  @Test("metadata with a wrong checksum is left behind, the picture is not")
  func wrongChecksum() throws {
    let png = Self.file([("gAMA", [0, 0, 177, 143]), ("tEXt", Array("a\0b".utf8))])
    var bytes = png.bytes
    let type = try #require(bytes.firstRange(of: Array("gAMA".utf8)))
    bytes[type.upperBound + 2] ^= 1
    let file = try PNGDecoder.decode(bytes, name: "a.png")
    #expect(file.image == png.expected)
    #expect(file.metadata.chunks.map(\.type) == ["tEXt"])
    #expect(file.warnings == ["a gAMA chunk was left behind: its checksum is wrong"])
  }

  @Test("critical chunks cannot be smuggled in as metadata")
  func critical() throws {
    let image = SyntheticImage.flat.image(Size(2, 2), channels: .gray, depth: .bits8)
    let metadata = PNGMetadata(chunks: [PNGChunk(type: "IEND", data: [])])
    let written = try Self.chunks(PNGEncoder.encode(PNGFile(image: image, metadata: metadata)))
    #expect(written.map(\.type) == ["IHDR", "IDAT", "IEND"])
  }

  @Test("metadata has a limit in chunks and in bytes")
  func limits() throws {
    let png = Self.file([("tEXt", Array("A\0abc".utf8)), ("tEXt", Array("B\0defg".utf8))])
    func decode(_ limits: PNGLimits) throws { _ = try PNGDecoder.decode(png.bytes, name: "shot.png", limits: limits) }
    try decode(PNGLimits(metadataChunks: 2, metadataBytes: 11))
    expectError(.input, mentioning: "shot.png", "more than 1 chunks", "strip") {
      try decode(PNGLimits(metadataChunks: 1))
    }
    expectError(.input, mentioning: "shot.png", "more than 10 bytes", "strip") {
      try decode(PNGLimits(metadataBytes: 10))
    }
  }
}
