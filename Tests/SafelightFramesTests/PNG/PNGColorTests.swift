import SafelightFrames
import SafelightImage
import Testing

/// The color description of a file, and changes to it.
@Suite struct PNGColorTests {
  private static func chunk(_ type: PNGChunkType, _ numbers: [UInt32]) -> PNGChunk {
    PNGChunk(type: type, data: numbers.flatMap { number in [24, 16, 8, 0].map { UInt8(number >> $0 & 255) } })
  }

  private static func color(_ transfer: ColorTransfer, _ primaries: ColorPrimaries = .unspecified) -> ColorDescription {
    ColorDescription(matrix: .identity, range: .full, transfer: transfer, primaries: primaries)
  }

  private static let sRGBLights: [UInt32] = [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000]

  private static let sayings: [([PNGChunk], ColorDescription)] = [
    ([], .unspecified),
    ([PNGChunk(type: "sRGB", data: [1])], .sRGB), ([chunk("gAMA", [45455]), chunk("cHRM", sRGBLights)], .sRGB),
    // As programs with inexact arithmetic store it.
    ([chunk("gAMA", [45455]), chunk("cHRM", [31269, 32899, 63999, 33001, 30000, 60000, 15000, 5999])], .sRGB),
    (
      [chunk("gAMA", [45455]), chunk("cHRM", [31270, 32900, 64006, 33000, 30000, 60000, 15000, 6000])],
      color(.gamma22, .other)
    ),
    ([chunk("gAMA", [45455])], color(.gamma22)),
    ([chunk("gAMA", [100_000])], color(.linear)), ([chunk("gAMA", [12345])], color(.other)),
    ([PNGChunk(type: "cICP", data: [9, 16, 0, 1]), PNGChunk(type: "sRGB", data: [0])], color(.pq, .bt2020)),
    (
      [PNGChunk(type: "cICP", data: [1, 1, 0, 0])],
      ColorDescription(matrix: .identity, range: .limited, transfer: .bt709, primaries: .bt709)
    ),
    ([PNGChunk(type: "iCCP", data: [65, 0, 0]), chunk("gAMA", [45455])], color(.other, .other)),
  ]

  @Test(arguments: sayings) func chunksAreUnderstood(_ chunks: [PNGChunk], _ color: ColorDescription) {
    #expect(PNGMetadata(chunks: chunks).color == color)
  }

  private static func image(_ color: ColorDescription) -> Image {
    let image = SyntheticImage.noise.image(Size(5, 3), channels: .rgb, depth: .bits8)
    return image.replacing(bytes: image.bytes, color: color)
  }

  private static func written(_ image: Image, _ chunks: [PNGChunk]) throws -> PNGFile {
    let file = PNGFile(image: image, metadata: PNGMetadata(chunks: chunks))
    return try PNGDecoder.decode(PNGEncoder.encode(file), name: "made")
  }

  /// A picture without a color description, or with that of the chunks, leaves them unchanged.
  @Test(arguments: sayings)
  func unchangedChunksStayByteForByte(_ chunks: [PNGChunk], _ color: ColorDescription) throws {
    // libpng rejects the profile, which is invalid.
    if chunks.contains(where: { $0.type == "iCCP" }) { return }
    for said in [ColorDescription.unspecified, color] {
      let made = try Self.written(Self.image(said), chunks)
      #expect(made.metadata.chunks == chunks)
      #expect(made.image.color == color)
    }
  }

  @Test(arguments: [
    ColorDescription.sRGB, color(.linear, .bt709), color(.hlg, .bt2020),
    color(.gamma22, .displayP3),
    ColorDescription(matrix: .identity, range: .limited, transfer: .sRGB, primaries: .bt709),
  ])
  func changesAreRecorded(_ color: ColorDescription) throws {
    let text = PNGChunk(type: "tEXt", data: Array("Title".utf8) + [0, 65])
    for chunks in [[], [Self.chunk("gAMA", [12345]), Self.chunk("cHRM", Self.sRGBLights.reversed()), text]] {
      let made = try Self.written(Self.image(color), chunks)
      #expect(made.image.color == color)
      #expect(made.metadata.chunks.filter { $0.type == "tEXt" } == chunks.filter { $0.type == "tEXt" })
    }
  }

  private static let adobeLights = chunk("cHRM", [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000])
  private static let nearlySRGBLights = chunk("cHRM", [31269, 32899, 63999, 33001, 30000, 60000, 15000, 5999])

  /// A change of only the curve keeps the file's own description of its primaries.
  @Test(arguments: [
    // cICP of primaries that have no name here: SMPTE RP 431.
    (
      [PNGChunk(type: "cICP", data: [11, 13, 0, 1])], ColorTransfer.linear,
      [PNGChunk(type: "cICP", data: [11, 8, 0, 1]), chunk("gAMA", [100_000])]
    ),
    ([chunk("gAMA", [45455]), adobeLights], .linear, [chunk("gAMA", [100_000]), adobeLights]),
    (
      [chunk("gAMA", [45455]), nearlySRGBLights], .linear,
      [PNGChunk(type: "cICP", data: [1, 8, 0, 1]), chunk("gAMA", [100_000]), nearlySRGBLights]
    ),
    (
      [chunk("gAMA", [100_000]), nearlySRGBLights], .sRGB,
      [PNGChunk(type: "sRGB", data: [0]), chunk("gAMA", [45455]), nearlySRGBLights]
    ),
  ])
  func unchangedPropertiesAreKept(_ chunks: [PNGChunk], _ transfer: ColorTransfer, _ expected: [PNGChunk]) throws {
    var image = Self.image(PNGMetadata(chunks: chunks).color)
    image.color.transfer = transfer
    let made = try Self.written(image, chunks)
    #expect(made.metadata.chunks == expected)
    #expect(made.image.color == image.color)
  }

  /// A change of another property keeps a code that has no name here.
  @Test func aCurveWithoutANameKeepsItsCode() throws {
    let coded = [PNGChunk(type: "cICP", data: [1, 17, 0, 1])]
    var image = Self.image(PNGMetadata(chunks: coded).color)
    image.color.primaries = .bt2020
    #expect(try Self.written(image, coded).metadata["cICP"] == [9, 17, 0, 1])
    let numbers = [Self.chunk("gAMA", [12345]), Self.adobeLights]
    image.color = PNGMetadata(chunks: numbers).color
    image.color.primaries = .displayP3
    let made = try Self.written(image, numbers)
    #expect(made.metadata.chunks.map(\.type.description) == ["gAMA", "cHRM"] && made.image.color == image.color)
  }

  /// PNG records primaries as numbers only with a power: sRGB's curve with Adobe RGB's primaries is not replaced.
  @Test(arguments: [
    [chunk("gAMA", [100_000]), adobeLights], [PNGChunk(type: "iCCP", data: [65, 0, 0]), adobeLights],
  ])
  func unrecordableColorsAreRefused(_ chunks: [PNGChunk]) {
    var image = Self.image(PNGMetadata(chunks: chunks).color)
    image.color.transfer = .sRGB
    expectError(.unsupported, mentioning: "transfer sRGB, primaries other") { _ = try Self.written(image, chunks) }
  }

  /// A property that came from a film and that PNG cannot record is left out.
  @Test func unrecordableNewColorsAreLeftOut() throws {
    #expect(try Self.written(Self.image(Self.color(.sRGB, .other)), []).metadata["cICP"] == [2, 13, 0, 1])
  }

  @Test func fallbackChunksAreWritten() throws {
    let made = try Self.written(Self.image(.sRGB), [])
    #expect(made.metadata.chunks.map(\.type.description) == ["sRGB", "gAMA", "cHRM"])
    #expect(made.metadata["gAMA"] == [0, 0, 0xB1, 0x8F])
  }

  @Test func alphaMustBeStraight() throws {
    var image = SyntheticImage.noise.image(Size(2, 2), channels: .rgba, depth: .bits8)
    image.color.alpha = .premultiplied
    expectError(.unsupported, mentioning: "unpremultiply") { _ = try PNGEncoder.encode(PNGFile(image: image)) }
    let folder = TemporaryFolder()
    let written = #expect(throws: SafelightError.self) { try PNGFile(image: image).write(to: folder("a.png")) }
    #expect(written?.what == "\(folder("a.png")): the picture")
    image.color.alpha = .straight
    #expect(try Self.written(image, []).image.color.alpha == .straight)
    image.color = .unspecified
    #expect(try Self.written(image, []).image.color == ColorDescription(alpha: .straight))
    let opaque = Self.image(ColorDescription(alpha: .premultiplied))
    #expect(try Self.written(opaque, []).image.color.alpha == .unspecified)
  }
}
