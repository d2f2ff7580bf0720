import SafelightFrames
import SafelightImage
import Testing

@Suite("Damaged, truncated and hostile files: refused with a reason, never a crash") struct PNGDamageTests {
  private func refusal(_ bytes: [UInt8], limits: PNGLimits = PNGLimits()) throws {
    _ = try PNGDecoder.decode(bytes, name: "shot.png", limits: limits)
  }

  static let sound = HandmadePNG(width: 9, height: 7, colorType: 2, bitDepth: 8).bytes

  @Test("a file that ends early anywhere is reported as truncated, by name") func truncation() {
    for count in 1..<Self.sound.count {
      expectError(.input, mentioning: "shot.png", "truncated") { try refusal(Array(Self.sound[..<count])) }
    }
  }

  @Test("a flipped bit is refused, or leaves a readable picture; the pixels' checksums let none through")
  func flippedBits() throws {
    let png = HandmadePNG(
      width: 5, height: 4, colorType: 3, bitDepth: 8, palette: [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
      transparency: [9, 200],
      chunks: [("gAMA", [0, 0, 177, 143]), ("iCCP", Array("p\0\0xyz".utf8)), ("tEXt", Array("a\0b".utf8))])
    try png.bytes.forEachFlippedBit(at: png.bytes.indices) { bytes, bit in
      do {
        let file = try PNGDecoder.decode(bytes, name: "shot.png")
        // Only a chunk that was metadata, or became metadata, can have been hit, which is reported.
        #expect(file.warnings.count == 1, bit)
        // The remaining metadata determines the meaning of the samples.
        let image = file.image.replacing(bytes: file.image.bytes, color: png.expected.color)
        #expect(image == png.expected || image.channels == .rgb)
      } catch let error as SafelightError {
        #expect(error.kind == .input && error.what == "shot.png", "\(error)")
      }
    }
  }

  @Test("wrong checksums of the chunks that make up the pixels", arguments: ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
  func checksums(type: String) throws {
    var bytes = HandmadePNG.transparentPalette.bytes
    bytes[try HandmadePNG.place(of: type, in: bytes).upperBound - 4] ^= 0xFF
    expectError(.input, mentioning: "shot.png", type) { try refusal(bytes) }
  }

  @Test("files of other formats are named") func otherFiles() {
    expectError(.input, mentioning: "shot.png", "empty") { try refusal([]) }
    expectError(.input, mentioning: "not a PNG file", "text") { try refusal(Array("Hello, world.\n".utf8)) }
    expectError(.input, mentioning: "not a PNG file", "JPEG", "rename it to .jpg, convert it") {
      try refusal([0xFF, 0xD8, 0xFF, 0xE0, 0, 16])
    }
    expectError(.input, mentioning: "not a PNG file", "signature") { try refusal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) }
    let unix = Array(Self.sound[..<4]) + [0x0A, 0x1A, 0x0A] + Array(Self.sound[8...])
    expectError(.input, mentioning: "text mode") { try refusal(unix) }
    expectError(.input, mentioning: "text mode") { try refusal([0x09] + Self.sound.dropFirst()) }
  }

  /// A file with any header, and `compressed` as its pixels.
  private func claim(
    _ width: Int, _ height: Int, depth: UInt8 = 8, colorType: UInt8 = 6, tail: [UInt8] = [0, 0, 0],
    compressed: [UInt8] = HandmadePNG.zlib([0, 1, 2, 3])
  ) -> [UInt8] {
    let header = HandmadePNG.number(width) + HandmadePNG.number(height) + [depth, colorType] + tail
    return Array(Self.sound[..<8]) + HandmadePNG.chunk("IHDR", header) + HandmadePNG.chunk("IDAT", compressed)
      + HandmadePNG.chunk("IEND", [])
  }

  @Test("claims beyond the limits are refused before memory is taken") func limits() throws {
    let unlimited = PNGLimits(width: .max, height: .max, pixels: .max)
    let largest = 0x7FFF_FFFF
    expectError(.input, mentioning: "1000000") { try refusal(claim(largest, 1)) }
    expectError(.input, mentioning: "1000000") { try refusal(claim(1, largest)) }
    expectError(.input, mentioning: "536870912") { try refusal(claim(900_000, 900_000)) }
    expectError(.input, mentioning: "2147483647×2147483647") { try refusal(claim(largest, largest), limits: unlimited) }
    expectError(.input, mentioning: "cannot hold") {
      try refusal(claim(largest, largest, depth: 16, tail: [0, 0, 1]), limits: unlimited)
    }
    expectError(.input, mentioning: "cannot hold 20000×20000") { try refusal(claim(20000, 20000)) }
    expectError(.input, mentioning: "1 to 2147483647") { try refusal(claim(1 << 31, 1 << 31), limits: unlimited) }
    expectError(.input, mentioning: "0×5") { try refusal(claim(0, 5)) }

    for (limits, claim, limit, remedy) in [
      (PNGLimits(width: 8), "9 columns", "8", "PNGLimits"), (PNGLimits(height: 6), "7 rows", "6", "PNGLimits"),
      (PNGLimits(pixels: 62), "63 pixels", "62", "raise the limit"),
    ] {
      expectError(.input, mentioning: claim, limit, remedy) { try refusal(Self.sound, limits: limits) }
    }
    try refusal(Self.sound, limits: PNGLimits(width: 9, height: 7, pixels: 63))
  }

  @Test("a picture that compresses as well as deflate can is accepted") func bestRatio() throws {
    let image = Image(
      size: Size(4000, 4000), channels: .gray, depth: .bits8, bytes: [UInt8](repeating: 0, count: 16_000_000))
    let bytes = try PNGEncoder.encode(PNGFile(image: image), compression: .small)
    #expect(bytes.count < 17000)
    #expect(try PNGDecoder.decode(bytes, name: "black.png").image == image)
  }

  @Test("the bound is exact: 11 bytes decompress to at most 11352") func ratioBound() {
    let compressed = HandmadePNG.zlib([])
    #expect(compressed.count == 11)
    expectError(.input, mentioning: "libpng") {
      try refusal(claim(1, 11 * 1032 / 2, colorType: 0, compressed: compressed))
    }
    expectError(.input, mentioning: "11 bytes", "cannot hold") {
      try refusal(claim(1, 11 * 1032 / 2 + 1, colorType: 0, compressed: compressed))
    }
  }

  @Test("metadata without end is refused") func metadataLimit() throws {
    var png = HandmadePNG(
      width: 1, height: 1, colorType: 0, bitDepth: 8, chunks: Array(repeating: ("tEXt", []), count: 1000))
    try refusal(png.bytes)
    png.chunks.append(("prIV", []))
    expectError(.input, mentioning: "1000") { try refusal(png.bytes) }
  }

  @Test("headers that PNG does not allow") func headers() {
    expectError(.input, mentioning: "color type 5") { try refusal(claim(1, 1, colorType: 5)) }
    expectError(.input, mentioning: "3 bits") { try refusal(claim(1, 1, depth: 3, colorType: 0)) }
    expectError(.input, mentioning: "4 bits") { try refusal(claim(1, 1, depth: 4, colorType: 2)) }
    expectError(.input, mentioning: "16 bits") { try refusal(claim(1, 1, depth: 16, colorType: 3)) }
    expectError(.input, mentioning: "compression method 1") { try refusal(claim(1, 1, tail: [1, 0, 0])) }
    expectError(.input, mentioning: "filter method 1") { try refusal(claim(1, 1, tail: [0, 1, 0])) }
    expectError(.input, mentioning: "interlace method 2") { try refusal(claim(1, 1, tail: [0, 0, 2])) }
  }

  @Test("compressed data that is garbage or stops too early") func compressedData() {
    let pixels = [UInt8](repeating: 0, count: 4 * 5)
    for (height, compressed) in [
      (4, Array(repeating: 0x55, count: 30)), (5, HandmadePNG.zlib(pixels)),
      // Row filter 5 does not exist.
      (1, HandmadePNG.zlib([5, 0, 0, 0, 0])),
    ] {
      expectError(.input, mentioning: "libpng") { try refusal(claim(1, height, compressed: compressed)) }
    }
  }

  @Test("chunks that are missing, unknown or out of place") func structure() throws {
    let (signature, header) = (Array(Self.sound[..<8]), Array(Self.sound[8..<33]))
    let (data, end) = (Array(Self.sound[33..<Self.sound.count - 12]), Array(Self.sound.suffix(12)))
    func palette(_ chunks: [UInt8]) -> [UInt8] {
      let header = HandmadePNG.number(1) + HandmadePNG.number(1) + [1, 3, 0, 0, 0]
      return signature + HandmadePNG.chunk("IHDR", header) + chunks
        + HandmadePNG.chunk("IDAT", HandmadePNG.zlib([0, 0])) + end
    }
    let colors = HandmadePNG.chunk("PLTE", [1, 2, 3])
    try refusal(palette(colors))

    let files: [(why: String, [UInt8])] = [
      ("begins with", data + end), ("no IDAT", header + end), ("IHDR", header + header + data + end),
      ("out of place", header + header + data + end), ("ABCD", header + HandmadePNG.chunk("ABCD", []) + data + end),
      ("critical", header + HandmadePNG.chunk("ABCD", []) + data + end),
      ("not a chunk", header + HandmadePNG.chunk("I\u{1}AT", []) + data),
      ("Apple", HandmadePNG.chunk("CgBI", [0, 0, 0, 0]) + header),
    ]
    for (why, chunks) in files { expectError(.input, mentioning: why) { try refusal(signature + chunks) } }
    for (why, chunks) in [
      ("PLTE", []), ("PLTE", colors + colors),
      ("771 bytes", HandmadePNG.chunk("PLTE", [UInt8](repeating: 0, count: 771))),
      ("4 bytes", HandmadePNG.chunk("PLTE", Array(0..<4))), ("0 bytes", HandmadePNG.chunk("PLTE", [])),
    ] {
      expectError(.input, mentioning: why) { try refusal(palette(chunks)) }
    }
  }

  /// What the file is without that part.
  private func expectIgnored(_ bytes: [UInt8], as sound: HandmadePNG, warning: String) throws {
    let expected = try PNGDecoder.decode(sound.bytes, name: "sound.png")
    for backend in PNGCodec.Backend.allCases {
      let file = try PNGDecoder.decode(bytes, name: "odd.png", codec: PNGCodec(backend))
      #expect(file.image == expected.image, "\(warning), \(backend)")
      #expect(file.warnings.count == 1 && file.warnings[0].contains(warning), "\(file.warnings), \(backend)")
    }
  }

  @Test("transparency that does not fit the picture is ignored, as libpng does, with a warning")
  func transparency() throws {
    let colors = [[1, 2, 3], [4, 5, 6]]
    func picture(_ colorType: Int, bitDepth: Int = 8) -> HandmadePNG {
      var png = HandmadePNG(
        width: 2, height: 2, colorType: colorType, bitDepth: bitDepth, palette: colorType == 3 ? colors : [])
      png.sample = { x, y, _ in (x + y) & 1 }
      return png
    }
    for (colorType, length) in [(0, 1), (0, 6), (2, 2), (2, 5), (3, 0), (3, 3)] {
      var png = picture(colorType)
      png.transparency = [UInt8](repeating: 0, count: length)
      try expectIgnored(png.bytes, as: picture(colorType), warning: "a tRNS chunk of \(length) bytes was ignored")
    }
    var early = picture(3)
    early.chunks = [("tRNS", [1])]
    try expectIgnored(early.bytes, as: picture(3), warning: "out of place")
    var late = picture(0)
    late.chunksBehind = [("tRNS", [0, 1])]
    try expectIgnored(late.bytes, as: picture(0), warning: "out of place")
    // The suggested palette of a color picture cancels a transparent color before it, not behind it.
    var canceled = picture(2)
    canceled.chunks = [("tRNS", [0, 0, 0, 5, 0, 10]), ("PLTE", [1, 2, 3]), ("tRNS", [0, 0, 0, 5, 0, 10])]
    let file = try PNGDecoder.decode(canceled.bytes, name: "canceled.png")
    #expect(file.image.channels == .rgb && file.warnings.count == 2, "\(file.warnings)")
    // One more entry than the depth has colors.
    var long = picture(3, bitDepth: 1)
    long.palette += [[7, 8, 9]]
    long.transparency = [1, 2, 3]
    try expectIgnored(long.bytes, as: picture(3, bitDepth: 1), warning: "a tRNS chunk of 3 bytes")
  }

  @Test("a palette has more entries than the depth has colors", arguments: [1, 2, 4])
  func longPalette(bitDepth: Int) throws {
    let colors = (0..<256).map { [$0, 255 - $0, 7] }
    var png = HandmadePNG(width: 9, height: 2, colorType: 3, bitDepth: bitDepth, palette: colors)
    png.sample = { x, _, _ in x & ((1 << bitDepth) - 1) }
    let long = png.bytes
    png.palette = Array(colors[..<(1 << bitDepth)])
    let expected = try PNGDecoder.decode(png.bytes, name: "short.png").image
    for backend in PNGCodec.Backend.allCases {
      let file = try PNGDecoder.decode(long, name: "long.png", codec: PNGCodec(backend))
      #expect(file.warnings == [] && file.image == expected, "\(backend)")
    }
  }

  @Test("what follows a PNG is ignored with a warning, also another PNG, but not on standard input")
  func following() throws {
    let png = HandmadePNG(width: 2, height: 2, colorType: 0, bitDepth: 8)
    try expectIgnored(png.bytes + [1, 2, 3], as: png, warning: "3 bytes after the end of the PNG were ignored")
    try expectIgnored(png.bytes + png.bytes, as: png, warning: "which begin with another PNG, were ignored")
    expectError(.input, mentioning: "another PNG follows it") {
      _ = try PNGDecoder.decode(png.bytes + png.bytes, name: "/dev/stdin")
    }
    // All pixels are in the first ones.
    let data = HandmadePNG.chunk("IDAT", [1, 2, 3])
    let late = png.bytes.dropLast(12) + HandmadePNG.chunk("prVt", []) + data + png.bytes.suffix(12)
    try expectIgnored(Array(late), as: png, warning: "an IDAT chunk was ignored: it does not follow the others")
    // Half of them are not.
    var parts = png
    parts.partSize = 4
    let first = try #require(parts.bytes.firstRange(of: Array("IDAT".utf8))).lowerBound - 4
    let end = first + 12 + parts.partSize
    let cut = parts.bytes[..<end] + HandmadePNG.chunk("prVt", []) + parts.bytes[end...]
    expectError(.input, mentioning: "libpng") { try refusal(Array(cut)) }
  }
}

@Suite("Compressed data that is damaged, too short, too long or cut up: one verdict, whichever library reads")
struct PNGStreamTests {
  /// A file with correct checksums whatever `stream` is.
  static func file(_ stream: [UInt8], width: Int = 9, height: Int = 7, parts: Int = .max) -> [UInt8] {
    let sound = HandmadePNG(width: width, height: height, colorType: 2, bitDepth: 8).bytes
    var data: [UInt8] = []
    var start = 0
    while start < stream.count {
      let end = min(stream.count, start + min(parts, stream.count))
      data += HandmadePNG.chunk("IDAT", Array(stream[start..<end]))
      start = end
    }
    return Array(sound[..<33]) + data + HandmadePNG.chunk("IEND", [])
  }

  /// The zlib stream of a picture as an encoder makes it: codes, distances, and several filters.
  private static func stream(_ compression: PNGCompression, _ size: Size = Size(9, 7)) throws -> [UInt8] {
    let image = SyntheticImage.ramp.image(size, channels: .rgb, depth: .bits8)
    let bytes = try PNGEncoder.encode(PNGFile(image: image), compression: compression)
    return Array(bytes[41..<bytes.count - 16])
  }

  private func expectOneVerdict(_ bytes: [UInt8], isRead: Bool? = nil, _ comment: Comment) throws {
    let verdict = try PNGVerdict(bytes, by: .auto)
    #expect(try verdict == PNGVerdict(bytes, by: .libpng), comment)
    if let isRead { #expect((verdict.file != nil) == isRead, comment) }
    if case .refused(let error) = verdict { #expect(error.kind == .input, comment) }
  }

  @Test("the stream is what the tests expect", arguments: PNGCompression.allCases)
  func streams(compression: PNGCompression) throws {
    let bytes = Self.file(try Self.stream(compression))
    #expect(try HandmadePNG.readWhole(bytes))
    try expectOneVerdict(bytes, isRead: true, "\(compression)")
  }

  @Test("every flipped bit of a stream whose chunk is sound", arguments: PNGCompression.allCases)
  func flippedBits(compression: PNGCompression) throws {
    let sound = try Self.stream(compression)
    try sound.forEachFlippedBit(at: sound.indices) { stream, bit in try expectOneVerdict(Self.file(stream), bit) }
  }

  @Test("a stream that ends anywhere and does not continue in another chunk", arguments: PNGCompression.allCases)
  func truncation(compression: PNGCompression) throws {
    let sound = try Self.stream(compression)
    for count in 1..<sound.count { try expectOneVerdict(Self.file(Array(sound[..<count])), "\(count) bytes") }
  }

  @Test("chunks of one byte, and empty chunks") func parts() throws {
    let sound = try Self.stream(.fast)
    for parts in 1...5 {
      let bytes = Self.file(sound, parts: parts)
      #expect(try HandmadePNG.readWhole(bytes))
      try expectOneVerdict(bytes, isRead: true, "\(parts)")
    }
    for place in [33, 33 + 12 + sound.count] {
      var bytes = Self.file(sound)
      bytes.insert(contentsOf: HandmadePNG.chunk("IDAT", []), at: place)
      #expect(try HandmadePNG.readWhole(bytes))
      try expectOneVerdict(bytes, isRead: true, "at \(place)")
    }
  }

  @Test("bytes after the stream, in its chunk and in another") func extraBytes() throws {
    let sound = try Self.stream(.fast)
    for count in [1, 2, 20] {
      try expectOneVerdict(Self.file(sound + [UInt8](repeating: 7, count: count)), isRead: true, "\(count)")
    }
    var bytes = Self.file(sound)
    bytes.insert(contentsOf: HandmadePNG.chunk("IDAT", [1, 2, 3]), at: bytes.count - 12)
    try expectOneVerdict(bytes, isRead: true, "another chunk")
  }

  @Test("more rows or fewer than the header says") func otherHeights() throws {
    let sound = try Self.stream(.fast)
    try expectOneVerdict(Self.file(sound, height: 6), isRead: true, "one too many")
    try expectOneVerdict(Self.file(sound, height: 8), isRead: false, "one too few")
  }

  @Test("a wrong Adler-32 is refused, in each of its bytes") func adler() throws {
    let sound = try Self.stream(.fast)
    for index in sound.count - 4..<sound.count {
      var stream = sound
      stream[index] ^= 1
      try expectOneVerdict(Self.file(stream), isRead: false, "\(index)")
    }
  }

  @Test("zlib judges a stream that reaches farther back than it declares") func window() throws {
    // 8 KiB apart, so that a window of 256 bytes does not hold both.
    let size = Size(4096, 6)
    let half = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let image = Image(size: size, channels: .gray, depth: .bits8, bytes: (0..<6).flatMap { _ in half })
    let made = try PNGEncoder.encode(PNGFile(image: image), compression: .small)
    for exponent: UInt8 in 0...7 {
      var bytes = made
      // CMF, and FLG that makes both a multiple of 31 (RFC 1950, 2.2).
      let method = exponent << 4 | 8
      bytes[41] = method
      bytes[42] = UInt8(31 - Int(method) * 256 % 31)
      let end = bytes.count - 16
      bytes.replaceSubrange(end..<end + 4, with: HandmadePNG.number(HandmadePNG.crc(Array(bytes[37..<end]))))
      #expect(try HandmadePNG.readWhole(bytes) == (1 << (exponent + 8) >= 4097 * 6))
      try expectOneVerdict(bytes, "window of \(1 << (Int(exponent) + 8)) bytes")
    }
  }

  @Test("damage of chunks around the stream", arguments: ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
  func chunks(type: String) throws {
    let sound = HandmadePNG.transparentPalette.bytes
    try sound.forEachFlippedBit(at: HandmadePNG.place(of: type, in: sound)) { try expectOneVerdict($0, $1) }
  }

  @Test("an IEND that is not empty") func end() throws {
    let bytes = Array(Self.file(try Self.stream(.fast)).dropLast(12)) + HandmadePNG.chunk("IEND", [1])
    #expect(try !HandmadePNG.readWhole(bytes))
    try expectOneVerdict(bytes, "IEND")
  }

  @Test("the known difference: a block that announces more codes than exist, without using them")
  func superfluousCodes() throws {
    // One block that announces 287 codes (RFC 1951, 3.2.7 has 286), and four zeros: a filter byte and three pixels.
    let stream: [UInt8] = [
      0x78, 0x01, 0xF5, 0xC0, 0x01, 0x09, 0x00, 0x00, 0x00, 0x00, 0x10, 0xFF, 0x57, 0x7B, 0x12, 0x04, 0x00, 0x04, 0x00,
      0x01,
    ]
    let sound = HandmadePNG(width: 3, height: 1, colorType: 0, bitDepth: 8).bytes
    let bytes = Array(sound[..<33]) + HandmadePNG.chunk("IDAT", stream) + HandmadePNG.chunk("IEND", [])
    let verdict = try PNGVerdict(bytes, by: .auto)
    let file = try #require(verdict.file, "libdeflate rejects them now: remove the difference from the page PNG")
    #expect(file.image.bytes == [0, 0, 0])
    #expect(try PNGVerdict(bytes, by: .libpng).file == nil)
  }
}
