import Foundation
import Testing

/// One line with the file's name and the remedy, the code of the contract, and no partial output.
@Suite struct BadInputTests {
  @Test func aMissingFileIsNamed() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run("equalize", folder.path("no-such.png"), "-o", folder.path("out"), "--device", "cpu")
    #expect(outcome.code == 66)
    #expect(outcome.errors.contains("no-such.png: no such file"))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  @Test func anEmptyFolderIsNothingToDo() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run("equalize", folder.path, "-o", folder.path("out"), "--device", "cpu")
    #expect(outcome.code == 66)
    #expect(outcome.errors.contains(folder.path))
  }

  @Test(arguments: [
    ("truncated", "truncated"), ("text", "text"), ("huge-claim", "2147483647"), ("bad-crc", "CRC"),
    ("empty", "empty"), ("missing-idat", "IDAT"), ("bomb", "cannot hold"), ("zero-width", "0×8"),
  ])
  func aBrokenPictureIsNamedAndExplained(_ name: String, _ reason: String) throws {
    let folder = try TemporaryFolder()
    let input = Tool.fixture("broken/\(name).png")
    let outcome = try Tool.run(
      "equalize", input, "-o", folder.path("out.png"), "--device", "cpu", "--progress", "none")
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains(input))
    #expect(outcome.errors.contains(reason))
    #expect(outcome.errors.contains("; "), "a remedy follows the reason")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// What each one is refused for is told by TableFileTests.
  @Test func everyBrokenTableIsBadData() throws {
    let folder = try TemporaryFolder()
    let tables = try FileManager.default.contentsOfDirectory(atPath: Tool.fixture("broken-tables"))
    #expect(tables.count > 30)
    for name in tables {
      let table = Tool.fixture("broken-tables/\(name)")
      let outcome = try Tool.run(
        "process", Tool.fixture("haze/haze.png"), "-o", folder.path("out.png"), "--filter",
        name.hasSuffix(".acv") ? "curves=file='\(table)'" : "lut='\(table)'", "--device", "cpu", "--progress", "none")
      #expect(outcome.code == 65, "\(name)")
      #expect(outcome.errors.contains(table) && outcome.errors.contains("; "), "\(name)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(name)")
    }
    #expect(try folder.names() == [])
  }

  @Test func aDepthThatARuleLacksIsExplained() throws {
    let folder = try TemporaryFolder()
    let input = Tool.fixture("made/rgb16-dark.png")
    let outcome = try Tool.run(
      "equalize", input, "-o", folder.path("out.png"), "--rule", "opencv", "--device", "cpu", "--progress", "none")
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains(input) && outcome.errors.contains("takes no pictures of 16 bits"))
    #expect(outcome.errors.contains("; use the rule normalized-sum or libvips"))
    #expect(try folder.names() == [])
    let unknown = try Tool.run("equalize", input, "-o", folder.path("out.png"), "--rule", "opncv", "--device", "cpu")
    #expect(unknown.code == 64 && unknown.errors.contains("Please provide one of 'normalized-sum', 'opencv'"))
  }

  @Test func otherFramesAreDoneWithKeepGoing() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("broken/truncated.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out"),
      "--device", "cpu", "--keep-going")
    #expect(outcome.code == 65)
    #expect(try folder.names("out") == ["haze.png"])
  }

  @Test func withoutKeepGoingTheRunEnds() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("broken/truncated.png"), Tool.fixture("dark-room"), "-o", folder.path("out"),
      "--device", "cpu", "--in-flight", "1")
    #expect(outcome.code == 65)
    #expect(try folder.names("out") == [])
    #expect(outcome.errors.contains("24 not begun"))
  }

  @Test func anOutputThatCannotBeMadeIsNamed() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appending(path: "file"))
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("file/out"), "--device", "cpu", "--progress", "none")
    #expect(outcome.code == 73)
    #expect(outcome.errors.contains("\(folder.path("file")): it is a file"))
  }

  /// A limit on the size of files fails writes half-way, as a full disk does.
  @Test func aDiskThatFillsUpLeavesNoPartialFile() throws {
    let folder = try TemporaryFolder()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c", "ulimit -f 8; exec \"$@\"", "bash", Tool.executable.path, "equalize", Tool.fixture("haze/haze.png"), "-o",
      folder.path("out"), "--device", "cpu", "--progress", "none",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains("haze.png"))
    #expect(try folder.names("out") == [])
  }

  /// An é may be one character of Unicode or two, and both look alike.
  @Test func namesThatOnlyLookAlikeAreToldApart() throws {
    let folder = try TemporaryFolder()
    for name in ["caf\u{e9}.png", "cafe\u{301}.png"] {
      try Data(contentsOf: URL(filePath: Tool.fixture("haze/haze.png"))).write(to: URL(filePath: folder.path(name)))
    }
    let clash = try Tool.run("equalize", folder.path, "-o", folder.path("out"))
    #expect(clash.code == 64 && clash.errors.contains("how Unicode encodes them (NFC or NFD)"), "\(clash)")
    #expect(clash.errors.contains("rename one of them"), "\(clash)")
  }

  @Test func twoInputsForOneOutputAreRefusedBeforeAnyWork() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("made/metadata.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out.png"))
    #expect(outcome.code == 64)
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: folder.path("haze.png"))
    let clash = try Tool.run(
      "equalize", folder.path("haze.png"), Tool.fixture("haze/haze.png"), "-o", folder.path("out"))
    #expect(clash.code == 64)
    #expect(clash.errors.contains(folder.path("haze.png")) && clash.errors.contains(Tool.fixture("haze/haze.png")))
    #expect(try folder.names() == ["haze.png"])
  }

  /// Neither a plot nor a contact sheet may take the place of a frame.
  @Test func aFileBesideTheFramesReplacesNone() throws {
    let folder = try TemporaryFolder()
    let picture = folder.path("picture.png")
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: picture)
    let plot = try Tool.run("histogram", picture, "-o", picture, "--device", "cpu")
    #expect(plot.code == 64)
    #expect(plot.errors.contains("would replace the frame"))
    for sheet in [picture, folder.path("out.png")] {
      let outcome = try Tool.run(
        "equalize", picture, "-o", folder.path("out.png"), "--contact-sheet", sheet, "--device", "cpu")
      #expect(outcome.code == 64)
    }
    #expect(FileManager.default.contentsEqual(atPath: picture, andPath: Tool.fixture("haze/haze.png")))
    #expect(try folder.names() == ["picture.png"])
  }

  @Test func aPictureThatClaimsTooMuchIsRefused() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "cpu", "--max-pixels", "262143",
      "--progress", "none")
    #expect(outcome.code == 65)
    #expect(outcome.errors.contains("--max-pixels"))
  }

  @Test func anUnknownFilterNamesTheNearest() throws {
    let folder = try TemporaryFolder()
    let input = Tool.fixture("haze/haze.png")
    let filter = try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "equalise")
    #expect(filter.code == 64)
    #expect(filter.errors.contains("equalize"))
    let parameter = try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "saturation=amuont=2")
    #expect(parameter.code == 64)
    #expect(parameter.errors.contains("amount"))
    let value = try Tool.run("process", input, "-o", folder.path("out.png"), "--filter", "saturation=amount=9")
    #expect(value.code == 64)
    #expect(value.errors.contains("0 to 4"))
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
