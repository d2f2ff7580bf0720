import TestSupport
import Testing

/// Runs that pass from their frames to a second sequence, and end with it.
@Suite struct CrossfadeTests {
  private let folder = TemporaryFolder()
  private let filter = "crossfade=with=b:from=4:length=3"

  /// Six frames, and five from position 4 on.
  init() throws {
    try folder.shell(
      """
      mkdir a b their
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 6 a/%02d.png
      ffmpeg -v error -f lavfi -i mandelbrot=size=64x48,format=rgb24 -frames:v 5 b/s%d.png
      ffmpeg -v error -i a/%02d.png -c:v ffv1 a.mkv
      """)
  }

  /// ffmpeg works out the same formula.
  @Test(arguments: ["cpu", "software"]) func aRunEndsWithTheLaterSequence(_ device: String) throws {
    try folder.shell(
      """
      for n in 1 2 3 4; do cp a/0$n.png their/0$n.png; done
      for k in 1 2
      do
        ffmpeg -v error -i a/0$((4 + k)).png -i b/s$((1 + k)).png -filter_complex \
          "[0]format=gbrp[f];[1]format=gbrp[s];[f][s]blend=all_expr='floor((A*(3-$k)+B*$k+1)/3)'" -pix_fmt rgb24 \
          their/0$((4 + k)).png
      done
      cp b/s4.png their/07.png; cp b/s5.png their/08.png
      safelight process a -o 'out/%02d.png' --filter \(filter) --device \(device)
      safelight process a.mkv -o 'film/%02d.png' --filter \(filter) --device \(device)
      safelight process a -o to.mkv --lossless --filter \(filter) --device \(device)
      safelight process a.mkv -o through.mkv --lossless --filter \(filter) --device \(device)
      safelight process a -o 'part/%02d.png' --frames 6-7 --filter \(filter) --device \(device)
      for n in 0 1; do safelight process a -o 'half/%02d.png' --shard $n/2 --filter \(filter) --device \(device); done
      safelight compare their out --alpha-opaque
      safelight compare out film; safelight compare out half
      safelight compare to.mkv through.mkv; safelight compare out/07.png part/07.png; test ! -e part/08.png
      """)
    for film in ["to", "through"] {
      try folder.shell(
        "ffprobe -v error -show_entries packet=pts_time -of csv=p=0 \(film).mkv | tail -1"
      ).prints(only: "0.280000\n")
      try folder.shell("mkdir \(film); ffmpeg -v error -i \(film).mkv \(film)/%02d.png; safelight compare out \(film)")
    }
  }

  /// A frame behind the last one depends on the second picture alone, and is made anew if that changes.
  @Test func outputsBehindTheLastFrameAreVerified() throws {
    let run = "safelight process a -o 'out/%02d.png' --filter \(filter) --existing verify --device cpu"
    try folder.shell(run)
    try folder.shell("cp b/s1.png b/s5.png")
    try folder.shell(run).says("7 skipped")
    try folder.shell("safelight compare b/s5.png out/08.png")
  }

  @Test(arguments: [
    ("crossfade=with=b:from=4:length=3", "out", 64, "write to a pattern such as out/%04d.png"),
    ("crossfade=with=b:from=5:length=3", "out/%d.png", 65, "it mixes frames up to position 7, and there are 6"),
    ("crossfade=with=b:from=1:length=3", "out/%d.png", 65, "b holds 5 pictures"),
    ("crossfade=with=b:from=1:length=3:missing=hold", "out", 0, "6 of 6"),
    ("crossfade=with=b/s1.png:from=4:length=3", "out", 0, "6 of 6"),
    ("crossfade=with=b:from=2:length=5", "out", 0, "6 of 6"),
    ("crossfade=with=b:from=2:length=2,crossfade=with=b:from=5:length=2", "out/%d.png", 65, "b holds 5 pictures"),
    ("crossfade=with=b:from=2:length=2:missing=hold,crossfade=with=b:from=5:length=2", "out/%d.png", 0, "9 of 9"),
  ])
  func theEndIsKnownBeforeTheRun(_ filter: String, _ output: String, _ code: Int32, _ text: String) throws {
    try folder.shell("safelight process a -o '\(output)' --filter \(filter) --device cpu", code: code).says(text)
    if code != 0 { try folder.shell("test -z \"$(ls out 2>&-)\"") }
  }

  /// How long a film is shows at its end alone.
  @Test func aFilmThatEndsTooSoonIsNotFinished() throws {
    try folder.shell(
      "safelight process a.mkv -o out.mkv --lossless --filter crossfade=with=b:from=5:length=3 --device cpu", code: 65
    ).says("it mixes frames up to position 7, and there are 6")
    try folder.shell("test ! -e out.mkv")
  }
}
