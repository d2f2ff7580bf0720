import Foundation
import TestSupport
import Testing

/// A name among frames behind which no file is, as where a disk is not mounted, is not passed over.
@Suite struct MissingFrameTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 4 in/f%04d.png
      rm in/f0002.png; ln -s /no/such/disk/f0002.png in/f0002.png
      """)
  }

  @Test(arguments: ["in", "'in/*.png'", "in/f%04d.png"]) func aLinkToNothingIsAnError(_ input: String)
    throws
  {
    try folder.shell("safelight process \(input) -o out --in-flight 1 --device cpu", code: 66)
      .says("in/f0002.png", "/no/such/disk/f0002.png")
    #expect(try folder.names("out") == ["f0001.png"])
    try folder.shell("safelight process \(input) -o all --keep-going --report r.json --device cpu", code: 66)
    #expect(try folder.names("all") == ["f0001.png", "f0003.png", "f0004.png"])
    #expect(try folder.text("r.json").contains("\"done\":3,\"skipped\":0,\"failed\":1"))
    try folder.shell("safelight process \(input) -o film.mkv --device cpu", code: 66)
    #expect(try folder.names() == ["all", "in", "out", "r.json"])
  }

  @Test func aLinkToNothingThatIsNamedIsAnError() throws {
    try folder.shell("safelight process in/f000* -o out --device cpu", code: 66)
      .says("in/f0002.png: it is a link to /no/such/disk/f0002.png")
    #expect(try folder.names() == ["in"])
  }

  @Test func aCircleOfLinksIsAnError() throws {
    try folder.shell("ln -sf f0002.png in/f0002.png")
    try folder.shell("safelight process in -o out --device cpu", code: 66).says("in/f0002.png", "links")
  }

  @Test func aPipeAmongPicturesIsPassedOverWithALine() throws {
    try folder.shell("rm in/f0002.png; mkfifo in/f0002.png")
    for input in ["in", "'in/*.png'", "in/f%04d.png"] {
      try folder.shell(
        "timeout 20 '\(Tool.executable.path)' process \(input) -o out --progress none --device cpu"
      ).says("in/f0002.png is a pipe, socket or device; it is passed over")
      #expect(try folder.names("out") == ["f0001.png", "f0003.png", "f0004.png"])
    }
    // One that is named says that it is waited for.
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 1 a.y4m; mkfifo pipe")
    try folder.shell("cat a.y4m >pipe & safelight process pipe -o b.y4m --device cpu")
      .says("waiting for what comes through pipe")
  }

  @Test func histogramAndCompareSayIt() throws {
    try folder.shell("safelight histogram in -o r.json --device cpu", code: 66)
    try folder.shell("mkdir other; cp in/f0001.png in/f0003.png in/f0004.png other; cp in/f0001.png other/f0002.png")
    for sides in ["in other", "other in"] {
      let outcome = try folder.shell("safelight compare \(sides) --tolerance 'max<=255'", code: 66)
      #expect((outcome.errors + outcome.output).contains("in/f0002.png"), "\(outcome.errors)")
    }
  }

  @Test func goldensSayIt() throws {
    try folder.shell("mkdir pictures; cp in/f0001.png in/f0003.png pictures; cp in/f0004.png pictures/f0002.png")
    try folder.shell("CI= safelight golden record goldens pictures; safelight golden verify goldens pictures")
    try folder.shell("ln -sf /no/such/disk/f0002.png pictures/f0002.png")
    let actual = try folder.shell("safelight golden verify goldens pictures || (exit 99)", code: 99)
    #expect((actual.errors + actual.output).contains("f0002.png"), "\(actual.errors)")
    try folder.shell(
      "cp --remove-destination in/f0004.png pictures/f0002.png; ln -sf /no/such/disk/f0002.png goldens/f0002.png")
    let golden = try folder.shell("safelight golden verify goldens pictures || (exit 99)", code: 99)
    #expect((golden.errors + golden.output).contains("f0002.png"), "\(golden.errors)")
  }

  /// Where frames go, a link to nothing is as before: the file behind it is made.
  @Test func anOutputMayBeALink() throws {
    try folder.shell("rm in/f0002.png; mkdir out; ln -s ../made.png out/f0001.png")
    try folder.shell("safelight process in -o out --device cpu")
    #expect(try folder.names("out") == ["f0001.png", "f0003.png", "f0004.png"])
  }
}
