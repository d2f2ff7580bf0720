import Foundation
import Testing

/// What a film says of its colors, and what of it is lost on the way.
@Suite struct FilmColorTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -pix_fmt yuv420p -color_range tv \
      -colorspace bt709 -color_trc bt709 -color_primaries bt709 -c:v libx264 in.mp4
      """)
  }

  private func errors(_ line: String, code: Int32 = 0) throws -> String {
    try folder.shell("safelight process \(line) --device cpu", code: code).errors
  }

  private func tags(_ name: String) throws -> String {
    try folder.shell(
      "ffprobe -v error -show_entries stream=pix_fmt,color_range,color_space,r_frame_rate,nb_frames -of csv=p=0 \(name)"
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func filmsOfRedGreenAndBlueAreTaggedSo() throws {
    _ = try errors("in.mp4 -o rgb.mkv --lossless --output-format rgb24")
    #expect(try tags("rgb.mkv").hasPrefix("bgr0,pc,gbr"))
    _ = try errors("in.mp4 -o pictures/")
    try folder.shell("safelight compare pictures rgb.mkv")
    _ = try errors("in.mp4 -o alpha.mov --encoder '-c:v png' --output-format rgba")
    #expect(try tags("alpha.mov").hasPrefix("rgba,pc,gbr"))
    let refused = try errors("in.mp4 -o x.mov --encoder '-c:v mjpeg'", code: 65)
    #expect(refused.contains("give it frames of the matrix bt601 (--output-matrix)"), "\(refused)")
    _ = try errors("in.mp4 -o x.mov --encoder '-c:v mjpeg' --output-matrix bt601 --output-range full")
  }

  @Test(arguments: ["", "--lossless"]) func whatAVIDoesNotSayIsTold(_ option: String) throws {
    let told = try errors("in.mp4 -o out.avi \(option)")
    #expect(told.contains("out.avi does not say that its colors are bt709, limited"), "\(told)")
    #expect(try tags("out.avi") == "yuv420p,unknown,unknown,25/1,3")
    #expect(try !errors("in.mp4 -o out.mkv \(option)").contains("does not say"))
  }

  @Test func unknownTagsThatAreLostAreTold() throws {
    try folder.shell("ffmpeg -v error -i in.mp4 -c copy -bsf:v h264_metadata=matrix_coefficients=7 other.mp4")
    let told = try errors("other.mp4 -o out.mp4")
    #expect(
      told.contains("other.mp4 declares a matrix that safelight does not know; out.mp4 leaves that out"), "\(told)")
  }

  @Test func whatY4MDoesNotSayIsTold() throws {
    let told = try errors("in.mp4 -o out.y4m")
    #expect(told.contains("does not say that its colors are bt709; for 64×48 players assume bt601"), "\(told)")
    #expect(try !errors("in.mp4 -o out.y4m --output-matrix bt601").contains("does not say"))
    let samples = try errors("in.mp4 -o out.y4m --output-format rgb24", code: 65)
    #expect(samples.contains("Y4M has no rgba8"), "\(samples)")
  }

  @Test func whatIsForLumaAndChromaIsRefusedWithout() throws {
    let told = try errors("in.mp4 -o out.mkv --lossless --output-format rgb24 --output-range full", code: 64)
    #expect(told.contains("the pixels of out.mkv have none"), "\(told)")
  }

  @Test func framesOfVP8AreWhatTheySay() throws {
    try folder.shell(
      "ffmpeg -v error -i in.mp4 -vf scale=1280:720 -c:v libvpx -colorspace bt709 vp8.mkv")
    let told = try errors("vp8.mkv -o out.mp4")
    #expect(!told.contains("assuming"), "\(told)")
    #expect(try tags("out.mp4").contains("smpte170m"))
  }

  /// Chroma on the left lies above, below or on the right once a film is turned, and the untagged matrix is that of the
  /// size before: the same pictures come out, turned.
  @Test(arguments: [(90, "cclock"), (180, "hflip,vflip"), (270, "clock")])
  func turnedFilmsAreTheSamePictures(_ angle: Int, _ filter: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=640x360:rate=25 -frames:v 2 -pix_fmt yuv420p -c:v libx264 -qp 0 flat.mp4
      ffmpeg -v error -i flat.mp4 -c copy -metadata:s:v rotate=\(angle) turned.mp4
      """)
    let flat = try errors("flat.mp4 -o flat/ --filter gamma=1.1")
    let turned = try errors("turned.mp4 -o turned/ --filter gamma=1.1")
    #expect(flat.contains("assuming bt601") && turned.contains("assuming bt601"), "\(turned)")
    let transpose = filter.contains("flip") ? filter : "transpose=\(filter)"
    for other in [transpose, filter.contains("flip") ? "null" : "transpose=\(filter == "clock" ? "cclock" : "clock")"] {
      try folder.shell(
        "rm -rf back; mkdir back; ffmpeg -v error -i turned/turned.%06d.png -vf \(other) -start_number 1 back/flat.%06d.png"
      )
      let outcome = try folder.shell("safelight compare flat back >/dev/null 2>&1 && echo 0 || echo 1")
      if outcome.output == "0\n" { return }
    }
    Issue.record("neither way back gives the pictures of the film that was not turned")
  }

  /// All but the first would be left out.
  @Test func severalPicturesInOnePipeAreRefused() throws {
    let outcome = try folder.shell(
      "ffmpeg -v error -i in.mp4 -f image2pipe -c:v png - | safelight process - -o out/ -q --device cpu", code: 65)
    #expect(outcome.errors.contains("another PNG follows it"), "\(outcome.errors)")
  }

  /// What shares chroma in one direction, or is odd, goes through red, green and blue; ffmpeg's own turn is the judge.
  @Test(arguments: [("yuv422p", "64:48"), ("yuv420p", "63:47"), ("yuv444p", "63:47")])
  func turnedFilmsOfOtherChroma(_ pixels: String, _ size: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -vf format=rgb24,crop=\(size),format=\(pixels) \
      -c:v ffv1 flat.mov
      ffmpeg -v error -i flat.mov -c copy -metadata:s:v rotate=90 turned.mov
      """)
    let told = try errors("turned.mov -o turned/")
    #expect(told.contains("to red, green and blue") == (pixels != "yuv444p"), "\(told)")
    try folder.shell(
      "mkdir their; ffmpeg -v error -i turned.mov -vf scale=flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24 their/turned.%06d.png"
    )
    let compared = try folder.shell("safelight compare their turned --alpha-opaque --tolerance 'mean<=1' || true")
      .output
    #expect(compared.contains("2 within") || compared.contains("2 exact"), "\(compared)")
  }

  @Test func quietProgressIsStillCounted() throws {
    let told = try errors("in.mp4 -o out/ -q --progress json")
    #expect(told.contains("\"event\":\"summary\",\"done\":3"), "\(told)")
  }

  @Test func samplesAloneAreDescribed() throws {
    let told = try errors("in.mp4 -o out/ && safelight process out -o p.raw")
    #expect(told.contains("p.raw holds only samples, rgba of 64×48"), "\(told)")
  }

  @Test func grayOfFramesWithColorsIsRefused() throws {
    let told = try errors("in.mp4 -o out.mkv --output-format gray", code: 64)
    #expect(told.contains("the frames have colors, which out.mkv would lose"), "\(told)")
  }
}
