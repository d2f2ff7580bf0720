import TestSupport
import Testing

/// Filters that read second pictures, `with` in their calls.
@Suite struct SecondPictureTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      mkdir a b
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 4 a/%02d.png
      ffmpeg -v error -f lavfi -i mandelbrot=size=64x48,format=rgb24 -frames:v 4 b/s%d.png
      """)
  }

  /// An opaque second picture covers its frame, so each result equals the picture that went with the frame.
  @Test(arguments: ["cpu", "software"]) func picturesGoWithFramesByPosition(_ device: String) throws {
    try folder.shell(
      """
      safelight process a -o all --filter blend=with=b --device \(device)
      safelight process a -o some --filter "blend=with='b/s%d.png'" --frames 3-4 --device \(device)
      ffmpeg -v error -i a/%02d.png -c:v ffv1 a.mkv
      safelight process a.mkv -o film --filter "blend=with='b/s*.png'" --device \(device)
      safelight process a -o one --filter blend=with=b/s3.png --device software --verify-with cpu
      for n in 1 2 3 4
      do
        safelight compare b/s$n.png all/0$n.png
        safelight compare b/s$n.png film/a.00000$n.png
        safelight compare b/s3.png one/0$n.png
        test $n -lt 3 || safelight compare b/s$n.png some/0$n.png
      done
      test ! -e some/02.png
      """)
  }

  /// The straight alpha of both, as `over` lays it.
  @Test func theNormalModeIsOver() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i "nullsrc=size=64x48,format=rgba,geq=r=X*4:g=Y*5:b=90:a=X*Y/12" -frames:v 1 front.png
      ffmpeg -v error -i b/s1.png -vf "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a=255-Y*5" -frames:v 1 back.png
      safelight process back.png -o over.png --filter over=image=front.png
      safelight process back.png -o blend.png --filter blend=with=front.png
      safelight compare over.png blend.png
      """)
  }

  @Test(arguments: [
    ("blend", 64, "parameter 'with' is missing"), ("blend=with=none.png", 66, "none.png"),
    ("blend=with='c/%d.png'", 66, "c"), ("blend=with=a/01.png:opacity=2", 64, "opacity"),
    ("blend=color-dogde:with=b", 64, "write, for example, blend=mode=color-dodge"),
    ("blend=with=short", 65, "short holds 3 pictures"),
    ("blend=with=gap", 65, "before 02.png or before gap/s3.png a number is missing"),
    ("blend=with=few", 65, "few holds 1 picture, and"),
    ("blend=with=small.png", 65, "with small.png: its picture is of"),
    ("blend=with=deep.png", 65, "its picture has 16 bits a sample"), ("gray,blend=with=b", 0, "4 of 4"),
    ("blend=alpha=premultiplied:with=alpha.png", 65, "put premultiply before it"),
    ("premultiply,blend=with=alpha.png", 65, "write alpha=premultiplied"),
    ("premultiply,blend=alpha=premultiplied:with=alpha.png,unpremultiply", 0, "4 of 4"),
    ("blend=hue:alpha=premultiplied:with=b", 64, "write unpremultiply,blend=hue:with=PATH,premultiply"),
    ("premultiply,add=with=b", 65, "put unpremultiply before it, and premultiply behind"),
    ("premultiply,unpremultiply,add=with=b", 0, "4 of 4"), ("average", 64, "parameter 'with' is missing"),
    ("subtract=with=deep.png", 65, "its picture has 16 bits a sample"),
    ("divide=with-scale=0:with=b", 64, "make with-scale greater"),
    ("divide=scale=16:with-scale=0.06:with=b", 64, "is not between -256 and 256"),
    ("multiply=scale=17:with=b", 64, "scale must be a number from -16 to 16"),
    ("absdiff=with=b", 64, "write difference=with=FILE.png"), ("gray,difference=with=b", 0, "4 of 4"),
    ("blend=with=a.mkv", 65, "only PNG files can be read here"),
  ])
  func whatDoesNotFitIsRefused(_ filter: String, _ code: Int32, _ text: String) throws {
    try folder.shell(
      """
      cp -r b short; rm short/s4.png; cp -r b gap; mv gap/s4.png gap/s5.png; mv gap/s3.png gap/s4.png
      mv gap/s2.png gap/s3.png; mkdir few; cp b/s1.png few; touch a.mkv
      ffmpeg -v error -i b/s1.png -vf scale=32:24 small.png
      ffmpeg -v error -i b/s1.png -pix_fmt rgb48 deep.png
      ffmpeg -v error -i b/s1.png -vf format=rgba,colorchannelmixer=aa=0.5 alpha.png
      for n in 1 2 3 4; do ffmpeg -v error -i b/s$n.png -vf format=rgba,colorchannelmixer=aa=0.7 -y a/0$n.png; done
      """)
    try folder.shell("safelight process a -o out --filter \"\(filter)\" --device cpu", code: code).says(text)
    if code != 0 { try folder.shell("test -z \"$(ls out 2>&-)\"") }
  }

  /// The same numbers are missing on both sides, or the run is refused, also if nothing is made.
  @Test func numbersAreMissingOnBothSides() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 9 -y a/%02d.png; mkdir c
      ffmpeg -v error -f lavfi -i mandelbrot=size=64x48,format=rgb24 -frames:v 9 c/s%d.png; rm a/05.png
      """)
    for option in ["", "--gaps skip", "--dry-run"] {
      try folder.shell("safelight process a -o out --filter blend=with=c --device cpu \(option)", code: 65)
        .says("before 06.png or before c/s5.png a number is missing")
    }
    try folder.shell(
      """
      safelight histogram a --frames 1-3 --filter blend=with=c --format svg -o h.svg
      rm c/s5.png; safelight process a -o out --filter blend=with=c --device cpu
      safelight compare c/s6.png out/06.png; safelight compare c/s9.png out/09.png
      """)
    try folder.shell("safelight process --watch a -o new --filter blend=with=c --device cpu", code: 64)
      .says("files may arrive in any order")
  }

  /// Benchmarks take the picture that is named; conformance has its own.
  @Test func otherVerbsDoNotIgnoreIt() throws {
    for (verb, code) in [("bench", 66), ("conform", 64)] as [(String, Int32)] {
      let size = verb == "bench" ? "--rounds 1 --size 64x48" : "--quick"
      try folder.shell("safelight \(verb) blend=multiply:with=none.png \(size) --device software", code: code)
        .says("none.png")
    }
    try folder.shell("safelight bench blend=multiply:with=b/s1.png --rounds 1 --size 64x48 --device software")
    try folder.shell(
      "safelight bench blend=multiply:with=b/s1.png --rounds 1 --size 32x24 --device software", code: 65)
  }

  /// Contents count, not names.
  @Test func outputsAreMadeAnewIfASecondPictureChanged() throws {
    let run = "safelight process a -o out --filter blend=with=b --existing verify --device cpu"
    try folder.shell(run)
    try folder.shell(run).says("4 skipped")
    try folder.shell("cp b/s1.png b/s2.png")
    try folder.shell(run).says("made anew")
    try folder.shell("safelight compare b/s1.png out/02.png")
  }

  /// An output in a folder of second pictures would change what later frames read.
  @Test func secondPicturesAreNotReplaced() throws {
    try folder.shell("safelight process b -o b --filter blend=with=b --device cpu", code: 64).says("replace the input")
    try folder.shell("mv b/s1.png b/01.png; safelight process a -o b --filter blend=with=b --device cpu", code: 64)
  }
}
