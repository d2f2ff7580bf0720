import TestSupport
import Testing

/// Text in the frames of sequences and films.
@Suite struct TextTests {
  private let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      mkdir in && ffmpeg -v error -f lavfi -i testsrc2=size=160x48:rate=25 -frames:v 3 -start_number 998 \
        in/shot.%04d.png
      """)
  }

  /// Fields give the pictures of the words that they stand for, also in parts of a sequence and with several jobs.
  @Test(arguments: ["cpu", "software"]) func fieldsAreWhatTheyStandFor(_ device: String) throws {
    let settings = "size=11:margin=1:background=black"
    let clock = "text='{time} {timecode}':start='00:00:59;29':rate=29.97:gravity=north"
    let chain = "--filter \"text='{name} {frame:6}':\(settings),\(clock)\""
    try folder.shell(
      """
      safelight process in -o out --device \(device) --jobs 2 \(chain)
      for shard in 0/3 1/3 2/3; do
        safelight process in -o parts --device \(device) --shard $shard \(chain)
      done
      safelight compare out parts
      number=0
      for clock in '00:00:00.000 00:00:59;29' '00:00:00.033 00:01:00;02' '00:00:00.066 00:01:00;03'; do
        frame=$(printf '%04d' $((998 + number)))
        safelight process in/shot.$frame.png -o their/shot.$frame.png --device \(device) \
          --filter "text='shot.$frame 00$frame':\(settings),text='$clock':gravity=north"
        safelight compare out/shot.$frame.png their/shot.$frame.png
        number=$((number + 1))
      done
      if cmp -s out/shot.0998.png out/shot.0999.png; then exit 1; fi
      """)
  }

  /// Times go on where a frame is missing, in pictures and in a film that shows the frame before it again.
  @Test func timesCountMissingFrames() throws {
    let clock = "--device cpu --filter \"text='{timecode} {time}':gravity=north\""
    try folder.shell(
      """
      mkdir five && ffmpeg -v error -f lavfi -i testsrc2=size=160x48:rate=25 -frames:v 5 five/shot.%d.png
      safelight process five -o whole \(clock) && rm five/shot.3.png
      safelight process five -o out \(clock); safelight process five -o parts --shard 1/2 \(clock)
      safelight process five -o film.mkv --lossless --gaps hold --frame-rate 24 \(clock)
      safelight process film.mkv -o filmed --filter passthrough --device cpu
      for folder in out parts; do safelight compare whole/shot.4.png $folder/shot.4.png; done
      for number in 1 2 4 5; do safelight compare whole/shot.$number.png filmed/film.00000$number.png; done
      safelight compare whole/shot.2.png filmed/film.000003.png
      """)
  }

  /// Film frames have the film's name and their number in it.
  @Test func framesOfFilmsAreNumbered() throws {
    try folder.shell(
      """
      ffmpeg -v error -start_number 998 -i in/shot.%04d.png -c:v ffv1 clip.mkv
      safelight process clip.mkv -o out/ --device cpu --filter "text='{name} {frame}'"
      safelight process in/shot.0999.png -o second.png --device cpu --filter "text='clip 2'"
      safelight compare out/clip.000002.png second.png
      """)
  }

  /// A font is part of what a file was made by, and so are the frame's name and position.
  @Test func otherFontsAndNamesMakeFilesAnew() throws {
    let process = "safelight process in -o out --device cpu --existing verify --filter \"text='{name}':font=a.ttf\""
    try folder.shell(
      """
      cp /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf a.ttf
      \(process) && cp -r out before
      """)
    try folder.shell(process).says("3 skipped")
    try folder.shell("cp /usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf a.ttf && \(process)")
      .says("3 of 3 frames")
    try folder.shell("if cmp -s out/shot.0998.png before/shot.0998.png; then exit 1; fi")
  }

  /// A text of many characters is refused before a frame is written.
  @Test func longTextsAreRefused() throws {
    try folder.shell(
      """
      code=0
      safelight process in -o out --device cpu --filter "text=$(head -c 100000 /dev/zero | tr '\\0' a)" || code=$?
      test $code = 64 && ! test -e out
      """
    ).says("its text has 100000 characters, and at most 4096 are drawn")
  }
}
