import Foundation
import SafelightImage
import TestSupport
import Testing

/// Ways to have goldens say yes to anything, each refused.
@Suite struct GoldenSoundnessTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws { sandbox = try GoldenSandbox() }

  /// Writes `new` for every `old` in golden.json, as by hand.
  private func edit(_ old: String, _ new: String) throws {
    let text = try folder.text("goldens/golden.json")
    #expect(text.contains(old))
    try sandbox.folder.write(text.replacing(old, with: new), to: "goldens/golden.json")
  }

  @Test(arguments: [
    ("record", []), ("approve", ["--reason", "automatic"]), ("rename", ["shot1", "shot2"]), ("remove", ["shot1"]),
  ])
  func nothingChangesOnContinuousIntegration(_ verb: String, _ arguments: [String]) throws {
    if verb == "record" {
      try sandbox.golden(verb, [], environment: ["CI": "true"]).ends(64)
      #expect(try folder.names() == ["out"])
    }
    try sandbox.recorded()
    try sandbox.make("out/shot1", 9)
    try sandbox.make("out/shot4", 4)
    let (before, list) = (try folder.allNames("goldens"), try folder.bytes("goldens/golden.json"))
    try sandbox.golden(verb, arguments, environment: ["CI": "true"]).ends(64).says("CI is set (true)")
    #expect(try folder.allNames("goldens") == before && folder.bytes("goldens/golden.json") == list)
    #expect(try sandbox.golden("status").output == "3 goldens: all sound\n")
    #expect(try sandbox.golden("verify").code == 3)
  }

  @Test(arguments: ["max<=254", "psnr>=5", "over(254)<=0%", "ssim>=-0.5", "bias<=60"])
  func aToleranceThatProvesNothingIsRefused(_ tolerance: String) throws {
    try sandbox.golden("record", "--tolerance", tolerance).ends(64).says("this tolerance proves nothing: ")
    try sandbox.recorded()
    try sandbox.golden("approve", "shot1", "--tolerance", tolerance, "--reason", "loose")
      .ends(64).says("give a tighter tolerance")
    try sandbox.golden("verify", "--tolerance", tolerance).ends(1)
      .prints("this tolerance proves nothing: ").prints(last: "; “\(tolerance)” proves nothing\n")
    try folder.shell("safelight compare out/shot1.png goldens/shot1.png --tolerance '\(tolerance)'", code: 1)
      .prints("this tolerance proves nothing: ")
  }

  /// The mean of this picture is 20: all black, it would pass.
  @Test func aToleranceByWhichThisPictureWouldPassAllBlackIsRefused() throws {
    let noise = SyntheticImage.noise.image(Size(20, 12), channels: .rgb, depth: .bits8)
    try sandbox.write("out/shot2", noise.replacing(bytes: noise.bytes.map { $0 % 40 }))
    try sandbox.golden("record", "--tolerance", "mean<=30")
      .ends(64).says("shot2", "proves nothing: the picture all black, the picture in one color would pass")
    try sandbox.recorded()
    try sandbox.golden("approve", "shot2", "--tolerance", "mean<=30", "--reason", "loose")
      .ends(64).says("the picture all black")
    #expect(try sandbox.golden("approve", "shot1", "--tolerance", "mean<=30", "--reason", "bright").code == 0)
    try edit("\"exact\"", "\"mean<=30\"")
    let status = try sandbox.golden("status").ends(65).prints("blind        shot2: “mean<=30”")
    #expect(!status.output.contains("shot1"), "\(status)")
  }

  @Test func statusTellsOfATolerancePutThereByHand() throws {
    try sandbox.recorded()
    #expect(try sandbox.golden("status").output.hasSuffix("all sound\n"))
    try edit("\"exact\"", "\"max<=255\"")
    try sandbox.golden("status").ends(65).prints("blind        shot1: “max<=255”: this tolerance proves nothing")
    try edit("\"max<=255\"", "\"max<=2\"")
    #expect(try sandbox.golden("status").output.hasSuffix("all sound\n"))
  }

  @Test func aReportIsNotWrittenThroughALinkIntoAGolden() throws {
    try sandbox.recorded()
    for report in ["report.html", "report.xml"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(report), withDestinationPath: folder.path("goldens/shot1.png"))
      try sandbox.golden("verify", "--report", folder.path(report)).ends(64).says("among the goldens")
    }
    #expect(try sandbox.golden("verify").code == 0)
  }

  @Test(arguments: ["-rl", "-rs"])
  func aFileThatRepeatsItselfIsNoSecondRun(_ copying: String) throws {
    let copy = try Process.run(
      URL(filePath: "/bin/cp"), arguments: [copying, folder.path("out"), folder.path("again")])
    copy.waitUntilExit()
    try sandbox.golden("record", "--again", folder.path("again")).ends(64).says("shot3.png, so it is no second picture")
  }

  @Test func whatOnlyTheSecondRunMakesIsRefused() throws {
    for number in 1...4 { try sandbox.make("again/shot\(number)", number) }
    try sandbox.golden("record", "--again", folder.path("again"))
      .ends(3).says("shot4.png: the first run did not make it")
    try folder.remove("again/shot4.png")
    #expect(try sandbox.golden("record", "--again", folder.path("again")).code == 0)
  }

  @Test(arguments: ["", "../x", "default", "mask"])
  func whatNoVariantIsCalledIsAnErrorOfUsage(_ variant: String) throws {
    try sandbox.recorded()
    try sandbox.golden("verify", "--variant", variant).ends(64).prints(only: "")
  }

  /// A pipe would be waited for.
  @Test func aPipeIsNoGolden() throws {
    try sandbox.recorded()
    try folder.remove("goldens/shot2.png")
    #expect(mkfifo(folder.path("goldens/shot2.png"), 0o600) == 0)
    for verb in ["verify", "status"] { try sandbox.golden(verb).ends(65).prints("it is a device, pipe or socket") }
    #expect(mkfifo(folder.path("mask.png"), 0o600) == 0)
    try sandbox.golden("approve", "shot1", "--mask", folder.path("mask.png"), "--reason", "clock")
      .ends(65).says("it is a device, pipe or socket")
  }

  /// What a merge that keeps both sides leaves: Foundation reads the first of two, Python the last.
  @Test func aKeyThatStandsTwiceIsDamage() throws {
    try sandbox.recorded()
    try edit("\"tolerance\" : \"exact\"", "\"tolerance\" : \"max<=90\", \"tolerance\" : \"exact\"")
    try sandbox.golden("verify").ends(65).says("“tolerance” occurs twice")
  }

  /// What git leaves where two approvals of one golden meet.
  @Test func mergeMarksAreSaid() throws {
    try sandbox.recorded()
    try edit(
      "      \"width\" : 20\n    }\n  },",
      "<<<<<<< HEAD\n      \"width\" : 20\n=======\n      \"width\" : 21\n>>>>>>> other\n    }\n  },")
    for verb in ["verify", "status", "record"] {
      let outcome = try sandbox.golden(verb)
      #expect(
        outcome.code == 65
          && outcome.errors.hasSuffix(
            "golden.json: the file holds conflict markers of git; resolve the merge, then run safelight golden status\n"
          ),
        "\(outcome)")
    }
  }

  @Test(arguments: [("\"width\" : 20", "\"width\" : 21"), ("\"depth\" : 8", "\"depth\" : 16"), ("\"rgb\"", "\"rgba\"")])
  func aRowThatIsNotOfItsFileIsDamage(_ old: String, _ new: String) throws {
    try sandbox.recorded()
    try edit(old, new)
    let outcome = try sandbox.golden("verify").ends(65).prints("it is not the picture that was approved")
    #expect(!outcome.output.contains("approve it"), "\(outcome)")
  }

  @Test func aNameInAnotherSpellingIsTheSame() throws {
    try sandbox.make("out/e\u{301}", 7)
    try sandbox.recorded()
    try folder.move("out/e\u{301}.png", to: "out/x.png")
    try folder.move("out/x.png", to: "out/\u{e9}.png")
    try sandbox.golden("verify").ends(0).prints("4 compared: 4 exact")
  }

  /// Nothing takes effect where a part of it could not.
  @Test func anApprovalThatCannotBeMovedToItsPlaceChangesNothing() throws {
    try sandbox.make("out/inner/shot4", 4)
    try sandbox.recorded()
    try folder.remove("goldens/inner/shot4.png")
    try folder.make("goldens/inner/shot4.png")
    try sandbox.make("out/shot1", 9)
    try sandbox.golden("approve", "shot1", "inner/shot4", "--reason", "new").ends(73).says("Is a directory")
    #expect(try folder.names("goldens") == ["golden.json", "inner", "shot1.png", "shot2.png", "shot3.png"])
    #expect(try sandbox.golden("verify").output.contains("differs       shot1"))
  }

  @Test func aMaskBesideThePictureIsRefused() throws {
    try sandbox.recorded()
    try sandbox.golden("approve", "shot1", "--mask", "100,100,4,4", "--reason", "clock")
      .ends(4).says("the mask hides nothing of the picture")
  }
}
