import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `safelight golden`: exit codes, texts, and changes that survive what ends the process.
@Suite struct GoldenTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws { sandbox = try GoldenSandbox() }

  @Test func theWholeWay() throws {
    #expect(try sandbox.golden("verify").code == 66)
    try sandbox.golden("record", "--made", "the test", "--device", "none")
      .ends(0).prints(last: "3 recorded, 0 were there\n")
      .says(only: "Not checked: repeatability. Render again and pass --again FOLDER.\n")
    #expect(try sandbox.golden("record").code == 66)
    try sandbox.golden("verify", "--expect", "3").ends(0)
      .prints(only: "3 compared: 3 exact, 0 within, 0 differ; 0 missing, 0 extra; canary ok\n")

    try sandbox.make("out/shot2", 9)
    try sandbox.golden("verify").ends(1).prints("shot2: 1 of 240 pixels differs, at (4, 4). To allow it: max<=7")
    try sandbox.golden("verify", "--tolerance", "max<=7").ends(0).prints("1 within")
    #expect(try sandbox.golden("approve").code == 64)
    try sandbox.golden("approve", "--reason", "brighter on purpose")
      .ends(0).prints("approved  shot2: 1 of 240 pixels differs, ")
    #expect(try sandbox.golden("verify").code == 0)
    #expect(try sandbox.golden("approve", "--reason", "again").code == 66)
    #expect(try sandbox.golden("status").output == "3 goldens: all sound\n")
  }

  /// What nobody can have meant to prove.
  @Test func aSideIsNotComparedWithItself() throws {
    try sandbox.recorded()
    try folder.shell("safelight golden verify goldens goldens", code: 65).prints("it is the golden itself")
    try sandbox.make("out/shot4", 4)
    try sandbox.golden("record", "--again", folder.path("out/../out")).ends(64).says("it is no second picture")
    try sandbox.golden("verify", "--report", folder.path("golden.json")).ends(64).says("the list of goldens")
  }

  @Test func theExpectedNumberIsInTheRecordAndInReports() throws {
    try sandbox.recorded()
    try sandbox.golden("verify", "--expect", "4", "--format", "json", "--report", folder.path("r.xml"))
      .ends(3).prints("\"passes\" : false")
    #expect(try folder.text("r.xml").contains("3 were made, 4 expected"))
    try sandbox.golden("verify", "--expect", "4").ends(3).says("3 pictures were compared, but 4 were expected")
    #expect(try sandbox.golden("verify", "--expect", "3").code == 0)
  }

  @Test func whatWouldNeverBeComparedIsRefused() throws {
    try sandbox.recorded()
    try folder.copy(folder.path("out/shot1.png"), to: "out/new.PNG")
    try sandbox.golden("verify").ends(65).says("new.PNG")
  }

  @Test func whatIsMissingExtraOrOfAnotherKindHasItsCode() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot4", 4)
    #expect(try sandbox.golden("verify").code == 3)
    try folder.remove("out/shot4.png")
    try folder.remove("out/shot3.png")
    try sandbox.golden("verify").ends(3).prints("missing       shot3")
    try sandbox.make("out/shot3", 3, Size(20, 13))
    try sandbox.golden("verify")
      .ends(4).prints("incomparable  shot3: ", "size: the golden has 20×12, the picture 20×13")
      .prints("2 compared: 2 exact, 0 within, 0 differ; 0 missing, 0 extra; 1 not comparable")
    try folder.write("no picture", to: "goldens/shot1.png")
    #expect(try sandbox.golden("verify").code == 65)
    #expect(try sandbox.golden("status").code == 65)
    try folder.remove("goldens/golden.json")
    try sandbox.golden("verify").ends(65).says("golden.json")
    #expect(try sandbox.golden("verify", "--tolerance", "maxx<=1").code == 64)
  }

  @Test func verifyLeavesTheGoldensByteForByte() throws {
    try sandbox.recorded()
    func tree() throws -> [String: [UInt8]] {
      try Dictionary(uniqueKeysWithValues: folder.names("goldens").map { ($0, try folder.bytes("goldens/\($0)")) })
    }
    let before = try tree()
    try sandbox.make("out/shot1", 8)
    try sandbox.make("out/shot2", 2, Size(9, 9))
    try folder.remove("out/shot3.png")
    try sandbox.make("out/shot4", 4)
    for report in ["report.html", "report.json", "report.xml"] {
      #expect(try sandbox.golden("verify", "--report", folder.path(report)).code == 4)
      let text = try folder.text(report)
      #expect(text.contains("shot1"))
      // FLIP's heat of what differs; nothing else can have any.
      #expect(text.components(separatedBy: "-flip\"").count == (report == "report.html" ? 2 : 1))
    }
    for report in ["goldens/report.html", "goldens/../goldens/report.json", "report.txt"] {
      #expect(try sandbox.golden("verify", "--report", folder.path(report)).code == 64, "\(report)")
    }
    #expect(try tree() == before)
    #expect(before.count == 4)
  }

  @Test func whatIsBlankOrNotRepeatableIsRefused() throws {
    try sandbox.write("out/blank", SyntheticImage.flat.image(Size(9, 9), channels: .rgb, depth: .bits8))
    try sandbox.golden("record").ends(65).says("blank: every pixel is the same")
    #expect(try sandbox.golden("approve", "blank", "--reason", "a clear screen").code == 0)
    for number in 1...3 { try sandbox.make("again/shot\(number)", number == 2 ? 5 : number) }
    try folder.copy(folder.path("out/blank.png"), to: "again/blank.png")
    try sandbox.golden("record", "--again", folder.path("again")).ends(1).says("shot2: a second run made other pixels")
    #expect(try sandbox.golden("status").output == "1 goldens: all sound\n")
  }

  @Test func variantsAndMasksAreSaid() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 90)
    try sandbox.golden("approve", "shot1", "--variant", "software", "--reason", "rounds down")
      .ends(0).prints("approved  shot1 for software: 1 of 240 pixels differs")
    #expect(try sandbox.golden("verify", "--variant", "software").code == 0)
    #expect(try sandbox.golden("verify").code == 1)
    try sandbox.golden("verify", "--variant", "hardware").ends(1).says("no golden has a variant hardware")
    try sandbox.make("out/shot1", 91)
    let text = try sandbox.golden("verify", "--variant", "software").output
    #expect(text.contains("differs       shot1, variant software (rounds down): 1 of 240 pixels differs, "), "\(text)")
    try sandbox.golden("approve", "shot2", "--mask", "4,4,1,1", "--reason", "the clock")
      .ends(0).prints("masked: 0.42 % of the pixels")
    #expect(try sandbox.golden("verify").output.hasSuffix("; 1 masked, up to 0.42 %; canary ok\n"))
    // A tolerance that limits averages alone lets small damage pass, and the last line says so: once, although the
    // golden with a mask and the others send a canary each.
    let blind = try sandbox.golden("verify", "--tolerance", "mean<=20").ends(0)
      .prints("canary ok, but “mean<=20” is blind to ").output
    #expect(blind.components(separatedBy: "is blind to").count == 2, "\(blind)")
  }

  @Test func aVariantThatNobodyNeedsIsStale() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 90)
    #expect(try sandbox.golden("approve", "shot1", "--variant", "software", "--reason", "rounds down").code == 0)
    #expect(try sandbox.golden("status").output.contains("all sound"))
    let run = try sandbox.golden("verify", "--format", "json")
    try folder.write(run.output, to: "run.json")
    try sandbox.golden("status", "--run", folder.path("run.json"))
      .ends(0).prints("stale", "shot1@software.png: the run did not compare with it")
    let used = try sandbox.golden("verify", "--variant", "software", "--format", "json")
    try folder.write(used.output, to: "run.json")
    #expect(try !sandbox.golden("status", "--run", folder.path("run.json")).output.contains("stale"))
    #expect(try sandbox.golden("approve", "shot1", "--reason", "all round down").code == 0)
    try sandbox.golden("status").ends(0).prints("shot1@software.png: it has the pixels of the default")
  }

  @Test func statusReadsTheRecordOfARun() throws {
    try sandbox.recorded()
    try folder.remove("out/shot3.png")
    let run = try sandbox.golden("verify", "--format", "json").ends(3)
    try folder.write(run.output, to: "run.json")
    try sandbox.golden("status", "--run", folder.path("run.json"), "--format", "json").ends(0).prints("\"unused\"")
    #expect(try sandbox.golden("status", "--run", folder.path("goldens/golden.json")).code == 65)
  }

  /// However an approval ends, the goldens are those before or those after it, and the next one works.
  @Test func anApprovalSurvivesKillNine() throws {
    for number in 1...40 { try sandbox.make("out/many/shot\(number)", 100 + number) }
    try sandbox.recorded()
    try folder.copy(folder.path("out"), to: "one")
    for number in 1...40 { try sandbox.make("out/many/shot\(number)", 200 + number) }
    try folder.copy(folder.path("out"), to: "two")
    var (before, after) = (0, 0)
    // About half of what such a command takes here and now.
    let start = ContinuousClock.now
    _ = try Tool.run("golden", "verify", folder.path("goldens"), folder.path("one"))
    var wait = UInt32((ContinuousClock.now - start) / .microseconds(2))
    for round in 0..<30 {
      let (goal, source) = round % 2 == 0 ? ("two", "one") : ("one", "two")
      let arguments = ["golden", "approve", folder.path("goldens"), folder.path(goal), "--reason", "round \(round)"]
      let outcome = try Tool.run(arguments, until: SIGKILL) {
        usleep(wait)
        return true
      }
      func holds(_ name: String) throws -> Bool {
        try Tool.run("golden", "verify", folder.path("goldens"), folder.path(name)).code == 0
      }
      let (isNew, isOld) = (try holds(goal), try holds(source))
      #expect(isNew != isOld, "round \(round), killed after \(wait) µs: \(outcome)")
      // Closer to the moment at which it happens.
      wait = isNew ? wait * 9 / 10 : wait * 5 / 4
      if isNew { after += 1 } else { before += 1 }
      // The next round starts from where this one wanted to go.
      if isOld { #expect(try Tool.run(arguments).code == 0) }
    }
    #expect(before > 0 && after > 0, "\(before) before, \(after) after")
    #expect(try sandbox.golden("status").code == 0)
  }

  @Test func aRunOfSomeGoldensSaysNothingOfTheOthers() throws {
    try sandbox.recorded()
    let some = try sandbox.golden("verify", "shot1", "--format", "json").output
    try folder.write(some, to: "run.json")
    let status = try sandbox.golden("status", "--run", folder.path("run.json"))
    let others = try folder.names("goldens").count { $0.hasSuffix(".png") } - 1
    #expect(status.output.contains("The run was not asked for \(others) of them"), "\(status)")
    let all = try sandbox.golden("verify", "--format", "json").output
    try folder.write(all, to: "run.json")
    #expect(try !sandbox.golden("status", "--run", folder.path("run.json")).output.contains("not asked for"))
    try folder.write(all.replacing("\"name\" : \"shot", with: "\"name\" : \"other"), to: "run.json")
    try sandbox.golden("status", "--run", folder.path("run.json")).ends(64).says("it records a run of another folder")
  }

  /// Pixels that stay were made as they were.
  @Test func anotherToleranceKeepsHowPixelsWereMade() throws {
    #expect(try sandbox.golden("record", "--made", "render.py", "--device", "gpu0").code == 0)
    #expect(try sandbox.golden("approve", "shot1", "--tolerance", "max<=1", "--reason", "driver").code == 0)
    let kept = try folder.text("goldens/golden.json")
    #expect(kept.components(separatedBy: "render.py").count == 4 && kept.contains("driver"), "\(kept)")
    try sandbox.make("out/shot1", 9)
    #expect(try sandbox.golden("approve", "shot1", "--reason", "new").code == 0)
    #expect(try folder.text("goldens/golden.json").components(separatedBy: "render.py").count == 3)
  }

  @Test func anotherSizeSaysWhichVariantsStandInItsWay() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 9)
    #expect(try sandbox.golden("approve", "shot1", "--variant", "llvmpipe", "--reason", "driver").code == 0)
    try sandbox.make("out/shot1", 9, Size(24, 12))
    let command = "safelight golden remove \(folder.path("goldens")) shot1 --variant llvmpipe"
    try sandbox.golden("approve", "shot1", "--reason", "wider").ends(4).says(command)
    try folder.shell(command)
    #expect(try sandbox.golden("approve", "shot1", "--reason", "wider").code == 0)
  }
}
