import Foundation
import TestSupport
import Testing

/// How goldens may be called on the command line, and which of them `verify` compares then.
@Suite struct GoldenNameTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws {
    sandbox = try GoldenSandbox()
    for number in 1...3 { try folder.remove("out/shot\(number).png") }
    for (seed, name) in ["blur/soft", "blur/hard", "tone/hard", "top"].enumerated() {
      try sandbox.make("out/\(name)", seed)
    }
    try sandbox.recorded()
  }

  @Test(arguments: ["soft", "soft.png", "blur/soft", "blur/soft.png", "./blur//soft"])
  func aNameMayBeShort(_ name: String) throws { try expectMeansSoft(name) }

  @Test(arguments: ["goldens/blur/soft.png", "out/blur/soft.png", "goldens/blur/soft"])
  func aNameMayBeAFile(_ name: String) throws {
    try expectMeansSoft(folder.path(name))
    try folder.shell("safelight golden verify goldens ./out/ ./\(name)").prints(first: "1 compared: 1 exact")
  }

  private func expectMeansSoft(_ name: String) throws {
    try sandbox.golden("verify", name).ends(0).prints(first: "1 compared: 1 exact")
    try sandbox.golden("approve", name, "--reason", "seen")
      .ends(0).prints(first: "approved  blur/soft: the same pixels\n1 approved")
  }

  @Test func statusTakesTheSameNames() throws {
    for name in ["soft", "blur/soft.png", folder.path("goldens/blur/soft.png")] {
      #expect(try sandbox.golden("status", name).output == "1 goldens: all sound\n", "\(name)")
    }
    try folder.remove("goldens/top.png")
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
      try sandbox.golden(verb, name).ends(66).says("\(name): no golden", remedy)
    }
  }

  // MARK: Some of them

  @Test(arguments: [("blur/*", 2), ("blur/*.png", 2), ("hard*", 2), ("*", 4), ("*/*", 3), ("t?p", 1), ("[st]o*", 2)])
  func aGlobMeansWhatItMatches(_ glob: String, _ count: Int) throws {
    try sandbox.golden("verify", glob, "--expect", "\(count)")
      .ends(0).prints(first: "\(count) compared: \(count) exact")
  }

  @Test func aStarStandsForNoSlash() throws {
    try sandbox.make("out/blur/deep/x", 7)
    try sandbox.recorded()
    #expect(try sandbox.golden("verify", "blur/*", "--expect", "2").code == 0)
    #expect(try sandbox.golden("verify", "x*", "--expect", "1").code == 0)
  }

  @Test func aGlobThatMatchesNothingIsAnError() throws {
    for glob in ["blur/x*", "*/top"] {
      try sandbox.golden("verify", "blur/soft", glob)
        .ends(66).says("\(glob): no golden and no picture matches it").prints(only: "")
    }
  }

  /// Cases of parameterized tests are called so.
  @Test func aNameMayHaveBrackets() throws {
    for seed in 1...2 { try sandbox.make("out/case[\(seed)]", seed) }
    try sandbox.recorded()
    #expect(try sandbox.golden("verify", "case[1]", "--expect", "1").code == 0)
  }

  @Test func whatWasNotAskedForIsNeitherMissingNorExtra() throws {
    try folder.remove("out/tone/hard.png")
    try sandbox.make("out/new", 8)
    try sandbox.make("goldens/stray", 8)
    #expect(try sandbox.golden("verify").code == 3)
    let some = try sandbox.golden("verify", "top", "blur/*", "soft", "--format", "json")
      .ends(0).prints("3 compared: 3 exact, 0 within, 0 differ; 0 missing, 0 extra")
    try sandbox.golden("verify", "new", "tone/*").ends(3).prints("1 missing, 1 extra")
    // Nor is it unused.
    try folder.write(some.output, to: "run.json")
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
    try sandbox.golden("record").ends(0).prints(first: "recorded  button\nrecorded  button@2x\n")
    try sandbox.make("out/button", 7)
    try sandbox.golden("approve", "button.png", "--variant", "soft", "--reason", "rounds down")
      .ends(0).prints("approved  button for soft")
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
    try sandbox.golden("verify", "--variant", "2x")
      .ends(3).prints("a variant or of the mask of the golden top, not of a golden")
    try sandbox.golden("record").ends(73).says("top@2x: its file exists already and belongs to")
    try sandbox.golden("approve", "top@2x", "--reason", "new")
      .ends(64).says("top@2x.png is the golden top@2x and belongs to the golden top; rename one of them")

    try sandbox.make("out/new", 3)
    try sandbox.make("out/new@3x", 4)
    try folder.remove("out/top@2x.png")
    #expect(try sandbox.golden("record").code == 0)
    try sandbox.make("out/new", 5)
    try sandbox.golden("approve", "new", "--variant", "3x", "--reason", "sharper")
      .ends(64).says("new@3x.png is the golden new@3x and belongs to")
    #expect(try sandbox.golden("status").output == "6 goldens: all sound\n")
    // A merge may bring both together.
    let rows = try folder.text("goldens/golden.json")
    let merged = rows.replacing("\"2x\" :", with: "\"3x\" :").replacing("\"top\"", with: "\"new\"")
    try folder.write(
      merged.replacing("\"new\" : {", with: "\"old\" : {", maxReplacements: 1), to: "goldens/golden.json")
    try sandbox.golden("verify").ends(65).says("new@3x.png is the golden new@3x and belongs to")
  }
}
