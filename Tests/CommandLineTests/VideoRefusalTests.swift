import Foundation
import SafelightImage
import TestSupport
import Testing

/// What films lack or cannot hold is refused or said, with the code of the contract and a remedy that the tool has.
@Suite struct VideoRefusalTests {
  let folder = TemporaryFolder()

  private func expectRefused(_ line: String, code: Int32, _ texts: String...) throws {
    let outcome = try folder.shell("\(line)\(line.contains("--device") ? "" : " --device cpu")", code: code)
    for text in texts { #expect(outcome.errors.contains(text), "\(line): \(outcome.errors)") }
  }

  private static let source = "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 5"

  /// What ffmpeg makes of planes that frames do not have is its own, and loses.
  @Test(arguments: ["yuv411p", "yuv440p", "yuva420p"])
  func planesThatFramesDoNotHaveAreTold(_ pixels: String) throws {
    try folder.shell("\(Self.source) -pix_fmt \(pixels) -c:v ffv1 a.mkv")
    try expectRefused(
      "safelight process a.mkv -o b.mkv --lossless", code: 65, "--lossless from a.mkv", "its frames from \(pixels)")
    let told = try folder.shell("safelight process a.mkv -o out --device cpu").says(
      "a.mkv: ffmpeg converts its frames from \(pixels) to red, green and blue, "
        + "assuming the matrix bt601 and limited range; if that is wrong, give --matrix and --range")
    #expect(!told.errors.contains("has alpha"), "\(told.errors)")
  }

  /// ffmpeg leaves the tiles of a TIFF out without a word. The file is 32 columns and rows in four tiles.
  @Test func aTIFFInTilesIsRefused() throws {
    try folder.shell(
      """
      python3 -c '
      import struct
      place = 8 + 2 + 11 * 12 + 4
      tags = [(256, 3, 1, 32), (257, 3, 1, 32), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (277, 3, 1, 1),
        (284, 3, 1, 1), (322, 3, 1, 16), (323, 3, 1, 16), (324, 4, 4, place), (325, 4, 4, place + 16)]
      data = b"II" + struct.pack("<HIH", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
      data += bytes(4) + struct.pack("<4I", *[place + 32 + 256 * tile for tile in range(4)])
      data += struct.pack("<4I", *[256] * 4)
      open("a.tif", "wb").write(data + bytes(range(256)) * 4)
      open("b.tif", "wb").write(data + bytes(range(255, -1, -1)) * 4)
      '
      """)
    for line in ["process a.tif -o a.png --device cpu", "compare a.tif b.tif"] {
      try folder.shell("safelight \(line)", code: 65)
        .says("a.tif: the pixels of this TIFF lie in tiles", "tiffcp -s 'a.tif'")
    }
    #expect(try folder.names() == ["a.tif", "b.tif"])
  }

  /// ffmpeg says nothing of what a TIFF holds besides unsigned integers, and reads JPEG in it wrongly.
  @Test func aTIFFOfOtherSamplesIsRefused() throws {
    for (name, fields, why) in [
      ("signed", [259: [1], 262: [1], 339: [2]], "the samples of this TIFF are signed integers"),
      ("jpeg", [259: [7], 262: [1]], "this TIFF is compressed as JPEG"),
    ] {
      _ = try folder.write(TIFF.file([Array(0..<16)], width: 4, fields), to: "\(name).tif")
      try folder.shell("safelight process \(name).tif -o out.png --device cpu", code: 65).says("\(name).tif: \(why)")
    }
    #expect(try folder.names() == ["jpeg.tif", "signed.tif"])
  }

  /// Colors that are multiplied by alpha stay so, and PNG, which has only straight alpha, does not take them.
  @Test func aTIFFOfPremultipliedColorsIsNoPNG() throws {
    _ = try folder.write(
      TIFF.file([[100, 50, 25, 128]], width: 1, step: 4, [259: [1], 262: [2], 338: [1]]), to: "a.tif")
    try folder.shell("safelight process a.tif -o a.png --device cpu", code: 65).says("premultiplied", "unpremultiply")
    try folder.shell("safelight process a.tif -o a.png --device cpu --filter unpremultiply")
    #expect(try folder.image("a.png").bytes == [199, 100, 50, 128])
  }

  /// Luma and chroma of a TIFF are those of BT.601 and of full range, unless it says otherwise.
  @Test(arguments: [(nil, 200), ([0, 255], 200), ([15, 235], 214)] as [([Int]?, UInt8)])
  func aTIFFSaysItsRange(_ levels: [Int]?, gray: UInt8) throws {
    // ReferenceBlackWhite: black and white of luma, then of both chromas.
    let reference = levels.map { [$0[0], 1, $0[1], 1, 128, 1, 240, 1, 128, 1, 240, 1] }
    var fields = [259: [1], 262: [6], 530: [1, 1]]
    fields[532] = reference
    _ = try folder.write(
      TIFF.file([[200, 128, 128]], width: 1, step: 3, fields, fractions: [532]), to: "a.tif")
    let told = try folder.shell("safelight process a.tif -o a.png --device cpu")
    #expect(!told.errors.contains("declares no"), "\(told.errors)")
    #expect(try folder.image("a.png").bytes.prefix(3) == [gray, gray, gray])
  }

  /// What a film declares goes before what is asked for, and only what it does not declare is assumed.
  @Test func halfDeclaredFilmsAreTakenByTheirHalf() throws {
    try folder.shell(
      """
      \(Self.source) -pix_fmt yuv420p -c:v ffv1 -colorspace bt2020nc m.mkv
      \(Self.source) -pix_fmt yuv420p -c:v ffv1 -color_range pc r.mkv
      \(Self.source) -pix_fmt yuv420p -c:v ffv1 -colorspace smpte240m -color_range tv o.mkv
      """)
    for (line, texts) in [
      ("m.mkv", ["m.mkv declares no range; assuming limited (--range)\n"]),
      ("m.mkv --range limited", []),
      ("m.mkv --matrix bt601", ["declares bt2020 itself; --matrix is ignored", "no range; assuming limited"]),
      ("r.mkv", ["r.mkv declares no color matrix; assuming bt601 (--matrix)\n"]),
      ("o.mkv", []),
      ("r.mkv --matrix bt709 --range limited", ["declares full itself; --range is ignored"]),
    ] {
      let told = try folder.shell("safelight process \(line) -o out --progress none --device cpu").errors
      for text in texts { #expect(told.contains(text), "\(line): \(told)") }
      #expect(told.split(separator: "\n").count == texts.count, "\(line): \(told)")
    }
  }

  @Test func aLosslessFilmThatWouldLoseIsRefused() throws {
    try folder.shell("\(Self.source) -pix_fmt yuv420p -colorspace bt709 -color_range tv -c:v ffv1 a.mkv")
    for more in ["--filter invert", "--output-matrix bt601"] {
      try expectRefused(
        "safelight process a.mkv -o b.mkv --lossless \(more) -q", code: 64, "would round them",
        "--output-format rgb24", "--output-format yuv420p")
    }
    for more in ["", "--filter invert --output-format rgb24", "--filter invert --output-format yuv420p"] {
      try folder.shell("safelight process a.mkv -o b.mkv --lossless \(more) --device cpu")
    }
  }

  @Test func alphaThatHasNoPlaceIsTold() throws {
    try folder.shell("\(Self.source) -vf format=rgba,colorchannelmixer=aa=0.5 -frames:v 1 a.png")
    for output in ["a.rgb", "a.raw --output-format rgb24"] {
      try folder.safelight("process a.png -o \(output)").says("has no alpha; the alpha of the frames is left out")
    }
    try expectRefused(
      "safelight process a.png -o a.mkv --lossless --output-format rgb24", code: 64, "the alpha of the frames", "rgba")
    // Luma and chroma were never asked to hold it.
    try folder.safelight("process a.png -o b.mkv --output-format yuv420p").says("its alpha is left out of b.mkv")
    for output in ["a.rgba", "a.mkv --lossless"] {
      let kept = try folder.shell("safelight process a.png -o \(output) --device cpu")
      #expect(!kept.errors.contains("alpha"), "\(output): \(kept.errors)")
    }
  }

  @Test func tagsOfPicturesGoIntoTheFilm() throws {
    try folder.shell(
      """
      \(Self.source) -pix_fmt yuv420p -colorspace bt709 -color_trc smpte2084 -color_primaries bt2020 -color_range tv a.mkv
      safelight process a.mkv -o in --device cpu; safelight process in -o back.mkv --device cpu
      ffmpeg -v error -i a.mkv -frames:v 1 -bitexact plain.png; cp plain.png in/a.000006.png
      """)
    try folder.shell(
      "ffprobe -v error -show_entries stream=color_transfer,color_primaries -of csv=p=0 back.mkv"
    ).prints("smpte2084,bt2020")
    try folder.shell("safelight process in -o mixed.mkv --device cpu").says("a.000006.png: its color tags differ")
  }

  @Test func whatIsNotUsedIsSaid() throws {
    try folder.shell(
      """
      \(Self.source) -pix_fmt yuv420p -colorspace bt709 -color_range tv a.mkv; \(Self.source) -pix_fmt yuv420p b.mkv
      ffmpeg -v error -i a.mkv -i b.mkv -map 0:v -map 1:v -c copy two.mkv; mkdir in
      ffmpeg -v error -i a.mkv -frames:v 1 -pix_fmt rgb24 in/1.png; ffmpeg -v error -i a.mkv -frames:v 1 -pix_fmt rgba in/2.png
      """)
    try folder.safelight("process a.mkv -o out --matrix bt601").says("a.mkv declares bt709 itself; --matrix")
    try expectRefused(
      "safelight process a.mkv -o out.mkv --frame-rate 50", code: 64, "--frame-rate", "that keep no times")
    // The error names the fault of the output's name, and not the option that has no effect because of it.
    try expectRefused("safelight process in -o o.wmv --frame-rate 10", code: 64, "o.wmv: only PNG files")
    try folder.shell("safelight process two.mkv -o two --device cpu").says("the other pictures of two.mkv are left out")
    try folder.safelight("process in -o alpha.mp4").says("in/2.png: its alpha is left out of alpha.mp4")
    try folder.shell("mkdir b; cp in/1.png b; mv in/2.png b/2.jpg; ffmpeg -v error -i in/1.png -frames:v 1 in/2.jpg")
    let compared = try folder.shell("safelight compare in b")
    #expect(
      compared.errors
        == "safelight: in/2.jpg is not a PNG file and is left out\nsafelight: b/2.jpg is not a PNG file and is left out\n"
    )
    try folder.shell(
      "env -u CI \(Tool.executable.path) golden record goldens in; safelight golden verify goldens b"
    ).says("b/2.jpg is not a PNG file")
  }

  @Test func floatsAreRefusedWithAWayOut() throws {
    try folder.shell("\(Self.source) -frames:v 1 -pix_fmt gbrpf32le a.exr")
    try expectRefused(
      "safelight process a.exr -o out", code: 65, "its samples are floats of 32 bits (gbrpf32le)",
      "which rounds and clips")
    // What the remedy names works.
    try folder.shell("ffmpeg -v error -i 'a.exr' -pix_fmt rgba64le a.png; safelight process a.png -o out --device cpu")
  }

  /// WebM keeps alpha beside the pictures, where ffmpeg's own decoder of VP9 does not look.
  @Test func alphaThatIsNotDecodedIsSaid() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i 'color=red@0.5:size=64x48:rate=5,format=yuva420p' -frames:v 1 -c:v libvpx-vp9 a.webm
      """)
    try folder.shell("safelight process a.webm -o out --device cpu --progress none --report r.json")
      .says("a.webm has alpha, which ffmpeg's own decoder leaves out")
    #expect(try folder.text("r.json").contains("has alpha, which ffmpeg's own"))
  }

  @Test func soundThatStaysBehindIsSaid() throws {
    try folder.shell(
      """
      printf '1\\n00:00:00,000 --> 00:00:01,000\\nhello\\n' >a.srt
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -f lavfi -i sine -t 0.2 -c:v libx264 -c:a aac sound.mp4
      ffmpeg -v error -i sound.mp4 -i a.srt -c copy -c:s srt both.mkv; \(Self.source) silent.mkv
      """)
    for (film, output, text) in [
      ("sound.mp4", "o.mkv", "the sound of sound.mp4 is left out"), ("sound.mp4", "o.y4m", "the sound of sound.mp4"),
      ("both.mkv", "o.mp4", "the sound and the subtitles of both.mkv are left out"),
    ] {
      try folder.shell("safelight process \(film) -o \(output) --device cpu").says(text)
      try folder.shell("safelight process \(film) -o \(output) --device cpu -q").says(only: "")
      try folder.shell("safelight process \(film) -o \(output) --device cpu --progress none").says(text)
    }
    for line in ["silent.mkv -o o.mkv", "sound.mp4 -o out"] {
      #expect(try !folder.shell("safelight process \(line) --device cpu").errors.contains("left out"))
    }
    #expect(try folder.shell("safelight process --help").output.contains("subtitles"))
  }

  @Test func namesOfNoOutputAreUsage() throws {
    try folder.shell("\(Self.source) %d.png; \(Self.source) c.y4m")
    for (output, input) in [("foo.jpg", "1.png"), ("foo.gif", "1.png"), ("foo.tif", "c.y4m"), ("f%d.jpg", "c.y4m")] {
      try expectRefused("safelight process \(input) -o \(output)", code: 64, output, ".png")
    }
    try expectRefused(
      "safelight process 1.png 2.png -o x.mp4 --output-format gray", code: 64, "--output-format yuv420p")
    try expectRefused("safelight process c.y4m -o x.mp4 --output-format yuv440p", code: 64, "yuv420p")
    try expectRefused("safelight process 1.png -o x.mp4 --output-format yuv420p10le", code: 64, "8 bits")
    try folder.shell("safelight process 1.png 2.png -o x.mp4 --output-format yuv420p --device cpu")
  }

  @Test func remediesNameOptionsThatThereAre() throws {
    try folder.shell(
      """
      for f in '' ' F0:0'; do printf "YUV4MPEG2 W2 H1$f Ip A1:1 Cmono\\nFRAME\\n\\020\\353" >"a$f.y4m"; done
      head -c 576 /dev/zero >x.rgb; cp x.rgb x.yuv; \(Self.source) %d.png
      """)
    for name in ["a.y4m", "'a F0:0.y4m'"] {
      try expectRefused("safelight process \(name) -o out", code: 65, "such as 25 (--frame-rate)")
      try folder.shell("safelight process \(name) -o out --frame-rate 25 --device cpu")
    }
    for name in ["x.rgb", "x.yuv"] {
      try expectRefused("safelight process \(name) -o out", code: 64, "--input-format", "--size")
    }
    try folder.shell("safelight process x.rgb --input-format rgb24 --size 16x12 -o out --device cpu; mv 1.png big.png")
    try expectRefused("safelight histogram big.png --max-pixels 3071", code: 65, "--max-pixels")
    try folder.shell("safelight histogram big.png --max-pixels 3072 --device cpu")
    try expectRefused("safelight histogram a.y4m --frame-rate 25 --max-pixels 1", code: 65, "2×1")
  }

  @Test func filmsThatFFmpegReadsKeepTheLimit() throws {
    try folder.shell("\(Self.source) a.mkv")
    for command in ["process a.mkv -o out", "histogram a.mkv"] {
      try expectRefused("safelight \(command) --max-pixels 3071", code: 65, "64×48 = 3072 pixels", "--max-pixels")
      try folder.shell("safelight \(command) --max-pixels 3072 --device cpu")
    }
  }
}
