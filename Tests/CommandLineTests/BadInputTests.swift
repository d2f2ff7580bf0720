import Foundation
import TestSupport
import Testing

/// One line with the file's name and the remedy, the code of the contract, and no partial output.
@Suite struct BadInputTests {
  private let folder = TemporaryFolder()
  private static let truncated = Tool.word("broken/truncated.png")

  @Test func aMissingFileIsNamed() throws {
    let outcome = try folder.safelight("equalize no-such.png -o out", code: 66).says("no-such.png: no such file")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  @Test(arguments: [
    ("truncated", "truncated"), ("text", "text"), ("huge-claim", "2147483647"), ("bad-crc", "CRC"),
    ("empty", "empty"), ("missing-idat", "IDAT"), ("bomb", "cannot hold"), ("zero-width", "0×8"),
  ])
  func aBrokenPictureIsNamedAndExplained(_ name: String, _ reason: String) throws {
    let input = Tool.fixture("broken/\(name).png")
    // A remedy follows the reason.
    let outcome = try folder.safelight("equalize '\(input)' -o out.png --progress none", code: 65)
      .says(input, reason, "; ")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// What each one is refused for is told by TableFileTests.
  @Test func everyBrokenTableIsBadData() throws {
    let tables = try FileManager.default.contentsOfDirectory(atPath: Tool.fixture("broken-tables"))
    #expect(tables.count > 30)
    for name in tables {
      let table = Tool.fixture("broken-tables/\(name)")
      let filter = name.hasSuffix(".acv") ? "curves=file='\(table)'" : "lut='\(table)'"
      let line = "process \(Tool.haze) -o out.png --filter \"\(filter)\" --progress none"
      let outcome = try folder.safelight(line, code: 65).says(table, "; ")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(name)")
    }
    #expect(try folder.names() == [])
  }

  @Test func aDepthThatARuleLacksIsExplained() throws {
    let input = Tool.fixture("made/rgb16-dark.png")
    try folder.safelight("equalize '\(input)' -o out.png --rule opencv --progress none", code: 65)
      .says(input, "takes no pictures of 16 bits", "; use the rule normalized-sum or libvips")
    #expect(try folder.names() == [])
    try Tool.run("equalize", input, "-o", folder.path("out.png"), "--rule", "opncv", "--device", "cpu")
      .ends(64).says("Please provide one of 'normalized-sum', 'opencv'")
  }

  @Test func otherFramesAreDoneWithKeepGoing() throws {
    try folder.safelight("equalize \(Self.truncated) \(Tool.haze) -o out --keep-going", code: 65)
    #expect(try folder.names("out") == ["haze.png"])
  }

  @Test func withoutKeepGoingTheRunEnds() throws {
    try folder.safelight("equalize \(Self.truncated) \(Tool.darkRoom) -o out --in-flight 1", code: 65)
      .says("24 not begun")
    #expect(try folder.names("out") == [])
  }

  /// A limit on the size of files fails writes half-way, as a full disk does.
  @Test func aDiskThatFillsUpLeavesNoPartialFile() throws {
    let picture = Tool.fixture("haze/haze.png")
    try folder.shell("ulimit -f 8; safelight equalize '\(picture)' -o out --device cpu --progress none", code: 74)
      .says("haze.png")
    #expect(try folder.names("out") == [])
  }

  /// An é may be one character of Unicode or two, and both look alike.
  @Test func namesThatOnlyLookAlikeAreToldApart() throws {
    for name in ["caf\u{e9}.png", "cafe\u{301}.png"] {
      try Data(contentsOf: URL(filePath: Tool.fixture("haze/haze.png"))).write(to: URL(filePath: folder.path(name)))
    }
    try Tool.run("equalize", folder.path, "-o", folder.path("out"))
      .ends(64).says("how Unicode encodes them (NFC or NFD)", "rename one of them")
  }

  /// Neither a plot nor a contact sheet may take the place of a frame.
  @Test func aFileBesideTheFramesReplacesNone() throws {
    let picture = folder.path("picture.png")
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: picture)
    try Tool.run("histogram", picture, "-o", picture, "--device", "cpu").ends(64).says("would replace the frame")
    for sheet in [picture, folder.path("out.png")] {
      try folder.safelight("equalize '\(picture)' -o out.png --contact-sheet '\(sheet)'", code: 64)
    }
    #expect(FileManager.default.contentsEqual(atPath: picture, andPath: Tool.fixture("haze/haze.png")))
    #expect(try folder.names() == ["picture.png"])
  }

  @Test func usageErrorsAre64() throws {
    for line in [
      "process", "histogram \(Tool.haze) --entries 100", "histogram \(Tool.haze) --entries 512 -o x.svg",
      "histogram \(Tool.haze) -o x.pdf", "equalize \(Tool.haze) -o x --shard 4/4",
      "equalize \(Tool.haze) -o x --rule none",
    ] {
      try folder.shell("safelight \(line)", code: 64)
    }
  }
}
