import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite("PNGs whose rows come some at a time: the pictures, the files and the refusals of whole ones")
struct PNGRowTests {
  /// Kinds that are read in rows, and heights of bands that do not divide theirs.
  static let kinds = PNGDecoderTests.kinds.filter { $0.colorType != 0 || $0.bitDepth >= 8 }

  /// What a reader makes of a file: all that it says, or why it refuses.
  private func verdict(_ path: String, by count: Int) throws -> Result<PNGFile, SafelightError> {
    do throws(SafelightError) {
      return .success(try read(path, by: count))
    } catch {
      return .failure(error)
    }
  }

  private func read(_ path: String, by count: Int) throws(SafelightError) -> PNGFile {
    do {
      let reader = try PNGRowReader(path, limits: PNGLimits())
      var bytes: [UInt8] = []
      while let rows = try reader.rows(count) { bytes += rows.bytes }
      return PNGFile(
        image: Image(reader.picture, bytes: bytes), metadata: reader.metadata, warnings: reader.warnings)
    } catch {
      guard let known = error as? SafelightError else {
        throw SafelightError(.driver, path, why: "\(error)", remedy: nil)
      }
      throw known
    }
  }

  /// The same by libpng from memory, at once.
  private func whole(_ bytes: [UInt8], _ path: String) throws -> Result<PNGFile, SafelightError> {
    do {
      return .success(try PNGDecoder.decode(bytes, name: path, codec: PNGCodec(.libpng)))
    } catch let error as SafelightError {
      return .failure(error)
    }
  }

  @Test("every kind, with keys, palettes, metadata and filters", arguments: kinds)
  func pictures(kind: (colorType: Int, bitDepth: Int)) throws {
    let folder = try TemporaryFolder()
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
        #expect(try verdict(path, by: count) == .success(file), "\(width) \(hasKey)")
      }
    }
  }

  @Test("a palette without all its colors is told of once, behind the last row")
  func shortPalette() throws {
    var png = HandmadePNG(width: 4, height: 9, colorType: 3, bitDepth: 8)
    png.palette = [[1, 2, 3], [4, 5, 6]]
    var bytes = png.bytes
    // The second color goes.
    let range = try #require(bytes.firstRange(of: Array("PLTE".utf8)))
    bytes.replaceSubrange(range.lowerBound - 4..<range.upperBound + 10, with: HandmadePNG.chunk("PLTE", [1, 2, 3]))
    let folder = try TemporaryFolder()
    let path = try folder.write("a.png", bytes)
    let file = try read(path, by: 2)
    #expect(file.warnings == ["pixels without a colour in the palette became black"])
    #expect(try whole(bytes, path) == .success(file))
  }

  @Test("damage anywhere is refused as in a whole file, or tolerated as there")
  func damage() throws {
    let folder = try TemporaryFolder()
    var png = HandmadePNG(width: 5, height: 7, colorType: 2, bitDepth: 8)
    png.partSize = 60
    png.chunks = [("gAMA", [0, 0, 177, 143])]
    let sound = png.bytes
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

  @Test("limits are those of whole files")
  func limits() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("a.png", PNGDamageTests.sound)
    expectError(.input, mentioning: "9 columns", "PNGLimits") {
      _ = try PNGRowReader(path, limits: PNGLimits(width: 8))
    }
    expectError(.input, mentioning: "63 pixels", "raise the limit") {
      _ = try PNGRowReader(path, limits: PNGLimits(pixels: 62))
    }
  }

  @Test("what cannot be opened or read says so, and nobody waits for a pipe")
  func descriptors() throws {
    let folder = try TemporaryFolder()
    expectError(.missingInput, mentioning: "b.png", "No such file") {
      _ = try PNGRowReader(folder("b.png"), limits: .init())
    }
    expectError(.missingInput, mentioning: "directory") { _ = try PNGRowReader(folder.path, limits: .init()) }
    #expect(mkfifo(folder("pipe"), 0o600) == 0)
    expectError(.input, mentioning: "pipe") { _ = try PNGRowReader(folder("pipe"), limits: .init()) }
    #expect(!PNGRowReader.isMeant(for: folder("pipe"), codec: PNGCodec(.auto, largestWrittenWhole: 0)))
  }

  @Test("a file that shrinks while it is read is refused")
  func shrinking() throws {
    let folder = try TemporaryFolder()
    let image = SyntheticImage.noise.image(Size(700, 700), channels: .rgb, depth: .bits8)
    let bytes = try PNGEncoder.encode(PNGFile(image: image))
    let path = try folder.write("a.png", bytes)
    let reader = try PNGRowReader(path, limits: PNGLimits())
    #expect(try reader.rows(1) != nil)
    #expect(truncate(path, 600_000) == 0)
    expectError(.input, mentioning: path, "ends too early") { while try reader.rows(50) != nil {} }
  }

  @Test("what is meant for rows is what is written in rows")
  func choice() throws {
    let folder = try TemporaryFolder()
    func isMeant(_ png: HandmadePNG, _ largest: Int) throws -> Bool {
      PNGRowReader.isMeant(
        for: try folder.write("a.png", png.bytes), codec: PNGCodec(.auto, largestWrittenWhole: largest))
    }
    for (colorType, bitDepth) in Self.kinds {
      var png = PNGDecoderTests.file(Size(9, 7), colorType: colorType, bitDepth: bitDepth)
      let byteCount = png.expected.bytes.count
      #expect(try isMeant(png, byteCount - 1) && !isMeant(png, byteCount), "\(colorType) \(bitDepth)")
      png.isInterlaced = true
      #expect(try !isMeant(png, 0))
    }
    #expect(try !isMeant(HandmadePNG(width: 9, height: 7, colorType: 0, bitDepth: 4), 0))
    #expect(
      !PNGRowReader.isMeant(for: try folder.write("a.png", [1, 2]), codec: PNGCodec(.auto, largestWrittenWhole: 0)))
    #expect(!PNGRowReader.isMeant(for: folder("b.png"), codec: PNGCodec(.auto, largestWrittenWhole: 0)))
  }

  @Test(
    "written in rows, a file is that of the whole picture", arguments: PNGEncoderTests.channels.map(\.channels),
    SampleDepth.allCases)
  func files(channels: Channels, depth: SampleDepth) throws {
    let folder = try TemporaryFolder()
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

  @Test("a file that is given up leaves nothing, and what was there stays")
  func givenUp() throws {
    let folder = try TemporaryFolder()
    try folder.write("a.png", [7])
    let image = SyntheticImage.noise.image(Size(9, 9), channels: .rgb, depth: .bits8)
    do {
      let writer = try PNGRowWriter(
        to: folder("a.png"), image.descriptor, metadata: PNGMetadata(), compression: .fast, hashing: false)
      try writer.append(image)
      // Rows that the picture does not have.
      expectError(.limit, mentioning: "no such rows") { try writer.append(image) }
    }
    #expect(try folder.names() == ["a.png"] && folder.read("a.png") == [7])
  }

  @Test("a folder that is not there is told of")
  func missingFolder() throws {
    let folder = try TemporaryFolder()
    let image = SyntheticImage.flat.image(Size(9, 9), channels: .rgb, depth: .bits8)
    expectError(.output, mentioning: "no/a.png") {
      _ = try PNGRowWriter(
        to: folder("no/a.png"), image.descriptor, metadata: PNGMetadata(), compression: .fast, hashing: false)
    }
  }

  @Test("what PNG cannot hold is refused before a file is begun")
  func unsupported() throws {
    let folder = try TemporaryFolder()
    var picture = ImageDescriptor(size: Size(3, 3), channels: .rgba, depth: .bits8)
    picture.color.alpha = .premultiplied
    expectError(.unsupported, mentioning: folder("a.png"), "unpremultiply") {
      _ = try PNGRowWriter(
        to: folder("a.png"), picture, metadata: PNGMetadata(), compression: .fast, hashing: false)
    }
    #expect(try folder.names().isEmpty)
  }
}
