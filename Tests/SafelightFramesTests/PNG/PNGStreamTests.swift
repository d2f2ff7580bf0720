import SafelightFrames
import SafelightImage
import Testing

@Suite("Compressed data that is damaged, too short, too long or cut up: one verdict, whichever library reads")
struct PNGStreamTests {
  /// A file whose checksums of chunks are right whatever `stream` is.
  private static func file(_ stream: [UInt8], width: Int = 9, height: Int = 7, parts: Int = .max) -> [UInt8] {
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
    if let isRead { #expect(verdict.isRead == isRead, comment) }
    if case .refused(let error) = verdict { #expect(error.kind == .input, comment) }
  }

  @Test("the stream is what the tests take it for", arguments: PNGCompression.allCases)
  func streams(compression: PNGCompression) throws {
    let bytes = Self.file(try Self.stream(compression))
    #expect(try HandmadePNG.readWhole(bytes))
    try expectOneVerdict(bytes, isRead: true, "\(compression)")
  }

  @Test("every flipped bit of a stream whose chunk is sound", arguments: PNGCompression.allCases)
  func flippedBits(compression: PNGCompression) throws {
    let sound = try Self.stream(compression)
    for index in sound.indices {
      for bit in 0..<8 {
        var stream = sound
        stream[index] ^= 1 << bit
        try expectOneVerdict(Self.file(stream), "byte \(index) bit \(bit)")
      }
    }
  }

  @Test("a stream that ends anywhere, and goes on in no other chunk", arguments: PNGCompression.allCases)
  func truncation(compression: PNGCompression) throws {
    let sound = try Self.stream(compression)
    for count in 1..<sound.count { try expectOneVerdict(Self.file(Array(sound[..<count])), "\(count) bytes") }
  }

  @Test("chunks of one byte, and chunks of none")
  func parts() throws {
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

  @Test("bytes behind the stream, in its chunk and in another")
  func extraBytes() throws {
    let sound = try Self.stream(.fast)
    for count in [1, 2, 20] {
      try expectOneVerdict(Self.file(sound + [UInt8](repeating: 7, count: count)), isRead: true, "\(count)")
    }
    var bytes = Self.file(sound)
    bytes.insert(contentsOf: HandmadePNG.chunk("IDAT", [1, 2, 3]), at: bytes.count - 12)
    try expectOneVerdict(bytes, isRead: true, "another chunk")
  }

  @Test("more rows or fewer than the header says")
  func otherHeights() throws {
    let sound = try Self.stream(.fast)
    try expectOneVerdict(Self.file(sound, height: 6), isRead: true, "one too many")
    try expectOneVerdict(Self.file(sound, height: 8), isRead: false, "one too few")
  }

  @Test("a wrong Adler-32 is refused, in each of its bytes")
  func adler() throws {
    let sound = try Self.stream(.fast)
    for index in sound.count - 4..<sound.count {
      var stream = sound
      stream[index] ^= 1
      try expectOneVerdict(Self.file(stream), isRead: false, "\(index)")
    }
  }

  @Test("a stream that reaches farther back than it says is zlib's to judge")
  func window() throws {
    // 8 KiB apart, so that a window of 256 bytes does not hold both.
    let size = Size(4096, 6)
    let half = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let image = Image(
      size: size, channels: .gray, depth: .bits8, bytes: (0..<6).flatMap { _ in half })
    let made = try PNGEncoder.encode(PNGFile(image: image), compression: .fast, codec: PNGCodec(.libdeflate))
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
    var png = HandmadePNG(width: 4, height: 4, colorType: 3, bitDepth: 8)
    png.palette = [[1, 2, 3], [4, 5, 6]]
    png.transparency = [0, 1]
    let sound = png.bytes
    let start = try #require(sound.firstRange(of: Array(type.utf8))).lowerBound - 4
    let length = sound[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    for index in start..<start + 12 + length {
      for bit in 0..<8 {
        var bytes = sound
        bytes[index] ^= 1 << bit
        try expectOneVerdict(bytes, "byte \(index - start) bit \(bit)")
      }
    }
  }

  @Test("an IEND that is not empty")
  func end() throws {
    let bytes = Array(Self.file(try Self.stream(.fast)).dropLast(12)) + HandmadePNG.chunk("IEND", [1])
    #expect(try !HandmadePNG.readWhole(bytes))
    try expectOneVerdict(bytes, "IEND")
  }

  @Test("the difference that is known: a block that announces more codes than there are, and uses none of them")
  func superfluousCodes() throws {
    // One block that announces 287 codes (RFC 1951, 3.2.7 has 286) and holds four zeros: a filter byte and three pixels.
    let stream: [UInt8] = [
      0x78, 0x01, 0xF5, 0xC0, 0x01, 0x09, 0x00, 0x00, 0x00, 0x00, 0x10, 0xFF, 0x57, 0x7B, 0x12, 0x04, 0x00, 0x04, 0x00,
      0x01,
    ]
    let sound = HandmadePNG(width: 3, height: 1, colorType: 0, bitDepth: 8).bytes
    let bytes = Array(sound[..<33]) + HandmadePNG.chunk("IDAT", stream) + HandmadePNG.chunk("IEND", [])
    guard case .read(let file) = try PNGVerdict(bytes, by: .auto) else {
      Issue.record("libdeflate minds them now: take the difference out of the page PNG")
      return
    }
    #expect(file.image.bytes == [0, 0, 0])
    #expect(try !PNGVerdict(bytes, by: .libpng).isRead)
  }
}
