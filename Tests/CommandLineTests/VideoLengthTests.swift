import Foundation
import TestSupport
import Testing

/// How long the last frame of a film is shown, which no frame's time says.
@Suite struct VideoLengthTests {
  let folder = TemporaryFolder()

  /// `a.gif`: frames at 0, 0.1, 0.2, 0.3 and 0.4 s, of which the last is shown for 3 s.
  init() throws {
    try folder.shell(
      "ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=10 -frames:v 5 -pix_fmt rgb8 -final_delay 300 a.gif")
  }

  /// Expects the total length and the times of the frames, as ffprobe reads them, to within a tick of `film`.
  private func expect(
    _ film: String, lasts seconds: Double, times: [Double] = [0, 0.1, 0.2, 0.3, 0.4],
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let told = try folder.shell(
      """
      ffprobe -v error -show_entries format=duration -of csv=p=0 \(film)
      ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 \(film)
      """)
    let numbers = told.output.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
    #expect(numbers.count == times.count + 1, "\(told.output)", sourceLocation: place)
    for (found, wanted) in zip(numbers, [seconds] + times) {
      #expect(abs(found - wanted) <= 0.001, "\(film): \(told.output)", sourceLocation: place)
    }
  }

  @Test(arguments: ["mp4", "m4v", "mov", "mkv", "webm"]) func itIsKept(_ kind: String) throws {
    let told = try folder.safelight("process a.gif -o a.\(kind)")
    #expect(!told.errors.contains("last frame"), "\(told.errors)")
    try expect("a.\(kind)", lasts: 3.4)
    // And so from each of these to others, also losslessly, and by an encoder that was named.
    try folder.shell(
      """
      for out in b.mp4 b.mkv b.webm; do safelight process a.\(kind) -o $out --device cpu; done
      safelight process a.\(kind) -o c.mkv --lossless --device cpu
      safelight process a.\(kind) -o d.mov --encoder '-c:v libx265 -x265-params log-level=none' --device cpu
      """)
    for film in ["b.mp4", "b.mkv", "b.webm", "c.mkv", "d.mov"] { try expect(film, lasts: 3.4) }
    #expect(try folder.names().allSatisfy { !$0.hasPrefix(".") })
  }

  /// In a film whose frames are decoded in another order than they are shown in, the durations of its packets end
  /// before the film does; only its header says when that is.
  @Test(arguments: ["mp4", "mov"]) func itIsKeptWhereFramesAreReordered(_ kind: String) throws {
    let times = [0, 0.1, 0.17, 0.2, 0.33, 0.38, 0.88, 0.92]
    let frames = times.map { "eq(n\\,\(Int(($0 * 100).rounded())))" }.joined(separator: "+")
    let duration = "if(gte(PTS-STARTPTS\\,11776)+eq(NEXT_PTS\\,NOPTS)\\,192*128-(PTS-STARTPTS)\\,DURATION)"
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=100 -vf "select=\(frames)" -frames:v 8 \
        -fps_mode passthrough -enc_time_base 1/100 -c:v libx264 -bf 3 b.mp4
      ffmpeg -v error -i b.mp4 -c copy -bsf:v "setts=pts=PTS:dts=DTS:duration='\(duration)'" c.\(kind)
      for out in d.mkv d.mp4; do safelight process c.\(kind) -o $out --device cpu; done
      """)
    for film in ["d.mkv", "d.mp4"] { try expect(film, lasts: 1.92, times: times) }
  }

  /// A film whose end cannot be written, here by an ffmpeg that fails at it, is kept all the same.
  @Test func aFilmWhoseEndIsNotWrittenIsKept() throws {
    try folder.shell(
      """
      mkdir bin; printf '#!/bin/sh\\ncase "$*" in *setts*) echo none >&2; exit 1;; esac\\nexec %s "$@"\\n' \
        "$(command -v ffmpeg)" >bin/ffmpeg; chmod +x bin/ffmpeg
      PATH=$PWD/bin:$PATH safelight process a.gif -o a.mkv --device cpu
      """
    ).says("a.mkv does not say how long its last frame is shown: ffmpeg ended with status 1")
    try expect("a.mkv", lasts: 0.41)
    #expect(try folder.names() == ["a.gif", "a.mkv", "bin"])
  }

  /// Of a part, the last frame is shown as long as it was there.
  @Test func partsEndWithTheirFrame() throws {
    try folder.shell(
      """
      ffmpeg -v error -i a.gif -vf "setpts=if(gt(N\\,1)\\,PTS+70\\,PTS)" -fps_mode passthrough -c:v ffv1 v.mkv
      safelight process a.gif -o a.mp4 --frames 1-3 --device cpu; safelight process v.mkv -o b.mkv --frames 1-2 --device cpu
      """)
    try expect("a.mp4", lasts: 0.3, times: [0, 0.1, 0.2])
    try expect("b.mkv", lasts: 0.9, times: [0, 0.1])
  }

  @Test func aSingleFrameHasItsLength() throws {
    try folder.shell(
      """
      ffmpeg -v error -i a.gif -frames:v 1 -pix_fmt rgb8 -final_delay 250 one.gif
      for kind in mp4 mkv; do safelight process one.gif -o one.$kind --device cpu; done
      """)
    for kind in ["mp4", "mkv"] { try expect("one.\(kind)", lasts: 2.5, times: [0]) }
  }

  /// Sound that is longer than the pictures does not make the last one longer.
  @Test func soundIsNotCounted() throws {
    try folder.shell(
      """
      for kind in mp4 mkv; do
        ffmpeg -v error -i a.gif -f lavfi -i anullsrc -t 8 -map 0:v -map 1:a -fps_mode passthrough -pix_fmt yuv420p s.$kind
        ffprobe -v error -select_streams v -show_entries stream=duration:stream_tags=DURATION -of csv=p=0 s.$kind
        safelight process s.$kind -o o.$kind --device cpu
      done
      """)
    for kind in ["mp4", "mkv"] { try expect("o.\(kind)", lasts: 0.5) }
  }

  /// A film of a constant rate is as long as it was, frame by frame, and is encoded once.
  @Test(arguments: ["25", "30000/1001", "24000/1001"]) func constantRatesStay(_ rate: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=\(rate) -frames:v 7 -pix_fmt yuv420p c.mp4
      ffmpeg -v error -i c.mp4 -c copy c.mkv
      for from in mp4 mkv; do for to in mp4 mkv mov webm; do safelight process c.$from -o $from.$to --device cpu; done; done
      """)
    let parts = rate.split(separator: "/").compactMap { Double($0) }
    let frame = (parts.count == 2 ? parts[1] : 1) / parts[0]
    for film in ["mp4.mp4", "mkv.mp4", "mkv.mkv", "mp4.webm", "mkv.mov"] {
      try expect(film, lasts: 7 * frame, times: (0..<7).map { Double($0) * frame })
    }
  }

  /// Films with times alone, and with a rate alone.
  @Test(arguments: ["nut", "ts"]) func whatCannotBeKeptIsTold(_ kind: String) throws {
    try folder.safelight("process a.gif -o a.\(kind)").says(
      "a.\(kind) does not say that its last frame is shown for 3.0 s, so players must guess")
  }

  @Test(arguments: ["a.avi", "a.y4m", "a.raw"]) func constantRatesCannotKeepItEither(_ output: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=10 -frames:v 5 -c:v ffv1 even.mkv
      ffmpeg -v error -i even.mkv -c copy -bsf:v \
      "setts=pts=PTS:dts=DTS:duration='if(eq(NEXT_PTS,NOPTS),3/TB,DURATION)'" b.mkv
      """)
    for film in ["even.mkv", "b.mkv"] {
      let told = try folder.safelight("process \(film) -o \(output)")
      #expect(
        told.errors.contains("b.mkv shows its last frame for 3.0 s, and the output for 0.1 s like all others")
          == (film == "b.mkv"))
      #expect(told.errors.components(separatedBy: "last frame").count == (film == "b.mkv" ? 2 : 1), "\(told.errors)")
    }
  }
}
