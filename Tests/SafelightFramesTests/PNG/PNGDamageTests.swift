import SafelightFrames
import SafelightImage
import Testing

@Suite("Damaged, truncated and hostile files: refused with a reason, never a crash")
struct PNGDamageTests {
  private func refusal(_ bytes: [UInt8], limits: PNGLimits = PNGLimits()) throws {
    _ = try PNGDecoder.decode(bytes, name: "shot.png", limits: limits)
  }

  static let sound = HandmadePNG(width: 9, height: 7, colorType: 2, bitDepth: 8).bytes

  @Test("a file that ends anywhere too early is truncated, and is named")
  func truncation() {
    for count in 1..<Self.sound.count {
      expectError(.input, mentioning: "shot.png", "truncated") { try refusal(Array(Self.sound[..<count])) }
    }
  }

  @Test("a flipped bit is refused, or leaves a readable picture; the pixels' checksums let none through")
  func flippedBits() throws {
    var png = HandmadePNG(width: 5, height: 4, colorType: 3, bitDepth: 8)
    png.palette = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    png.transparency = [9, 200]
    png.chunks = [("gAMA", [0, 0, 177, 143]), ("iCCP", Array("p\0\0xyz".utf8)), ("tEXt", Array("a\0b".utf8))]
    let sound = png.bytes
    for index in sound.indices {
      for bit in 0..<8 {
        var bytes = sound
        bytes[index] ^= 1 << bit
        do {
          let file = try PNGDecoder.decode(bytes, name: "shot.png")
          // Only a chunk that was metadata, or became so, can have been hit: that is told.
          #expect(file.warnings.count == 1, "byte \(index) bit \(bit): \(file.warnings)")
          // What is left of the metadata decides what the samples mean.
          let image = file.image.replacing(bytes: file.image.bytes, color: png.expected.color)
          #expect(image == png.expected || image.channels == .rgb)
        } catch let error as SafelightError {
          #expect(error.kind == .input && error.what == "shot.png", "\(error)")
        }
      }
    }
  }

  @Test("wrong checksums of the chunks that make up the pixels", arguments: ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"])
  func checksums(type: String) throws {
    var png = HandmadePNG(width: 4, height: 4, colorType: 3, bitDepth: 8)
    png.palette = [[1, 2, 3], [4, 5, 6]]
    png.transparency = [0, 1]
    var bytes = png.bytes
    let range = try #require(bytes.firstRange(of: Array(type.utf8)))
    let length = bytes[range.lowerBound - 4..<range.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    bytes[range.upperBound + length] ^= 0xFF
    expectError(.input, mentioning: "shot.png", type) { try refusal(bytes) }
  }

  @Test("what is no PNG is called so")
  func otherFiles() {
    expectError(.input, mentioning: "shot.png", "empty") { try refusal([]) }
    expectError(.input, mentioning: "not a PNG file", "text") { try refusal(Array("Hello, world.\n".utf8)) }
    expectError(.input, mentioning: "not a PNG file", "JPEG") { try refusal([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) }
    expectError(.input, mentioning: "not a PNG file", "signature") { try refusal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) }
    let unix = Array(Self.sound[..<4]) + [0x0A, 0x1A, 0x0A] + Array(Self.sound[8...])
    expectError(.input, mentioning: "text mode") { try refusal(unix) }
    expectError(.input, mentioning: "text mode") { try refusal([0x09] + Self.sound.dropFirst()) }
  }

  /// A file of a header that claims what it likes, and `compressed` as its pixels.
  private func claim(
    _ width: Int, _ height: Int, depth: UInt8 = 8, colorType: UInt8 = 6, tail: [UInt8] = [0, 0, 0],
    compressed: [UInt8] = HandmadePNG.zlib([0, 1, 2, 3])
  ) -> [UInt8] {
    let header = HandmadePNG.number(width) + HandmadePNG.number(height) + [depth, colorType] + tail
    return Array(Self.sound[..<8]) + HandmadePNG.chunk("IHDR", header) + HandmadePNG.chunk("IDAT", compressed)
      + HandmadePNG.chunk("IEND", [])
  }

  @Test("claims beyond the limits are refused before memory is taken")
  func limits() throws {
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

    expectError(.input, mentioning: "9 columns", "8", "PNGLimits") {
      try refusal(Self.sound, limits: PNGLimits(width: 8))
    }
    expectError(.input, mentioning: "7 rows", "6", "PNGLimits") {
      try refusal(Self.sound, limits: PNGLimits(height: 6))
    }
    expectError(.input, mentioning: "63 pixels", "62", "raise the limit") {
      try refusal(Self.sound, limits: PNGLimits(pixels: 62))
    }
    try refusal(Self.sound, limits: PNGLimits(width: 9, height: 7, pixels: 63))
  }

  @Test("a picture that compresses as well as deflate can is no bomb")
  func bestRatio() throws {
    let image = Image(
      size: Size(4000, 4000), channels: .gray, depth: .bits8, bytes: [UInt8](repeating: 0, count: 16_000_000))
    let bytes = try PNGEncoder.encode(PNGFile(image: image), compression: .small)
    #expect(bytes.count < 17000)
    #expect(try PNGDecoder.decode(bytes, name: "black.png").image == image)
  }

  @Test("the bound is exact: 11 bytes unfold to 11352, and to no more")
  func ratioBound() {
    let compressed = HandmadePNG.zlib([])
    #expect(compressed.count == 11)
    expectError(.input, mentioning: "libpng") {
      try refusal(claim(1, 11 * 1032 / 2, colorType: 0, compressed: compressed))
    }
    expectError(.input, mentioning: "11 bytes", "cannot hold") {
      try refusal(claim(1, 11 * 1032 / 2 + 1, colorType: 0, compressed: compressed))
    }
  }

  @Test("metadata without end is refused")
  func metadataLimit() throws {
    var png = HandmadePNG(width: 1, height: 1, colorType: 0, bitDepth: 8)
    png.chunks = Array(repeating: ("tEXt", []), count: 1000)
    try refusal(png.bytes)
    png.chunks.append(("prIV", []))
    expectError(.input, mentioning: "1000") { try refusal(png.bytes) }
  }

  @Test("headers that PNG does not have")
  func headers() {
    expectError(.input, mentioning: "colour type 5") { try refusal(claim(1, 1, colorType: 5)) }
    expectError(.input, mentioning: "3 bits") { try refusal(claim(1, 1, depth: 3, colorType: 0)) }
    expectError(.input, mentioning: "4 bits") { try refusal(claim(1, 1, depth: 4, colorType: 2)) }
    expectError(.input, mentioning: "16 bits") { try refusal(claim(1, 1, depth: 16, colorType: 3)) }
    expectError(.input, mentioning: "compression method 1") { try refusal(claim(1, 1, tail: [1, 0, 0])) }
    expectError(.input, mentioning: "filter method 1") { try refusal(claim(1, 1, tail: [0, 1, 0])) }
    expectError(.input, mentioning: "interlace method 2") { try refusal(claim(1, 1, tail: [0, 0, 2])) }
  }

  @Test("compressed data that is garbage or stops too early")
  func compressedData() {
    let pixels = [UInt8](repeating: 0, count: 4 * 5)
    expectError(.input, mentioning: "libpng") {
      try refusal(claim(1, 4, compressed: Array(repeating: 0x55, count: 30)))
    }
    expectError(.input, mentioning: "libpng") { try refusal(claim(1, 5, compressed: HandmadePNG.zlib(pixels))) }
    // Row filter 5 does not exist.
    expectError(.input, mentioning: "libpng") {
      try refusal(claim(1, 1, compressed: HandmadePNG.zlib([5, 0, 0, 0, 0])))
    }
  }

  @Test("chunks that are missing, unknown or out of place")
  func structure() throws {
    let sound = Self.sound
    let header = Array(sound[8..<33])
    let end = Array(sound.suffix(12))
    let signature = Array(sound[..<8])
    let data = Array(sound[33..<sound.count - 12])
    func palette(_ chunks: [UInt8]) -> [UInt8] {
      let header = HandmadePNG.number(1) + HandmadePNG.number(1) + [1, 3, 0, 0, 0]
      return signature + HandmadePNG.chunk("IHDR", header) + chunks
        + HandmadePNG.chunk("IDAT", HandmadePNG.zlib([0, 0])) + end
    }
    let colors = HandmadePNG.chunk("PLTE", [1, 2, 3])
    try refusal(palette(colors))

    expectError(.input, mentioning: "begins with") { try refusal(signature + data + end) }
    expectError(.input, mentioning: "no IDAT") { try refusal(signature + header + end) }
    expectError(.input, mentioning: "IHDR", "out of place") { try refusal(signature + header + header + data + end) }
    expectError(.input, mentioning: "ABCD", "critical") {
      try refusal(signature + header + HandmadePNG.chunk("ABCD", []) + data + end)
    }
    expectError(.input, mentioning: "follow one another") {
      try refusal(signature + header + data + HandmadePNG.chunk("tEXt", []) + data + end)
    }
    expectError(.input, mentioning: "no chunk") {
      try refusal(signature + header + HandmadePNG.chunk("I\u{1}AT", []) + data)
    }
    expectError(.input, mentioning: "Apple") {
      try refusal(signature + HandmadePNG.chunk("CgBI", [0, 0, 0, 0]) + header)
    }
    expectError(.input, mentioning: "PLTE") { try refusal(palette([])) }
    expectError(.input, mentioning: "PLTE") { try refusal(palette(colors + colors)) }
    expectError(.input, mentioning: "9 bytes") { try refusal(palette(HandmadePNG.chunk("PLTE", Array(0..<9)))) }
    expectError(.input, mentioning: "4 bytes") { try refusal(palette(HandmadePNG.chunk("PLTE", Array(0..<4)))) }
    expectError(.input, mentioning: "0 bytes") { try refusal(palette(HandmadePNG.chunk("PLTE", []))) }
  }

  @Test("transparency that does not fit the picture is refused, for alpha would be lost")
  func transparency() {
    for (colorType, length) in [(0, 1), (0, 6), (2, 2), (2, 5), (3, 0), (3, 3)] {
      var png = HandmadePNG(width: 2, height: 2, colorType: colorType, bitDepth: 8)
      if colorType == 3 { png.palette = [[1, 2, 3], [4, 5, 6]] }
      png.transparency = [UInt8](repeating: 0, count: length)
      expectError(.input, mentioning: "tRNS") { try refusal(png.bytes) }
    }
    var early = HandmadePNG(width: 2, height: 2, colorType: 3, bitDepth: 8)
    early.palette = [[1, 2, 3], [4, 5, 6]]
    early.chunks = [("tRNS", [1])]
    expectError(.input, mentioning: "tRNS") { try refusal(early.bytes) }
    var late = HandmadePNG(width: 2, height: 2, colorType: 0, bitDepth: 8)
    late.chunksBehind = [("tRNS", [0, 1])]
    expectError(.input, mentioning: "tRNS") { try refusal(late.bytes) }
  }
}
