import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// What is said is true.
@Suite struct MessageTests {
  private let folder = TemporaryFolder()

  /// Nothing is done without a verb: the help is no data then.
  @Test(arguments: ["", "golden", "submit"]) func aVerbIsNeeded(_ group: String) throws {
    try folder.shell("safelight \(group)", code: 64).prints(only: "").says("USAGE: safelight \(group)")
    let help = try folder.shell("safelight \(group) --help").says(only: "")
    #expect(help.output.contains("USAGE: safelight \(group)"))
  }

  /// A circle of links is closed to the superuser too.
  @Test(arguments: ["round/*.png", "round/*/a?.png"])
  func aFolderThatCannotBeReadIsNoEmptyFolder(_ pattern: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path("round"), withDestinationPath: "round")
    try Tool.run("equalize", folder.path(pattern), "-o", folder.path("out"), "--device", "cpu")
      .ends(66).says("\(folder.path("round")): cannot be read: Too many levels of symbolic links")
    try folder.safelight("equalize '*.png' -o out", code: 66).says("no .png file matches")
    try folder.safelight("equalize 'none/*.png' -o out", code: 66).says("no .png file matches")
  }

  /// Nor is one of several folders in which a pattern is searched for; a link that leads nowhere is none.
  @Test func oneClosedFolderAmongOthersIsTold() throws {
    try folder.make("all/a")
    try folder.copy(Tool.fixture("haze/haze.png"), to: "all/a/f1.png")
    try folder.copy(Tool.fixture("haze/haze.png"), to: "all/b.png")
    try folder.shell("ln -s nowhere all/c; safelight process 'all/*/*.png' -o out --device cpu")
    #expect(try folder.names("out") == ["f1.png"])
    try folder.shell("ln -s round all/round")
    try folder.safelight("process 'all/*/*.png' -o out", code: 66)
      .says("all/round: cannot be read: Too many levels of symbolic links")
  }

  /// Nanoseconds since 1970 exceed 64 bits from the year 2262 on.
  @Test func timesFarAheadAreTimes() throws {
    try folder.make("in")
    try folder.copy(Tool.fixture("haze/haze.png"), to: "in/a.png")
    try folder.shell(
      """
      touch -d 2300-01-01 in/a.png in; safelight process in -o out --filter passthrough --device cpu
      touch -d 2300-01-01 out/a.png; safelight process in -o out --filter passthrough --existing verify --device cpu
      safelight compare in out
      """)
  }

  @Test(.enabled(if: geteuid() != 0), arguments: [0o000, 0o444, 0o111])
  func aClosedFolderIsNoEmptyFolder(_ permissions: Int) throws {
    try folder.make("closed")
    try folder.copy(Tool.fixture("haze/haze.png"), to: "closed/a.png")
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.path("closed"))
    let outcome = try Tool.run("equalize", folder.path("closed/*.png"), "-o", folder.path("out"), "--device", "cpu")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("closed"))
    #expect(outcome.code == 66)
    #expect(outcome.errors.contains("closed: cannot be read: Permission denied"), "\(outcome.errors)")
  }

  @Test(arguments: ["n%d.mp4", "n%04d.y4m", "n%d/film.mkv"])
  func aFilmIsNoPattern(_ name: String) throws {
    try Tool.run("equalize", Tool.fixture("dark-room"), "-o", folder.path(name), "--device", "cpu")
      .ends(64).says("a film is one file, but a name with % stands for many")
    #expect(try folder.names() == [])
  }

  @Test func theEndOfAFailedRunCountsAllFrames() throws {
    let inputs = "\(Tool.haze) \(Tool.word("broken/text.png")) \(Tool.darkRoom)"
    let outcome = try folder.safelight("equalize \(inputs) -o out --jobs 1 --in-flight 1", code: 65)
    let names = try folder.names("out").count
    outcome.says(
      "safelight: \(names) of 26 frames, \(names * 100 / 26) %, ", "; 1 failed; \(25 - names) not begun")
  }

  /// A count stands behind the file that it counts with, and not behind the filter.
  @Test func filesThatFailAlikeAreCountedByTheirNames() throws {
    try folder.make("in")
    let deep = SyntheticImage.noise.image(Size(8, 8), channels: .gray, depth: .bits16)
    for name in ["a.png", "b.png", "c.png"] { try folder.write(deep, to: "in/\(name)") }
    try folder.safelight("equalize in -o out --rule opencv --keep-going", code: 65)
      .says("in/a.png and 2 more: equalization rule 'opencv': it is OpenCV's equalizeHist")
  }

  /// The statistics of 16 bits are those of the samples, and not of groups of 256 of them.
  @Test func statisticsOnAPlotAreExact() throws {
    var flat = SyntheticImage.flat.image(Size(8, 8), channels: .gray, depth: .bits16)
    for pixel in 0..<64 { flat[x: pixel % 8, y: pixel / 8, sample: 0] = 1000 }
    try folder.write(flat, to: "flat.png")
    try folder.safelight("histogram flat.png -o flat.svg --filter passthrough")
    let plot = try folder.text("flat.svg")
    #expect(plot.contains("1000") && plot.contains("1000–1000"), "\(plot)")
  }

  @Test(arguments: [("12.5", "F25:2"), ("24.0", "F24:1"), ("0.5", "F1:2"), ("119.88", "F120000:1001")])
  func decimalFrameRates(_ rate: String, _ mark: String) throws {
    try folder.safelight("process \(Tool.haze) -o o.y4m --frame-rate '\(rate)'")
    let header = String(decoding: try folder.bytes("o.y4m").prefix { $0 != 10 }, as: UTF8.self)
    #expect(header.hasPrefix("YUV4MPEG2 ") && header.contains(" \(mark) "), "\(header)")
  }

  /// A parameter that has no effect is refused, not ignored.
  @Test(arguments: ["cut=0.1", "rate=30"]) func parametersOfSmoothingNeedIt(_ parameter: String) throws {
    let line = "process \(Tool.word("haze")) -o o --filter equalize=\(parameter)"
    try folder.safelight(line, code: 64).says("equalize=\(parameter): it is for a table of several frames")
    try folder.safelight("\(line):smooth=2")
  }

  /// The example that an error gives is accepted.
  @Test func theExampleForASizeIsOne() throws {
    let line = "process \(Tool.haze) -o o.png --filter"
    let outcome = try folder.safelight("\(line) resize=320x240", code: 64)
    let example = try #require(outcome.errors.firstMatch(of: #/for example, (resize=width=[0-9]+)/#)?.1)
    try folder.safelight("\(line) \(example)")
  }

  /// `lut` clamps the entries of a cube before it mixes them, and counts those outside 0 to 1. The entries of a table
  /// it mixes first.
  @Test func entriesThatAreCutAreCounted() throws {
    let frame = Tool.word("dark-room/frame0001.png")
    let corners = ["-0.1 0 0", "1 0 0", "0 1 0", "1 1.2 0", "0 0 1", "1 0 1", "0 1 1", "1 1 1"].joined(separator: "\n")
    try Data("LUT_3D_SIZE 2\n\(corners)\n".utf8).write(to: URL(filePath: folder.path("out.cube")))
    try Data("LUT_1D_SIZE 2\n-0.1 0 0\n1 1.2 1\n".utf8).write(to: URL(filePath: folder.path("line.cube")))
    try folder.safelight("process \(frame) -o o.png --filter lut=out.cube --progress none")
      .says("out.cube: 2 entries of its cube lie outside 0 to 1 and are cut")
    let table = try folder.safelight("process \(frame) -o p.png --filter lut=line.cube --progress none")
    #expect(!table.errors.contains("outside"), "\(table.errors)")
  }

  /// Skipped frames are told apart, and are none that were to be made.
  @Test func theEndOfAWholeRunIsAllOfIt() throws {
    try folder.safelight("equalize \(Tool.darkRoom) -o out --frames 1-3")
    try folder.safelight("equalize \(Tool.darkRoom) -o out --existing skip")
      .says("safelight: 21 of 21 frames, 100 %, ", "; 3 skipped")
  }
}
