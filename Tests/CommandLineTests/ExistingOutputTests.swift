import Foundation
import TestSupport
import Testing

/// `--existing verify`: what is whole and was made of this input in this way stays, all else is made anew, and why is
/// said.
@Suite struct ExistingOutputTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.make("in")
    for number in 1...4 {
      try folder.copy(Tool.fixture("dark-room/frame000\(number).png"), to: "in/frame\(number).png")
    }
  }

  private func run(_ filter: String = "equalize", _ more: [String] = []) throws -> Tool.Outcome {
    try Tool.run(
      ["process", folder.path("in"), "-o", folder.path("out"), "--filter", filter, "--device", "cpu"] + more)
  }

  private func verify(_ filter: String = "equalize", _ more: String...) throws -> Tool.Outcome {
    try run(filter, ["--existing", "verify"] + more)
  }

  @Test func whatWasMadeOfAnotherNameIsNotTakenTurnsWith() throws {
    try folder.shell("mkdir a b; cp in/frame1.png a/x.png; cp in/frame2.png b/y.png")
    try folder.shell("safelight process a -o 'o/%04d.png' --device cpu")
    for existing in ["", "--existing skip", "--existing verify"] {
      try folder.shell("safelight process b -o 'o/%04d.png' \(existing) --device cpu", code: 73)
        .says("made it from x.png, and this run would make it from y.png")
    }
  }

  /// A folder or a pipe with the name of an output is no finished frame: skipping fails as overwriting does.
  @Test(arguments: ["mkdir", "mkfifo"]) func onlyFilesAreSkipped(_ make: String) throws {
    try folder.shell("mkdir out; \(make) out/frame2.png")
    for existing in ["skip", "verify", "overwrite"] {
      try folder.shell("safelight process in -o out --existing \(existing) --device cpu", code: 73)
        .says("out/frame2.png: ")
    }
  }

  @Test func filesThatLieInEachOthersPlaceAreMadeAnew() throws {
    let way = "safelight process in -o out --filter invert --device cpu"
    try folder.shell("\(way); cp out/frame1.png kept.png; cp out/frame2.png out/frame1.png")
    try folder.shell("\(way) --existing skip", code: 73).says("made it from frame2.png")
    try folder.shell("\(way) --existing verify").says("made from other input")
    try folder.shell("cmp out/frame1.png kept.png")
  }

  private func leavesAll(_ outcome: Tool.Outcome) -> Bool {
    outcome.code == 0 && outcome.errors.contains("nothing to do")
  }

  @Test func whatIsAsItWouldBeMadeIsLeftAlone() throws {
    #expect(try run().code == 0)
    let outcome = try verify()
    #expect(leavesAll(outcome) && outcome.errors.contains("every output exists, 4 skipped"), "\(outcome.errors)")
    // Spelled otherwise, and the same.
    #expect(try leavesAll(verify("equalize=channels=auto")))
  }

  @Test func damageChangedInputAndForeignFilesAreMadeAnew() throws {
    #expect(try run().code == 0)
    let made = try (1...4).map { try folder.bytes("out/frame\($0).png") }
    var damaged = made[0]
    damaged[damaged.count / 2] ^= 1
    try folder.write(damaged, to: "out/frame1.png")
    try folder.write(Array(made[1].dropLast(1)), to: "out/frame2.png")
    try folder.remove("out/frame3.png")
    try folder.copy(folder.path("in/frame3.png"), to: "out/frame3.png")
    try folder.remove("in/frame4.png")
    try folder.copy(folder.path("in/frame1.png"), to: "in/frame4.png")
    try verify().ends(0).says(
      "frame1.png: made anew", "checksum", "frame2.png: made anew", "truncated", "frame3.png: made anew",
      "does not say how it was made", "frame4.png: made anew: the existing file was made from other input")
    #expect(try (1...3).map { try folder.bytes("out/frame\($0).png") } == Array(made[..<3]))
    #expect(try folder.bytes("out/frame4.png") != made[3])
    #expect(try leavesAll(verify()))
  }

  /// The first at once, all others in one line with their count; the report has each.
  @Test func manyForOneReasonAreToldOnce() throws {
    #expect(try run().code == 0)
    let outcome = try verify("saturation=2", "--report", folder.path("r.json"), "--progress", "none")
    let lines = outcome.errors.split(separator: "\n").filter { $0.contains("made anew") }
    #expect(lines.count == 2 && lines[0].contains("frame1.png: made anew"), "\(outcome.errors)")
    #expect(lines.last?.contains("frame1.png and 3 more: made anew") == true, "\(outcome.errors)")
    let report = try folder.text("r.json")
    #expect(report.components(separatedBy: "made anew").count == 5)
    for number in 1...4 { try Data([1]).write(to: URL(filePath: folder.path("in/frame\(number).png"))) }
    let failed = try run("equalize", ["--keep-going", "--progress", "none"]).ends(65).says("frame1.png and 3 more: ")
    #expect(failed.errors.split(separator: "\n").count == 2, "\(failed.errors)")
  }

  @Test func otherFiltersTablesAndCompressionsAreSeen() throws {
    let table = folder.path("table.cube")
    func write(_ value: String) throws { try folder.write("LUT_1D_SIZE 2\n0 0 0\n1 1 \(value)\n", to: "table.cube") }
    try write("0.8")
    #expect(try run("lut=\(table)").code == 0)
    #expect(try leavesAll(verify("lut=\(table)")))
    // The same in another place.
    #expect(try leavesAll(verify("lut='data:,LUT_1D_SIZE 2%0A0 0 0%0A1 1 0.8%0A'")))
    try write("0.7")
    try verify("lut=\(table)").ends(0).says("other filters, other files that they read, or another compression")
    #expect(try verify("lut=\(table)", "--compression", "store").code == 0)
    #expect(try leavesAll(verify("lut=\(table)", "--compression", "store")))
    #expect(try verify("equalize").code == 0)
  }

  /// Of pictures and curves, and of what a kernel includes.
  @Test(arguments: [
    ("match=m.png", "cp in/frame2.png m.png", "cpu"), ("over=m.png", "cp in/frame2.png m.png", "cpu"),
    ("curves=file=c.acv", "printf '\\0\\1\\0\\1\\0\\2\\0\\0\\0\\0\\0\\377\\0\\377' >c.acv", "cpu"),
    ("shader=k.glsl", "echo 'uvec4 part(uvec4 p) { return p.gbra; }' >part.glsl", "software"),
  ])
  func changedFilesOfFiltersAreSeen(_ filter: String, _ change: String, _ device: String) throws {
    try folder.write("#include \"part.glsl\"\nuvec4 pointKernel(uvec4 p) { return part(p); }", to: "k.glsl")
    try folder.write("uvec4 part(uvec4 p) { return p; }", to: "part.glsl")
    try folder.copy(folder.path("in/frame1.png"), to: "m.png")
    try folder.copy(Tool.fixture("tables/film.acv"), to: "c.acv")
    let run = "safelight process in -o out --filter \(filter) --device \(device) --existing verify"
    try folder.shell(run)
    try folder.shell(run).says("4 skipped")
    try folder.shell(change)
    try folder.shell(run).says("other filters, other files that they read, or another compression")
  }

  /// What kept a frame from being read may pass: a file that was made without it must not vouch for it.
  @Test func filesMadeWithoutAFrameBeforeThemAreMadeAnew() throws {
    let smooth = "equalize=smooth=3"
    try folder.remove("in/frame2.png")
    try folder.copy(Tool.fixture("haze/haze.png"), to: "in/frame2.png")
    #expect(try run(smooth).code == 0)
    let whole = try (3...4).map { try folder.bytes("out/frame\($0).png") }
    try folder.remove("out")
    // The frames have 640×360 pixels, that one 512×512.
    try run(smooth, ["--keep-going", "--max-pixels", "240000"]).ends(65).says("is missing")
    try verify(smooth).ends(0).says("1 skipped")
    #expect(try (3...4).map { try folder.bytes("out/frame\($0).png") } == whole)
  }

  /// With a history a file depends on the frames before its own, too.
  @Test func framesBeforeCountWhereAChainRemembersThem() throws {
    let smooth = "equalize=smooth=2"
    #expect(try run(smooth).code == 0)
    #expect(try leavesAll(verify(smooth)))
    let whole = try folder.bytes("out/frame4.png")
    try folder.remove("in/frame2.png")
    try folder.copy(folder.path("in/frame1.png"), to: "in/frame2.png")
    try verify(smooth).ends(0).says("2 skipped")
    #expect(try folder.bytes("out/frame4.png") == whole)
    // One that was made on its own is not that of the sequence.
    let shard = try verify(smooth, "--frames", "2-4")
    #expect(leavesAll(shard), "\(shard.errors)")
  }
}
