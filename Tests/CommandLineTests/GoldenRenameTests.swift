import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
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
    try folder.shell("safelight golden rename goldens \(old) \(new)").prints(only: "renamed  blur/soft → \(name)\n")
    try expectSound(5)
    let files = try folder.allNames("goldens").filter { $0.hasSuffix(".png") && !$0.contains("shot") }
    #expect(files == (["@llvmpipe", "@mask", ""].map { name + $0 + ".png" } + ["blur/soft@2x.png"]).sorted())
    // The pixels are those that were approved, and so is what is said of them.
    try FileManager.default.createDirectory(
      atPath: URL(filePath: folder.path("out/\(name)")).deletingLastPathComponent().path,
      withIntermediateDirectories: true)
    try folder.move("out/blur/soft.png", to: "out/\(name).png")
    try sandbox.golden("verify").ends(0).prints("1 masked, up to 0.42 %")
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
    try sandbox.golden("rename", old, new).ends(code).says(why)
    #expect(try folder.allNames("goldens") == before)
    try expectSound(5)
  }

  @Test func nothingStaysBehind() throws {
    try sandbox.golden("remove", "blur/soft", "shot1.png")
      .prints(only: "removed  blur/soft\nremoved  shot1\n2 removed\n")
    #expect(
      try folder.allNames("goldens") == [
        "blur", "blur/golden.json", "blur/soft@2x.png", "golden.json", "shot2.png", "shot3.png",
      ])
    try expectSound(3)
    try folder.remove("out/shot1.png")
    try folder.remove("out/blur/soft.png")
    #expect(try sandbox.golden("verify").code == 0)
    #expect(try sandbox.golden("remove", "blur/*", "shot?").code == 0)
    #expect(try folder.allNames("goldens") == [])
    #expect(try sandbox.golden("remove", "x").code == 66)
  }

  @Test func oneVariantMayGo() throws {
    try sandbox.golden("remove", "soft", "--variant", "nvidia").ends(66).says("it has no variant nvidia; name one")
    try sandbox.golden("remove", "soft", "--variant", "llvmpipe")
      .prints(only: "removed  blur/soft for llvmpipe\n1 removed\n")
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

  @Test func aFolderThatIsNotThereIsNotMade() throws {
    for verb in ["rename", "remove"] {
      try folder.shell("safelight golden \(verb) gloden a b", code: 66).says("gloden: cannot be opened")
    }
    try folder.shell("safelight golden approve gloden out --reason seen", code: 66)
    #expect(!FileManager.default.fileExists(atPath: folder.path("gloden")))
  }

  /// As a rename leaves it that is killed after it took effect.
  @Test func aKilledRenameCounts() throws {
    try folder.shell("cp -r goldens after && safelight golden rename after shot1 first")
    try folder.shell("mkdir goldens/.change && cp after/golden.json after/first.png goldens/.change")
    try sandbox.folder.write(#"["shot1.png"]"#, to: "goldens/.change/.removed")
    try folder.move("out/shot1.png", to: "out/first.png")
    try sandbox.golden("verify").ends(0).says("a change was interrupted; it took effect")
    #expect(try sandbox.golden("remove", "shot2").code == 0)
    #expect(try folder.names("goldens") == ["blur", "first.png", "golden.json", "shot3.png"])
    try expectSound(4)
  }

  /// Whoever wrote the list.
  @Test func nothingOutsideOfTheGoldensIsRemoved() throws {
    try folder.shell("mkdir goldens/.change")
    try sandbox.folder.write(#"["../mask.png"]"#, to: "goldens/.change/.removed")
    try sandbox.golden("remove", "shot1").ends(65).says(".removed: it is not a list of files to remove")
    #expect(try folder.names().contains("mask.png"))
  }
}
