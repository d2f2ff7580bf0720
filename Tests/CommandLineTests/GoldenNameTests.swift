import Foundation
import SafelightImage
import Testing

/// How goldens may be called on the command line, and which of them `verify` compares then.
@Suite struct GoldenNameTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws {
    sandbox = try GoldenSandbox()
    for number in 1...3 { try sandbox.remove("out/shot\(number).png") }
    for (seed, name) in ["blur/soft", "blur/hard", "tone/hard", "top"].enumerated() {
      try sandbox.make("out/\(name)", seed)
    }
    try sandbox.recorded()
  }

  @Test(arguments: ["soft", "soft.png", "blur/soft", "blur/soft.png", "./blur//soft"])
  func aNameMayBeShort(_ name: String) throws {
    try expectMeansSoft(name)
  }

  @Test(arguments: ["goldens/blur/soft.png", "out/blur/soft.png", "goldens/blur/soft"])
  func aNameMayBeAFile(_ name: String) throws {
    try expectMeansSoft(folder.path(name))
    let outcome = try folder.shell("safelight golden verify goldens ./out/ ./\(name)")
    #expect(outcome.output.hasPrefix("1 compared: 1 exact"), "\(outcome)")
  }

  private func expectMeansSoft(_ name: String) throws {
    let verify = try sandbox.golden("verify", name)
    #expect(verify.code == 0 && verify.output.hasPrefix("1 compared: 1 exact"), "\(verify)")
    let approve = try sandbox.golden("approve", name, "--reason", "seen")
    #expect(
      approve.code == 0 && approve.output.hasPrefix("approved  blur/soft: the same pixels\n1 approved"), "\(approve)")
  }

  @Test func statusTakesTheSameNames() throws {
    for name in ["soft", "blur/soft.png", folder.path("goldens/blur/soft.png")] {
      #expect(try sandbox.golden("status", name).output == "1 goldens: all sound\n", "\(name)")
    }
    try sandbox.remove("goldens/top.png")
    #expect(try sandbox.golden("status", "*").code == 3)
    #expect(try sandbox.golden("status", "blur/*").output == "2 goldens: all sound\n")
  }

  @Test(arguments: ["verify", "status", "approve", "remove"])
  func aNameThatMayBeSeveralListsThem(_ verb: String) throws {
    let outcome =
      verb == "approve" ? try sandbox.golden(verb, "hard.png", "--reason", "x") : try sandbox.golden(verb, "hard.png")
    #expect(outcome.code == 64, "\(outcome)")
    #expect(
      outcome.errors.contains("hard.png: it could be any of blur/hard, tone/hard; write one of these names"),
      "\(outcome)")
    #expect(try sandbox.golden("verify").output.hasPrefix("4 compared: 4 exact"))
  }

  /// Else it could not be named at all.
  @Test func theWholeNameGoesBeforeAPart() throws {
    try sandbox.make("out/hard", 9)
    #expect(try sandbox.golden("record").output.hasPrefix("recorded  hard\n1 recorded"))
    #expect(try sandbox.golden("status", "hard").output == "1 goldens: all sound\n")
    #expect(try sandbox.golden("verify", "hard").output.hasPrefix("1 compared: 1 exact"))
  }

  @Test(arguments: [
    ("sofft", "did you mean blur/soft?"), ("blur/sift.png", "did you mean blur/soft?"), ("x", "check the name"),
  ])
  func anUnknownNameNamesTheNearest(_ name: String, _ remedy: String) throws {
    for verb in ["verify", "status", "remove"] {
      let outcome = try sandbox.golden(verb, name)
      #expect(outcome.code == 66 && outcome.errors.contains("\(name): no golden"), "\(outcome)")
      #expect(outcome.errors.contains(remedy), "\(outcome)")
    }
  }

  // MARK: Some of them

  @Test(arguments: [
    ("blur/*", 2), ("blur/*.png", 2), ("hard*", 2), ("*", 4), ("*/*", 3), ("t?p", 1), ("[st]o*", 2),
  ])
  func aGlobMeansWhatItMatches(_ glob: String, _ count: Int) throws {
    let outcome = try sandbox.golden("verify", glob, "--expect", "\(count)")
    #expect(outcome.code == 0 && outcome.output.hasPrefix("\(count) compared: \(count) exact"), "\(outcome)")
  }

  @Test func aStarStandsForNoSlash() throws {
    try sandbox.make("out/blur/deep/x", 7)
    try sandbox.recorded()
    #expect(try sandbox.golden("verify", "blur/*", "--expect", "2").code == 0)
    #expect(try sandbox.golden("verify", "x*", "--expect", "1").code == 0)
  }

  @Test func aGlobThatMatchesNothingIsAnError() throws {
    for glob in ["blur/x*", "*/top"] {
      let outcome = try sandbox.golden("verify", "blur/soft", glob)
      #expect(
        outcome.code == 66 && outcome.errors.contains("\(glob): no golden and no picture matches it"), "\(outcome)")
      #expect(outcome.output == "")
    }
  }

  /// Cases of parameterized tests are called so.
  @Test func aNameMayHaveBrackets() throws {
    for seed in 1...2 { try sandbox.make("out/case[\(seed)]", seed) }
    try sandbox.recorded()
    #expect(try sandbox.golden("verify", "case[1]", "--expect", "1").code == 0)
  }

  @Test func whatWasNotAskedForIsNeitherMissingNorExtra() throws {
    try sandbox.remove("out/tone/hard.png")
    try sandbox.make("out/new", 8)
    try sandbox.make("goldens/stray", 8)
    #expect(try sandbox.golden("verify").code == 3)
    let some = try sandbox.golden("verify", "top", "blur/*", "soft", "--format", "json")
    #expect(
      some.code == 0 && some.output.contains("3 compared: 3 exact, 0 within, 0 differ; 0 missing, 0 extra"), "\(some)")
    let asked = try sandbox.golden("verify", "new", "tone/*")
    #expect(asked.code == 3 && asked.output.contains("1 missing, 1 extra"), "\(asked)")
    // Nor is it unused.
    try sandbox.overwrite("run.json", Data(some.output.utf8))
    let status = try sandbox.golden("status", "--run", folder.path("run.json"))
    #expect(!status.output.contains("unused"), "\(status)")
  }

  /// Only tolerances that are in use are put on trial.
  @Test func canariesAreThoseOfWhatIsCompared() throws {
    #expect(try sandbox.golden("approve", "top", "--tolerance", "mean<=20", "--reason", "loose").code == 0)
    #expect(try sandbox.golden("verify").output.contains("“mean<=20” is blind to"))
    #expect(try sandbox.golden("verify", "blur/*").output.hasSuffix("canary ok\n"))
  }

  // MARK: Names with an @

  @Test func anAtMayBePartOfAName() throws {
    try sandbox.make("out/button", 5)
    try sandbox.make("out/button@2x", 6)
    let record = try sandbox.golden("record")
    #expect(record.code == 0 && record.output.hasPrefix("recorded  button\nrecorded  button@2x\n"), "\(record)")
    try sandbox.make("out/button", 7)
    let variant = try sandbox.golden("approve", "button.png", "--variant", "soft", "--reason", "rounds down")
    #expect(variant.code == 0 && variant.output.contains("approved  button for soft"), "\(variant)")
    #expect(
      try folder.names("goldens").filter { $0.hasPrefix("button") } == [
        "button.png", "button@2x.png", "button@soft.png",
      ])
    #expect(try sandbox.golden("verify", "--variant", "soft").output.hasPrefix("6 compared: 6 exact"))
    #expect(try sandbox.golden("verify").output.contains("6 compared: 5 exact, 0 within, 1 differ"))
    #expect(try sandbox.golden("status").output == "6 goldens: all sound\n")
    try sandbox.make("out/button@2x", 8)
    #expect(try sandbox.golden("verify", "button@2x").output.contains("differs       button@2x: "))
    // The variant of a name with an @ is found too.
    #expect(try sandbox.golden("approve", "button@2x", "--variant", "soft", "--reason", "down").code == 0)
    #expect(try folder.names("goldens").contains("button@2x@soft.png"))
    #expect(try sandbox.golden("verify", "button*", "--variant", "soft").output.hasPrefix("2 compared: 2 exact"))
    #expect(try sandbox.golden("status").output == "6 goldens: all sound\n")
  }

  /// One file is not two things, whichever was there first.
  @Test func aFileBelongsToOneGolden() throws {
    try sandbox.make("out/top", 9)
    #expect(try sandbox.golden("approve", "top", "--variant", "2x", "--reason", "sharper").code == 0)
    try sandbox.make("out/top@2x", 7)
    let extra = try sandbox.golden("verify", "--variant", "2x")
    #expect(
      extra.code == 3 && extra.output.contains("a variant or of the mask of the golden top, not of a golden"),
      "\(extra)")
    let record = try sandbox.golden("record")
    #expect(
      record.code == 73 && record.errors.contains("top@2x: its file exists already and belongs to"), "\(record)")
    let approve = try sandbox.golden("approve", "top@2x", "--reason", "new")
    let text = "top@2x.png is the golden top@2x and belongs to the golden top; rename one of them"
    #expect(approve.code == 64 && approve.errors.contains(text), "\(approve)")

    try sandbox.make("out/new", 3)
    try sandbox.make("out/new@3x", 4)
    try sandbox.remove("out/top@2x.png")
    #expect(try sandbox.golden("record").code == 0)
    try sandbox.make("out/new", 5)
    let variant = try sandbox.golden("approve", "new", "--variant", "3x", "--reason", "sharper")
    #expect(
      variant.code == 64 && variant.errors.contains("new@3x.png is the golden new@3x and belongs to"), "\(variant)")
    #expect(try sandbox.golden("status").output == "6 goldens: all sound\n")
    // A merge may bring both together.
    let rows = try folder.text("goldens/golden.json")
    try sandbox.overwrite(
      "goldens/golden.json",
      Data(
        rows.replacing("\"2x\" :", with: "\"3x\" :").replacing("\"top\"", with: "\"new\"").replacing(
          "\"new\" : {", with: "\"old\" : {", maxReplacements: 1
        ).utf8))
    let merged = try sandbox.golden("verify")
    #expect(merged.code == 65 && merged.errors.contains("new@3x.png is the golden new@3x and belongs to"), "\(merged)")
  }
}
