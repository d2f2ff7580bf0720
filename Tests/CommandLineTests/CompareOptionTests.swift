import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `safelight compare`: what is left out of a comparison, which pictures are found, and which are of one kind.
@Suite struct CompareOptionTests {
  private let folder = TemporaryFolder()
  private static let size = Size(24, 16)

  private static func picture(_ channels: Channels, _ depth: SampleDepth = .bits8) -> Image {
    var image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    guard channels.hasAlpha else { return image }
    for y in 0..<size.height { for x in 0..<size.width { image[x: x, y: y, sample: 3] = 0xFFFF } }
    return image
  }

  /// `image` with other samples at (5, 7).
  private static func touched(_ image: Image, _ samples: Int..., to value: Int) -> Image {
    var image = image
    for sample in samples { image[x: 5, y: 7, sample: sample] = value }
    return image
  }

  private func write(_ image: Image, _ name: String) throws {
    try folder.make((name as NSString).deletingLastPathComponent)
    try folder.write(image, to: name)
  }

  private func compare(_ expected: String, _ actual: String, _ options: String...) throws -> Tool.Outcome {
    try Tool.run(["compare", folder.path(expected), folder.path(actual), "--progress", "none"] + options)
  }

  // MARK: Facts beside the samples

  /// Writes a picture with `chunks`.
  private func write(_ name: String, _ chunks: [PNGChunk]) throws {
    let file = PNGFile(image: Self.picture(.rgb), metadata: PNGMetadata(chunks: chunks))
    try folder.make((name as NSString).deletingLastPathComponent)
    try file.write(to: folder.path(name))
  }

  /// Exif data that say how the picture is turned (TIFF 6.0, section 2).
  private static func exif(_ orientation: UInt8, isBigEndian: Bool) -> PNGChunk {
    let data: [UInt8] =
      isBigEndian
      ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]
      : [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]
    return PNGChunk(type: "eXIf", data: data)
  }

  private static let facts: [(expected: [PNGChunk], actual: [PNGChunk], line: String?)] = [
    (
      [PNGChunk(type: "gAMA", data: [0, 0, 0xB1, 0x8F])], [PNGChunk(type: "gAMA", data: [0, 1, 0x86, 0xA0])],
      "besides the samples: gAMA differs (0.45455, 1; a.png)"
    ),
    (
      [PNGChunk(type: "cICP", data: [1, 13, 0, 1])], [PNGChunk(type: "sRGB", data: [0])],
      "besides the samples: cICP differs (1/13/0/1, none; a.png), sRGB differs (none, 0; a.png)"
    ),
    (
      [PNGChunk(type: "iCCP", data: Array("one\0\0profile".utf8))],
      [PNGChunk(type: "iCCP", data: Array("two\0\0profile".utf8))], "besides the samples: iCCP differs (a.png)"
    ),
    (
      [PNGChunk(type: "pHYs", data: [0, 0, 0, 2, 0, 0, 0, 1, 0])], [],
      "besides the samples: pixel aspect differs (1:2, none; a.png)"
    ),
    ([PNGChunk(type: "pHYs", data: [0, 0, 0, 7, 0, 0, 0, 7, 0])], [], nil),
    (
      [PNGChunk(type: "pHYs", data: [0, 0, 0x0B, 0x13, 0, 0, 0x0B, 0x13, 1])], [],
      "besides the samples: pHYs differs (2835×2835 per meter, none; a.png)"
    ),
    (
      [exif(6, isBigEndian: true)], [exif(8, isBigEndian: false)],
      "besides the samples: orientation differs (6, 8; a.png)"
    ),
    ([exif(6, isBigEndian: true)], [exif(6, isBigEndian: false)], nil), ([exif(1, isBigEndian: true)], [], nil),
    (
      [], [PNGChunk(type: "acTL", data: [0, 0, 0, 3, 0, 0, 0, 0])],
      "not compared: later frames of the animation of b/a.png"
    ),
    ([PNGChunk(type: "tEXt", data: Array("Comment\0one".utf8))], [], nil),
  ]

  /// "Exact" is said of samples: whatever else differs or was not looked at has a line, and counts for nothing.
  @Test(arguments: facts.indices) func whatFilesStateBesidesIsTold(_ index: Int) throws {
    let (expected, actual, line) = Self.facts[index]
    try write("a/a.png", expected)
    try write("b/a.png", actual)
    let outcome = try folder.shell("safelight compare a b --progress none")
    let summary = "1 compared: 1 exact, 0 within, 0 differ; 0 missing; 0 extra; canary ok\n"
    #expect(outcome.output == (line.map { "\($0)\n" } ?? "") + summary)
    let json = try folder.shell("safelight compare a b --format json --progress none").json
    let facts = try #require(json["facts"] as? [String: [[String: Any]]])
    #expect(facts.values.allSatisfy(\.isEmpty) == (line == nil))
  }

  /// Pictures in which nothing can be seen are told, since a renderer that draws nothing makes the same.
  @Test func picturesWithoutAVisiblePixelAreLeftOut() throws {
    for (name, value) in [("a.png", UInt8(7)), ("b.png", 200)] {
      let pixels: [UInt8] = (0..<256).map { $0 % 4 == 3 ? 0 : value }
      try write(Image(size: Size(8, 8), channels: .rgba, depth: .bits8, bytes: pixels), name)
    }
    try compare("a.png", "b.png").ends(1)
    try compare("a.png", "b.png", "--ignore-transparent").ends(0)
      .prints("left out: 64 of the 64 pixels of a picture (100 %)")
    let json = try compare("a.png", "b.png", "--ignore-transparent", "--format", "json").json
    #expect((json["frames"] as? [[String: Any]])?.first?["masked"] as? Double == 1)
  }

  @Test func manyFilesHaveOneLine() throws {
    for number in 1...4 {
      try write("a/\(number).png", [])
      try write("b/\(number).png", [PNGChunk(type: "gAMA", data: [0, 1, 0x86, 0xA0])])
    }
    try folder.shell("safelight compare a b --progress none")
      .prints("besides the samples: gAMA differs (none, 1; frame 1 and 3 more)\n")
    // A golden's file holds samples alone.
    try folder.shell(
      "unset CI; safelight golden record goldens a; safelight golden verify goldens b"
    ).prints("not compared: gAMA of b/1.png and 3 more\n4 compared: 4 exact")
  }

  // MARK: Alpha

  @Test(arguments: [Channels.rgb, .gray], [SampleDepth.bits8, .bits16])
  func aMissingAlphaIsOpaqueOnlyWhereThatIsSaid(_ channels: Channels, _ depth: SampleDepth) throws {
    let alpha: Channels = channels == .rgb ? .rgba : .grayAlpha
    let plain = Self.picture(channels, depth)
    var opaque = Self.picture(alpha, depth)
    for y in 0..<16 {
      for x in 0..<24 {
        for sample in 0..<3 {
          opaque[x: x, y: y, sample: sample] = plain[x: x, y: y, sample: channels == .rgb ? sample : 0]
        }
      }
    }
    try write(plain, "plain.png")
    try write(opaque, "opaque.png")
    for (a, b) in [("plain.png", "opaque.png"), ("opaque.png", "plain.png")] {
      try compare(a, b)
        .ends(4).prints("one has alpha and the other has none; treat the missing alpha as opaque (--alpha-opaque)")
      try compare(a, b, "--alpha-opaque").ends(0).prints(first: "1 compared: 1 exact")
    }
    try write(Self.touched(opaque, 3, to: 9), "opaque.png")
    try compare("plain.png", "opaque.png", "--alpha-opaque")
      .ends(1).prints("(5, 7) alpha: \(depth == .bits8 ? 255 : 65535) expected, 9 found")
    try write(Self.touched(opaque, 0, 1, 2, to: (opaque[x: 5, y: 7, sample: 0] + 5) % 250), "opaque.png")
    try compare("plain.png", "opaque.png", "--alpha-opaque").ends(1).prints("1 of 384 pixels differs, at (5, 7)")
  }

  @Test func colorThatNobodySeesIsLeftOut() throws {
    let picture = Self.picture(.rgba)
    try write(Self.touched(Self.touched(picture, 3, to: 0), 0, to: 10), "a.png")
    try write(Self.touched(Self.touched(picture, 3, to: 0), 0, to: 200), "b.png")
    #expect(try compare("a.png", "b.png").code == 1)
    try compare("a.png", "b.png", "--ignore-transparent")
      .ends(0).prints("1 compared: 1 exact", "left out: 1 of the 384 pixels of a picture (0.26 %)")
    // What one side shows counts.
    try write(Self.touched(Self.touched(picture, 3, to: 1), 0, to: 10), "b.png")
    try compare("a.png", "b.png", "--ignore-transparent").ends(1).prints("(5, 7) alpha: 0 expected, 1 found")
  }

  /// As the first frames of a fade are.
  @Test func picturesWithoutAnythingToSeeAreAlike() throws {
    for (name, value) in [("a.png", UInt8(0)), ("b.png", 77)] {
      let bytes = (0..<4 * Self.size.area).map { $0 % 4 == 3 ? 0 : value }
      try write(Image(size: Self.size, channels: .rgba, depth: .bits8, bytes: bytes), name)
    }
    #expect(try compare("a.png", "b.png").code == 1)
    #expect(try compare("a.png", "b.png", "--ignore-transparent").code == 0)
  }

  // MARK: Masks

  @Test func rectanglesAreLeftOut() throws {
    try write(Self.picture(.rgb), "a.png")
    try write(Self.touched(Self.picture(.rgb), 1, to: 300), "b.png")
    #expect(try compare("a.png", "b.png").code == 1)
    try compare("a.png", "b.png", "--mask", "0,0,2,1 4,6,3,3")
      .ends(0).prints("left out: 11 of the 384 pixels of a picture (2.86 %)")
    let listed = try compare("a.png", "b.png", "--mask", "4,6,3,3", "--format", "json").json
    let frames = try #require(listed["frames"] as? [[String: Any]])
    #expect(frames.first?["masked"] as? Double == 9.0 / 384)
    let plain = try compare("a.png", "b.png", "--format", "json").json
    #expect((plain["frames"] as? [[String: Any]])?.first?["masked"] as? Double == 0)
    #expect(try compare("a.png", "b.png", "--mask", "0,0,2,1").code == 1)
  }

  @Test(arguments: [
    ("0,0,24,16", Int32(66), "hides every pixel"), ("0,0,24,16", 66, "0 differ; 1 not comparable;"),
    ("24,16,5,5", 4, "lie outside of the picture, which is 24×16"),
    ("1,2,3", 64, "neither rectangles nor a .png file"), ("none.png", 66, "none.png"),
  ])
  func aMaskMustFit(_ mask: String, _ code: Int32, _ text: String) throws {
    try write(Self.picture(.rgb), "a.png")
    try write(Self.picture(.rgb), "b.png")
    let outcome = try compare("a.png", "b.png", "--mask", mask)
    #expect(outcome.code == code && (outcome.output + outcome.errors).contains(text), "\(outcome)")
  }

  // MARK: Kinds

  private static let others: [(Size, Channels, SampleDepth, String)] = [
    (Size(24, 17), .rgb, .bits8, "the expected picture has the size 24×16, the actual one 24×17"),
    (size, .rgba, .bits8, "pictures: one has alpha and the other has none; treat the missing alpha as opaque"),
    (size, .gray, .bits8, "the expected picture has the channels rgb, the actual one gray"),
    (size, .rgb, .bits16, "the expected picture has a depth of 8, the actual one 16"),
  ]

  /// Nothing is converted, whatever the tolerance.
  @Test(arguments: others)
  func itIsSaidHowTheyDiffer(_ size: Size, _ channels: Channels, _ depth: SampleDepth, _ text: String) throws {
    try write(Self.picture(.rgb), "a.png")
    try write(SyntheticImage.noise.image(size, channels: channels, depth: depth), "b.png")
    try compare("a.png", "b.png", "--tolerance", "max<=200")
      .ends(4).prints(text, "0 compared: 0 exact, 0 within, 0 differ; 1 not comparable")
  }

  /// A picture that exists but cannot be read is reported as unreadable, not as missing.
  @Test func whatCannotBeReadHasAWordOfItsOwn() throws {
    try write(Self.picture(.rgb), "a.png")
    try folder.write("no picture", to: "b.png")
    let listing = try compare("a.png", "b.png", "--report", folder.path("r.json"), "--format", "json").ends(65)
    let report = try folder.text("r.json")
    #expect(report.contains("nothing compared; 1 not readable") && report.contains("\"unreadable\""), "\(report)")
    // The listing has every key, with null in place of figures.
    for key in ["max", "mean", "bias", "over", "psnr", "ssim"] { listing.prints("\"\(key)\" : null") }
  }

  // MARK: Folders in folders

  @Test func foldersInFoldersAreComparedWhereThatIsSaid() throws {
    for name in ["top.png", "in/f1.png", "in/deep/f1.png", "in/f2.png"] {
      try write(Self.picture(.rgb), "a/\(name)")
      try write(Self.picture(.rgb), "b/\(name)")
    }
    try write(Self.touched(Self.picture(.rgb), 1, to: 300), "b/in/deep/f1.png")
    try folder.remove("b/in/f2.png")
    try write(Self.picture(.rgb), "b/other/f3.png")
    let others = "\(folder.path("a/in/deep")) and 4 more"
    try compare("a", "b").ends(0).prints(first: "1 compared: 1 exact")
      .says(only: "safelight: \(others): the pictures there are left out; --recursive compares them too\n")
    try compare("a", "b", "--recursive", "--diff", folder.path("diff"), "--report", folder.path("r.json"))
      .ends(3).says(only: "").prints(
        "in/deep/f1.png differs: ", "missing: \(folder.path("a/in/f2.png")): ",
        "extra: \(folder.path("b/other/f3.png")): ",
        "3 compared: 2 exact, 0 within, 1 differ; 1 missing; 1 extra")
    #expect(try folder.allNames("diff").filter { $0.hasSuffix(".png") } == ["in/deep/f1.png"])
    #expect(try folder.text("r.json").contains("\"in/deep/f1.png\""))
  }

  @Test func picturesThatAllLieDeeperAreToldOf() throws {
    for side in ["a", "b"] { try write(Self.picture(.rgb), "\(side)/in/f1.png") }
    try compare("a", "b").ends(66).says("--recursive")
    #expect(try compare("a", "b", "--recursive").code == 0)
  }

  /// A cover beside the frames is another family of names.
  @Test func aGapIsFoundBesideOtherNames() throws {
    for side in ["a", "b"] {
      for name in ["f1.png", "f2.png", "f4.png", "f5.png", "cover.png"] {
        try write(Self.picture(.rgb), "\(side)/\(name)")
      }
    }
    #expect(try compare("a", "b").code == 0)
    try compare("a", "b", "--complete")
      .ends(3).prints("missing: \(folder.path("a/f3.png")): neither side has it\n", "; 1 missing; 0 extra")
  }
}
