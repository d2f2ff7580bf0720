import TestSupport
import Testing

/// Second sequences that are shorter, have gaps or other sizes, and filters whose results depend on positions.
@Suite struct SecondSequenceTests {
  private let folder = TemporaryFolder()

  /// Six frames, and four second pictures of their size and of another.
  init() throws {
    try folder.shell(
      """
      mkdir a b small
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 6 a/%02d.png
      ffmpeg -v error -f lavfi -i mandelbrot=size=64x48,format=rgb24 -frames:v 4 b/s%d.png
      ffmpeg -v error -f lavfi -i mandelbrot=size=21x30,format=rgb24 -frames:v 4 small/s%d.png
      ffmpeg -v error -i a/%02d.png -c:v ffv1 a.mkv
      """)
  }

  /// An opaque second picture covers its frame, so each result equals the picture that went with the frame.
  @Test(arguments: ["cpu", "software"]) func missingPicturesAreHeldOrBeginAgain(_ device: String) throws {
    let run = "--device \(device)"
    try folder.shell(
      """
      mkdir gap; cp b/s1.png b/s3.png b/s4.png gap; cp -r a some; rm some/02.png some/05.png
      safelight process a -o hold --filter blend=with=b:missing=hold \(run)
      safelight process a -o part --filter blend=with=b:missing=loop --frames 5-6 \(run)
      safelight process a.mkv -o film --filter blend=with=b:missing=loop \(run)
      safelight process a -o gaps --filter blend=with=gap:missing=loop \(run)
      safelight process some -o few --filter blend=with=b:missing=hold --gaps skip \(run)
      same() { safelight compare b/s$1.png $2; }
      same 3 hold/03.png; same 4 hold/04.png; same 4 hold/05.png; same 4 hold/06.png
      same 1 part/05.png; same 2 part/06.png; same 4 film/a.000004.png; same 1 film/a.000005.png
      same 1 gaps/01.png; same 1 gaps/02.png; same 3 gaps/03.png; same 4 gaps/04.png; same 1 gaps/05.png
      same 1 gaps/06.png; same 1 few/01.png; same 3 few/03.png; same 4 few/04.png; same 4 few/06.png
      """)
  }

  /// Resize is the judge of what fit makes.
  @Test(arguments: ["contain", "contain:color=red:gravity=southeast", "cover", "cover:gravity=north", "stretch"])
  func picturesGetTheSizeOfFrames(_ fit: String) throws {
    try folder.shell(
      """
      safelight process small -o fitted --filter resize=width=64:height=48:fit=\(fit) --device cpu
      safelight process a -o their --filter "average=with=fitted:missing=hold" --device cpu
      safelight process a -o out --filter "average=with=small:missing=hold:fit=\(fit)" --device software \
        --verify-with cpu
      safelight compare their out
      """)
  }

  /// Where a second picture lies the result is that picture, and else the frame.
  @Test(arguments: ["cpu", "software"]) func overLaysPicturesOfAnySize(_ device: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -i small/s1.png -vf scale=13:25 -y small/s2.png
      safelight process a -o out --filter "over=with='small/s%d.png':x=5:y=-6:missing=loop" --device \(device)
      mkdir their; for n in 1 2 3 4 5 6
      do
        ffmpeg -v error -i a/0$n.png -i small/s$(((n - 1) % 4 + 1)).png -filter_complex \
          "[0]format=gbrp[f];[1]format=gbrp[s];[f][s]overlay=5:-6:format=gbrp" -pix_fmt rgb24 -y their/0$n.png
      done
      safelight compare their out --alpha-opaque
      """)
  }

  /// Also where only the third picture does not fit, and the frames come from a film.
  @Test func nothingIsWrittenIfALaterPictureDoesNotFit() throws {
    try folder.shell("cp small/s3.png b/s3.png; cp -r b long; cp b/s4.png long/s5.png; cp b/s4.png long/s6.png")
    for input in ["a", "a.mkv"] {
      for filter in ["blend=with=long", "blend=with=b:missing=hold"] {
        try folder.shell("safelight process \(input) -o out --filter \(filter) --device cpu", code: 65).says("s3.png")
        try folder.shell("test -z \"$(ls out 2>&-)\"")
      }
    }
    try folder.shell("safelight process a -o out --filter blend=with=b --device cpu", code: 65)
      .says("or write missing=hold or missing=loop")
  }

  /// Each output depends on the second picture of its own frame alone.
  @Test func outputsOfChangedPicturesAreMadeAnew() throws {
    let run = "safelight process a -o out --filter add=with=small:missing=loop:fit=cover --existing verify --device cpu"
    try folder.shell(run)
    try folder.shell(run).says("6 skipped")
    try folder.shell("cp small/s1.png small/s2.png")
    try folder.shell(run).says("2 of 2 frames", "4 skipped")
    try folder.shell("cp small/s1.png small/s5.png")
    // The fifth frame now goes with the fifth picture, and the sixth with the first, as it has gone with its equal.
    try folder.shell(run).says("nothing to do")
    try folder.shell("rm small/s3.png small/s4.png small/s5.png")
    try folder.shell(run).says("2 of 2 frames", "made anew: the existing file was made from other input")
  }

  /// Gray frames have no place for colors, whatever their size.
  @Test func colorsOnGrayAreRefused() throws {
    try folder.shell("mkdir gray; ffmpeg -v error -i a/01.png -pix_fmt gray gray/01.png")
    for filter in ["add=with=small/s1.png:fit=cover", "over=with=small/s1.png", "side-by-side=with=b/s1.png"] {
      try folder.shell("safelight process gray -o out --filter \(filter) --device cpu", code: 65)
        .says("its picture has colors, and the frame is gray")
    }
    try folder.shell(
      "safelight process gray -o out --filter side-by-side=with=gray/01.png:gap=1:color=red --device cpu", code: 65)
    try folder.shell("safelight process b -o out --filter add=with=gray/01.png --device cpu")
  }

  /// A run does not write among its second pictures, where the next run would find them.
  @Test func outputsDoNotBecomeSecondPictures() throws {
    for with in ["b", "'b/*.png'", "'b/s*.png'"] {
      try folder.shell("safelight process a -o b --filter \"over=with=\(with):missing=hold\" --device cpu", code: 64)
        .says("the run would write to it")
    }
    try folder.shell("safelight process a.mkv -o b --filter \"over=with=b:missing=hold\" --device cpu", code: 64)
    try folder.shell("safelight process a -o b/out --filter over=with=b:missing=hold --device cpu")
    try folder.shell("safelight process a -o 'b/s%d.png' --filter over=with=b:missing=hold --device cpu", code: 64)
  }

  /// ffmpeg puts pictures together as well.
  @Test(arguments: ["cpu", "software"]) func picturesStandBesideOneAnother(_ device: String) throws {
    try folder.shell(
      """
      mkdir their; ffmpeg -v error -i a/01.png -i b/s1.png -i b/s2.png -filter_complex hstack=3 their/row.png
      ffmpeg -v error -i a/01.png -i b/s1.png -filter_complex vstack their/column.png
      ffmpeg -v error -i a/01.png -i b/s1.png -i b/s2.png -filter_complex \
        "xstack=3:layout=0_0|w0+4_0|0_h0+4:fill=white" their/grid.png
      row=side-by-side=with=b/s1.png:with=b/s2.png; column=side-by-side=direction=column:with=b/s1.png
      grid=montage=columns=2:gap=4:color=white:with=b/s1.png:with=b/s2.png
      mkdir out; for name in row column grid
      do
        eval chain=\\$$name; safelight process a/01.png -o out/$name.png --filter $chain --device \(device)
      done
      safelight compare their out --alpha-opaque
      """)
  }
}
