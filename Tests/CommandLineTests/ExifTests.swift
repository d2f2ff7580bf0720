import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Exif data of PNG files, which may say that a viewer must turn the picture.
@Suite struct ExifTests {
  private let folder = TemporaryFolder()

  /// Exif data with a text before and a size behind the orientation, as a camera writes them (TIFF 6.0, section 2).
  private static func exif(_ orientation: UInt8, isBigEndian: Bool) -> [UInt8] {
    let entries: [[UInt8]] = [
      [0x01, 0x0F, 0, 2, 0, 0, 0, 3, 0x41, 0x42, 0, 0], [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0],
      [0x01, 0x1A, 0, 4, 0, 0, 0, 1, 0, 0, 0, 6],
    ]
    if isBigEndian { return Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 3] + entries.flatMap(\.self) + [0, 0, 0, 0] }
    let turned = entries.map { entry in
      // The tag, the type, the count, and a value of two bytes, four bytes or text.
      let value = entry[3] == 2 ? Array(entry[8...]) : entry[3] == 3 ? [orientation, 0, 0, 0] : entry[8...].reversed()
      return [entry[1], entry[0], entry[3], 0] + entry[4..<8].reversed() + value
    }
    return Array("II".utf8) + [42, 0, 8, 0, 0, 0, 3, 0] + turned.flatMap(\.self) + [0, 0, 0, 0]
  }

  private func process(_ data: [UInt8], _ filter: String) throws -> [UInt8]? {
    let image = SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8)
    try PNGFile(image: image, metadata: PNGMetadata(chunks: [PNGChunk(type: "eXIf", data: data)]))
      .write(to: folder.path("a.png"))
    try folder.shell("safelight process a.png -o b.png --filter '\(filter)' --device cpu")
    return try PNGFile(reading: folder.path("b.png")).metadata["eXIf"]
  }

  @Test("orient leaves nothing for a viewer to turn", arguments: [true, false])
  func orientSaysUpright(isBigEndian: Bool) throws {
    for orientation: UInt8 in [3, 6] {
      let made = try process(Self.exif(orientation, isBigEndian: isBigEndian), "gamma=1.2,orient=\(orientation)")
      #expect(made == Self.exif(1, isBigEndian: isBigEndian))
    }
  }

  @Test("other filters keep Exif data as they are, and damaged ones stay so with all") func othersKeepIt() throws {
    let exif = Self.exif(6, isBigEndian: true)
    #expect(try process(exif, "flip=horizontal") == exif)
    for count in [0, 1, 9, 12, 22, 24, 30] { #expect(try process(Array(exif.prefix(count)), "orient=6") != nil) }
  }

  @Test("a film made with orient is not said to be turned") func films() throws {
    let image = SyntheticImage.ramp.image(Size(8, 6), channels: .rgb, depth: .bits8)
    let chunk = PNGChunk(type: "eXIf", data: Self.exif(6, isBigEndian: true))
    try folder.make("in")
    try PNGFile(image: image, metadata: PNGMetadata(chunks: [chunk])).write(to: folder.path("in/a.1.png"))
    let plain = try folder.shell("safelight process in -o a.mkv --device cpu 2>&1")
    #expect(plain.output.contains("is left out; ") && plain.output.contains("is not rotated as it asks"))
    let turned = try folder.shell("safelight process in -o b.mkv --filter orient=6 --device cpu 2>&1")
    #expect(turned.output.contains("is left out") && !turned.output.contains("rotated"))
  }
}
