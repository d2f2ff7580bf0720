import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `safelight golden rename` and `remove`: what goes along, what is refused, and that nothing stays behind.
@Suite struct GoldenRenameTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  /// blur/soft has all that a golden can have.
  init() throws {
    sandbox = try GoldenSandbox()
    for name in ["blur/soft", "blur/soft@2x"] { try sandbox.make("out/\(name)", 4) }
    try sandbox.recorded()
    var mask = SyntheticImage.flat.image(Size(20, 12), channels: .gray, depth: .bits8)
    mask[x: 0, y: 0, sample: 0] = 0
    try sandbox.write("mask", mask)
    try sandbox.make("out/blur/soft", 5)
    #expect(try sandbox.golden("approve", "soft", "--variant", "llvmpipe", "--reason", "ties").code == 0)
    try sandbox.make("out/blur/soft", 4)
    #expect(try sandbox.golden("approve", "soft", "--mask", folder.path("mask.png"), "--reason", "clock").code == 0)
  }

  private func expectSound(_ count: Int) throws {
    #expect(try sandbox.golden("status").output == "\(count) goldens: all sound\n")
  }

  @Test(arguments: [
    ("soft", "softer", "blur/softer"), ("blur/soft", "softer", "softer"), ("soft.png", "softer.png", "blur/softer"),
    ("blur/soft", "goldens/tone/x.png", "tone/x"), ("soft", "a@b", "blur/a@b"),
    ("soft", "blur/softer", "blur/softer"),
  ])
  func allGoesAlong(_ old: String, _ new: String, _ name: String) throws {
    let outcome = try folder.shell("safelight golden rename goldens \(old) \(new)")
    #expect(outcome.output == "renamed  blur/soft → \(name)\n", "\(outcome)")
    try expectSound(5)
    let files = try folder.allNames("goldens").filter { $0.hasSuffix(".png") && !$0.contains("shot") }
    #expect(files == (["@llvmpipe", "@mask", ""].map { name + $0 + ".png" } + ["blur/soft@2x.png"]).sorted())
    // The pixels are those that were approved, and so is what is said of them.
    try FileManager.default.createDirectory(
      atPath: URL(filePath: folder.path("out/\(name)")).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: folder.path("out/blur/soft.png"), toPath: folder.path("out/\(name).png"))
    let verify = try sandbox.golden("verify")
    #expect(verify.code == 0 && verify.output.contains("1 masked, up to 0.42 %"), "\(verify)")
    try sandbox.make("out/\(name)", 5)
    #expect(try sandbox.golden("verify").code == 1)
    #expect(try sandbox.golden("verify", "--variant", "llvmpipe").code == 0)
  }

  @Test(arguments: [
    ("soft", "soft@2x", 73, "a golden of this name exists already"), ("soft", "../x", 64, "begins with a dot"),
    ("soft", "", 64, "is empty"), ("blur/soft", "blur/soft", 73, "exists already"),
    ("x", "y", 66, "no golden has this name"),
    ("shot1", "blur/soft@mask", 73, "a file of this name exists already"),
  ])
  func whatCannotBeIsRefused(_ old: String, _ new: String, _ code: Int, _ why: String) throws {
    let before = try folder.allNames("goldens")
    let outcome = try sandbox.golden("rename", old, new)
    #expect(outcome.code == code && outcome.errors.contains(why), "\(outcome)")
    #expect(try folder.allNames("goldens") == before)
    try expectSound(5)
  }

  @Test func nothingStaysBehind() throws {
    let outcome = try sandbox.golden("remove", "blur/soft", "shot1.png")
    #expect(outcome.output == "removed  blur/soft\nremoved  shot1\n2 removed\n", "\(outcome)")
    #expect(
      try folder.allNames("goldens") == [
        "blur", "blur/golden.json", "blur/soft@2x.png", "golden.json", "shot2.png", "shot3.png",
      ])
    try expectSound(3)
    try sandbox.remove("out/shot1.png")
    try sandbox.remove("out/blur/soft.png")
    #expect(try sandbox.golden("verify").code == 0)
    #expect(try sandbox.golden("remove", "blur/*", "shot?").code == 0)
    #expect(try folder.allNames("goldens") == [])
    #expect(try sandbox.golden("remove", "x").code == 66)
  }

  @Test func oneVariantMayGo() throws {
    let other = try sandbox.golden("remove", "soft", "--variant", "nvidia")
    #expect(other.code == 66 && other.errors.contains("it has no variant nvidia; name one"), "\(other)")
    let outcome = try sandbox.golden("remove", "soft", "--variant", "llvmpipe")
    #expect(outcome.output == "removed  blur/soft for llvmpipe\n1 removed\n", "\(outcome)")
    #expect(try !folder.names("goldens/blur").contains("soft@llvmpipe.png"))
    try expectSound(5)
    #expect(try sandbox.golden("verify", "blur/*").code == 0)
  }

  @Test func allOrNothing() throws {
    let before = try folder.allNames("goldens")
    #expect(try sandbox.golden("remove", "shot1", "blur/*", "--variant", "llvmpipe").code == 66)
    #expect(try folder.allNames("goldens") == before)
    try expectSound(5)
  }

  @Test(arguments: ["rename", "remove"]) func nothingHappensOnContinuousIntegration(_ verb: String) throws {
    let outcome = try sandbox.golden(verb, "shot1", "shot2", environment: ["CI": "1"])
    #expect(outcome.code == 64 && outcome.errors.contains("CI is set (1)"), "\(outcome)")
    try expectSound(5)
  }

  @Test func aFolderThatIsNotThereIsNotMade() throws {
    for verb in ["rename", "remove"] {
      let outcome = try Tool.run("golden", verb, folder.path("gloden"), "a", "b")
      #expect(outcome.code == 66 && outcome.errors.contains("gloden: cannot be opened"), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("gloden")))
  }

  /// As a rename leaves it that is killed after it took effect.
  @Test func aKilledRenameCounts() throws {
    try folder.shell("cp -r goldens after && safelight golden rename after shot1 first")
    try folder.shell("mkdir goldens/.change && cp after/golden.json after/first.png goldens/.change")
    try sandbox.overwrite("goldens/.change/.removed", Data(#"["shot1.png"]"#.utf8))
    try FileManager.default.moveItem(atPath: folder.path("out/shot1.png"), toPath: folder.path("out/first.png"))
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 0 && outcome.errors.contains("a change was interrupted; it took effect"), "\(outcome)")
    #expect(try sandbox.golden("remove", "shot2").code == 0)
    #expect(try folder.names("goldens") == ["blur", "first.png", "golden.json", "shot3.png"])
    try expectSound(4)
  }

  /// Whoever wrote the list.
  @Test func nothingOutsideOfTheGoldensIsRemoved() throws {
    try folder.shell("mkdir goldens/.change")
    try sandbox.overwrite("goldens/.change/.removed", Data(#"["../mask.png"]"#.utf8))
    let outcome = try sandbox.golden("remove", "shot1")
    #expect(
      outcome.code == 65 && outcome.errors.contains(".removed: it is not a list of files to remove"), "\(outcome)")
    #expect(try folder.names().contains("mask.png"))
  }
}
