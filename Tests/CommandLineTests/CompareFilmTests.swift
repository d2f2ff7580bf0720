import Foundation
import TestSupport
import Testing

/// `safelight compare` of films, with one another and with pictures.
@Suite struct CompareFilmTests {
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

  @Test func otherRatesAreTold() throws {
    try shell("sed '1s/F25:1/F30000:1001/' a.y4m > b.y4m; sed '1s/F25:1/F50:2/' a.y4m > c.y4m")
    try shell("safelight compare a.y4m b.y4m --progress none").says("the films have 25 and 30000/1001 frames a second")
    let same = try shell("safelight compare a.y4m c.y4m --progress none")
    #expect(!same.errors.contains("frames a second"), "\(same.errors)")
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
      for _ in $(seq 200); do sleep 0.05; grep -Eq 'Sig(Ign|Cgt):.*[4-7c-f]...$' /proc/$tool/status && break; done
      kill -TERM $tool; timeout 60 tail -s 0.1 -f --pid=$tool /dev/null || kill -KILL $tool
      wait $tool
      """, code: 75
    ).says("interrupted; there is no result")
  }
}
