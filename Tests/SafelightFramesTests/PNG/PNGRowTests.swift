import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite("PNGs in rows: the same pictures, files and errors as whole ones") struct PNGRowTests {
  private let folder = TemporaryFolder()

  /// The kinds that are read in rows.
  static let kinds = PNGDecoderTests.kinds.filter { $0.colorType != 0 || $0.bitDepth >= 8 }

  /// Returns a file's contents as read in rows, or the error.
  private func verdict(_ path: String, by count: Int) throws -> PNGVerdict {
    try PNGVerdict { try read(path, by: count) }
  }

  private func read(_ path: String, by count: Int) throws -> PNGFile {
    let reader = try PNGRowReader(path, limits: PNGLimits())
    var bytes: [UInt8] = []
    while let rows = try reader.rows(count) { bytes += rows.bytes }
    return PNGFile(image: Image(reader.picture, bytes: bytes), metadata: reader.metadata, warnings: reader.warnings)
  }

  /// Returns the same as read by libpng from memory, at once.
  private func whole(_ bytes: [UInt8], _ path: String) throws -> PNGVerdict {
    try PNGVerdict(bytes, by: .libpng, name: path)
  }

  /// Begins a file without metadata.
  private func begun(_ path: String, _ picture: ImageDescriptor) throws -> PNGRowWriter {
    try PNGRowWriter(to: path, picture, metadata: PNGMetadata(), compression: .fast, hashing: false)
  }

  @Test("every kind, with keys, palettes, metadata and filters", arguments: kinds)
  func pictures(kind: (colorType: Int, bitDepth: Int)) throws {
    for (width, count) in [(1, 1), (7, 2), (64, 3), (33, 100)] {
      for hasKey in kind.colorType < 4 ? [false, true] : [false] {
        var png = PNGDecoderTests.file(Size(width, 11), colorType: kind.colorType, bitDepth: kind.bitDepth)
        png.partSize = 40
        png.chunks = [("gAMA", [0, 0, 177, 143])]
        png.chunksBehind = [("tEXt", Array("a\0b".utf8))]
        if hasKey {
          png.transparency = kind.colorType == 3 ? [1, 200] : [UInt8](repeating: 0, count: 2 * png.samplesPerPixel)
        }
        let path = try folder.write("a.png", png.bytes)
        let file = try PNGDecoder.decode(png.bytes, name: path)
        #expect(try verdict(path, by: count) == .read(file), "\(width) \(hasKey)")
      }
    }
  }

  @Test("an incomplete palette is reported once, after the last row") func shortPalette() throws {
    var bytes = HandmadePNG(width: 4, height: 9, colorType: 3, bitDepth: 8, palette: [[1, 2, 3], [4, 5, 6]]).bytes
    // Removes the second color.
    bytes.replaceSubrange(try HandmadePNG.place(of: "PLTE", in: bytes), with: HandmadePNG.chunk("PLTE", [1, 2, 3]))
    let path = try folder.write("a.png", bytes)
    let file = try read(path, by: 2)
    #expect(file.warnings == ["pixels without a color in the palette became black"])
    #expect(try whole(bytes, path) == .read(file))
  }

  @Test("damage anywhere is refused or tolerated as in a whole file") func damage() throws {
    let sound = HandmadePNG(
      width: 5, height: 7, colorType: 2, bitDepth: 8, chunks: [("gAMA", [0, 0, 177, 143])], partSize: 60
    ).bytes
    var damaged = sound.indices.map { Array(sound[..<$0]) } + [sound + [1, 2, 3]]
    for index in sound.indices {
      var bytes = sound
      bytes[index] ^= 1 << (index % 8)
      damaged.append(bytes)
    }
    for bytes in damaged {
      let path = try folder.write("a.png", bytes)
      #expect(try verdict(path, by: 3) == whole(bytes, path), "\(bytes.count)")
    }
  }

  @Test("limits are those of whole files") func limits() throws {
    let path = try folder.write("a.png", PNGDamageTests.sound)
    for (limits, claim, remedy) in [
      (PNGLimits(width: 8), "9 columns", "PNGLimits"), (PNGLimits(pixels: 62), "63 pixels", "raise the limit"),
    ] {
      expectError(.input, mentioning: claim, remedy) { _ = try PNGRowReader(path, limits: limits) }
    }
  }

  @Test("pipes are not waited for") func pipes() throws {
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    expectError(.input, mentioning: "pipe") { _ = try PNGRowReader(folder("pipe"), limits: .init()) }
    #expect(PNGOutline(folder("pipe"), limits: PNGLimits()) == nil)
  }

  @Test("a file that shrinks while it is read is refused") func shrinking() throws {
    let image = SyntheticImage.noise.image(Size(700, 700), channels: .rgb, depth: .bits8)
    let bytes = try PNGEncoder.encode(PNGFile(image: image))
    let path = try folder.write("a.png", bytes)
    let reader = try PNGRowReader(path, limits: PNGLimits())
    #expect(try reader.rows(1) != nil)
    #expect(truncate(path, 600_000) == 0)
    expectError(.input, mentioning: path, "ends too early") { while try reader.rows(50) != nil {} }
  }

  @Test("the beginning of a file says what picture it holds, and whether it can be read in rows")
  func outline() throws {
    func outline(_ bytes: [UInt8], _ limits: PNGLimits = PNGLimits()) throws -> PNGOutline? {
      PNGOutline(try folder.write("a.png", bytes), limits: limits)
    }
    for (colorType, bitDepth) in Self.kinds {
      var png = PNGDecoderTests.file(Size(9, 7), colorType: colorType, bitDepth: bitDepth)
      let found = try #require(try outline(png.bytes))
      let decoded = try PNGDecoder.decode(png.bytes, name: "a.png").image.descriptor
      #expect(found.picture == decoded && found.fileByteCount == png.bytes.count)
      #expect(found.isInRows, "\(colorType) \(bitDepth)")
      png.isInterlaced = true
      #expect(try outline(png.bytes)?.isInRows == false)
      #expect(try outline(png.bytes, PNGLimits(pixels: 62)) == nil)
    }
    #expect(try outline(HandmadePNG(width: 9, height: 7, colorType: 0, bitDepth: 4).bytes)?.isInRows == false)
    #expect(try outline([1, 2]) == nil)
    #expect(PNGOutline(folder("b.png"), limits: PNGLimits()) == nil)
  }

  @Test("a file that was written or replaced meanwhile is not the same") func versions() throws {
    let bytes = try PNGEncoder.encode(
      PNGFile(image: SyntheticImage.noise.image(Size(7, 9), channels: .rgb, depth: .bits8)))
    let path = try folder.write("a.png", bytes)
    let reader = try PNGRowReader(path, limits: PNGLimits())
    try reader.checkIsUnchanged()
    try folder.write("b.png", bytes)
    #expect(rename(folder("b.png"), path) == 0)
    expectError(.input, mentioning: "written or replaced") { try reader.checkIsUnchanged() }
  }

  @Test("a window gives rows of which some were given before, and skips others") func windows() throws {
    let image = SyntheticImage.noise.image(Size(7, 200), channels: .rgb, depth: .bits8)
    let path = try folder.write("a.png", PNGEncoder.encode(PNGFile(image: image)))
    let window = PNGRowWindow(try PNGRowReader(path, limits: PNGLimits()))
    for rows in [0..<3, 0..<9, 2..<9, 8..<30, 30..<31, 140..<150, 149..<200, 199..<200] {
      let expected = image.bytes[rows.lowerBound * image.bytesPerRow..<rows.upperBound * image.bytesPerRow]
      let made = try window.rows(rows)
      #expect(made.bytes == Array(expected) && made.size == Size(7, rows.count), "\(rows)")
    }
    try window.finish()
  }

  @Test(
    "a file written in rows equals that of the whole picture", arguments: PNGEncoderTests.channels.map(\.channels),
    SampleDepth.allCases)
  func files(channels: Channels, depth: SampleDepth) throws {
    let metadata = PNGMetadata(
      chunks: [PNGChunk(type: "tEXt", data: Array("a\0b".utf8))],
      trailingChunks: [PNGChunk(type: "abCd", data: [1, 2])])
    for (size, count) in [(Size(1, 1), 1), (Size(33, 17), 5), (Size(300, 200), 7), (Size(9, 3), 100)] {
      let image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
      let file = PNGFile(image: image, metadata: metadata)
      for compression in PNGCompression.allCases {
        let writer = try PNGRowWriter(
          to: folder("a.png"), image.descriptor, metadata: metadata, compression: compression, hashing: true)
        for row in stride(from: 0, to: size.height, by: count) {
          let height = min(count, size.height - row)
          let bytes = image.bytes[row * image.bytesPerRow..<(row + height) * image.bytesPerRow]
          try writer.append(
            Image(size: Size(size.width, height), channels: channels, depth: depth, bytes: Array(bytes)))
        }
        #expect(try writer.finish() == image.pixelHash)
        let codec = PNGCodec(.auto, largestWrittenWhole: 0)
        #expect(try folder.read("a.png") == PNGEncoder.encode(file, compression: compression, codec: codec))
      }
    }
  }

  @Test("an abandoned file leaves nothing, and the old file stays") func givenUp() throws {
    try folder.write("a.png", [7])
    let image = SyntheticImage.noise.image(Size(9, 9), channels: .rgb, depth: .bits8)
    do {
      let writer = try begun(folder("a.png"), image.descriptor)
      try writer.append(image)
      // Rows beyond the picture.
      expectError(.limit, mentioning: "no such rows") { try writer.append(image) }
    }
    #expect(try folder.names() == ["a.png"] && folder.read("a.png") == [7])
  }

  @Test("missing folders, and pictures that PNG cannot hold, are refused before a file is begun")
  func refusals() throws {
    var picture = ImageDescriptor(size: Size(3, 3), channels: .rgba, depth: .bits8)
    expectError(.output, mentioning: "no/a.png") { _ = try begun(folder("no/a.png"), picture) }
    picture.color.alpha = .premultiplied
    expectError(.unsupported, mentioning: folder("a.png"), "unpremultiply") {
      _ = try begun(folder("a.png"), picture)
    }
    #expect(try folder.names().isEmpty)
  }
}

@Suite struct PixelHashTests {
  /// By Python's hashlib, over struct.pack("<4I", 2, 1, channels, bits) and the samples with the high byte first.
  @Test(arguments: [
    (Channels.gray, SampleDepth.bits8, "64769bffa318061a4243a39cc5ce229ea331f65a8c9b522f1cf8d09ed032fbe2"),
    (Channels.gray, SampleDepth.bits16, "e5f51856298e00a163361a1083c1df049afa503b91815918e807a8b09adc5481"),
    (Channels.grayAlpha, SampleDepth.bits8, "7a4a85dc30b0c9d6d58d6bfdf67b0b892830ee289683068137d0995467bdf13e"),
    (Channels.grayAlpha, SampleDepth.bits16, "ac90c5d9eced6480713eaa935e782df022f1b82b336331d7d78be7f30b5b1ecc"),
    (Channels.rgb, SampleDepth.bits8, "888751e576a5f5548ce537b081a07c2ee486a1357546a87b363c075fbcad4e3f"),
    (Channels.rgb, SampleDepth.bits16, "f225ccab8a6a2410210728653fdaba25ab601762ea265827cfc2df65517a0c30"),
    (Channels.rgba, SampleDepth.bits8, "578f462d0f87237a051ef96d10e402d57a0098a3fddaddeaabdd7158a91f30e7"),
    (Channels.rgba, SampleDepth.bits16, "6486b79cd30b9a35c0a63f9f0cc86b678effdf8be55d8d11e60bec9373527e87"),
  ])
  func isThatOfTheSamplesInAFile(channels: Channels, depth: SampleDepth, hash: String) {
    let samples = [0x0102, 0x0304, 0x0506, 0x0708, 0x1112, 0x1314, 0x1516, 0x1718]
    let perPixel = PixelFormat(channels: channels, depth: depth).samplesPerPixel
    let bytes = samples.prefix(2 * perPixel).flatMap { sample in
      depth == .bits8 ? [UInt8(sample & 255)] : [UInt8(sample & 255), UInt8(sample >> 8)]
    }
    #expect(Image(size: Size(2, 1), channels: channels, depth: depth, bytes: bytes).pixelHash == "sha256:" + hash)
  }
}
