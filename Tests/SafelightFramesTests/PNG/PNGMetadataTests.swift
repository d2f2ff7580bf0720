import SafelightFrames
import SafelightImage
import Testing

@Suite("PNG metadata: valid chunks survive byte for byte") struct PNGMetadataTests {
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
    HandmadePNG(width: 6, height: 4, colorType: colorType, bitDepth: 8, chunks: chunks, chunksBehind: behind)
  }

  static func rewritten(_ png: HandmadePNG) throws -> [UInt8] {
    try PNGEncoder.encode(PNGDecoder.decode(png.bytes, name: "a.png"))
  }

  /// No decoder would accept all of these data, but none inspects them.
  static let kept: [(String, [UInt8])] = [
    ("cICP", [9, 16, 0, 1]), ("mDCV", Array(0..<24)), ("cLLI", Array(0..<8)), ("gAMA", [0, 0, 0, 0]),
    ("cHRM", Array(repeating: 255, count: 32)), ("iCCP", Array("profile".utf8) + [0, 0, 1, 2, 3, 255]),
    ("pHYs", [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1]), ("eXIf", Array("MM".utf8) + [0, 42, 0, 0, 0, 8]),
    ("oFFs", [0, 0, 0, 1, 0, 0, 0, 2, 0]), ("sTER", [1]), ("tEXt", Array("Title".utf8) + [0] + [0xE9, 0xFF]),
    ("zTXt", Array("Comment".utf8) + [0, 0, 99]), ("iTXt", Array("Author".utf8) + [0, 0, 0, 0, 0] + Array("ß".utf8)),
    ("tEXt", Array("Title".utf8) + [0] + Array("again".utf8)),
  ]

  @Test("color, size, Exif and texts, in their order") func survival() throws {
    let written = try Self.chunks(Self.rewritten(Self.file(Self.kept)))
    #expect(written.map(\.type) == ["IHDR"] + Self.kept.map(\.0) + ["IDAT", "IEND"])
    #expect(written.dropFirst().dropLast(2).map(\.data) == Self.kept.map(\.1))
  }

  @Test("texts after the pixels move before them, where every reader finds them") func textBehind() throws {
    let written = try Self.chunks(Self.rewritten(Self.file([], behind: [("tEXt", Array("a\0b".utf8)), ("eXIf", [1])])))
    #expect(written.map(\.type) == ["IHDR", "tEXt", "eXIf", "IDAT", "IEND"])
  }

  @Test("chunks about the old encoding are dropped, and so is the time of the last change") func dropped() throws {
    let gone: [(String, [UInt8])] = [
      ("tIME", [7, 232, 1, 1, 0, 0, 0]), ("sBIT", [5, 6, 5]), ("bKGD", [0, 0, 0, 0, 0, 0]), ("sPLT", [65, 0, 8]),
      ("iDOT", [1, 2, 3]), ("prIV", [1]), ("fcTL", [1]), ("hIST", [0, 1]),
    ]
    var png = Self.file(gone)
    png.palette = [[1, 2, 3]]
    #expect(try Self.chunks(Self.rewritten(png)).map(\.type) == ["IHDR", "IDAT", "IEND"])
  }

  @Test("unknown chunks that are safe to copy stay on their side of the pixels") func safeToCopy() throws {
    let png = Self.file([("prIv", [1]), ("abCd", [2])], behind: [("prIv", [3]), ("prIV", [4])])
    let written = try Self.chunks(Self.rewritten(png))
    #expect(written.map(\.type) == ["IHDR", "prIv", "abCd", "IDAT", "prIv", "IEND"])
    #expect(written[4].data == [3])
  }

  @Test("a profile and sRGB are never both written: the profile takes precedence") func exclusiveColor() throws {
    let written = try Self.chunks(Self.rewritten(Self.file([("sRGB", [0]), ("gAMA", [1]), ("iCCP", [2])])))
    #expect(written.map(\.type) == ["IHDR", "gAMA", "iCCP", "IDAT", "IEND"])
    #expect(try Self.chunks(Self.rewritten(Self.file([("sRGB", [3])])))[1].data == [3])
  }

  @Test("a color profile is not written to a gray picture, nor a gray one to a color picture", arguments: [0, 2, 4, 6])
  func profileKind(colorType: Int) throws {
    var file = try PNGDecoder.decode(
      Self.file([("sRGB", [0]), ("iCCP", [2])], colorType: colorType).bytes, name: "a.png")
    let isGray = colorType == 0 || colorType == 4
    file.image = SyntheticImage.flat.image(Size(2, 2), channels: isGray ? .rgba : .grayAlpha, depth: .bits8)
    #expect(try Self.chunks(PNGEncoder.encode(file)).map(\.type) == ["IHDR", "sRGB", "IDAT", "IEND"])
    file.image = SyntheticImage.flat.image(Size(2, 2), channels: isGray ? .gray : .rgb, depth: .bits16)
    #expect(try Self.chunks(PNGEncoder.encode(file)).map(\.type) == ["IHDR", "iCCP", "IDAT", "IEND"])
  }

  @Test("of chunks that PNG allows once, the first counts") func duplicates() throws {
    let file = try PNGDecoder.decode(Self.file([("gAMA", [1]), ("gAMA", [2])]).bytes, name: "a.png")
    #expect(file.metadata["gAMA"] == [1])
    #expect(file.metadata.chunks.count == 1)
    #expect(file.warnings == ["a second gAMA chunk was ignored: PNG allows one"])

    let doubled = PNGMetadata(chunks: [PNGChunk(type: "pHYs", data: [1]), PNGChunk(type: "pHYs", data: [2])])
    let image = SyntheticImage.flat.image(Size(2, 2), channels: .gray, depth: .bits8)
    let written = try Self.chunks(PNGEncoder.encode(PNGFile(image: image, metadata: doubled)))
    #expect(written.map(\.type) == ["IHDR", "pHYs", "IDAT", "IEND"])
  }

  @Test("metadata with a wrong checksum is ignored, the picture is kept") func wrongChecksum() throws {
    let png = Self.file([("gAMA", [0, 0, 177, 143]), ("tEXt", Array("a\0b".utf8))])
    var bytes = png.bytes
    let type = try #require(bytes.firstRange(of: Array("gAMA".utf8)))
    bytes[type.upperBound + 2] ^= 1
    let file = try PNGDecoder.decode(bytes, name: "a.png")
    #expect(file.image == png.expected)
    #expect(file.metadata.chunks.map(\.type) == ["tEXt"])
    #expect(file.warnings == ["a gAMA chunk was ignored: its checksum is wrong"])
  }

  @Test("critical chunks cannot be smuggled in as metadata") func critical() throws {
    let image = SyntheticImage.flat.image(Size(2, 2), channels: .gray, depth: .bits8)
    let metadata = PNGMetadata(chunks: [PNGChunk(type: "IEND", data: [])])
    let written = try Self.chunks(PNGEncoder.encode(PNGFile(image: image, metadata: metadata)))
    #expect(written.map(\.type) == ["IHDR", "IDAT", "IEND"])
  }

  @Test("metadata has a limit in chunks and in bytes") func limits() throws {
    let png = Self.file([("tEXt", Array("A\0abc".utf8)), ("tEXt", Array("B\0defg".utf8))])
    func decode(_ limits: PNGLimits) throws { _ = try PNGDecoder.decode(png.bytes, name: "shot.png", limits: limits) }
    try decode(PNGLimits(metadataChunks: 2, metadataBytes: 11))
    for (limits, why) in [
      (PNGLimits(metadataChunks: 1), "more metadata than the limit of 1 chunks"),
      (PNGLimits(metadataBytes: 10), "the limit of 10 bytes"),
    ] {
      expectError(.input, mentioning: "shot.png", why, "remove its metadata") { try decode(limits) }
    }
  }
}

@Suite("The seal of a run") struct PNGProvenanceTests {
  private let folder = TemporaryFolder()
  private let seal = PNGProvenance(recipe: [UInt8](1...32), inputs: [UInt8](101...132), origin: "Bild ä.png")

  private var picture: PNGFile {
    PNGFile(image: Image(size: Size(2, 1), channels: .gray, depth: .bits8, bytes: [1, 200]))
  }

  private func sealed() throws -> [UInt8] {
    var file = picture
    file.metadata.chunks.append(seal.chunk)
    return try PNGEncoder.encode(file)
  }

  @Test("is read back from a whole file; other files have none") func roundTrip() throws {
    #expect(try PNGProvenance.read(sealed(), name: "a.png") == seal)
    #expect(try PNGProvenance.read(PNGEncoder.encode(picture), name: "a.png") == nil)
    let other = HandmadePNG(width: 1, height: 1, colorType: 0, bitDepth: 8, chunks: [("saFE", [1, 2, 3])])
    #expect(try PNGProvenance.read(other.bytes, name: "a.png") == nil)
  }

  @Test("names a file's input, from the file's beginning") func origin() throws {
    func origin(_ bytes: [UInt8]) throws -> String? {
      try PNGProvenance.atBeginning(ofFileAt: folder.write("a.png", bytes))?.origin
    }
    #expect(try origin(sealed()) == "Bild ä.png")
    #expect(try origin(PNGEncoder.encode(picture)) == nil)
    // Cut anywhere, the file has the right name or none.
    let bytes = try sealed()
    for count in bytes.indices {
      let found = try origin(Array(bytes[..<count]))
      #expect(found == nil || found == "Bild ä.png", "\(count) bytes")
    }
    #expect(PNGProvenance.atBeginning(ofFileAt: folder("none.png")) == nil)
    let renamed = PNGProvenance(recipe: seal.recipe, inputs: seal.inputs, origin: "b.png")
    #expect(renamed != seal && renamed.agrees(with: seal))
  }

  @Test("is ancillary, private and not safe to copy: a picture that is read and written loses it")
  func unsafeToCopy() throws {
    #expect(!seal.chunk.type.isCritical && !seal.chunk.type.isSafeToCopy)
    #expect(seal.chunk.type.description == "saFE")
    let read = try PNGDecoder.decode(sealed(), name: "a.png")
    #expect(read == picture || read.metadata.chunks.isEmpty && read.metadata.trailingChunks.isEmpty)
    #expect(read.warnings == [])
    #expect(try PNGProvenance.read(PNGEncoder.encode(read), name: "a.png") == nil)
  }

  /// The checksums stand for the data. They are compared where pixels depend on them, since the decoder ignores a text
  /// whose checksum is wrong.
  @Test("knows an input by its chunks") func inputs() throws {
    func bytes(_ text: String) throws -> [UInt8] {
      var file = picture
      file.metadata.chunks.append(PNGChunk(type: "tEXt", data: Array("Title\0\(text)".utf8)))
      return try PNGEncoder.encode(file)
    }
    func hash(_ bytes: [UInt8], checking: Bool = true) throws -> [UInt8] {
      try PNGProvenance.hash(of: .memory(bytes), name: "a.png", checking: checking)
    }
    func changed(_ bytes: [UInt8], at offset: Int, in type: String) throws -> [UInt8] {
      var bytes = bytes
      let name = try #require(bytes.firstRange(of: Array(type.utf8)))
      bytes[name.upperBound + offset] ^= 1
      return bytes
    }
    let first = try bytes("one")
    #expect(try hash(first) == hash(first, checking: false))
    #expect(try hash(first) == hash(first + [1, 2, 3]))
    #expect(try hash(first) == PNGProvenance.hash(ofFileAt: folder.write("a.png", first)))
    #expect(try hash(first) != hash(bytes("two")))
    #expect(try hash(first) != hash(bytes("three")))
    let text = try changed(first, at: 7, in: "tEXt")
    #expect(try hash(first) == hash(text) && hash(text) == hash(text, checking: false))
    let pixels = try changed(first, at: 3, in: "IDAT")
    #expect(try hash(first) == hash(pixels, checking: false))
    expectError(.input, mentioning: "a.png", "checksum of its IDAT") { _ = try hash(pixels) }
    expectError(.input, mentioning: "a.png", "truncated") { _ = try hash(Array(first.dropLast(1))) }
    expectError(.input, mentioning: "a.png", "not a PNG") { _ = try hash([1, 2, 3]) }
  }

  @Test("any byte that changes, is missing or follows the end is damage") func damage() throws {
    let bytes = try sealed()
    #expect(try PNGProvenance.read(fileAt: folder.write("a.png", bytes)) == seal)
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0x40
      #expect(throws: SafelightError.self, "byte \(place)") { _ = try PNGProvenance.read(damaged, name: "a.png") }
      let path = try folder.write("a.png", damaged)
      #expect(throws: SafelightError.self, "byte \(place)") { _ = try PNGProvenance.read(fileAt: path) }
      #expect(throws: SafelightError.self, "\(place) bytes") {
        _ = try PNGProvenance.read(Array(bytes[..<place]), name: "a.png")
      }
    }
    expectError(.input, mentioning: "a.png", "follow its end") {
      _ = try PNGProvenance.read(bytes + [0], name: "a.png")
    }
  }
}
