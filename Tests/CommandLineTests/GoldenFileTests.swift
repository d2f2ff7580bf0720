import Foundation
import SafelightImage
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

  private static let other: [(Channels, SampleDepth, String)] = [
    (.rgba, .bits8, "channels: the golden has rgb, the picture rgba"),
    (.gray, .bits8, "channels: the golden has rgb, the picture gray"),
    (.rgb, .bits16, "depth: the golden has 8, the picture 16"),
  ]

  /// Nothing is converted, whatever the tolerance.
  @Test(arguments: other)
  func anotherKindIsNotCompared(_ channels: Channels, _ depth: SampleDepth, _ text: String) throws {
    try sandbox.write("out/shot2", SyntheticImage.noise.image(Size(20, 12), channels: channels, depth: depth))
    try sandbox.golden("verify", "--tolerance", "max<=200").ends(4).prints(
      "incomparable  shot2: \(text)", "2 compared: 2 exact, 0 within, 0 differ; 0 missing, 0 extra; 1 not comparable")
  }

  @Test func aPointerIsComparedByItsHashAndSaysSo() throws {
    try sandbox.overwrite("goldens/shot2.png", GoldenSandbox.pointer)
    try sandbox.golden("verify").ends(0)
      .prints("3 compared: 3 exact", "shot2.png is a pointer of Git LFS; only the hash of its pixels was compared")
    try sandbox.golden("status").ends(0).prints("pointer", "git lfs pull")

    try sandbox.make("out/shot2", 9)
    try sandbox.golden("verify")
      .ends(1).prints("differs       shot2: its pixels differ from the golden’s", "git lfs pull")
    // Whether it is near enough cannot be known.
    try sandbox.golden("verify", "--tolerance", "max<=9").ends(65).prints("needs the picture; run git lfs pull")
  }

  /// The hash is of what the mask leaves, so that nothing can be said without it.
  @Test func aPointerAsMaskProvesNothing() throws {
    var mask = SyntheticImage.flat.image(Size(20, 12), channels: .gray, depth: .bits8)
    mask[x: 4, y: 4, sample: 0] = 0
    try sandbox.write("mask", mask)
    let file = folder.path("mask.png")
    #expect(try sandbox.golden("approve", "shot2", "--mask", file, "--reason", "the clock").code == 0)
    try sandbox.make("out/shot2", 77)
    #expect(try sandbox.golden("verify").code == 0)
    try sandbox.overwrite("goldens/shot2@mask.png", GoldenSandbox.pointer)
    try sandbox.golden("verify").ends(65)
      .prints("2 compared: 2 exact", "shot2@mask.png: the mask is only a Git LFS pointer", "; run git lfs pull")
    try sandbox.golden("status").ends(0).prints("shot2@mask.png")
  }

  @Test func halfAGoldenIsDamagedAlthoughThePictureIsRight() throws {
    let whole = try folder.bytes("goldens/shot2.png")
    try sandbox.overwrite("goldens/shot2.png", whole.prefix(whole.count / 2))
    try sandbox.golden("verify", "--report", folder.path("r.json")).ends(65).prints(
      "goldens/shot2.png: ", "truncated", "; 1 damaged")
    #expect(try folder.text("r.json").contains("2 exact, 0 within, 0 differ; 1 damaged"))
  }

  @Test func halfAPictureIsNotReadable() throws {
    let whole = try folder.bytes("out/shot2.png")
    try sandbox.overwrite("out/shot2.png", whole.prefix(whole.count / 2))
    try sandbox.golden("verify", "--report", folder.path("r.json")).ends(65).prints(
      "unreadable    ", "out/shot2.png: ", "truncated")
    #expect(try folder.text("r.json").contains("2 exact, 0 within, 0 differ; 1 not readable"))
  }

  @Test func aTypoInAToleranceIsPointedAt() throws {
    try sandbox.golden("verify", "--tolerance", "max<=1 && ovr(0)<=1%")
      .ends(64).says("  max<=1 && ovr(0)<=1%\n            ^")
    // The same in a row of the golden folder is damage, and names the golden.
    let rows = try folder.text("goldens/golden.json")
    try folder.write(rows.replacing("\"exact\"", with: "\"exakt\"", maxReplacements: 1), to: "goldens/golden.json")
    try sandbox.golden("verify").ends(65).prints("shot1", "exakt", "did you mean exact?")
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
