import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Films whose frames stop being like the first, and samples that are not what most programs take them for.
@Suite struct ChangingVideoTests {
  private let folder = TemporaryFolder()

  /// Makes five frames, encoded without loss.
  private func make(_ name: String, _ options: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 5 \(options) -c:v libx264 -qp 0 -bf 0 \(name)
      """)
  }

  private static let bt709 = "-colorspace bt709 -color_range tv"

  /// Raw video has no place to say so, and ffmpeg would convert to the first frame's pixel format.
  @Test(arguments: [
    ("-pix_fmt yuv444p \(bt709)", "frame 6 is yuv444p, but the film began with yuv420p"),
    ("-pix_fmt yuv420p10le \(bt709)", "frame 6 is yuv420p10le, but the film began with yuv420p"),
    (
      "-pix_fmt yuv420p -colorspace smpte170m -color_range tv",
      "frame 6 is bt601 limited, but the film began with bt709 limited"
    ),
    (
      "-pix_fmt yuv420p -colorspace bt709 -color_range pc",
      "frame 6 is bt709 full, but the film began with bt709 limited"
    ),
  ])
  func aChangeEndsTheFilm(_ options: String, _ line: String) throws {
    try make("a.h264", "-pix_fmt yuv420p \(Self.bt709)")
    try make("b.h264", options)
    try folder.shell("cat a.h264 b.h264 >both.h264; safelight process a.h264 -o whole/%d.png --device cpu")
    try folder.shell("safelight process both.h264 -o out/%d.png --device cpu", code: 65).says("both.h264: \(line)")
    try folder.shell("safelight compare whole out").prints("5 exact, 0 within, 0 differ; 0 missing; 0 extra")
    try folder.shell("safelight process both.h264 -o both.mkv --lossless --device cpu", code: 65).says(line)
    #expect(try !folder.names().contains("both.mkv"))
  }

  @Test func whatIsNotStatedIsNoChange() throws {
    try make("a.h264", "-pix_fmt yuv420p \(Self.bt709)")
    try make("b.h264", "-pix_fmt yuv420p")
    try folder.shell("cat a.h264 b.h264 >both.h264; safelight process both.h264 -o out --device cpu")
    #expect(try folder.names("out").count == 10)
  }

  /// As between programs and advertisements.
  @Test func anotherShapeOfPixelsIsTold() throws {
    try make("a.h264", "-pix_fmt yuv420p -vf setsar=1")
    try make("b.h264", "-pix_fmt yuv420p -vf setsar=2")
    try folder.shell("cat a.h264 b.h264 >both.h264; safelight process both.h264 -o out --device cpu")
      .says("both.h264: from frame 6 on its pixels are 2:1 instead of 1:1, which is left out")
  }

  // MARK: Limited range

  /// Only luma and chroma are stretched on the way to red, green and blue.
  @Test(arguments: [
    ("gray.mkv", "-vf extractplanes=y -c:v ffv1 -color_range tv"), ("rgb.mkv", "-c:v libx264rgb -qp 0 -color_range tv"),
  ])
  func otherSamplesOfLimitedRangeAreRefusedOrKept(_ film: String, _ options: String) throws {
    try folder.shell("ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 3 \(options) \(film)")
    for output in ["out", "out.mp4", "out.mkv --lossless --filter invert"] {
      try folder.shell("safelight process \(film) -o \(output) --device cpu", code: 65).says(
        "the limited range, but what processes")
    }
    try folder.shell("safelight process \(film) -o kept.mkv --lossless --device cpu")
    let tag = "-select_streams v -show_entries stream=color_range -of csv=p=0"
    try folder.shell("ffprobe -v error \(tag) kept.mkv").prints("tv")
    try folder.shell(
      """
      planes() { ffmpeg -v error -i $1 -pix_fmt gbrp -f rawvideo -; }
      cmp <(planes \(film)) <(planes kept.mkv)
      """
    )
  }

  /// cICP of BT.709 with the flag of the full range cleared.
  @Test func picturesOfLimitedRangeMakeNoFilm() throws {
    let image = SyntheticImage.noise.image(Size(16, 16), channels: .rgb, depth: .bits8)
    let limited = PNGMetadata(chunks: [PNGChunk(type: "cICP", data: [1, 1, 0, 0])])
    try folder.make("in")
    try PNGFile(image: image, metadata: limited).write(to: folder.path("in/b.png"))
    try folder.shell("safelight process in -o out.mp4 --device cpu", code: 65)
      .says("in/b.png: its red, green and blue have the limited range")
    // Pictures stay as they are tagged.
    try folder.shell("safelight process in -o out --device cpu; safelight compare in out").prints("1 exact")
    try PNGFile(image: image).write(to: folder.path("in/a.png"))
    try folder.shell("safelight process in -o out.mp4 --device cpu")
      .says("in/b.png: its samples have the limited range, and out.mp4 takes them for full")
  }

  // MARK: What containers do not hold

  @Test func framesThatWouldShareATimeAreRefused() throws {
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=2000 -frames:v 6 -c:v libx264 -bf 0 fast.mp4")
    try folder.shell("safelight process fast.mp4 -o fast.mkv --device cpu", code: 65)
      .says(" would have the same time, since it counts milliseconds")
    try folder.shell(
      "safelight process fast.mp4 -o fast.mov --lossless --device cpu; safelight compare fast.mp4 fast.mov")
  }

  @Test func roundedPixelsAreTold() throws {
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=120x90 -frames:v 2 -vf setsar=12/11 -pix_fmt yuv420p a.mp4")
    try folder.shell("safelight process a.mp4 -o a.webm --device cpu")
      .says("a.webm says that its pixels are 131:120 instead of 12:11")
    #expect(
      try folder.shell("ffprobe -v error -show_entries stream=sample_aspect_ratio -of csv=p=0 a.webm").output
        == "131:120\n")
    let told = try folder.shell("safelight process a.mp4 -o b.webm --pixel-aspect 5:4 --device cpu")
    #expect(!told.errors.contains("says that"), "\(told.errors)")
  }

  @Test func chaptersCoversAndStereoAreTold() throws {
    try folder.shell(
      """
      printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1\\nSTART=0\\nEND=1\\ntitle=one\\n' >chapters
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -i chapters -frames:v 3 -map 0 -map_chapters 1 \
        -map_metadata 1 a.mp4
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 3 -metadata:s:v stereo_mode=left_right b.mkv
      ffmpeg -v error -i a.mp4 -frames:v 1 -update 1 cover.png
      ffmpeg -v error -i b.mkv -i cover.png -map 0 -map 1 -c copy -disposition:v:1 attached_pic c.mp4
      """)
    for (film, what) in [("a.mp4", "chapters of a.mp4 are"), ("b.mkv", "stereo mode of b.mkv is")] {
      try folder.shell("safelight process \(film) -o out.mp4 --device cpu").says("the \(what) left out")
      let told = try folder.shell("safelight process \(film) -o out --device cpu")
      #expect(!told.errors.contains("left out"), "\(told.errors)")
    }
    try folder.shell("safelight process c.mp4 -o out.mp4 --device cpu").says("cover of c.mp4")
  }

  /// H.264 that is cropped by a number of columns that ffmpeg's decoder cannot align.
  @Test func croppedColumnsAreLeftOut() throws {
    try make("a.mp4", "-pix_fmt yuv420p")
    try folder.shell(
      """
      ffmpeg -v error -i a.mp4 -c copy \
        -bsf:v h264_metadata=crop_left=6:crop_top=4:crop_right=2:crop_bottom=10 crop.mp4
      safelight process crop.mp4 -o out.nut --lossless --device cpu
      cmp <(ffmpeg -v error -flags unaligned -i crop.mp4 -f rawvideo -) <(ffmpeg -v error -i out.nut -f rawvideo -)
      """)
  }
}
