import TestSupport
import Testing

/// The words that every filter takes, over sequences: masks, frames and values over time.
@Suite struct FilterWordTests {
  private let folder = TemporaryFolder()

  /// Six frames, and masks for the first four, of which the upper half is white.
  init() throws {
    try folder.shell(
      """
      mkdir a m
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 6 a/%02d.png
      ffmpeg -v error -f lavfi -i color=white:size=64x24,format=rgb24,pad=64:48:color=black -frames:v 4 m/%d.png
      ffmpeg -v error -i a/%02d.png -c:v ffv1 a.mkv
      """)
  }

  /// Crops of both are the judges: above is the result, below the frame.
  @Test(arguments: ["cpu", "software"]) func masksKeepTheFrameWhereTheyAreBlack(_ device: String) throws {
    let run = "--device \(device) -q"
    try folder.shell(
      """
      part() { safelight process $1 -o $2 --filter "$3crop=height=24:y=$4" --device cpu -q; }
      safelight process a -o out --filter "blur=3:mask=m/2.png,hue=40:mask=m/2.png" \(run)
      safelight process a.mkv -o film --filter "blur=3:mask=m/2.png,hue=40:mask=m/2.png" \(run)
      part out low '' 24; part a frames '' 24; part out high '' 0; part a made 'blur=3,hue=40,' 0
      safelight compare frames low; safelight compare made high
      for n in 1 2 3 4 5 6; do safelight compare out/0$n.png film/a.00000$n.png; done
      """)
  }

  /// A sequence of masks needs no more pictures than there are frames on which its filter works.
  @Test func masksGoWithFramesByPosition() throws {
    try folder.shell("safelight process a -o out --filter invert=mask=m --device cpu", code: 65)
      .says("m holds 4 pictures, and there are frames up to position 6", "as in frames=1-4")
    try folder.shell("safelight process a -o m --filter invert=mask=m --device cpu", code: 64)
      .says("a filter reads the pictures there")
    let run = "safelight process a -o out --filter invert=mask=m:frames=2-4 --existing verify --device cpu"
    try folder.shell(run)
    try folder.shell("for n in 1 5 6; do safelight compare a/0$n.png out/0$n.png; done")
    try folder.shell("safelight compare a/02.png out/02.png", code: 1)
    try folder.shell(run).says("6 skipped")
    try folder.shell("ffmpeg -v error -i m/3.png -vf vflip -y m/0.png && mv m/0.png m/3.png")
    try folder.shell(run).says("1 of 1 frame", "5 skipped")
    try folder.shell("ffmpeg -v error -i m/1.png -vf vflip -y m/0.png && mv m/0.png m/1.png")
    try folder.shell(run).says("nothing to do")
  }

  /// Parts of a run, and a film, have the values of the whole.
  @Test(arguments: ["cpu", "software"]) func valuesFollowPositions(_ device: String) throws {
    try folder.shell(
      """
      run() { safelight process "$@" --filter "gamma='0.5@2 2@5',equalize=smooth=2:opacity='0@1 1@6'" \\
        --device \(device) -q; }
      run a -o whole; run a.mkv -o film; run a -o parts --shard 0/2; run a -o parts --shard 1/2
      safelight compare whole parts
      for n in 1 2 3 4 5 6; do safelight compare whole/0$n.png film/a.00000$n.png; done
      safelight process a/03.png -o one.png --filter gamma=1,equalize=smooth=2:opacity=0.4 --device cpu -q
      """)
    try folder.shell("safelight compare whole/01.png whole/06.png", code: 1)
  }

  /// A film's mask is looked at before the first frame on which its filter works.
  @Test func masksOfFilmsAreCheckedBeforeAFrameIsWritten() throws {
    try folder.shell("safelight process m/1.png -o small.png --filter resize=percent=50 --device cpu")
    try folder.shell("safelight process a.mkv -o out/ --filter invert=mask=small.png:frames=4-6 --device cpu", code: 65)
      .says("its mask is of 32×24")
    #expect(try folder.allNames("out").isEmpty)
  }

  @Test(arguments: [
    ("invert=region=8x8+64+0", 65, "its region of 8×8 at (64, 0) lies wholly outside the picture of 64×48"),
    ("invert=region=8x8", 64, "invert=region=8x8: '8x8' is no rectangle"), ("invert=regoin=8x8+0+0", 64, "region"),
    ("invert=mask=none.png", 66, "none.png"), ("invert=mask=deep.png", 65, "its mask has 16 bits a sample"),
    ("invert=mask=small.png", 65, "its mask is of 8×6, and the frame of 64×48"),
    ("invert=opacity=1.1", 64, "opacity must be a number from 0 to 1"), ("invert=opacity=0.5@0", 64, "VALUE@POSITION"),
    ("gamma='1@5 2@3'", 64, "positions rise from 1 on"), ("gamma='1@1 200@3'", 64, "each value is a number from 0.1"),
    ("invert=frames=3-2", 64, "invert=frames=3-2"),
    ("invert=frames=20-30", 66, "frame 20 of 20-30"),
    ("gamma='1@1001 2@1100'", 66, "it begins at position 1001, and there is 1 frame"), ("invert=frames=", 64, "frames"),
    ("resize=width=8:mask=m/1.png", 65, "mask keeps pixels of both"), ("invert", 0, "1 of 1 frame"),
    ("blur=2:opacity=0.5:opacity=0.4", 64, "more than once"),
  ])
  func contradictionsAreRefused(_ filter: String, _ code: Int32, _ text: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=8x6,format=rgb24 -frames:v 1 small.png
      ffmpeg -v error -f lavfi -i color=red:size=64x48,format=rgb48 -frames:v 1 deep.png
      """)
    try folder.shell("safelight process a/01.png -o out/ --filter \"\(filter)\" --device cpu", code: code).says(text)
  }
}
