import TestSupport
import Testing

/// Nothing that a run writes takes the place of what it reads, by whatever name.
@Suite struct ReplacedInputTests {
  let folder = TemporaryFolder()

  /// Runs `line`, which must be refused and leave everything as it was.
  private func expectRefused(_ line: String, _ text: String = "the output would replace the input") throws {
    let names = try folder.names().filter { !$0.hasPrefix("link") }
    let before = try names.map(folder.bytes)
    try folder.shell("\(line) --device cpu", code: 64).says(text)
    #expect(try names.map(folder.bytes) == before, "\(line)")
    #expect(try folder.names().filter { !$0.hasPrefix("link") } == names, "\(line)")
  }

  @Test func aFilmIsNotReplacedByItself() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 c.mp4; ffmpeg -v error -i c.mp4 c.y4m
      ffmpeg -v error -i c.mp4 -f rawvideo -pix_fmt rgb24 c.rgb
      ln -s c.mp4 link.mp4; ln c.mp4 other.mp4; ln -s c.y4m link.png
      """)
    for output in ["c.mp4", "./c.mp4", "link.mp4", "other.mp4"] {
      try expectRefused("safelight process c.mp4 -o \(output) --filter gamma=1.2")
    }
    try expectRefused("safelight process link.mp4 -o c.mp4")
    try expectRefused("safelight process \"file://$PWD/c.mp4\" -o c.mp4")
    try expectRefused("safelight process c.y4m -o c.y4m")
    try expectRefused("safelight process c.y4m -o link.png --frames 1")
    try expectRefused("safelight process c.rgb --input-format rgb24 --size 64x48 -o c.rgb")
    try expectRefused("safelight process - <c.y4m -o c.y4m")
    try expectRefused("safelight process c.y4m -o - 1<>c.y4m")
    try expectRefused("safelight equalize c.mp4 -o c.mp4 --existing skip")
    // What is no file keeps nothing.
    try folder.shell(
      "safelight process - <c.y4m -o /dev/null --device cpu; safelight process c.y4m -o d.y4m --device cpu")
  }

  @Test func picturesAreNotReplacedByTheFilmOfThem() throws {
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 2 %d.png; ln -s 2.png link.mkv")
    try expectRefused("safelight process 1.png 2.png -o link.mkv --lossless")
  }

  @Test func whatFiltersReadIsNotReplaced() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 2 %d.png; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 2 c.mp4
      ln 2.png link.png; ln 2.png link.mp4
      printf 'LUT_1D_SIZE 2\\n0 0 0\\n1 1 0.8\\n' >a.cube
      """)
    try expectRefused("safelight process 1.png -o 2.png --filter match=2.png")
    try expectRefused("safelight process 1.png -o link.png --filter invert,match=2.png")
    try expectRefused("safelight process c.mp4 -o link.mp4 --filter match=2.png")
    try expectRefused("safelight process c.mp4 -o %d.png --filter match=2.png")
    try folder.shell("safelight process c.mp4 -o %d.png --filter match=2.png --frames 1 --device cpu")
    try expectRefused("safelight process 1.png -o 3.png --filter lut=a.cube --report a.cube")
    try expectRefused("safelight process 1.png -o 3.png --filter match=2.png --contact-sheet 2.png")
    try expectRefused("safelight histogram 1.png -o 2.png --filter match=2.png")
    try folder.shell("mkdir in out; cp 1.png in; cp 2.png out")
    try folder.safelight("process --watch in --until-idle 0 -o out --filter match=out/2.png", code: 64)
      .says("would replace the input")
  }

  @Test func aFileBesideTheFilmReplacesNone() throws {
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 c.y4m")
    for name in ["c.y4m", "./c.y4m"] {
      try expectRefused("safelight process - <c.y4m -o d.y4m --report \(name)")
      try expectRefused("safelight histogram - <c.y4m -o \(name) --format json")
    }
    // Two pipes are no file.
    try folder.shell("cat c.y4m | safelight process - -o out --report - --device cpu").prints("\"summary\"")
  }
}
