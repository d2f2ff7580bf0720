import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `safelight compare`: what is left out of a comparison, and which pictures are found.
@Suite struct CompareOptionTests {
  private let folder: TemporaryFolder
  private static let size = Size(24, 16)

  init() throws { folder = try TemporaryFolder() }

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
    let path = folder.path(name)
    let parent = URL(filePath: path).deletingLastPathComponent().path
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try PNGFile(image: image).write(to: path)
  }

  private func compare(_ expected: String, _ actual: String, _ options: String...) throws -> Tool.Outcome {
    let arguments = ["compare", folder.path(expected), folder.path(actual), "--progress", "none"] + options
    let (process, output, errors) = try Tool.start(arguments)
    return try Tool.end(process, output, errors)
  }

  private func json(_ outcome: Tool.Outcome) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
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
      let refused = try compare(a, b)
      #expect(refused.code == 4, "\(refused)")
      #expect(
        refused.output.contains(
          "one has alpha and the other has none; treat the missing alpha as opaque (--alpha-opaque)"),
        "\(refused)")
      let taken = try compare(a, b, "--alpha-opaque")
      #expect(taken.code == 0 && taken.output.hasPrefix("1 compared: 1 exact"), "\(taken)")
    }
    try write(Self.touched(opaque, 3, to: 9), "opaque.png")
    let seen = try compare("plain.png", "opaque.png", "--alpha-opaque")
    let full = depth == .bits8 ? 255 : 65535
    #expect(seen.code == 1 && seen.output.contains("(5, 7) alpha: \(full) expected, 9 found"), "\(seen)")
    try write(Self.touched(opaque, 0, 1, 2, to: (opaque[x: 5, y: 7, sample: 0] + 5) % 250), "opaque.png")
    let color = try compare("plain.png", "opaque.png", "--alpha-opaque")
    #expect(color.code == 1 && color.output.contains("1 of 384 pixels differs, at (5, 7)"), "\(color)")
  }

  @Test func colorThatNobodySeesIsLeftOut() throws {
    let picture = Self.picture(.rgba)
    try write(Self.touched(Self.touched(picture, 3, to: 0), 0, to: 10), "a.png")
    try write(Self.touched(Self.touched(picture, 3, to: 0), 0, to: 200), "b.png")
    #expect(try compare("a.png", "b.png").code == 1)
    let ignored = try compare("a.png", "b.png", "--ignore-transparent")
    #expect(ignored.code == 0 && ignored.output.contains("1 compared: 1 exact"), "\(ignored)")
    #expect(ignored.output.contains("left out: 1 of the 384 pixels of a picture (0.26 %)"), "\(ignored)")
    // What one side shows counts.
    try write(Self.touched(Self.touched(picture, 3, to: 1), 0, to: 10), "b.png")
    let seen = try compare("a.png", "b.png", "--ignore-transparent")
    #expect(seen.code == 1 && seen.output.contains("(5, 7) alpha: 0 expected, 1 found"), "\(seen)")
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
    let masked = try compare("a.png", "b.png", "--mask", "0,0,2,1 4,6,3,3")
    #expect(masked.code == 0, "\(masked)")
    #expect(masked.output.contains("left out: 11 of the 384 pixels of a picture (2.86 %)"), "\(masked)")
    let listed = try json(compare("a.png", "b.png", "--mask", "4,6,3,3", "--format", "json"))
    let frames = try #require(listed["frames"] as? [[String: Any]])
    #expect(frames.first?["masked"] as? Double == 9.0 / 384)
    let plain = try json(compare("a.png", "b.png", "--format", "json"))
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

  // MARK: Folders in folders

  @Test func foldersInFoldersAreComparedWhereThatIsSaid() throws {
    for name in ["top.png", "in/f1.png", "in/deep/f1.png", "in/f2.png"] {
      try write(Self.picture(.rgb), "a/\(name)")
      try write(Self.picture(.rgb), "b/\(name)")
    }
    try write(Self.touched(Self.picture(.rgb), 1, to: 300), "b/in/deep/f1.png")
    try FileManager.default.removeItem(atPath: folder.path("b/in/f2.png"))
    try write(Self.picture(.rgb), "b/other/f3.png")
    let flat = try compare("a", "b")
    #expect(flat.code == 0 && flat.output.hasPrefix("1 compared: 1 exact"), "\(flat)")
    #expect(
      flat.errors == """
        safelight: \(folder.path("a/in/deep")) and 4 more: the pictures there are left out; --recursive compares them too

        """)
    let deep = try compare("a", "b", "--recursive", "--diff", folder.path("diff"), "--report", folder.path("r.json"))
    #expect(deep.code == 3 && deep.errors == "", "\(deep)")
    for text in [
      "in/deep/f1.png differs: ", "missing: \(folder.path("a/in/f2.png")): ",
      "extra: \(folder.path("b/other/f3.png")): ",
      "3 compared: 2 exact, 0 within, 1 differ; 1 missing; 1 extra",
    ] { #expect(deep.output.contains(text), "\(text) in \(deep.output)") }
    #expect(try folder.allNames("diff").filter { $0.hasSuffix(".png") } == ["in/deep/f1.png"])
    #expect(try folder.text("r.json").contains("\"in/deep/f1.png\""))
  }

  @Test func picturesThatAllLieDeeperAreToldOf() throws {
    for side in ["a", "b"] { try write(Self.picture(.rgb), "\(side)/in/f1.png") }
    let outcome = try compare("a", "b")
    #expect(outcome.code == 66 && outcome.errors.contains("--recursive"), "\(outcome)")
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
    let complete = try compare("a", "b", "--complete")
    #expect(complete.code == 3, "\(complete)")
    #expect(complete.output.contains("missing: \(folder.path("a/f3.png")): neither side has it\n"), "\(complete)")
    #expect(complete.output.contains("; 1 missing; 0 extra"))
  }
}
