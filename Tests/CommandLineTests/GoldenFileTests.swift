import Foundation
import SafelightImage
import Testing

/// `safelight golden verify` where a file is not the picture that it should be: another kind, a pointer, half of one,
/// none.
@Suite struct GoldenFileTests {
  private let sandbox: GoldenSandbox

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
    let outcome = try sandbox.golden("verify", "--tolerance", "max<=200")
    #expect(outcome.code == 4 && outcome.output.contains("incomparable  shot2: \(text)"), "\(outcome)")
    #expect(outcome.output.contains("2 compared: 2 exact, 0 within, 0 differ; 0 missing, 0 extra; 1 not comparable"))
  }

  @Test func aPointerIsComparedByItsHashAndSaysSo() throws {
    try sandbox.overwrite("goldens/shot2.png", GoldenSandbox.pointer)
    let same = try sandbox.golden("verify")
    #expect(same.code == 0 && same.output.contains("3 compared: 3 exact"), "\(same)")
    #expect(same.output.contains("shot2.png is a pointer of Git LFS; only the hash of its pixels was compared"))
    let status = try sandbox.golden("status")
    #expect(
      status.code == 0 && status.output.contains("pointer") && status.output.contains("git lfs pull"), "\(status)")

    try sandbox.make("out/shot2", 9)
    let other = try sandbox.golden("verify")
    #expect(
      other.code == 1 && other.output.contains("differs       shot2: its pixels differ from the golden’s"), "\(other)")
    #expect(other.output.contains("git lfs pull"))
    // Whether it is near enough cannot be known.
    let near = try sandbox.golden("verify", "--tolerance", "max<=9")
    #expect(near.code == 65 && near.output.contains("needs the picture; run git lfs pull"), "\(near)")
  }

  /// The hash is of what the mask leaves, so that nothing can be said without it.
  @Test func aPointerAsMaskProvesNothing() throws {
    var mask = SyntheticImage.flat.image(Size(20, 12), channels: .gray, depth: .bits8)
    mask[x: 4, y: 4, sample: 0] = 0
    try sandbox.write("mask", mask)
    let file = sandbox.folder.path("mask.png")
    #expect(try sandbox.golden("approve", "shot2", "--mask", file, "--reason", "the clock").code == 0)
    try sandbox.make("out/shot2", 77)
    #expect(try sandbox.golden("verify").code == 0)
    try sandbox.overwrite("goldens/shot2@mask.png", GoldenSandbox.pointer)
    let outcome = try sandbox.golden("verify")
    #expect(outcome.code == 65 && outcome.output.contains("2 compared: 2 exact"), "\(outcome)")
    #expect(outcome.output.contains("shot2@mask.png: the mask is only a Git LFS pointer"), "\(outcome)")
    #expect(outcome.output.contains("; run git lfs pull"))
    let status = try sandbox.golden("status")
    #expect(status.code == 0 && status.output.contains("shot2@mask.png"), "\(status)")
  }

  @Test func halfAGoldenIsDamagedAlthoughThePictureIsRight() throws {
    let whole = try Data(contentsOf: URL(filePath: sandbox.folder.path("goldens/shot2.png")))
    try sandbox.overwrite("goldens/shot2.png", whole.prefix(whole.count / 2))
    let report = sandbox.folder.path("r.json")
    let outcome = try sandbox.golden("verify", "--report", report)
    #expect(outcome.code == 65 && outcome.output.contains("goldens/shot2.png: "), "\(outcome)")
    #expect(outcome.output.contains("truncated") && outcome.output.contains("; 1 damaged"), "\(outcome)")
    #expect(try String(contentsOfFile: report, encoding: .utf8).contains("2 exact, 0 within, 0 differ; 1 damaged"))
  }

  @Test func halfAPictureIsNotReadable() throws {
    let whole = try Data(contentsOf: URL(filePath: sandbox.folder.path("out/shot2.png")))
    try sandbox.overwrite("out/shot2.png", whole.prefix(whole.count / 2))
    let report = sandbox.folder.path("r.json")
    let outcome = try sandbox.golden("verify", "--report", report)
    #expect(outcome.code == 65 && outcome.output.contains("unreadable    "), "\(outcome)")
    #expect(outcome.output.contains("out/shot2.png: ") && outcome.output.contains("truncated"), "\(outcome)")
    #expect(try String(contentsOfFile: report, encoding: .utf8).contains("2 exact, 0 within, 0 differ; 1 not readable"))
  }

  @Test func aTypoInAToleranceIsPointedAt() throws {
    let outcome = try sandbox.golden("verify", "--tolerance", "max<=1 && ovr(0)<=1%")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("  max<=1 && ovr(0)<=1%\n            ^"), "\(outcome)")
    // The same in a row of the golden folder is damage, and names the golden.
    let rows = sandbox.folder.path("goldens/golden.json")
    let text = try String(contentsOfFile: rows, encoding: .utf8)
    try text.replacing("\"exact\"", with: "\"exakt\"", maxReplacements: 1)
      .write(toFile: rows, atomically: true, encoding: .utf8)
    let damaged = try sandbox.golden("verify")
    #expect(damaged.code == 65 && damaged.output.contains("shot1"), "\(damaged)")
    #expect(damaged.output.contains("exakt") && damaged.output.contains("did you mean exact?"), "\(damaged)")
  }

  @Test func nothingToCompareIsNoSuccess() throws {
    for number in 1...3 { try sandbox.remove("out/shot\(number).png") }
    let empty = try sandbox.golden("verify")
    #expect(empty.code == 66 && empty.errors.contains("it contains no .png file"), "\(empty)")
    try sandbox.remove("out")
    #expect(try sandbox.golden("verify").code == 66)
  }

  @Test func picturesWithoutRowsAreNoGoldens() throws {
    try sandbox.remove("goldens/golden.json")
    for verb in ["verify", "status"] {
      let outcome = try sandbox.golden(verb)
      #expect(outcome.code == 65 && outcome.errors.contains("no golden.json that lists them"), "\(outcome)")
    }
  }
}
