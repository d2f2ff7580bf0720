import Foundation
import TestSupport
import Testing

/// `safelight compare` of films, with one another and with pictures.
@Suite struct CompareVideoTests {
  @Test func filmsWithoutFramesAreNotAlike() throws {
    let folder = TemporaryFolder()
    try folder.shell(
      """
      printf 'YUV4MPEG2 W16 H16 F25:1 C444\\n' >a.y4m; cp a.y4m b.y4m
      safelight compare a.y4m b.y4m --report r.xml
      """, code: 66
    ).says("neither side has a picture")
    #expect(try folder.shell("cat r.xml").output.contains("neither side has a picture"))
  }

  private let folder = TemporaryFolder()

  init() throws {
    try shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 8 -pix_fmt yuv420p -strict -1 a.y4m")
  }

  @discardableResult private func shell(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell(line, code: code)
  }

  private static let equal = "8 compared: 8 exact, 0 within, 0 differ; 0 missing; 0 extra; canary ok\n"

  @Test func aFilmIsComparedWithWhatWasMadeOfIt() throws {
    try shell(
      """
      ffmpeg -v error -i a.y4m -c:v ffv1 a.mkv; safelight process a.y4m -o frames --device cpu -q
      cp a.y4m b.y4m
      """)
    for line in ["a.mkv a.y4m", "a.y4m frames", "frames a.mkv", "- b.y4m <a.y4m", "b.y4m - <a.y4m"] {
      #expect(try shell("safelight compare \(line) --progress none").output == Self.equal, "\(line)")
    }
    // What luma and chroma mean is said for both.
    try shell("safelight compare a.mkv a.y4m --matrix bt709 --range full --progress none")
      .prints(only: Self.equal).says(only: "")
    try shell("safelight compare frames a.y4m --matrix bt709 --range full --progress none", code: 1)
      .prints("8 differ; 0 missing")
  }

  @Test func timesCount() throws {
    try shell(
      """
      sed '1s/F25:1/F30000:1001/' a.y4m > b.y4m; sed '1s/F25:1/F50:2/' a.y4m > c.y4m
      ffmpeg -v error -i a.y4m -vf 'setpts=if(gte(N\\,6)\\,N+1\\,N)/(25*TB)' -fps_mode passthrough -c:v ffv1 late.mkv
      """)
    let differing = try shell("safelight compare a.y4m b.y4m --report r.xml --progress none", code: 1)
    differing.prints(
      "besides the samples: time differs (0.04 s, 0.033367 s; frame 2 and 6 more)\n",
      "8 compared: 8 exact, 0 within, 0 differ; 0 missing; 0 extra; times differ; canary ok\n")
    #expect(try folder.text("r.xml").contains("time differs"))
    try shell("safelight compare a.y4m late.mkv --progress none", code: 1)
      .prints("time differs (0.24 s, 0.28 s; frame 7 and 1 more)")
    let json = try shell("safelight compare a.y4m b.y4m --format json --progress none", code: 1).json
    #expect(json["differs"] as? Bool == true)
    let facts = try #require((json["facts"] as? [String: Any])?["differing"] as? [[String: Any]])
    #expect(facts.compactMap { $0["name"] as? String } == ["time"] && facts[0]["pairs"] as? Int == 7)
    try shell("safelight compare a.y4m b.y4m --facts none --progress none")
      .prints("not compared: times of a.y4m and 1 more\n\(Self.equal)")
    #expect(try shell("safelight compare a.y4m c.y4m --progress none").output == Self.equal)
    // Pictures have no times.
    try shell("safelight process b.y4m -o frames --device cpu -q")
    #expect(try shell("safelight compare frames b.y4m --progress none").output == Self.equal)
    try shell("safelight compare a.y4m b.y4m --facts aspect", code: 64).says("--facts")
  }

  /// What a container rounds is no difference, wherever the film begins.
  @Test(arguments: ["mkv", "mov", "ts", "nut"], [0, 7]) func aRemuxedFilmIsEqual(_ kind: String, _ first: Int) throws {
    try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=30000/1001 -frames:v 60 -pix_fmt yuv420p \
        -vf setpts=PTS+\(first)*1001/30000/TB -c:v libx264 -bf 2 -threads 1 b.mp4
      ffmpeg -v error -i b.mp4 -c copy -copyts c.\(kind)
      """)
    try shell("safelight compare b.mp4 c.\(kind) --progress none").prints("60 compared: 60 exact", "0 extra; canary ok")
  }

  @Test func whatFilmsStateBesidesIsTold() throws {
    try shell(
      """
      ffmpeg -v error -i a.y4m -f lavfi -i anullsrc -shortest -c:v ffv1 -color_trc smpte2084 -aspect 2:1 b.mkv
      ffmpeg -v error -i a.y4m -c:v ffv1 c.mkv
      """)
    let line = "besides the samples: pixel aspect differs (none, 3:2), transfer differs (none, pq)"
    try shell("safelight compare c.mkv b.mkv --progress none").prints("\(line); not compared: sound of b.mkv\n")
    // Pictures state it in another way.
    try shell("safelight process c.mkv -o frames --device cpu -q; safelight compare frames b.mkv --progress none")
      .prints("not compared: sound of b.mkv, pixel aspect of b.mkv, transfer of b.mkv\n")
  }

  /// The times that `compare` checks are those at which frames begin; it names a differing duration of the last frame.
  @Test func theLastFramesDurationIsTold() throws {
    try shell(
      """
      ffmpeg -v error -i a.y4m -final_delay 500 long.gif; ffmpeg -v error -i a.y4m short.gif
      safelight process long.gif -o long.mp4 -q --device cpu; safelight process short.gif -o short.mp4 -q --device cpu
      """)
    for kind in ["gif", "mp4"] {
      try shell("safelight compare long.\(kind) short.\(kind) --progress none")
        .prints("besides the samples: duration of the last frame differs (5 s, ", " exact")
      let equal = try shell("cp long.\(kind) same.\(kind); safelight compare long.\(kind) same.\(kind) --progress none")
      #expect(!equal.output.contains("duration"), "\(equal.output)")
    }
  }

  @Test func furtherPagesAreTold() throws {
    _ = try folder.write(Self.tiff(pages: 1), to: "one.tif")
    _ = try folder.write(Self.tiff(pages: 2), to: "two.tif")
    try shell("cp two.tif three.tif; cp one.tif other.tif")
    try shell("safelight compare two.tif three.tif --progress none")
      .prints("not compared: further pages of two.tif and 1 more\n", "1 compared: 1 exact")
    try shell("safelight compare one.tif two.tif --progress none").prints("not compared: further pages of two.tif\n")
    let equal = try shell("safelight compare one.tif other.tif --progress none")
    #expect(!equal.output.contains("not compared"), "\(equal.output)")
  }

  /// Returns a gray TIFF of 4 × 4 pixels a page.
  private static func tiff(pages: Int) -> [UInt8] {
    TIFF.file((0..<pages).map { page in (0..<16).map { UInt8(10 * page + 3 * $0) } }, width: 4, [259: [1], 262: [1]])
  }

  @Test func whatDiffersIsToldFrameByFrame() throws {
    try shell("ffmpeg -v error -i a.y4m -vf \"drawbox=x=8:y=8:w=4:h=4:enable='eq(n,4)'\" -strict -1 b.y4m")
    try shell("safelight compare a.y4m b.y4m --diff diff --report r.json --progress none", code: 1).prints(
      "frame 5 differs: b.y4m from a.y4m\n", " of 3,072 pixels differ (",
      "flicker: the difference changes most from the frame before to frame 5, by 0.52 levels a sample on average\n",
      "8 compared: 7 exact, 0 within, 1 differ; 0 missing; 0 extra; canary ok\n")
    #expect(try folder.names("diff") == ["b.000005.png"])
    #expect(try folder.text("r.json").contains("a.y4m and b.y4m"))
    let json = try shell("safelight compare a.y4m b.y4m --format json --progress none", code: 1).json
    let frames = try #require(json["frames"] as? [[String: Any]])
    #expect(frames.compactMap { $0["differs"] as? Bool } == (0..<8).map { $0 == 4 })
    #expect(frames[4]["expected"] as? String == "a.y4m" && frames[4]["name"] as? String == "frame 5")
    // Pictures give their names to the differences of a film from them.
    try shell("safelight process b.y4m -o frames --device cpu -q")
    try shell("safelight compare a.y4m frames --diff named --progress none", code: 1)
    #expect(try folder.names("named") == ["b.000005.png"])
    try shell("safelight compare a.y4m b.y4m --mask '4,4,16,16' --progress none").prints("left out: 256")
  }

  @Test func aShorterFilmLacksFrames() throws {
    try shell("ffmpeg -v error -i a.y4m -frames:v 6 -strict -1 b.y4m")
    let short = try shell("safelight compare a.y4m b.y4m --progress none", code: 3)
    #expect(
      short.output == """
        missing: a.y4m, frame 7: it has no counterpart
        missing: a.y4m, frame 8: it has no counterpart
        6 compared: 6 exact, 0 within, 0 differ; 2 missing; 0 extra; canary ok

        """)
    try shell("safelight process a.y4m -o frames --device cpu -q")
    try shell("safelight compare b.y4m frames --progress none", code: 3)
      .prints("extra: frames/a.000007.png: nothing expects it\n", "6 exact, 0 within, 0 differ; 0 missing; 2 extra")
    try shell("cp a.y4m c.y4m; safelight compare a.y4m c.y4m --expect 8 --progress none")
    try shell("safelight compare a.y4m c.y4m --expect 9 --progress none", code: 3)
      .prints("missing: a.y4m: it has 8 pictures, not 9\n")
  }

  @Test func aDelayIsToldOnce() throws {
    try shell("ffmpeg -v error -i a.y4m -vf tpad=start=1:start_mode=clone -frames:v 8 -strict -1 b.y4m")
    try shell("safelight compare a.y4m b.y4m --progress none", code: 1).prints(
      "the checked side is one frame late from frame 4 on\n",
      "frame 4 repeats frame 3, where the expected ones move\n")
  }

  @Test func whatCameBeforeDamageStands() throws {
    try shell("head -c 20000 a.y4m >cut.y4m")
    try shell("safelight compare a.y4m cut.y4m --progress none", code: 65).prints(
      "frame 5 cannot be compared: cut.y4m: ", "no frame behind it was compared",
      "4 compared: 4 exact, 0 within, 0 differ; 1 not readable; 0 missing; 0 extra")
    // Damage behind the last frame of the other side is no lesser damage.
    try shell("ffmpeg -v error -i a.y4m -frames:v 4 -strict -1 short.y4m")
    #expect(try shell("safelight compare short.y4m cut.y4m", code: 65).errors.contains("cut short"))
  }

  @Test(arguments: [
    ("a.y4m a.y4m", Int32(64), "proves nothing"), ("a.y4m ./a.y4m", 64, "proves nothing"),
    ("- - <a.y4m", 64, "same film"),
    ("a.y4m none", 66, "no such file"), ("a.y4m frames --complete", 64, "--expect"),
    ("frames frames --matrix bt709", 64, "--matrix"), ("frames a.y4m --diff frames", 64, "would replace"),
    ("a.y4m frames --diff frames", 64, "would replace"), ("frames a.y4m --report a.y4m", 64, "form of report"),
  ])
  func mistakesAreRefused(_ line: String, _ code: Int32, _ text: String) throws {
    try shell("safelight process a.y4m -o frames --device cpu -q")
    let before = try folder.allNames("")
    try shell("safelight compare \(line)", code: code).says(text)
    #expect(try folder.allNames("") == before)
  }

  @Test func aSignalEndsTheWaitForFrames() throws {
    try shell(
      """
      mkfifo pipe; exec 3<>pipe; head -c 10000 a.y4m >pipe &
      '\(Tool.executable.path)' compare a.y4m pipe --progress none & tool=$!
      until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$tool/status; do kill -0 $tool || break; sleep 0.05; done
      kill -TERM $tool; wait $tool
      """, code: 75
    ).says("interrupted; there is no result")
  }
}
