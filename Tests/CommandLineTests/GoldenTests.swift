import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `safelight golden`: exit codes, texts, and changes that survive what ends the process.
@Suite struct GoldenTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws { sandbox = try GoldenSandbox() }

  @Test func theWholeWay() throws {
    #expect(try sandbox.golden("verify").code == 66)
    let record = try sandbox.golden("record", "--made", "the test", "--device", "none")
    #expect(record.code == 0 && record.output.hasSuffix("3 recorded, 0 were there\n"), "\(record)")
    #expect(record.errors == "Not checked: repeatability. Render again and pass --again FOLDER.\n", "\(record)")
    #expect(try sandbox.golden("record").code == 66)
    let exact = try sandbox.golden("verify", "--expect", "3")
    #expect(exact.code == 0, "\(exact)")
    #expect(exact.output == "3 compared: 3 exact, 0 within, 0 differ; 0 missing, 0 extra; canary ok\n")

    try sandbox.make("out/shot2", 9)
    let differs = try sandbox.golden("verify")
    #expect(
      differs.code == 1 && differs.output.contains("shot2: 1 of 240 pixels differs, at (4, 4). To allow it: max<=7"),
      "\(differs)")
    let within = try sandbox.golden("verify", "--tolerance", "max<=7")
    #expect(within.code == 0 && within.output.contains("1 within"), "\(within)")
    #expect(try sandbox.golden("approve").code == 64)
    let approve = try sandbox.golden("approve", "--reason", "brighter on purpose")
    #expect(approve.code == 0 && approve.output.contains("approved  shot2: 1 of 240 pixels differs, "), "\(approve)")
    #expect(try sandbox.golden("verify").code == 0)
    #expect(try sandbox.golden("approve", "--reason", "again").code == 66)
    #expect(try sandbox.golden("status").output == "3 goldens: all sound\n")
  }

  /// A tolerance that limits averages alone lets small damage pass; whoever reads the last line is told so.
  @Test func aBlindToleranceIsSaidToBeSo() throws {
    try sandbox.recorded()
    let blind = try sandbox.golden("verify", "--tolerance", "mean<=20")
    #expect(blind.code == 0 && blind.output.contains("canary ok, but “mean<=20” is blind to "), "\(blind)")
    #expect(try sandbox.golden("verify").output.hasSuffix("canary ok\n"))
  }

  /// What nobody can have meant to prove.
  @Test func aSideIsNotComparedWithItself() throws {
    try sandbox.recorded()
    let itself = try Tool.run("golden", "verify", folder.path("goldens"), folder.path("goldens"))
    #expect(itself.code == 65 && itself.output.contains("it is the golden itself"), "\(itself)")
    try sandbox.make("out/shot4", 4)
    let again = try sandbox.golden("record", "--again", folder.path("out/../out"))
    #expect(again.code == 64 && again.errors.contains("it is no second picture"), "\(again)")
    let report = try sandbox.golden("verify", "--report", folder.path("golden.json"))
    #expect(report.code == 64 && report.errors.contains("the list of goldens"), "\(report)")
  }

  @Test func theExpectedNumberIsInTheRecordAndInReports() throws {
    try sandbox.recorded()
    let outcome = try sandbox.golden("verify", "--expect", "4", "--format", "json", "--report", folder.path("r.xml"))
    #expect(outcome.code == 3 && outcome.output.contains("\"passes\" : false"), "\(outcome)")
    #expect(try folder.text("r.xml").contains("3 were made, 4 expected"))
    #expect(try sandbox.golden("verify", "--expect", "3").code == 0)
  }

  @Test func whatWouldNeverBeComparedIsRefused() throws {
    try sandbox.recorded()
    try FileManager.default.copyItem(atPath: folder.path("out/shot1.png"), toPath: folder.path("out/new.PNG"))
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 65 && outcome.errors.contains("new.PNG"), "\(outcome)")
  }

  @Test func aMisspeltFolderIsNotMade() throws {
    let outcome = try Tool.run(
      "golden", "approve", folder.path("gloden"), folder.path("out"), "--reason", "seen")
    #expect(outcome.code != 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("gloden")))
  }

  @Test func whatIsMissingExtraOrOfAnotherKindHasItsCode() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot4", 4)
    #expect(try sandbox.golden("verify").code == 3)
    try FileManager.default.removeItem(atPath: folder.path("out/shot4.png"))
    try FileManager.default.removeItem(atPath: folder.path("out/shot3.png"))
    let missing = try sandbox.golden("verify")
    #expect(missing.code == 3 && missing.output.contains("missing       shot3"), "\(missing)")
    try sandbox.make("out/shot3", 3, Size(20, 13))
    let incomparable = try sandbox.golden("verify")
    #expect(incomparable.code == 4 && incomparable.output.contains("size: the golden has 20×12, the picture 20×13"))
    try Data("no picture".utf8).write(to: URL(filePath: folder.path("goldens/shot1.png")))
    #expect(try sandbox.golden("verify").code == 65)
    #expect(try sandbox.golden("status").code == 65)
    try FileManager.default.removeItem(atPath: folder.path("goldens/golden.json"))
    let bare = try sandbox.golden("verify")
    #expect(bare.code == 65 && bare.errors.contains("golden.json"), "\(bare)")
    #expect(try sandbox.golden("verify", "--tolerance", "maxx<=1").code == 64)
  }

  @Test func theExpectedNumberIsHeld() throws {
    try sandbox.recorded()
    let outcome = try sandbox.golden("verify", "--expect", "4")
    #expect(outcome.code == 3 && outcome.errors.contains("3 pictures were compared, but 4 were expected"))
  }

  /// A tolerance that lets damage pass proves nothing, whatever it says of the pictures.
  @Test func anUnsoundRunFails() throws {
    try sandbox.recorded()
    let outcome = try sandbox.golden("verify", "--tolerance", "bias<=60")
    #expect(outcome.code == 1 && outcome.output.hasSuffix("; “bias<=60” proves nothing\n"), "\(outcome)")
  }

  @Test func verifyLeavesTheGoldensByteForByte() throws {
    try sandbox.recorded()
    func tree() throws -> [String: Data] {
      try Dictionary(
        uniqueKeysWithValues: folder.names("goldens").map { name in
          (name, try Data(contentsOf: URL(filePath: folder.path("goldens/\(name)"))))
        })
    }
    let before = try tree()
    try sandbox.make("out/shot1", 8)
    try sandbox.make("out/shot2", 2, Size(9, 9))
    try FileManager.default.removeItem(atPath: folder.path("out/shot3.png"))
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

  @Test func recordingIsRefusedOnContinuousIntegration() throws {
    let outcome = try sandbox.golden("record", environment: ["CI": "true"])
    #expect(outcome.code == 64 && outcome.errors.contains("CI is set"), "\(outcome)")
    #expect(try folder.names() == ["out"])
  }

  @Test func whatIsBlankOrNotRepeatableIsRefused() throws {
    let flat = SyntheticImage.flat.image(Size(9, 9), channels: .rgb, depth: .bits8)
    try PNGFile(image: flat).write(to: folder.path("out/blank.png"))
    let blank = try sandbox.golden("record")
    #expect(blank.code == 65 && blank.errors.contains("blank: every pixel is the same"), "\(blank)")
    #expect(try sandbox.golden("approve", "blank", "--reason", "a clear screen").code == 0)
    for number in 1...3 { try sandbox.make("again/shot\(number)", number == 2 ? 5 : number) }
    try FileManager.default.copyItem(atPath: folder.path("out/blank.png"), toPath: folder.path("again/blank.png"))
    let other = try sandbox.golden("record", "--again", folder.path("again"))
    #expect(other.code == 1 && other.errors.contains("shot2: a second run made other pixels"), "\(other)")
    #expect(try sandbox.golden("status").output == "1 goldens: all sound\n")
  }

  @Test func variantsAndMasksAreSaid() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 90)
    let variant = try sandbox.golden("approve", "shot1", "--variant", "software", "--reason", "rounds down")
    #expect(
      variant.code == 0 && variant.output.contains("approved  shot1 for software: 1 of 240 pixels differs"),
      "\(variant)")
    #expect(try sandbox.golden("verify", "--variant", "software").code == 0)
    #expect(try sandbox.golden("verify").code == 1)
    let other = try sandbox.golden("verify", "--variant", "hardware")
    #expect(other.code == 1 && other.errors.contains("no golden has a variant hardware"))
    try sandbox.make("out/shot1", 91)
    let text = try sandbox.golden("verify", "--variant", "software").output
    #expect(text.contains("differs       shot1, variant software (rounds down): 1 of 240 pixels differs, "), "\(text)")
    let mask = try sandbox.golden("approve", "shot2", "--mask", "4,4,1,1", "--reason", "the clock")
    #expect(mask.code == 0 && mask.output.contains("masked: 0.42 % of the pixels"), "\(mask)")
    #expect(try sandbox.golden("verify").output.hasSuffix("; 1 masked, up to 0.42 %; canary ok\n"))
    // The golden with a mask and the others send a canary each, and what both are blind to is said once.
    let blind = try sandbox.golden("verify", "--tolerance", "mean<=20").output
    #expect(blind.components(separatedBy: "is blind to").count == 2, "\(blind)")
  }

  @Test func aVariantThatNobodyNeedsIsStale() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 90)
    #expect(try sandbox.golden("approve", "shot1", "--variant", "software", "--reason", "rounds down").code == 0)
    #expect(try sandbox.golden("status").output.contains("all sound"))
    let run = try sandbox.golden("verify", "--format", "json")
    try sandbox.overwrite("run.json", Data(run.output.utf8))
    let unused = try sandbox.golden("status", "--run", folder.path("run.json"))
    #expect(unused.code == 0 && unused.output.contains("stale"), "\(unused)")
    #expect(unused.output.contains("shot1@software.png: the run did not compare with it"), "\(unused)")
    let used = try sandbox.golden("verify", "--variant", "software", "--format", "json")
    try sandbox.overwrite("run.json", Data(used.output.utf8))
    #expect(try !sandbox.golden("status", "--run", folder.path("run.json")).output.contains("stale"))
    #expect(try sandbox.golden("approve", "shot1", "--reason", "all round down").code == 0)
    let same = try sandbox.golden("status")
    #expect(
      same.code == 0 && same.output.contains("shot1@software.png: it has the pixels of the default"), "\(same)")
  }

  @Test func statusReadsTheRecordOfARun() throws {
    try sandbox.recorded()
    try FileManager.default.removeItem(atPath: folder.path("out/shot3.png"))
    let run = try sandbox.golden("verify", "--format", "json")
    #expect(run.code == 3)
    try Data(run.output.utf8).write(to: URL(filePath: folder.path("run.json")))
    let status = try sandbox.golden("status", "--run", folder.path("run.json"), "--format", "json")
    #expect(status.code == 0 && status.output.contains("\"unused\""), "\(status)")
    #expect(try sandbox.golden("status", "--run", folder.path("goldens/golden.json")).code == 65)
  }

  /// However an approval ends, the goldens are those before or those after it, and the next one works.
  @Test func anApprovalSurvivesKillNine() throws {
    for number in 1...40 { try sandbox.make("out/many/shot\(number)", 100 + number) }
    try sandbox.recorded()
    try FileManager.default.copyItem(atPath: folder.path("out"), toPath: folder.path("one"))
    for number in 1...40 { try sandbox.make("out/many/shot\(number)", 200 + number) }
    try FileManager.default.copyItem(atPath: folder.path("out"), toPath: folder.path("two"))
    var (before, after) = (0, 0)
    var wait: UInt32 = 5_000
    for round in 0..<30 {
      let (goal, source) = round % 2 == 0 ? ("two", "one") : ("one", "two")
      let (process, output, errors) = try Tool.start([
        "golden", "approve", folder.path("goldens"), folder.path(goal), "--reason", "round \(round)",
      ])
      usleep(wait)
      kill(process.processIdentifier, SIGKILL)
      let outcome = try Tool.end(process, output, errors)
      func holds(_ name: String) throws -> Bool {
        try Tool.run("golden", "verify", folder.path("goldens"), folder.path(name)).code == 0
      }
      let (isNew, isOld) = (try holds(goal), try holds(source))
      #expect(isNew != isOld, "round \(round), killed after \(wait) µs: \(outcome)")
      // Closer to the moment at which it happens.
      wait = isNew ? wait * 9 / 10 : wait * 5 / 4
      if isNew { after += 1 } else { before += 1 }
      // The next round starts from where this one wanted to go.
      if isOld {
        #expect(
          try Tool.run("golden", "approve", folder.path("goldens"), folder.path(goal), "--reason", "again").code == 0)
      }
    }
    #expect(before > 0 && after > 0, "\(before) before, \(after) after")
    #expect(try sandbox.golden("status").code == 0)
  }

  @Test func aRunOfSomeGoldensSaysNothingOfTheOthers() throws {
    try sandbox.recorded()
    let some = try sandbox.golden("verify", "shot1", "--format", "json").output
    try sandbox.overwrite("run.json", Data(some.utf8))
    let status = try sandbox.golden("status", "--run", folder.path("run.json"))
    let others = try folder.names("goldens").count { $0.hasSuffix(".png") } - 1
    #expect(status.output.contains("The run was not asked for \(others) of them"), "\(status)")
    let all = try sandbox.golden("verify", "--format", "json").output
    try sandbox.overwrite("run.json", Data(all.utf8))
    #expect(try !sandbox.golden("status", "--run", folder.path("run.json")).output.contains("not asked for"))
    try sandbox.overwrite("run.json", Data(all.replacing("\"name\" : \"shot", with: "\"name\" : \"other").utf8))
    let foreign = try sandbox.golden("status", "--run", folder.path("run.json"))
    #expect(foreign.code == 64 && foreign.errors.contains("it records a run of another folder"), "\(foreign)")
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
    let refused = try sandbox.golden("approve", "shot1", "--reason", "wider")
    let command = "safelight golden remove \(folder.path("goldens")) shot1 --variant llvmpipe"
    #expect(refused.code == 4 && refused.errors.contains(command), "\(refused)")
    try folder.shell(command)
    #expect(try sandbox.golden("approve", "shot1", "--reason", "wider").code == 0)
  }
}
