import Foundation
import SafelightImage
import TestSupport
import Testing

/// What `safelight golden verify` writes and lets pass if it is told to, and what it makes of renamed pictures.
@Suite struct GoldenVerifyOptionTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws {
    sandbox = try GoldenSandbox()
    try sandbox.make("out/inner/shot4", 4)
    try sandbox.recorded()
  }

  // MARK: --diff

  @Test func differencesAreCalledAsTheirGoldens() throws {
    try sandbox.make("out/shot1", 9)
    try sandbox.make("out/inner/shot4", 9)
    try sandbox.make("out/shot3", 3, Size(9, 9))
    try sandbox.golden("verify", "--diff", folder.path("diff/of/this")).ends(4)
    #expect(try folder.allNames("diff/of/this") == ["inner", "inner/shot4.png", "shot1.png"])
    // As compare draws it.
    try folder.shell("safelight compare goldens/shot1.png out/shot1.png --diff one.png", code: 1)
    #expect(try folder.bytes("one.png") == folder.bytes("diff/of/this/shot1.png"))
    // An old one would lie; what was not asked for stays.
    try sandbox.make("out/shot1", 1)
    #expect(try sandbox.golden("verify", "shot1", "--diff", folder.path("diff/of/this")).code == 0)
    #expect(try folder.allNames("diff/of/this") == ["inner", "inner/shot4.png"])
  }

  @Test(arguments: ["goldens", "goldens/diff", "link", "link/deeper", "out", "out/diff", "new/../goldens"])
  func differencesDoNotGoWhereTheyDoHarm(_ place: String) throws {
    try sandbox.make("out/shot1", 9)
    try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("goldens"))
    let before = try folder.allNames("goldens") + folder.allNames("out")
    try folder.shell("safelight golden verify goldens out --diff \(place)", code: 64).says("it lies among the ")
    #expect(try folder.allNames("goldens") + folder.allNames("out") == before)
  }

  /// A folder of the right name within the folder of differences may be a link.
  @Test func aLinkWithinTheFolderOfDifferencesIsSeen() throws {
    try folder.make("diff")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("diff/inner"), withDestinationPath: folder.path("goldens/inner"))
    try sandbox.golden("verify", "--diff", folder.path("diff")).ends(64).says("among the goldens")
  }

  // MARK: --allow-extra

  @Test func extraPicturesAreToldOfAndMayPass() throws {
    try sandbox.make("out/new", 8)
    // It is not even read.
    try sandbox.folder.write("no picture", to: "out/broken.png")
    #expect(try sandbox.golden("verify").code == 65)
    let report = folder.path("r.xml")
    try sandbox.golden("verify", "--allow-extra", "--report", report).ends(0).prints(
      "extra         new: no golden has this name, which is allowed",
      "4 exact, 0 within, 0 differ; 0 missing, 2 extra (2 allowed); canary ok")
    #expect(try folder.text("r.xml").contains(#"failures="0" errors="0" skipped="2""#))
    try sandbox.golden("verify", "--allow-extra", "--format", "json").prints(#""passes" : true"#, #""allowed" : true"#)
    // Else nothing else is.
    try folder.remove("out/shot1.png")
    #expect(try sandbox.golden("verify", "--allow-extra").code == 3)
  }

  /// A file of the goldens that nothing speaks of is no picture of the run.
  @Test func aFileWithoutARowStillFails() throws {
    try sandbox.make("goldens/stray", 8)
    try sandbox.golden("verify", "--allow-extra").ends(3).prints("no row for it")
  }

  @Test func nothingButExtraPicturesIsNothing() throws {
    for name in ["shot1", "shot2", "shot3"] { try folder.remove("out/\(name).png") }
    try sandbox.golden("verify", "--allow-extra", "inner/new").ends(66)
    try sandbox.make("out/inner/new", 9)
    try sandbox.golden("verify", "--allow-extra", "inner/new").ends(66).says("nothing was compared")
  }

  // MARK: Renamed pictures

  @Test func theSamePixelsUnderAnotherNameLookRenamed() throws {
    try folder.move("out/shot2.png", to: "out/inner/it's new.png")
    try sandbox.make("out/other", 77)
    let report = folder.path("r.xml")
    let outcome = try sandbox.golden("verify", "--report", report)
    let command = "safelight golden rename \(folder.path("goldens")) shot2 'inner/it'\\''s new'"
    #expect(outcome.code == 3, "\(outcome)")
    for status in ["missing", "extra  "] {
      let text =
        "\(status)       \(status == "missing" ? "shot2" : "inner/it's new"): looks renamed: shot2 → inner/it's new; \(command)\n"
      #expect(outcome.output.contains(text), "\(outcome)")
    }
    #expect(outcome.output.contains("extra         other: no golden has this name; record it"), "\(outcome)")
    #expect(try folder.text("r.xml").contains("looks renamed: shot2"))
    let run = try sandbox.golden("verify", "--format", "json").output
    #expect(run.contains(#""renamedTo" : "inner/it's new""#) && run.contains(#""renamedFrom" : "shot2""#), "\(run)")
    try folder.remove("out/other.png")
    // What it says is what helps.
    let line = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix("missing") })
    let start = try #require(line.range(of: "safelight golden")).lowerBound
    try folder.shell(String(line[start...]))
    #expect(try sandbox.golden("verify").code == 0)
  }

  /// Where pixels are the same more than once, nobody can tell.
  @Test func twoOfTheSamePixelsDoNotLookRenamed() throws {
    try folder.copy(folder.path("out/shot2.png"), to: "out/one.png")
    try folder.move("out/shot2.png", to: "out/two.png")
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 3 && !outcome.output.contains("looks renamed"), "\(outcome)")
  }

  @Test func aPictureBehindItsMaskIsFoundToo() throws {
    #expect(try sandbox.golden("approve", "shot2", "--mask", "4,4,1,1", "--reason", "the clock").code == 0)
    try folder.remove("out/shot2.png")
    try sandbox.make("out/clock", 50)
    try sandbox.golden("verify", "--allow-extra").ends(3).prints("looks renamed: shot2 → clock")
  }

  // MARK: Times

  @Test func everyCaseHasATime() throws {
    try sandbox.make("out/shot1", 9)
    let reports = ["r.xml", "r.json", "again.json"].map(folder.path)
    #expect(try sandbox.golden("verify", "--report", reports[0], "--report", reports[1]).code == 1)
    let text = try folder.text("r.xml")
    let times = text.matches(of: /<test(?:case|suite) [^>]* time="\d+\.\d{6}"/)
    #expect(times.count == 5, "\(text)")
    // What programs compare has none.
    #expect(try sandbox.golden("verify", "--report", reports[2]).code == 1)
    #expect(try folder.bytes("r.json") == folder.bytes("again.json"))
    try folder.shell("safelight compare 'goldens/*.png' 'out/*.png' --report c.xml", code: 1)
    #expect(try folder.text("c.xml").matches(of: /<testcase [^>]* time="\d+\.\d{6}"/).count == 3)
  }
}
