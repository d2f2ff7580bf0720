import Foundation
import SafelightImage
import TestSupport
import Testing

/// What a film says of its colors, and what of it is lost on the way.
@Suite struct VideoColorTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -pix_fmt yuv420p -color_range tv \
      -colorspace bt709 -color_trc bt709 -color_primaries bt709 -c:v libx264 in.mp4
      """)
  }

  @discardableResult private func process(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell("safelight process \(line) --device cpu", code: code)
  }

  private func tags(_ name: String) throws -> String {
    try folder.shell(
      "ffprobe -v error -show_entries stream=pix_fmt,color_range,color_space,r_frame_rate,nb_frames -of csv=p=0 \(name)"
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Where the last samples of chroma are shared by fewer pixels, swscale stretches chroma, and colors drift away from
  /// luma. A picture with the same planes that lacks no pixel has the right colors.
  @Test(arguments: [
    ("yuva420p", "34x18", 33, 17), ("yuva420p10le", "34x18", 33, 17), ("yuva422p", "34x16", 33, 16),
    ("yuv440p", "32x18", 32, 17), ("yuv411p", "36x16", 33, 16), ("yuv410p", "36x20", 33, 17),
  ])
  func chromaStaysWithLumaInOddSizes(pixels: String, whole: String, width: Int, height: Int) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=\(whole) -vf format=rgba64,noise=alls=60,format=\(pixels) -frames:v 1 \
      -c:v ffv1 even.mkv
      ffmpeg -v error -i even.mkv -vf crop=\(width):\(height):0:0:exact=1 -c:v ffv1 odd.mkv
      safelight process even.mkv -o even --filter crop=width=\(width):height=\(height) --device cpu
      safelight process odd.mkv -o odd --device cpu
      """)
    #expect(try folder.image("odd/odd.000001.png").bytes == folder.image("even/even.000001.png").bytes)
  }

  /// Turned and of odd size, a JPEG has the colors that it has unturned, but for the curve between samples of chroma.
  @Test func aTurnedJPEGOfOddSizeKeepsItsColors() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=s=64x48 -vf crop=61:47:0:0:exact=1,boxblur=6,format=yuvj420p -frames:v 1 \
        -q:v 1 plain.jpg
      python3 -c '
      data = open("plain.jpg", "rb").read()
      exif = b"Exif\\0\\0MM\\0*\\0\\0\\0\\x08\\0\\x01\\x01\\x12\\0\\x03\\0\\0\\0\\x01\\0\\x03\\0\\0\\0\\0\\0\\0"
      head = b"\\xff\\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif
      open("turned.jpg", "wb").write(data[:2] + head + data[2:])
      '
      safelight process plain.jpg -o plain.png --filter orient=3 --device cpu
      safelight process turned.jpg -o turned.png --device cpu
      """)
    let (plain, turned) = try (folder.image("plain.png"), folder.image("turned.png"))
    #expect(plain.bytes != turned.bytes && plain.size == turned.size)
    let most = zip(plain.bytes, turned.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(most <= 6, "\(most) levels")
  }

  @Test func filmsOfRedGreenAndBlueAreTaggedSo() throws {
    try process("in.mp4 -o rgb.mkv --lossless --output-format rgb24")
    #expect(try tags("rgb.mkv").hasPrefix("bgr0,pc,gbr"))
    try process("in.mp4 -o pictures/")
    try folder.shell("safelight compare pictures rgb.mkv")
    try process("in.mp4 -o alpha.mov --encoder '-c:v png' --output-format rgba")
    #expect(try tags("alpha.mov").hasPrefix("rgba,pc,gbr"))
    try process("in.mp4 -o x.mov --encoder '-c:v mjpeg'", code: 65)
      .says("give it frames of the matrix bt601 (--output-matrix)")
    try process("in.mp4 -o x.mov --encoder '-c:v mjpeg' --output-matrix bt601 --output-range full")
  }

  @Test(arguments: ["", "--lossless"]) func whatAVIDoesNotSayIsTold(_ option: String) throws {
    try process("in.mp4 -o out.avi \(option)").says("out.avi does not say that its colors are bt709, limited")
    #expect(try tags("out.avi") == "yuv420p,unknown,unknown,25/1,3")
    #expect(try !process("in.mp4 -o out.mkv \(option)").errors.contains("does not say"))
  }

  /// Code 3 is reserved, so nobody knows a name for it.
  @Test func unknownTagsThatAreLostAreTold() throws {
    try folder.shell("ffmpeg -v error -i in.mp4 -c copy -bsf:v h264_metadata=matrix_coefficients=3 other.mp4")
    for output in ["out.mkv", "out.y4m"] {
      try process("other.mp4 -o \(output)")
        .says("other.mp4 declares a matrix that safelight does not know; \(output) leaves that out")
    }
    try process("other.mp4 -o out/", code: 65).says("a program that knows this matrix")
  }

  /// Makes a film of noise in 4:4:4 that is declared to have `matrix`.
  private func declare(_ matrix: String, _ filter: String = "null") throws {
    try folder.shell(
      """
      ffmpeg -v error -y -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 1 -vf \
      format=gbrp,noise=alls=90:all_seed=1,\(filter),format=yuv444p -c:v ffv1 -color_range tv -colorspace \(matrix) \
      -color_trc bt709 -color_primaries bt709 declared.mkv
      """)
  }

  /// zscale is the judge of the pictures: its sums are floats, and so may round to the next step.
  @Test(arguments: [("fcc", "fcc"), ("smpte240m", "smpte2400m"), ("ycgco", "ycgco")])
  func linearMatricesAreConverted(_ matrix: String, _ zscale: String) throws {
    try declare(matrix, "zscale=matrixin=gbr:rangein=full:matrix=\(zscale):range=limited:dither=none")
    try folder.shell(
      """
      mkdir their; ffmpeg -v error -i declared.mkv -vf \
      zscale=matrixin=\(zscale):rangein=limited:matrix=gbr:range=full:dither=none,format=gbrp,format=rgb24 \
      their/declared.%06d.png
      """)
    let told = try process("declared.mkv -o pictures/")
    #expect(!told.errors.contains("matrix"), "\(told)")
    try folder.shell("safelight compare their pictures --tolerance 'max<=1'")
    // Planes as they are, new ones, and those of pictures keep or get the tag.
    try process("declared.mkv -o same.mkv --lossless")
    try process("declared.mkv -o new.mkv --filter gamma=1.1")
    try process("pictures -o made.mkv --output-format yuv444p --output-matrix \(matrix) --encoder '-c:v ffv1'")
    for film in ["same.mkv", "new.mkv", "made.mkv"] {
      #expect(try tags(film).contains(",\(matrix),"), "\(film)")
    }
    try process("made.mkv -o back/")
    try folder.shell("cd back && mv made.000001.png declared.000001.png")
    try folder.shell("safelight compare pictures back --tolerance 'max<=3'")
    // What nobody declares can be stated.
    try folder.shell("ffmpeg -v error -i declared.mkv -f rawvideo samples.yuv")
    try process("samples.yuv --input-format yuv444p --size 64x48 --matrix \(matrix) -o stated/")
    try folder.shell("cd stated && mv samples.000001.png declared.000001.png")
    try folder.shell("safelight compare pictures stated")
  }

  @Test(arguments: ["bt2020c", "smpte2085", "chroma-derived-nc", "chroma-derived-c", "ictcp"])
  func matricesThatAreNotConvertedAreRefusedByName(_ matrix: String) throws {
    try declare(matrix)
    let words = ["declared.mkv", "declares the color matrix \(matrix)", "without filters", "--matrix"]
    for line in ["-o out/", "-o out.mkv --filter gamma=1.1", "-o out.mkv --output-matrix bt709"] {
      let refused = try process("declared.mkv \(line)", code: 65)
      for word in words { refused.says(word) }
    }
    try folder.shell("cp declared.mkv other.mkv; safelight compare declared.mkv other.mkv", code: 65).says(words[1])
    try folder.shell("safelight histogram declared.mkv", code: 65).says(words[1])
    #expect(try !folder.names().contains("out.mkv"))
    // Planes pass, with the tag of the film.
    try process("declared.mkv -o same.mkv --lossless")
    #expect(try tags("same.mkv").contains(",\(matrix),"))
    try process("declared.mkv -o same.y4m").says("does not say that its colors are \(matrix)")
    try process("declared.mkv -o out/ --matrix bt709").says("\(matrix); it is taken as bt709")
  }

  /// Planes that frames do not have are converted by ffmpeg, which knows fewer matrices.
  @Test func whatFFmpegConvertsItselfIsNotGuessedEither() throws {
    for (matrix, code) in [("smpte240m", Int32(0)), ("ycgco", 65), ("ictcp", 65)] {
      try declare(matrix, "format=yuv411p")
      try folder.shell("ffmpeg -v error -y -i declared.mkv -pix_fmt yuv411p -c:v ffv1 packed.mkv")
      try process("packed.mkv -o out/", code: code).says(matrix)
    }
  }

  @Test func whatY4MDoesNotSayIsTold() throws {
    try process("in.mp4 -o out.y4m").says("does not say that its colors are bt709; for 64×48 players assume bt601")
    #expect(try !process("in.mp4 -o out.y4m --output-matrix bt601").errors.contains("does not say"))
    try process("in.mp4 -o out.y4m --output-format rgb24", code: 65).says("Y4M has no RGB of 8 bits")
  }

  @Test func whatIsForLumaAndChromaIsRefusedWithout() throws {
    try process("in.mp4 -o out.mkv --lossless --output-format rgb24 --output-range full", code: 64)
      .says("the pixels of out.mkv have none")
  }

  @Test func framesOfVP8AreWhatTheySay() throws {
    try folder.shell("ffmpeg -v error -i in.mp4 -vf scale=1280:720 -c:v libvpx -colorspace bt709 vp8.mkv")
    let told = try process("vp8.mkv -o out.mp4")
    #expect(!told.errors.contains("assuming"), "\(told)")
    #expect(try tags("out.mp4").contains("smpte170m"))
  }

  /// Chroma of still pictures is in the middle: as Pillow reads them, but for rounding; half a pixel is up to 14.
  @Test(arguments: ["webp", "avif", "jpg"]) func chromaOfStillsIsCentered(_ kind: String) throws {
    let still = Tool.fixture("golden/stills/waves.\(kind)")
    try process("'\(still)' -o read.png")
    try folder.shell("safelight compare '\(still).png' read.png --tolerance 'max<=3'")
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
    let flat = try process("flat.mp4 -o flat/ --filter gamma=1.1")
    let turned = try process("turned.mp4 -o turned/ --filter gamma=1.1")
    #expect(flat.errors.contains("assuming bt601") && turned.errors.contains("assuming bt601"), "\(turned.errors)")
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
    try folder.shell(
      "ffmpeg -v error -i in.mp4 -f image2pipe -c:v png - | safelight process - -o out/ -q --device cpu", code: 65
    ).says("another PNG follows it")
  }

  /// What shares chroma in one direction, or is odd, goes through red, green and blue; ffmpeg's own turn is the judge,
  /// told that chroma lies on the left, and of a picture that shares no chroma with fewer pixels.
  @Test(arguments: [("yuv422p", "64:48"), ("yuv420p", "63:47"), ("yuv444p", "63:47")])
  func turnedFilmsOfOtherChroma(_ pixels: String, _ size: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -vf format=rgb24,crop=\(size),format=\(pixels) \
      -c:v ffv1 flat.mov
      ffmpeg -v error -i flat.mov -c copy -metadata:s:v rotate=90 turned.mov
      """)
    let told = try process("turned.mov -o turned/")
    #expect(told.errors.contains("to red, green and blue") == (pixels != "yuv444p"), "\(told)")
    let place = "in_h_chr_pos=0:in_v_chr_pos=\(pixels == "yuv420p" ? 128 : 0)"
    let whole =
      pixels == "yuv420p"
      ? "extractplanes=y+u+v[y][u][v];[y]pad=64:48[all];[all][u][v]mergeplanes=0x001020:yuv420p," : ""
    try folder.shell(
      """
      mkdir their; ffmpeg -v error -noautorotate -i turned.mov -vf '\(whole)\
      scale=\(place):flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format=rgb24,\
      crop=\(size):0:0:exact=1,transpose=cclock' their/turned.%06d.png
      """)
    let compared = try folder.shell("safelight compare their turned --alpha-opaque --tolerance 'mean<=1' || true")
      .output
    #expect(compared.contains("2 within") || compared.contains("2 exact"), "\(compared)")
  }

  @Test func quietProgressIsStillCounted() throws {
    try process("in.mp4 -o out/ -q --progress json").says("\"event\":\"summary\",\"done\":3")
  }

  @Test func samplesAloneAreDescribed() throws {
    try process("in.mp4 -o out/ && safelight process out -o p.raw").says("p.raw holds only samples, rgba of 64×48")
  }
}
