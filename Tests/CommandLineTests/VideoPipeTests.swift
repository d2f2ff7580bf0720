import Foundation
import TestSupport
import Testing

/// Films from and to files and pipes, as a person runs them; ffmpeg is the other end.
@Suite struct VideoPipeTests {
  let folder = TemporaryFolder()

  @discardableResult func shell(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell(line, code: code)
  }

  func bytes(_ name: String) throws -> [UInt8] { try folder.bytes(name) }

  /// The checksum of each frame, and its time, as ffmpeg reads them.
  private func frames(_ name: String, _ pixels: String = "") throws -> [String] {
    let conversion = pixels.isEmpty ? "" : "-pix_fmt \(pixels)"
    let text = try shell(
      "ffmpeg -v error -i '\(name)' -map 0:v -fps_mode passthrough \(conversion) -f framehash -hash CRC32 -"
    ).output
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      line.split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  func makeClip(_ arguments: String = "-pix_fmt yuv420p", frames: Int = 5) throws {
    try shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=30000/1001 -frames:v \(frames) \(arguments) -strict -1 clip.y4m"
    )
  }

  // MARK: Pipes

  @Test(arguments: [
    "yuv420p", "yuv422p10le -color_range pc", "yuv444p12le", "gray10le", "yuv420p -chroma_sample_location left",
  ])
  func planesPassUntouched(_ pixels: String) throws {
    try makeClip("-pix_fmt \(pixels)")
    try shell("cat clip.y4m | safelight process - -o - --device cpu | cat >out.y4m")
    #expect(try bytes("out.y4m") == bytes("clip.y4m"))
    try shell("safelight process clip.y4m -o file.y4m --device cpu")
    #expect(try bytes("file.y4m") == bytes("clip.y4m"))
  }

  @Test func betweenTwoFFmpegs() throws {
    try shell(
      """
      ffmpeg -v error -i \(Tool.word("films/film.mov")) -f yuv4mpegpipe - \
      | safelight process - -o - --filter invert --device cpu --matrix bt709 --range limited \
      | ffmpeg -v error -i - -c:v ffv1 out.mkv
      """)
    #expect(try frames("out.mkv").count == 12)
    // Another device gives the same bytes, and the filter did something.
    let line = "-o - --filter invert --matrix bt709 --range limited"
    try makeClip()
    try shell(
      "safelight process clip.y4m \(line) --device cpu >a.y4m; safelight process clip.y4m \(line) --device software >b.y4m"
    )
    #expect(try bytes("a.y4m") == bytes("b.y4m"))
    #expect(try bytes("a.y4m") != bytes("clip.y4m"))
  }

  @Test func whatIsAssumedIsSaid() throws {
    try makeClip()
    try shell("safelight process clip.y4m -o - --filter invert --device cpu >a.y4m")
      .says("declares no color matrix or range; assuming bt601, limited")
    let told = try shell(
      "safelight process clip.y4m -o - --filter invert --device cpu --matrix bt709 --range full >b.y4m")
    #expect(!told.errors.contains("assuming"), "\(told.errors)")
    #expect(try bytes("a.y4m") != bytes("b.y4m"))
    #expect(try String(decoding: bytes("b.y4m").prefix(80), as: UTF8.self).contains("XCOLORRANGE=FULL"))
  }

  @Test func samplesAlone() throws {
    try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -f rawvideo -pix_fmt rgba in.rgba
      cat in.rgba | safelight process - --input-format rgba --size 64x48 -o - --output-format rgba --device cpu >out.rgba
      safelight process in.rgba --input-format rgba --size 64x48 -o out.rgb --output-format rgb24 --device cpu
      ffmpeg -v error -f rawvideo -pix_fmt rgba -s 64x48 -i in.rgba -f rawvideo -pix_fmt rgb24 in.rgb
      """)
    #expect(try bytes("in.rgba") == bytes("out.rgba"))
    #expect(try bytes("in.rgb") == bytes("out.rgb"))
    // Screens have blue first.
    try shell(
      """
      ffmpeg -v error -f rawvideo -pix_fmt rgba -s 64x48 -i in.rgba -f rawvideo -pix_fmt bgra in.bgra
      safelight process in.bgra --input-format bgra --size 64x48 -o again.rgba --output-format rgba --device cpu
      safelight process in.rgba --input-format rgba --size 64x48 -o out.raw --output-format bgra --device cpu
      """)
    #expect(try bytes("again.rgba") == bytes("in.rgba"))
    #expect(try bytes("out.raw") == bytes("in.bgra"))
    try shell(
      "head -c 20000 in.rgba | safelight process - --input-format rgba --size 64x48 -o out/ --device cpu", code: 65
    ).says("frame 2 is cut short: 7712 of its 12288 bytes")
    #expect(try folder.names("out") == ["frame.000001.png"])
  }

  @Test func aReaderThatLeavesIsAnError() throws {
    try makeClip("-pix_fmt yuv444p", frames: 60)
    try shell(
      "set +o pipefail; safelight process clip.y4m -o - --device cpu | head -c 1000 >/dev/null; exit ${PIPESTATUS[0]}",
      code: 74
    ).says("Broken pipe")
    try shell(
      "set +o pipefail; safelight histogram clip.y4m --format csv --device cpu | true; exit ${PIPESTATUS[0]}", code: 74
    ).says("Broken pipe; check why the program that reads it ended")
  }

  // MARK: Files

  @Test func picturesBecomeAFilmAndPicturesAgain() throws {
    let dark = Tool.fixture("dark-room")
    try shell("safelight process '\(dark)' -o film.mkv --lossless --frames 1-5 --frame-rate 24 --device cpu")
    #expect(try folder.names() == ["film.mkv"])
    try shell("safelight process film.mkv -o out --device cpu")
    #expect(try folder.names("out") == (1...5).map { "film.00000\($0).png" })
    for number in 1...5 {
      #expect(try frames("out/film.00000\(number).png", "rgb24") == frames("\(dark)/frame000\(number).png", "rgb24"))
    }
    try shell("ffprobe -v error -show_entries stream=r_frame_rate -of csv=p=0 film.mkv").prints(first: "24/1")
  }

  /// A film that claims a constant rate, and makes a pause late: what has no times refuses it, unless a rate is said.
  @Test func timesThatAreNotEvenAreNotLostInSilence() throws {
    try shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 200 -vf "setpts=if(lt(N\\,150)\\,PTS\\,PTS+3)" \
        -fps_mode passthrough -c:v ffv1 film.mkv
      ffmpeg -v error -i film.mkv -frames:v 150 -c copy even.mkv
      """)
    // It claims a constant rate.
    try shell("ffprobe -v error -show_entries stream=r_frame_rate,avg_frame_rate -of csv=p=0 film.mkv")
      .prints(first: "25/1,25/1")
    for output in ["out.y4m", "out.raw", "-"] {
      try shell("safelight process film.mkv -o \(output) --device cpu >/dev/null", code: 65)
        .says("frame 151 is shown 6.12 s", "--frame-rate")
      try shell("safelight process even.mkv -o \(output) --device cpu >/dev/null")
      try shell("rm -f out.*")
    }
    try folder.safelight("process film.mkv -o out.y4m --frame-rate 24")
    try folder.safelight("process film.mkv -o out.mp4")
    #expect(try frames("out.y4m").count == 200 && frames("out.mp4").count == 200)
    #expect(try String(decoding: bytes("out.y4m").prefix(40), as: UTF8.self).contains(" F24:1 "))
    let variable = Tool.fixture("films/variable.mov")
    try shell("safelight process '\(variable)' -o out.raw --device cpu", code: 65)
  }

  // MARK: What does not go

  @Test func refusals() throws {
    try makeClip()
    try shell("cp clip.y4m there.y4m")
    for (line, code, text) in [
      ("safelight process clip.y4m -o out --shard 0/2", Int32(64), "--frames"),
      ("safelight process clip.y4m clip.y4m -o out", 64, "both clip.y4m and clip.y4m"),
      ("safelight process clip.y4m -o one.png", 64, "frames of a film cannot go to one file"),
      ("safelight process clip.y4m -o out --contact-sheet a.png", 64, "write the pictures first"),
      ("safelight process clip.y4m -o there.y4m --existing skip", 0, "nothing to do: there.y4m exists"),
      ("safelight process clip.y4m -o there.y4m --existing fail", 73, "it exists already"),
      ("head -c 9000 clip.y4m | safelight process - -o -", 65, "frame 2 is cut short"),
      ("safelight process clip.y4m -o out.mp4 --encoder '-c:v nonsense'", 74, "nonsense"),
      ("safelight process http://127.0.0.1:1/a -o out", 65, "127.0.0.1"),
      ("safelight process clip.y4m --input-format rgba -o out", 64, "--size"),
      ("safelight process clip.y4m --frame-rate fast -o out", 64, "30000/1001"),
      ("safelight process clip.y4m --frame-rate 12.5.1 -o out", 64, "12.5, 29.97"),
    ] {
      try shell("\(line) --device cpu >/dev/null", code: code).says(text)
    }
    #expect(try Set(folder.names()).isSubset(of: ["clip.y4m", "out", "there.y4m"]))
  }

  @Test func aFrameOfAnotherSizeIsNamed() throws {
    try shell(
      """
      mkdir in; for n in 1 2 3 4; do ffmpeg -v error -f lavfi -i color=size=$((n == 3 ? 32 : 64))x48 -frames:v 1 in/$n.png; done
      """)
    try shell("safelight process in -o film.mkv --device cpu", code: 65).says("in/3.png", "32×48")
    #expect(try folder.names() == ["in"])
  }

  /// A pipe that is silent does not hold a run that is to stop; nothing is left of a film.
  @Test(arguments: ["-o film.mkv", "-o frames"]) func aSignalEndsTheWaitForAPipe(_ output: String) throws {
    try makeClip()
    try shell(
      """
      mkfifo pipe; exec 3<>pipe; cat clip.y4m >&3 &
      '\(Tool.executable.path)' process pipe \(output) --device cpu --progress plain & tool=$!
      until ls -A | grep -q 'film.mkv\\|frames'; do kill -0 $tool || break; sleep 0.05; done; wait %1
      kill -TERM $tool; wait $tool
      """, code: 75
    ).says("stopping")
    #expect(try folder.names().allSatisfy { !$0.contains("film.mkv") })
  }

  // MARK: What becomes of the film

  @Test func aReportReplacesNoFilm() throws {
    try makeClip()
    let before = try bytes("clip.y4m")
    for report in ["clip.y4m", "out.y4m", "none/r.json"] {
      try shell(
        "safelight process clip.y4m -o out.y4m --report \(report) --device cpu", code: report == "none/r.json" ? 73 : 64
      )
    }
    try shell("safelight process clip.y4m -o - --report - --device cpu", code: 64)
      .prints(only: "").says("pixels go to standard output too")
    #expect(try bytes("clip.y4m") == before)
    #expect(try folder.names() == ["clip.y4m"])
  }

  @Test(arguments: ["mp4", "mov", "webm"]) func usualFilms(_ kind: String) throws {
    try makeClip()
    try shell("safelight equalize clip.y4m -o out.\(kind) --device cpu --progress json").says("\"summary\"")
    #expect(try folder.names() == ["clip.y4m", "out.\(kind)"])
    try shell("ffprobe -v error -show_entries stream=color_range,color_space -of csv=p=0 out.\(kind)").prints("tv")
  }

  /// libx265 writes to standard error whatever it is told; the film is whole all the same.
  @Test func anEncoderMayTalk() throws {
    try makeClip()
    try shell("safelight process clip.y4m -o out.mp4 --encoder '-c:v libx265 -crf 20' --device cpu")
    #expect(try frames("out.mp4").count == 5)
  }

  @Test(arguments: [("yuv444p12le", "mp4"), ("yuv422p", "avi")])
  func filmsThatMustChangeTheirLayoutAreTakenForSomething(_ pixels: String, _ kind: String) throws {
    try makeClip("-pix_fmt \(pixels)")
    try shell("safelight process clip.y4m -o out.\(kind) --device cpu").says("declares no color matrix; assuming bt601")
    #expect(try frames("out.\(kind)").count == 5)
  }

  /// A signal that comes within a frame cuts it short, which is no damage.
  @Test func aSignalWithinAFrameIsAnInterruption() throws {
    let outcome = try shell(
      """
      mkfifo pipe; exec 3<>pipe; safelight process - -o film.mp4 --device cpu <pipe & tool=$!
      (printf 'YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C444\nFRAME\n'; head -c 5000 /dev/zero) >&3
      until ls -A | grep -q film; do kill -0 $tool || break; sleep 0.05; done
      sleep 0.2; kill -TERM $tool; wait $tool
      """, code: 75)
    #expect(!outcome.errors.contains("cut short"), "\(outcome.errors)")
    #expect(try folder.names() == ["pipe"])
  }

  /// A terminal signals the whole group; the encoder must live for the frames on the way.
  @Test func aSignalToTheGroupIsAnInterruption() throws {
    let outcome = try shell(
      """
      mkdir bin; printf '#!/bin/sh\\ncut -d" " -f5 /proc/$$/stat >group; exec /usr/bin/ffmpeg "$@"\\n' >bin/ffmpeg; chmod +x bin/ffmpeg
      ffmpeg -v error -f lavfi -i testsrc2=size=640x480:rate=50 -t 600 -f yuv4mpegpipe - 2>/dev/null \
        | PATH="$PWD/bin:$PATH" setsid '\(Tool.executable.path)' process - -o film.mp4 --device cpu & tool=$!
      until [ -s group ]; do kill -0 $tool || break; sleep 0.05; done
      kill -TERM -- -$tool; wait $tool; code=$?; echo "$tool $(cat group)"; exit $code
      """, code: 75)
    let groups = outcome.output.split(whereSeparator: \.isWhitespace)
    #expect(groups.count == 2 && groups[0] != groups[1], "\(outcome.output)")
    #expect(outcome.errors.contains("nothing of the film is kept"), "\(outcome.errors)")
    #expect(try folder.names() == ["bin", "group"])
  }

  @Test func samplesThatCannotBeHeldAreRefused() throws {
    for (size, code) in [("1073741824x1073741824", Int32(64)), ("400000x400000", 65)] {
      try shell("safelight process - --input-format rgba64le --size \(size) -o out --device cpu", code: code)
    }
    try shell("safelight process - --input-format gray --size 64x48 --max-pixels 100 -o out --device cpu", code: 65)
    #expect(try folder.names().isEmpty)
  }

  @Test func whatKilledRunsLeftIsRemoved() throws {
    try makeClip()
    try shell(
      """
      host=$(hostname | tr -c 'A-Za-z0-9\\n-' _); mkdir out
      touch out/.clip.000077.png.$host.99999999.part out/.other.png.$host.99999999.part
      safelight process clip.y4m -o out --device cpu
      """)
    #expect(try folder.names("out").filter { $0.hasPrefix(".") }.map { $0.contains("other") } == [true])
  }

  @Test func whatTheDoorsCannotUseIsRefused() throws {
    try makeClip()
    try shell(
      "ffmpeg -v error -i clip.y4m -frames:v 1 a.png; ffmpeg -v error -i clip.y4m -pix_fmt yuv420p10le -strict -1 deep.y4m"
    )
    for (line, text) in [
      ("clip.y4m -o x.y4m --encoder '-c:v foo'", "--encoder"), ("clip.y4m -o x.y4m --lossless", "--lossless"),
      ("a.png -o out --output-format yuv420p", "--output-format"), ("a.png -o out --frame-rate 24", "--frame-rate"),
      ("a.png -o x.mp4 --matrix bt709", "--matrix"),
      ("http://127.0.0.1:1/a --input-format gray --size 8x8 -o out", "--input-format"),
      ("--watch . -o x.mp4", "only to a folder"), ("a.png -o x.yuv", "--output-format"),
      ("a.png -o x.mp4 --lossless", "lossless .mp4 cannot store RGB of 8 bits; use .mkv"),
      ("clip.y4m -o x.mpg", ".mp4"),
      ("clip.y4m -o x.mp4 --compression small", "it is for PNG files, and x.mp4 is a film"),
      ("clip.y4m -o x.mkv --lossless --encoder '-c:v ffv1'", "--lossless and --encoder both say"),
    ] {
      try shell("safelight process \(line) --device cpu", code: 64).says(text)
    }
    // Without a wish it is the film that does not suit.
    try shell("safelight process deep.y4m -o x.avi --device cpu", code: 65).says("16 bits")
    try shell("safelight process clip.y4m -o x.gray --output-format gray --device cpu", code: 64)
      .says("the frames have colors, which x.gray would lose")
    #expect(try folder.names() == ["a.png", "clip.y4m", "deep.y4m"])
  }

  /// With an encoder of one's own the film is tagged as it is made.
  @Test func picturesKeepTheirColoursInAnyEncoder() throws {
    try shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=64x48 -frames:v 1 -pix_fmt rgb24 red.png
      safelight process red.png -o a.mp4 --encoder '-c:v libx264 -crf 10' --device cpu
      safelight process red.png -o b.mp4 --encoder '-c:v libx264 -crf 10' --output-format yuv420p --device cpu
      safelight process red.png -o red.rgb --report r.json --device cpu
      """)
    #expect(try frames("a.mp4") == frames("b.mp4"))
    #expect(try bytes("red.rgb").count == 64 * 48 * 3)
    #expect(try !String(decoding: bytes("r.json"), as: UTF8.self).contains("\"pixels\":null"))
    let tags = try shell("ffprobe -v error -show_entries stream=color_range,color_space -of csv=p=0 a.mp4").output
    #expect(tags.contains("tv,bt709"), "\(tags)")
  }

  @Test func alphaThatStaysBehindIsSaid() throws {
    try shell(
      """
      ffmpeg -v error -f lavfi -i color=red@0.5:size=64x48,format=rgba -frames:v 1 clear.png
      ffmpeg -v error -f lavfi -i color=red:size=64x48,format=rgb24 -frames:v 1 whole.png
      """)
    #expect(try shell("safelight process clear.png -o a.y4m --device cpu").errors.contains("its alpha is left out"))
    #expect(try !shell("safelight process whole.png -o b.y4m --device cpu").errors.contains("alpha"))
  }

  @Test func limitedGrayPassesUntouchedOrNotAtAll() throws {
    try shell("printf 'YUV4MPEG2 W2 H1 F25:1 Ip A1:1 Cmono XCOLORRANGE=LIMITED\\nFRAME\\n\\020\\353' >a.y4m")
    try shell("safelight process a.y4m -o b.y4m --device cpu")
    #expect(try bytes("b.y4m").suffix(2) == [16, 235])
    for output in ["out", "c.mp4", "d.y4m --filter invert"] {
      try shell("safelight process a.y4m -o \(output) --device cpu", code: 65).says("limited range")
    }
  }

  /// Luma and chroma that ffmpeg makes red, green and blue of mean what was said.
  @Test func whatIsSaidOfTheColoursReachesFFmpeg() throws {
    try shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 1 -pix_fmt yuv440p -c:v ffv1 -bitexact clip.nut")
    for (name, options) in [
      ("plain", ""), ("bt601", "--matrix bt601 --range limited"), ("bt709", "--matrix bt709"), ("full", "--range full"),
    ] {
      try shell("safelight process clip.nut -o \(name).png --frames 1 \(options) --device cpu")
    }
    #expect(try bytes("plain.png") == bytes("bt601.png"))
    #expect(try bytes("plain.png") != bytes("bt709.png"))
    #expect(try bytes("plain.png") != bytes("full.png"))
  }
}
