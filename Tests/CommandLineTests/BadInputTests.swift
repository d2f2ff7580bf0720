import Foundation
import Testing

/// One line with the file's name and the remedy, the code of the contract, and no partial output.
@Suite struct BadInputTests {
  private let folder = TemporaryFolder()

  @Test func aMissingFileIsNamed() throws {
    let outcome = try Tool.run("equalize", folder.path("no-such.png"), "-o", folder.path("out"), "--device", "cpu")
      .ends(66).says("no-such.png: no such file")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  @Test func anEmptyFolderIsNothingToDo() throws {
    try Tool.run("equalize", folder.path, "-o", folder.path("out"), "--device", "cpu").ends(66).says(folder.path)
  }

  @Test(arguments: [
    ("truncated", "truncated"), ("text", "text"), ("huge-claim", "2147483647"), ("bad-crc", "CRC"),
    ("empty", "empty"), ("missing-idat", "IDAT"), ("bomb", "cannot hold"), ("zero-width", "0×8"),
  ])
  func aBrokenPictureIsNamedAndExplained(_ name: String, _ reason: String) throws {
    let input = Tool.fixture("broken/\(name).png")
    // A remedy follows the reason.
    let outcome = try Tool.run(
      "equalize", input, "-o", folder.path("out.png"), "--device", "cpu", "--progress", "none"
    ).ends(65).says(input, reason, "; ")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// What each one is refused for is told by TableFileTests.
  @Test func everyBrokenTableIsBadData() throws {
    let tables = try FileManager.default.contentsOfDirectory(atPath: Tool.fixture("broken-tables"))
    #expect(tables.count > 30)
    for name in tables {
      let table = Tool.fixture("broken-tables/\(name)")
      let outcome = try Tool.run(
        "process", Tool.fixture("haze/haze.png"), "-o", folder.path("out.png"), "--filter",
        name.hasSuffix(".acv") ? "curves=file='\(table)'" : "lut='\(table)'", "--device", "cpu", "--progress", "none"
      ).ends(65).says(table, "; ")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(name)")
    }
    #expect(try folder.names() == [])
  }

  @Test func aDepthThatARuleLacksIsExplained() throws {
    let input = Tool.fixture("made/rgb16-dark.png")
    try Tool.run(
      "equalize", input, "-o", folder.path("out.png"), "--rule", "opencv", "--device", "cpu", "--progress", "none"
    ).ends(65).says(input, "takes no pictures of 16 bits", "; use the rule normalized-sum or libvips")
    #expect(try folder.names() == [])
    try Tool.run("equalize", input, "-o", folder.path("out.png"), "--rule", "opncv", "--device", "cpu")
      .ends(64).says("Please provide one of 'normalized-sum', 'opencv'")
  }

  @Test func otherFramesAreDoneWithKeepGoing() throws {
    try Tool.run(
      "equalize", Tool.fixture("broken/truncated.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out"),
      "--device", "cpu", "--keep-going"
    ).ends(65)
    #expect(try folder.names("out") == ["haze.png"])
  }

  @Test func withoutKeepGoingTheRunEnds() throws {
    let outcome = try Tool.run(
      "equalize", Tool.fixture("broken/truncated.png"), Tool.fixture("dark-room"), "-o", folder.path("out"),
      "--device", "cpu", "--in-flight", "1"
    ).ends(65)
    #expect(try folder.names("out") == [])
    #expect(outcome.errors.contains("24 not begun"))
  }

  @Test func anOutputThatCannotBeMadeIsNamed() throws {
    try Data().write(to: folder.url.appending(path: "file"))
    try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("file/out"), "--device", "cpu", "--progress", "none"
    ).ends(73).says("\(folder.path("file")): it is a file")
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

  @Test func twoInputsForOneOutputAreRefusedBeforeAnyWork() throws {
    try Tool.run(
      "equalize", Tool.fixture("made/metadata.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out.png")
    ).ends(64)
    try folder.copy(Tool.fixture("haze/haze.png"), to: "haze.png")
    try Tool.run(
      "equalize", folder.path("haze.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out")
    ).ends(64).says(folder.path("haze.png"), Tool.fixture("haze/haze.png"))
    #expect(try folder.names() == ["haze.png"])
  }

  /// Neither a plot nor a contact sheet may take the place of a frame.
  @Test func aFileBesideTheFramesReplacesNone() throws {
    let picture = folder.path("picture.png")
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: picture)
    try Tool.run("histogram", picture, "-o", picture, "--device", "cpu").ends(64).says("would replace the frame")
    for sheet in [picture, folder.path("out.png")] {
      try Tool.run(
        "equalize", picture, "-o", folder.path("out.png"), "--contact-sheet", sheet, "--device", "cpu"
      ).ends(64)
    }
    #expect(FileManager.default.contentsEqual(atPath: picture, andPath: Tool.fixture("haze/haze.png")))
    #expect(try folder.names() == ["picture.png"])
  }

  @Test func aPictureThatClaimsTooMuchIsRefused() throws {
    try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "cpu", "--max-pixels", "262143",
      "--progress", "none"
    ).ends(65).says("--max-pixels")
  }

  @Test func anUnknownFilterNamesTheNearest() throws {
    let input = Tool.fixture("haze/haze.png")
    try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "equalise").ends(64).says("equalize")
    try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "saturation=amuont=2")
      .ends(64).says("amount")
    try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "saturation=amount=9")
      .ends(64).says("0 to 4")
    #expect(try folder.names() == [])
  }

  @Test func usageErrorsAre64() throws {
    #expect(try Tool.run("process").code == 64)
    #expect(try Tool.run("histogram", Tool.fixture("haze/haze.png"), "--entries", "100").code == 64)
    #expect(try Tool.run("histogram", Tool.fixture("haze/haze.png"), "--entries", "512", "-o", "/tmp/x.svg").code == 64)
    #expect(try Tool.run("histogram", Tool.fixture("haze/haze.png"), "-o", "/tmp/x.pdf").code == 64)
    #expect(try Tool.run("equalize", Tool.fixture("haze"), "-o", "x", "--shard", "4/4").code == 64)
    #expect(try Tool.run("equalize", Tool.fixture("haze"), "-o", "x", "--rule", "none").code == 64)
  }
}
