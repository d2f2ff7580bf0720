import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Films and pictures that are damaged: bad input, of which nothing half is kept, unless whoever runs it wants the
/// rest.
@Suite struct DamagedVideoTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc=size=320x240 -frames:v 1 good.jpg; head -c 6000 good.jpg > cut.jpg
      cp good.jpg last.jpg; head -c 300 good.jpg > headless.jpg
      ffmpeg -v error -f lavfi -i testsrc2=size=160x120 -frames:v 30 -pix_fmt yuv420p -c:v mpeg2video full.ts
      tail -c +7521 full.ts > middle.ts
      ffmpeg -v error -i full.ts -frames:v 4 -c:v mpeg4 good.mp4; head -c 3000 good.mp4 > bad.mp4
      """)
  }

  /// A program that is killed, as for lack of memory, says nothing of the film: trying again may help.
  @Test(arguments: ["ffprobe", "ffmpeg"]) func aKilledProgramIsNoDamage(_ program: String) throws {
    let told = try folder.shell(
      """
      mkdir bin; printf '#!/bin/sh\\nkill -9 $$\\n' >bin/\(program); chmod +x bin/\(program)
      PATH=$PWD/bin:$PATH safelight process good.mp4 -o out --device cpu
      """, code: 74)
    told.says("\(program) ended with signal 9")
    #expect(!told.errors.contains(": ;") && !told.errors.contains(": ·"), "\(told.errors)")
  }

  /// A length that no film has counts as none: the header of the track is rewritten with 64 bits (ISO/IEC 14496-12,
  /// 8.4.2).
  @Test func aLengthBeyondAllTimesIsIgnored() throws {
    try folder.shell(
      """
      ffmpeg -v error -i full.ts -frames:v 4 -c:v mpeg4 -movflags frag_keyframe+empty_moov+default_base_moof \
        -bsf:v 'setts=ts=TS+1024' film.mp4
      python3 -c '
      import struct
      data = bytearray(open("film.mp4", "rb").read())
      place = data.index(b"mdhd") - 4
      timescale, tail = data[place + 20:place + 24], data[place + 28:place + 32]
      header = struct.pack(">I4sIQQ", 44, b"mdhd", 1 << 24, 0, 0) + timescale + struct.pack(">Q", 2**63 - 1) + tail
      for box in [b"moov", b"trak", b"mdia"]:
        start = data.index(box) - 4
        data[start:start + 4] = struct.pack(">I", struct.unpack(">I", data[start:start + 4])[0] + 12)
      data[place:place + 32] = header
      open("film.mp4", "wb").write(data)
      '
      ffprobe -v error -show_entries stream=duration_ts,start_pts -of csv=p=0 film.mp4
      """
    ).prints("9223372036854775807")
    try folder.shell("safelight process film.mp4 -o out --device cpu")
    #expect(try folder.names("out").count == 4)
  }

  /// ffmpeg takes a GIF or Ogg file for whole wherever it ends; one without its last byte or page, but with whole
  /// pictures, is.
  @Test func aGIFOrOggFileThatIsCutOffIsBadInput() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=96x80:rate=25 -frames:v 20 a.gif
      ffmpeg -v error -i a.gif -c:v libtheora -g 1 a.ogv
      head -c -1 a.gif >open.gif; head -c -500 a.gif >b.gif; head -c -500 a.ogv >b.ogv
      for film in a.gif a.ogv open.gif; do safelight process $film -o of-$film- --device cpu; done
      """)
    for whole in ["a.gif", "a.ogv", "open.gif"] { #expect(try folder.names("of-\(whole)-").count == 20) }
    for (film, what) in [("b.gif", "picture"), ("b.ogv", "page")] {
      let told = "the file is cut off in the middle of a \(what)"
      try folder.safelight("process \(film) -o out", code: 65)
        .says("\(film): \(told); copy or download it again, or continue past the damage (--ignore-errors)")
      // The last frame that came may be one in part.
      let names = try folder.names("out")
      #expect((10...19).contains(names.count), "\(names)")
      let whole = "of-a.\(film.suffix(3))-/a"
      for name in names { try folder.shell("safelight compare \(whole)\(name.dropFirst()) out/\(name)") }
      try folder.safelight("process \(film) -o out --ignore-errors").says("\(film) is damaged: \(told)\n")
      try folder.shell("rm -r out")
    }
  }

  /// The clock of a transport stream, of 33 bits, overflows within the film, so that its first times count as negative.
  @Test func timesBelowZeroAreTimes() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=96x80:rate=25 -frames:v 10 -c:v mpeg2video \
        -output_ts_offset 95443.5 -muxdelay 0 w.ts
      safelight process w.ts -o w.mkv --lossless --device cpu; safelight process w.ts -o out --device cpu
      safelight compare w.ts w.mkv
      """
    ).prints("10 exact")
    #expect(try folder.names("out").count == 10)
  }

  @Test func aFilmThatBeginsInTheMiddleIsBadInput() throws {
    let refused = try folder.shell("safelight process middle.ts -o out --keep-going --device cpu", code: 65)
    #expect(refused.errors.contains("-i 'middle.ts'") && !refused.errors.contains("0x55"), "\(refused.errors)")
    refused.says("middle.ts: ffmpeg reported errors", "continue past the damage (--ignore-errors)")
    #expect(try folder.names("out").count > 5)
    try folder.shell("safelight process middle.ts -o out.mkv --device cpu", code: 65)
    #expect(try !folder.names().contains("out.mkv"))
  }

  @Test(arguments: ["a.mp4", "b.mkv", "c.avi"]) func aFilmThatIsCutShortIsBadInput(_ film: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=320x240:rate=25 -frames:v 50 -c:v libx264 -movflags +faststart a.mp4
      ffmpeg -v error -i a.mp4 -c:v ffv1 b.mkv; ffmpeg -v error -i a.mp4 -c:v mpeg4 c.avi
      truncate -s $(($(stat -c %s \(film)) * 6 / 10)) \(film)
      """)
    try folder.safelight("process \(film) -o out", code: 65).says(film)
  }

  /// Frames may refer to later ones, and a decoder conceals what it cannot decode: none of that is kept.
  @Test(arguments: ["hurt", "cut"]) func framesBesideTheDamageAreTrueOrNotKept(_ name: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=160x120 -frames:v 48 -pix_fmt yuv420p -c:v libx264 -bf 3 -g 48 \
        -threads 1 film.mkv
      size=$(stat -c %s film.mkv); head -c $((size / 2)) film.mkv > cut.mkv; cp film.mkv hurt.mkv
      for place in 0 37 74 111 148; do
        printf '\\252\\125' | dd of=hurt.mkv bs=1 seek=$((size / 2 + place)) conv=notrunc status=none
      done
      safelight process film.mkv -o true/%02d.png -q --device cpu
      """)
    var kept = 0
    for attempt in 1...3 {
      let outcome = try folder.shell("safelight process \(name).mkv -o \(attempt)/%02d.png -q --device cpu", code: 65)
      let names = try folder.names("\(attempt)")
      #expect(attempt == 1 || names.count == kept, "\(outcome.errors)")
      kept = names.count
      for frame in names {
        #expect(try folder.image("\(attempt)/\(frame)") == folder.image("true/\(frame)"), "\(name) \(frame)")
      }
    }
    #expect((4..<40).contains(kept), "\(kept)")
  }

  /// The decoder of FFV1 replaces a damaged part, reports it and goes on; frames that refer to it are wrong too. The
  /// frames are intra-coded in one film, and refer to the ones before in the other.
  @Test(arguments: [1, 40], [5, 33]) func damagedLosslessFilmsEndBeforeTheDamage(_ keys: Int, _ index: Int) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=160x120:rate=10 -frames:v 40 -pix_fmt yuv420p -c:v ffv1 -level 3 \
        -slicecrc 1 -g \(keys) film.mkv
      packet=$(ffprobe -v error -show_entries packet=pos,size -of csv=p=0 film.mkv | sed -n \(index + 1)p)
      cp film.mkv hurt.mkv
      printf '\\252\\125\\252' | dd of=hurt.mkv bs=1 seek=$((${packet#*,} + ${packet%,*} / 2)) conv=notrunc status=none
      safelight process film.mkv -o true/%02d.png -q --device cpu
      """)
    try folder.shell("safelight process hurt.mkv -o kept/%02d.png -q --device cpu", code: 65)
      .says("ffmpeg reported an error about frame \(index + 1): [ffv1] slice CRC mismatch", "--ignore-errors")
    let names = try folder.names("kept")
    #expect(names.count == index)
    for name in names { #expect(try folder.image("kept/\(name)") == folder.image("true/\(name)"), "\(name)") }
    try folder.shell("safelight compare film.mkv hurt.mkv", code: 65).prints(
      "\(index) exact", "0 differ; 1 not readable")
    try folder.shell("safelight process hurt.mkv -o all -q --ignore-errors --device cpu")
    #expect(try folder.names("all").count == 40)
  }

  /// Variables of ffmpeg change its messages, which say what becomes of each frame.
  @Test(arguments: ["AV_LOG_FORCE_COLOR=1", "FFREPORT=file=report.txt:level=32"])
  func variablesOfFFmpegChangeNothing(_ variable: String) throws {
    try folder.shell(
      """
      \(variable) safelight process full.ts -o out -q --device cpu
      \(variable) safelight process out -o film.mkv --lossless -q --device cpu
      """)
    #expect(try folder.names("out").count == 30 && !folder.names().contains("report.txt"))
  }

  /// A film that lost frames when it was recorded has many gaps, and loses no more at its damage than another.
  @Test func gapsFarFromTheDamageCostNothing() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=160x120:rate=25 -frames:v 150 \
        -vf "select='gt(mod(n,10),0)'" -fps_mode passthrough -pix_fmt yuv420p -c:v libx264 -bf 3 -g 50 gaps.mkv
      size=$(stat -c %s gaps.mkv); cp gaps.mkv hurt.mkv
      head -c 2000 /dev/zero | dd of=hurt.mkv bs=1 seek=$((size * 9 / 10)) conv=notrunc status=none
      safelight process gaps.mkv -o true/%03d.png -q --device cpu
      """)
    #expect(try folder.names("true").count == 150)
    try folder.shell("safelight process hurt.mkv -o kept/%03d.png -q --device cpu", code: 65)
    let names = try folder.names("kept")
    #expect((90..<149).contains(names.count), "\(names.count)")
    for name in names { #expect(try folder.image("kept/\(name)") == folder.image("true/\(name)"), "\(name)") }
  }

  @Test func errorsCanBeIgnoredAndAreCounted() throws {
    let told = try folder.shell(
      "safelight process middle.ts -o out.mkv --ignore-errors --report r.json --progress none --device cpu")
    let warning = #/middle.ts is damaged: .*\(ffmpeg printed [0-9]+ lines of errors\)/#
    #expect(told.errors.contains(warning), "\(told.errors)")
    #expect(try folder.text("r.json").contains("middle.ts is damaged"))
    try folder.shell("safelight process out.mkv -o out --device cpu")
    #expect(try folder.names("out").count > 5)
    // Nothing of it can be read.
    try folder.shell("safelight process bad.mp4 -o none --ignore-errors --device cpu", code: 65)
    try folder.shell("safelight process good.mp4 -o whole --ignore-errors -q --device cpu | tee told; test ! -s told")
    try folder.shell("safelight process whole -o x --ignore-errors --device cpu", code: 64).says("--ignore-errors")
  }

  @Test func aPictureThatIsCutIsNotKept() throws {
    try folder.safelight("process cut.jpg -o out", code: 65).says("cut.jpg: ffmpeg reported errors", "1 frame:")
    #expect(try folder.names("out") == [])
    let told = try folder.shell("safelight process headless.jpg -o out --device cpu", code: 65)
    #expect(told.errors.contains("no picture in it") && !told.errors.contains("video track"), "\(told.errors)")
  }

  @Test func anEmptyFileIsCalledEmpty() throws {
    try folder.shell(": > none.mp4; safelight process none.mp4 -o out --device cpu", code: 65)
      .says("none.mp4: the file is empty; write or copy it again")
  }

  @Test func whatWasNotBegunIsNamed() throws {
    try folder.shell("safelight process good.jpg cut.jpg last.jpg -o out --device cpu", code: 65)
      .says("last.jpg was not begun; --keep-going", "1 of 3 frames, 33 %", "1 failed; 1 not begun")
    #expect(try folder.names("out") == ["good.png"])
    let films = try folder.shell("safelight process bad.mp4 good.mp4 -o films --keep-going --device cpu", code: 65)
    #expect(try folder.names("films").count == 4, "\(films.errors)")
  }

  @Test func framesAreChosenOfPicturesOrOfFilms() throws {
    try folder.shell("safelight process good.mp4 good.jpg -o out --frames 2 --device cpu", code: 64)
      .says("both pictures and the film good.mp4")
    try folder.shell("safelight process good.mp4 -o out --frames 9 --device cpu", code: 66)
      .says("good.mp4: frame 9: there are 4 frames; choose from 1 to 4")
    try folder.shell("safelight process good.jpg -o out --frames 2 --device cpu", code: 66).says("there is 1 frame;")
    try folder.shell("safelight process good.mp4 -o out --frames 1-2,9-12 --device cpu", code: 66)
      .says("frame 9 of 1-2,9-12: there are 4 frames")
  }

  /// An end beyond the last frame is the last frame, with a line, of whatever kind the input is.
  @Test(arguments: [
    ("process good.mp4 -o out", "good.mp4", 4), ("process good.mp4 -o out.y4m", "good.mp4", 4),
    ("process good.jpg last.jpg -o out", "good.jpg last.jpg", 2), ("process good.jpg -o out", "good.jpg", 1),
    ("process pngs -o out", "pngs", 4), ("process pngs -o out.y4m", "pngs", 4),
    ("histogram good.mp4 -o out.json", "good.mp4", 4), ("histogram pngs -o out.json", "pngs", 4),
  ])
  func anEndBeyondTheLastFrameIsTheLastFrame(_ call: String, _ name: String, _ last: Int) throws {
    try folder.shell("mkdir pngs; ffmpeg -v error -i good.mp4 pngs/%d.png")
    try folder.shell("safelight \(call) --frames 1-40 --device cpu")
      .says("frames 1-40 of \(name) end with frame \(last), since there are no more")
    #expect(try folder.names(".").contains { $0.hasPrefix("out") })
  }

  @Test func anotherFilmOfTheSameNameReplacesNothing() throws {
    try folder.shell(
      "mkdir card; ffmpeg -v error -i full.ts -vf negate -frames:v 2 -c:v mpeg4 card/good.mp4; safelight process good.mp4 -o out --device cpu"
    )
    let made = try folder.bytes("out/good.000001.png")
    for existing in ["", "--existing skip"] {
      try folder.safelight("process card/good.mp4 -o out \(existing)", code: 73).says("another film named good.mp4")
    }
    #expect(try folder.bytes("out/good.000001.png") == made)
    try folder.shell("safelight process good.mp4 -o out --existing skip --device cpu")
    // The end of the longer one is not that of the shorter.
    try folder.shell("safelight process card/good.mp4 -o out --existing overwrite --device cpu")
      .says("out/good.000003.png and 1 more are from an earlier run")
  }
}
