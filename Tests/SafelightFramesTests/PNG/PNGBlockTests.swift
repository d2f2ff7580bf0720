import SafelightFrames
import SafelightImage
import Testing

@Suite("The compressor of --compression fast") struct PNGBlockTests {
  /// A picture of several blocks, and the hash of its file.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let image: Image
    let hash: String

    var testDescription: String { name }
  }

  /// Pictures of every kind, on which the compressor takes each of its ways.
  static let cases: [Case] = [
    Case(name: "noise", image: picture(.rgb, .bits8) { Self.random($0, $1, $2) }, hash: "4301274ccb820878"),
    Case(name: "flat", image: picture(.rgb, .bits8) { _, _, channel in 40 * channel }, hash: "cb14e0db55fa35b8"),
    Case(
      name: "soft noise", image: picture(.rgb, .bits8) { $0 / 5 + $1 / 3 + Self.random($0, $1, $2) % 8 },
      hash: "0f968ec0fbe71bc2"),
    Case(
      name: "islands of noise",
      image: picture(.rgb, .bits8) { ($0 / 40 + $1 / 9) % 3 == 0 ? Self.random($0, $1, $2) % 24 : 90 },
      hash: "7d8c1451c37a2ad3"),
    Case(
      name: "ordered dither", image: picture(.rgb, .bits8) { x, y, _ in x / 3 > 16 * (x % 4 * 4 + y % 4) ? 255 : 0 },
      hash: "bd439d6840ba52c3"),
    Case(
      name: "random dither", image: picture(.rgb, .bits8) { x, y, _ in Self.random(x, y, 0) < x / 3 ? 255 : 0 },
      hash: "588160c646a078ce"),
    Case(
      name: "with alpha", image: picture(.rgba, .bits8) { $0 / 7 + Self.random($0, $1, $2) % 4 },
      hash: "ac3225e77fec7040"),
    Case(
      name: "gray", image: picture(.gray, .bits8) { x, y, _ in x / 4 + Self.random(x, y, 0) % 5 },
      hash: "743692fb7e93e0d8"),
    Case(
      name: "gray with alpha", image: picture(.grayAlpha, .bits8) { x, y, channel in channel == 3 ? y : x / 4 },
      hash: "a2833d6c56bdbf78"),
    Case(
      name: "gray of 16 bits", image: picture(.gray, .bits16) { x, y, _ in 60 * x + Self.random(x, y, 0) },
      hash: "6e63fea459af630e"),
    Case(
      name: "16 bits", image: picture(.rgb, .bits16) { 50 * $0 + 9 * $1 + Self.random($0, $1, $2) % 99 },
      hash: "3ea39f3c1bad2896"),
    Case(
      name: "gray of 16 bits with alpha",
      image: picture(.grayAlpha, .bits16) { x, y, channel in channel == 3 ? 200 * y : 70 * x }, hash: "ec5d8527020c242d"
    ),
    Case(
      name: "16 bits with alpha", image: picture(.rgba, .bits16) { 60 * $0 + 80 * $1 + 9999 * $2 },
      hash: "fd93d65fa8f08dc3"),
  ]

  private static func random(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    var bits = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663 ^ channel &* 83_492_791)
    bits = (bits ^ bits >> 16) &* 0x7FEB_352D
    bits = (bits ^ bits >> 15) &* 0x846C_A68B
    return Int(bits >> 24)
  }

  /// Makes a picture of samples that `sample` works out from column, row and channel.
  private static func picture(
    _ channels: Channels, _ depth: SampleDepth, size: Size = Size(769, 301), _ sample: (Int, Int, Int) -> Int
  ) -> Image {
    let format = PixelFormat(channels: channels, depth: depth)
    var bytes: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<format.samplesPerPixel {
          let isAlpha = channel == 3
          let value =
            isAlpha && !channels.hasAlpha ? format.maximum : sample(x, y, isAlpha || !channels.isGray ? channel : 0)
          bytes.append(UInt8(truncatingIfNeeded: value))
          if depth == .bits16 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
        }
      }
    }
    return Image(size: size, channels: channels, depth: depth, bytes: bytes)
  }

  @Test("a file is the same with every set of instructions, and as it was on other machines", arguments: cases)
  func files(_ test: Case) throws {
    let file = PNGFile(image: test.image)
    for (level, name) in PNGCodec.levels.enumerated() {
      let bytes = try PNGEncoder.encode(file, codec: PNGCodec(.auto, level: level))
      #expect(SHA256.hash(bytes).hexadecimal.prefix(16) == test.hash, "\(name)")
      for backend in PNGCodec.Backend.allCases {
        let read = try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(backend))
        #expect(read.image.bytes == test.image.bytes && read.warnings.isEmpty, "\(name), read by \(backend)")
      }
    }
    #expect(PNGCodec.levels.last == "baseline")
  }

  @Test("repetitions are found where they pay, as libdeflate would find them") func dithers() throws {
    for test in Self.cases where test.name.contains("dither") {
      let made = try PNGEncoder.encode(PNGFile(image: test.image)).count
      let least = try PNGEncoder.encode(PNGFile(image: test.image), compression: .small).count
      #expect(made < 3 * least, "\(test.name): \(made) and \(least)")
    }
  }

  /// Of a block an eighth is counted, and rows may be as long as what lies between the counted parts.
  @Test("a file is as small at every width", arguments: [64, 128, 256, 511, 512, 513, 1023, 1024])
  func widths(width: Int) throws {
    let image = Self.picture(.gray, .bits8, size: Size(width, 200_000 / width)) { x, y, _ in
      x < width / 7 ? Self.random(x, y, 0) : (x + Self.random(x, y, 0) % 4) % 256
    }
    let made = try PNGEncoder.encode(PNGFile(image: image)).count
    let least = try PNGEncoder.encode(PNGFile(image: image), compression: .small).count
    #expect(made < least * 11 / 10, "\(made) and \(least)")
  }

  @Test(
    "libdeflate's files are the same with every set of instructions",
    arguments: PNGEncoderTests.channels.map(\.channels), SampleDepth.allCases)
  func otherPresets(channels: Channels, depth: SampleDepth) throws {
    let image = SyntheticImage.noise.image(Size(301, 40), channels: channels, depth: depth)
    for compression in [PNGCompression.store, .small] {
      let files = try PNGCodec.levels.indices.map {
        try PNGEncoder.encode(PNGFile(image: image), compression: compression, codec: PNGCodec(.auto, level: $0))
      }
      #expect(Set(files).count == 1, "\(compression)")
    }
  }

  @Test(
    "no file is 0.1 % longer than its rows as they are", arguments: PNGEncoderTests.channels.map(\.channels),
    SampleDepth.allCases)
  func sizes(channels: Channels, depth: SampleDepth) throws {
    // Chunks, and what zlib and deflate need around one block.
    let frame = 33 + 12 + 12 + 6 + 5
    let sizes = [Size(1, 1), Size(2, 3), Size(64, 64), Size(70_000, 1), Size(1, 70_000), Size(131_071, 2)]
    for size in sizes {
      for picture in [SyntheticImage.noise, .flat, .checker] {
        let image = picture.image(size, channels: channels, depth: depth)
        let bytes = try PNGEncoder.encode(PNGFile(image: image))
        let rows = size.height * (1 + size.width * channels.count * depth.rawValue / 8)
        #expect(bytes.count <= frame + rows + rows / 1000, "\(size) \(picture)")
        #expect(
          try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(.libpng)).image.bytes == image.bytes,
          "\(size) \(picture)")
      }
    }
  }

  /// Bytes of all kinds in random pieces, at sizes around those of blocks, samples and vectors.
  @Test("whatever rows hold is read back by libpng", arguments: 0..<40) func pieces(seed: UInt64) throws {
    var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ count: Int) -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33) % count
    }
    let size = Size(1 + next(3000), 1 + next(300))
    var bytes: [UInt8] = []
    while bytes.count < size.area {
      let count = 1 + next([3, 9, 70, 300, 5000][next(5)])
      switch next(5) {
      case 0: bytes += [UInt8](repeating: UInt8(next(256)), count: count)
      case 1: bytes += (0..<count).map { _ in UInt8(next(256)) }
      case 2: bytes += (0..<count).map { _ in UInt8(next(3)) }
      case 3: bytes += (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      default:
        let start = next(max(1, bytes.count)), piece = Array(bytes[start..<min(bytes.count, start + count)])
        bytes += piece
      }
    }
    let image = Image(size: size, channels: .gray, depth: .bits8, bytes: Array(bytes[..<size.area]))
    let files = try PNGCodec.levels.indices.map {
      try PNGEncoder.encode(PNGFile(image: image), codec: PNGCodec(.auto, level: $0))
    }
    #expect(Set(files).count == 1)
    for backend in PNGCodec.Backend.allCases {
      #expect(try PNGDecoder.decode(files[0], name: "a.png", codec: PNGCodec(backend)).image == image, "\(size)")
    }
  }
}
