import Foundation
import TestSupport
import Testing

/// Films whose pictures mix two moments: taken as they are with a line, or as ffmpeg deinterlaces them.
@Suite struct InterlacedVideoTests {
  let folder = TemporaryFolder()

  private static let line = "is interlaced: each of its pictures mixes two moments"

  /// Films of five frames, each of two moments. DV says so in its frames alone; an untagged film says nothing.
  private static let films = [
    ("a.dv", "bff", "-c:v dvvideo"), ("a.mkv", "tff", "-c:v ffv1"), ("a.mov", "bff", "-c:v prores -flags +ildct"),
    ("a.mp4", "tff", "-c:v libx264 -flags +ildct+ilme"), ("a.ts", "bff", "-c:v mpeg2video -flags +ildct+ilme"),
    ("a.y4m", "tff", ""), ("b.y4m", "bff", ""),
  ]

  private func make(_ film: String, _ order: String, _ options: String, count: Int = 5) throws {
    let first = order == "tff" ? "top" : "bottom"
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=720x576:rate=50 -vf tinterlace=interleave_\(first),setfield=\(order) \
      -pix_fmt \(options.contains("prores") ? "yuv422p10le" : "yuv420p") -frames:v \(count) \(options) \(film)
      """)
  }

  @Test(arguments: films) func theyAreTold(_ film: String, _ order: String, _ options: String) throws {
    try make(film, order, options)
    try folder.safelight("process \(film) -o out.nut").says(
      "\(film) \(Self.line), which out.nut does not say; --deinterlace makes one picture of them")
    let told = try folder.safelight("histogram \(film)").says("\(film) \(Self.line); --deinterlace")
    #expect(told.errors.components(separatedBy: Self.line).count == 2, "\(told.errors)")
  }

  /// One frame of each, at its time, as ffmpeg's own filter makes them.
  @Test(arguments: films) func ffmpegDeinterlacesThem(_ film: String, _ order: String, _ options: String) throws {
    try make(film, order, options)
    let told = try folder.shell(
      """
      safelight process \(film) -o out.nut --deinterlace --device cpu
      ffmpeg -v error -i \(film) -vf bwdif=mode=send_frame:parity=\(order) -f rawvideo wanted
      ffmpeg -v error -i out.nut -f rawvideo made; cmp wanted made
      ffmpeg -v error -i \(film) -f rawvideo combed; if cmp -s combed made; then exit 1; fi
      ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 out.nut
      """)
    #expect(!told.errors.contains("interlaced"), "\(told.errors)")
    let times = told.output.split(separator: "\n").map { Double($0.prefix { $0 != "," }) }
    #expect(times == [0, 0.04, 0.08, 0.12, 0.16])
  }

  @Test func aSingleFrameStaysOne() throws {
    try make("a.dv", "bff", "-c:v dvvideo", count: 1)
    try folder.safelight("process a.dv -o out --deinterlace").says("1 frame")
  }

  /// A film that says nothing is taken as it is, or deinterlaced on request; one that is progressive never is.
  @Test func whatFilmsSayDecides() throws {
    try make("a.avi", "bff", "-c:v rawvideo")
    let told = try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 3 -c:v libx264 p.mp4
      for film in a.avi p.mp4; do
        safelight process $film -o $film.nut --device cpu
        safelight process $film -o $film.d.nut --deinterlace --device cpu
      done
      same() { cmp -s <(ffmpeg -v error -i $1 -f rawvideo -) <(ffmpeg -v error -i $2 -f rawvideo -); }
      same p.mp4.nut p.mp4.d.nut; if same a.avi.nut a.avi.d.nut; then exit 1; fi
      """)
    #expect(!told.errors.contains("interlaced"), "\(told.errors)")
  }

  /// The header of Y4M may leave it open, in two ways.
  @Test(arguments: ["I?", ""]) func aHeaderThatLeavesItOpenIsDeinterlacedOnRequest(_ field: String) throws {
    try make("a.y4m", "tff", "")
    try folder.shell(
      """
      sed -i '1s/ It/ \(field)/' a.y4m; head -c 40 a.y4m | tr -d '\\n' >&2
      safelight process a.y4m -o plain.nut --device cpu
      safelight process a.y4m -o d.nut --deinterlace --device cpu
      if cmp -s <(ffmpeg -v error -i plain.nut -f rawvideo -) <(ffmpeg -v error -i d.nut -f rawvideo -); then exit 1; fi
      """)
  }

  @Test func samplesWithoutAHeaderAreNotDeinterlaced() throws {
    try folder.shell(
      "head -c 384 /dev/zero | safelight process - -o out --input-format yuv420p --size 16x16 --deinterlace", code: 64
    ).says("--deinterlace: it is for a film with a header that comes in")
  }

  @Test func pipesAreNotDeinterlaced() throws {
    try make("a.y4m", "tff", "")
    try folder.shell("cat a.y4m | safelight process - -o out.nut --deinterlace --device cpu", code: 64)
      .says("--deinterlace with standard input", "ffmpeg -i INPUT -vf bwdif -f yuv4mpegpipe -")
    try folder.safelight("process \(Tool.word("rocket.png")) -o b.png --deinterlace", code: 64)
      .says("it is for a film with a header that comes in")
  }
}
