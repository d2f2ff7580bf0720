import Foundation
import SafelightFrames
import TestSupport
import Testing

/// A number that the names of frames skip is told of, and stops a film that would be out of step.
@Suite struct FrameGapTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.shell("mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 6 in/f%d.png; rm in/f4.png")
  }

  @Test func picturesComeWithAWarning() throws {
    try folder.shell("safelight process in -o out --report r.json --progress none --device cpu")
      .says(only: "safelight: in/f4.png is missing between the frames; if that is intended, add --gaps skip\n")
    #expect(try folder.text("r.json").contains("\"warnings\":[\"in/f4.png is missing"))
    #expect(try folder.shell("safelight process in -o out -q --device cpu").errors == "")
    #expect(try folder.shell("safelight process in -o out --gaps skip --progress none --device cpu").errors == "")
    try folder.shell("safelight process in -o none --gaps error --device cpu", code: 66)
    try folder.shell("safelight process in -o none --gaps hold --device cpu", code: 64)
    // Frames that were chosen without the gap between them.
    #expect(try folder.shell("safelight process in -o out --frames 1-3 --progress none --device cpu").errors == "")
    #expect(try !folder.names().contains("none"))
  }

  @Test func anotherPictureHidesNoGap() throws {
    try folder.shell(
      "cp in/f1.png in/cover.png; mkdir in/inner; cp in/f1.png in/inner; ffmpeg -v error -i in/f1.png in/a.jpg")
    let told = try folder.shell("safelight process in -o out --report r.json --progress none --device cpu")
    #expect(
      told.errors == """
        safelight: in/a.jpg is not a PNG file and is left out
        safelight: in/inner holds PNG files too; name the folder with --recursive to take them
        safelight: in/f4.png is missing between the frames; if that is intended, add --gaps skip

        """)
    #expect(try folder.shell("safelight histogram in --device cpu").errors.contains("name them to take them"))
    try folder.shell("safelight process in -o none --gaps error --device cpu", code: 66)
    // A stereo pair in one folder: each side shows its own frame again.
    try folder.shell(
      """
      rm -r in/cover.png in/inner in/a.jpg; for n in 1 2 3 5 6; do cp in/f$n.png in/$n.left.png; mv in/f$n.png in/$n.right.png; done
      safelight process in -o both.y4m --gaps hold --filter passthrough --device cpu; safelight process both.y4m -o both --device cpu
      """)
    let frames = try folder.names("both").map { try folder.image("both/\($0)") }
    #expect(frames.count == 12 && frames[6] == frames[4] && frames[7] == frames[5])
  }

  @Test func everyHoleCountsWhereGapsMatter() throws {
    try folder.shell("cd in; mv f6.png f8.png; rm f3.png; cp f8.png f7.png; mkdir ../b; cp *.png ../b")
    // 1, 2, 5, 7, 8: as names of pictures they may be meant so.
    #expect(try folder.shell("safelight process in -o out --progress none --device cpu").errors == "")
    try folder.shell("safelight process in -o none --gaps error --device cpu", code: 66).says("3 frames are missing")
    try folder.shell("safelight process in -o film.mkv --device cpu", code: 66)
    try folder.safelight("process in -o film.y4m --gaps hold")
    try folder.safelight("process film.y4m -o held")
    #expect(try folder.names("held").count == 8)
    #expect(try folder.shell("safelight compare in b --complete", code: 3).output.contains("3 missing"))
  }

  /// A leftover of another padding has a frame's number, and hides no gap.
  @Test func equalNumbersHideNoGap() throws {
    try folder.shell("cp in/f2.png in/f002.png")
    let line = "in/f002.png and in/f2.png have the same number; both are frames"
    try folder.shell("safelight process in -o out --progress none --device cpu").says(line, "in/f4.png is missing")
    try folder.shell("safelight process in -o none --gaps error --device cpu", code: 66).says(line)
    try folder.shell("safelight process in -o film.mkv --device cpu", code: 66).says(line, "in/f4.png is missing")
    try folder.shell("safelight process in -o held.y4m --gaps hold --device cpu").says(line, "once")
    let whole = try folder.shell("cp in/f1.png in/f4.png; rm in/f002.png; safelight process in -o x --device cpu")
    #expect(!whole.errors.contains("same number"), "\(whole.errors)")
  }

  /// A count and a time, say: nobody can tell which of them skips.
  @Test func namesOfTwoNumbersShowNoGaps() throws {
    try folder.shell("mkdir two; for i in 1 2 3 5 6; do cp in/f$i.png two/f000${i}_$((1000 + i * 137)).png; done")
    let why = "two/f0001_1137.png: more than one number of the names changes with each frame"
    try folder.shell("safelight process two -o none --gaps error --device cpu", code: 65).says(why)
    try folder.shell("safelight process two -o film.mkv --gaps error --device cpu", code: 65).says(why)
    try folder.shell("safelight process two -o film.mkv -q --device cpu; safelight process two -o a.mkv --device cpu")
      .says(why)
    for options in ["-o film.mkv --gaps skip", "-o out"] {
      let told = try folder.shell("safelight process two \(options) --device cpu")
      #expect(!told.errors.contains("more than one number"), "\(told.errors)")
    }
    #expect(try !folder.names().contains("none"))
  }

  @Test func aFilmSaysWhatIsMeant() throws {
    try folder.shell("safelight process in -o film.mkv --device cpu", code: 66).says("in/f4.png is missing", "--gaps")
    for (gaps, count) in [("skip", 5), ("hold", 6)] {
      let told = try folder.shell("safelight process in -o \(gaps).y4m --gaps \(gaps) --frame-rate 25 --device cpu")
      told.says("in/f4.png is missing")
      #expect(told.errors.contains("the film is 1 frame shorter") == (gaps == "skip"), "\(told.errors)")
      #expect(told.errors.contains("the film repeats the frame before, once") == (gaps == "hold"), "\(told.errors)")
      try folder.shell("safelight process \(gaps).y4m -o \(gaps) --device cpu")
      #expect(try folder.names(gaps).count == count)
    }
    let frames = try (3...5).map { try folder.image("hold/hold.00000\($0).png") }
    #expect(frames[0] == frames[1] && frames[1] != frames[2])
    try folder.shell("safelight process skip.y4m -o out --gaps skip --device cpu", code: 64)
  }
}
