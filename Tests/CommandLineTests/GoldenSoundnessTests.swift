import Foundation
import SafelightImage
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
    try sandbox.overwrite("goldens/golden.json", Data(text.replacing(old, with: new).utf8))
  }

  @Test func approvingIsRefusedOnContinuousIntegration() throws {
    try sandbox.recorded()
    try sandbox.make("out/shot1", 9)
    let outcome = try sandbox.golden("approve", "--reason", "automatic", environment: ["CI": "true"])
    #expect(outcome.code == 64 && outcome.errors.contains("CI is set (true)"), "\(outcome)")
    #expect(try sandbox.golden("verify").code == 1)
  }

  @Test(arguments: ["max<=254", "psnr>=5", "over(254)<=0%", "ssim>=-0.5", "bias<=60"])
  func aToleranceThatProvesNothingIsRefused(_ tolerance: String) throws {
    let record = try sandbox.golden("record", "--tolerance", tolerance)
    #expect(record.code == 64 && record.errors.contains("this tolerance proves nothing: "), "\(record)")
    try sandbox.recorded()
    let approve = try sandbox.golden("approve", "shot1", "--tolerance", tolerance, "--reason", "loose")
    #expect(approve.code == 64 && approve.errors.contains("give a tighter tolerance"), "\(approve)")
    let verify = try sandbox.golden("verify", "--tolerance", tolerance)
    #expect(verify.code == 1 && verify.output.contains("this tolerance proves nothing: "), "\(verify)")
    let compare = try Tool.run(
      "compare", folder.path("out/shot1.png"), folder.path("goldens/shot1.png"), "--tolerance", tolerance)
    #expect(compare.code == 1 && compare.output.contains("this tolerance proves nothing: "), "\(compare)")
  }

  /// The mean of this picture is 20: all black, it would pass.
  @Test func aToleranceByWhichThisPictureWouldPassAllBlackIsRefused() throws {
    let noise = SyntheticImage.noise.image(Size(20, 12), channels: .rgb, depth: .bits8)
    try sandbox.write("out/shot2", noise.replacing(bytes: noise.bytes.map { $0 % 40 }))
    let record = try sandbox.golden("record", "--tolerance", "mean<=30")
    #expect(record.code == 64 && record.errors.contains("shot2"), "\(record)")
    #expect(record.errors.contains("proves nothing: the picture all black, the picture in one color would pass"))
    try sandbox.recorded()
    let approve = try sandbox.golden("approve", "shot2", "--tolerance", "mean<=30", "--reason", "loose")
    #expect(approve.code == 64 && approve.errors.contains("the picture all black"), "\(approve)")
    #expect(try sandbox.golden("approve", "shot1", "--tolerance", "mean<=30", "--reason", "bright").code == 0)
    try edit("\"exact\"", "\"mean<=30\"")
    let status = try sandbox.golden("status")
    #expect(status.code == 65 && status.output.contains("blind        shot2: “mean<=30”"), "\(status)")
    #expect(!status.output.contains("shot1"), "\(status)")
  }

  @Test func statusTellsOfATolerancePutThereByHand() throws {
    try sandbox.recorded()
    #expect(try sandbox.golden("status").output.hasSuffix("all sound\n"))
    try edit("\"exact\"", "\"max<=255\"")
    let outcome = try sandbox.golden("status")
    #expect(
      outcome.code == 65 && outcome.output.contains("blind        shot1: “max<=255”: this tolerance proves nothing"))
    try edit("\"max<=255\"", "\"max<=2\"")
    #expect(try sandbox.golden("status").output.hasSuffix("all sound\n"))
  }

  @Test func aReportIsNotWrittenThroughALinkIntoAGolden() throws {
    try sandbox.recorded()
    for report in ["report.html", "report.xml"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(report), withDestinationPath: folder.path("goldens/shot1.png"))
      let outcome = try sandbox.golden("verify", "--report", folder.path(report))
      #expect(outcome.code == 64 && outcome.errors.contains("among the goldens"), "\(outcome)")
    }
    #expect(try sandbox.golden("verify").code == 0)
  }

  @Test(arguments: ["-rl", "-rs"])
  func aFileThatRepeatsItselfIsNoSecondRun(_ copying: String) throws {
    let copy = try Process.run(
      URL(filePath: "/bin/cp"), arguments: [copying, folder.path("out"), folder.path("again")])
    copy.waitUntilExit()
    let outcome = try sandbox.golden("record", "--again", folder.path("again"))
    #expect(outcome.code == 64 && outcome.errors.contains("shot3.png, so it is no second picture"), "\(outcome)")
  }

  @Test func whatOnlyTheSecondRunMakesIsRefused() throws {
    for number in 1...4 { try sandbox.make("again/shot\(number)", number) }
    let outcome = try sandbox.golden("record", "--again", folder.path("again"))
    #expect(outcome.code == 3 && outcome.errors.contains("shot4.png: the first run did not make it"), "\(outcome)")
    try FileManager.default.removeItem(atPath: folder.path("again/shot4.png"))
    #expect(try sandbox.golden("record", "--again", folder.path("again")).code == 0)
  }

  @Test(arguments: ["", "../x", "default", "mask"])
  func whatNoVariantIsCalledIsAnErrorOfUsage(_ variant: String) throws {
    try sandbox.recorded()
    let outcome = try sandbox.golden("verify", "--variant", variant)
    #expect(outcome.code == 64 && outcome.output == "", "\(outcome)")
  }

  /// A pipe would be waited for.
  @Test func aPipeIsNoGolden() throws {
    try sandbox.recorded()
    try sandbox.remove("goldens/shot2.png")
    #expect(mkfifo(folder.path("goldens/shot2.png"), 0o600) == 0)
    for verb in ["verify", "status"] {
      let outcome = try sandbox.golden(verb)
      #expect(outcome.code == 65 && outcome.output.contains("it is a device, pipe or socket"), "\(outcome)")
    }
    #expect(mkfifo(folder.path("mask.png"), 0o600) == 0)
    let mask = try sandbox.golden("approve", "shot1", "--mask", folder.path("mask.png"), "--reason", "clock")
    #expect(mask.code == 65 && mask.errors.contains("it is a device, pipe or socket"), "\(mask)")
  }

  /// What a merge that keeps both sides leaves: Foundation reads the first of two, Python the last.
  @Test func aKeyThatStandsTwiceIsDamage() throws {
    try sandbox.recorded()
    try edit("\"tolerance\" : \"exact\"", "\"tolerance\" : \"max<=90\", \"tolerance\" : \"exact\"")
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 65 && outcome.errors.contains("“tolerance” occurs twice"), "\(outcome)")
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
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 65 && outcome.output.contains("it is not the picture that was approved"), "\(outcome)")
    #expect(!outcome.output.contains("approve it"), "\(outcome)")
  }

  @Test func aNameInAnotherSpellingIsTheSame() throws {
    try sandbox.make("out/e\u{301}", 7)
    try sandbox.recorded()
    try FileManager.default.moveItem(atPath: folder.path("out/e\u{301}.png"), toPath: folder.path("out/x.png"))
    try FileManager.default.moveItem(atPath: folder.path("out/x.png"), toPath: folder.path("out/\u{e9}.png"))
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 0 && outcome.output.contains("4 compared: 4 exact"), "\(outcome)")
  }

  @Test func anInterruptedChangeIsSaid() throws {
    try sandbox.recorded()
    // As an approval leaves it that ends after it took effect.
    try FileManager.default.copyItem(atPath: folder.path("goldens"), toPath: folder.path("change"))
    try FileManager.default.moveItem(atPath: folder.path("change"), toPath: folder.path("goldens/.change"))
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 0 && outcome.errors.contains("a change was interrupted; it took effect"), "\(outcome)")
  }

  /// Nothing takes effect where a part of it could not.
  @Test func anApprovalThatCannotBeMovedToItsPlaceChangesNothing() throws {
    try sandbox.make("out/inner/shot4", 4)
    try sandbox.recorded()
    try sandbox.remove("goldens/inner/shot4.png")
    try FileManager.default.createDirectory(
      atPath: folder.path("goldens/inner/shot4.png"), withIntermediateDirectories: true)
    try sandbox.make("out/shot1", 9)
    let outcome = try sandbox.golden("approve", "shot1", "inner/shot4", "--reason", "new")
    #expect(outcome.code == 73 && outcome.errors.contains("Is a directory"), "\(outcome)")
    #expect(try folder.names("goldens") == ["golden.json", "inner", "shot1.png", "shot2.png", "shot3.png"])
    #expect(try sandbox.golden("verify").output.contains("differs       shot1"))
  }

  @Test func aMaskBesideThePictureIsRefused() throws {
    try sandbox.recorded()
    let outcome = try sandbox.golden("approve", "shot1", "--mask", "100,100,4,4", "--reason", "clock")
    #expect(outcome.code == 4 && outcome.errors.contains("the mask hides nothing of the picture"), "\(outcome)")
  }
}
