import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `safelight golden verify` where a file is not the picture that it should be: another kind, a pointer, half of one,
/// none.
@Suite struct GoldenFileTests {
  private let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }

  init() throws {
    sandbox = try GoldenSandbox()
    try sandbox.recorded()
  }

  @Test func aPointerIsComparedByItsHashAndSaysSo() throws {
    try folder.write(GoldenSandbox.pointer, to: "goldens/shot2.png")
    try sandbox.golden("verify").ends(0)
      .prints("3 compared: 3 exact", "shot2.png is a pointer of Git LFS; only the hash of its pixels was compared")
    try sandbox.golden("status").ends(0).prints("pointer", "git lfs pull")

    try sandbox.make("out/shot2", 9)
    try sandbox.golden("verify")
      .ends(1).prints("differs       shot2: its pixels differ from the golden’s", "git lfs pull")
    // Whether it is near enough cannot be known.
    try sandbox.golden("verify", "--tolerance", "max<=9").ends(65).prints("needs the picture; run git lfs pull")
  }

  @Test func aPointerAsMaskProvesNothing() throws {
    var mask = SyntheticImage.flat.image(Size(20, 12), channels: .gray, depth: .bits8)
    mask[x: 4, y: 4, sample: 0] = 0
    try sandbox.write("mask", mask)
    try sandbox.golden("approve", "shot2", "--mask", folder.path("mask.png"), "--reason", "the clock").ends(0)
    try sandbox.make("out/shot2", 77)
    try sandbox.golden("verify").ends(0)
    try folder.write(GoldenSandbox.pointer, to: "goldens/shot2@mask.png")
    try sandbox.golden("verify").ends(65)
      .prints("2 compared: 2 exact", "shot2@mask.png: the mask is only a Git LFS pointer", "; run git lfs pull")
    try sandbox.golden("status").ends(0).prints("shot2@mask.png")
  }

  /// Although the other picture is right.
  @Test(arguments: [
    ("goldens/shot2.png", "damaged       ", "1 damaged"), ("out/shot2.png", "unreadable    ", "1 not readable"),
  ])
  func halfAFileIsNoPicture(_ name: String, _ status: String, _ count: String) throws {
    let whole = try folder.bytes(name)
    try folder.write(Array(whole.prefix(whole.count / 2)), to: name)
    try sandbox.golden("verify", "--report", folder.path("r.json"))
      .ends(65).prints(status, "\(name): ", "truncated", "; \(count)")
    #expect(try folder.text("r.json").contains("2 exact, 0 within, 0 differ; \(count)"))
  }

  @Test func nothingToCompareIsNoSuccess() throws {
    for number in 1...3 { try folder.remove("out/shot\(number).png") }
    try sandbox.golden("verify").ends(66).says("it contains no .png file")
    try folder.remove("out")
    #expect(try sandbox.golden("verify").code == 66)
  }

  @Test func picturesWithoutRowsAreNoGoldens() throws {
    try folder.remove("goldens/golden.json")
    for verb in ["verify", "status"] { try sandbox.golden(verb).ends(65).says("no golden.json that lists them") }
  }
}
