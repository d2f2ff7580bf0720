import Foundation
import TestSupport
import Testing

/// A film is there whole or not at all, and the report says no other.
@Suite struct UnfinishedVideoTests {
  /// A program in the place of ffmpeg may end well and write nothing where it should.
  @Test func anEmptyFilmReplacesNothing() throws {
    let folder = TemporaryFolder()
    try folder.writeFrames(3)
    try folder.shell(
      """
      safelight process in -o x.mp4 --device cpu; cp x.mp4 before.mp4
      mkdir bin; printf '#!/bin/sh\\ncat >/dev/null\\n' >bin/ffmpeg; chmod +x bin/ffmpeg
      """)
    try folder.shell("PATH=$PWD/bin:$PATH safelight process in -o x.mp4 --filter invert --device cpu", code: 74)
      .says("x.mp4: ffmpeg ended well, but has written nothing")
    try folder.shell("cmp x.mp4 before.mp4")
  }

  /// Only Y4M goes through a pipe, whatever its name.
  @Test(arguments: ["p.png", "p.mkv", "p.mp4"]) func aPipeWithTheNameOfAFileIsRefused(_ name: String) throws {
    let folder = TemporaryFolder()
    try folder.writeFrames(1)
    try folder.shell("mkfifo \(name); safelight process in -o \(name) --device cpu", code: 64)
      .says("\(name): it is a pipe or a device, and what goes through it would be Y4M")
  }

  let folder = TemporaryFolder()

  /// The report of a film that is not there: no frame is done.
  private func expectNothingDone(_ name: String, _ why: String) throws {
    let report = try folder.report(name)
    #expect(report.frames.count > 1)
    #expect(report.frames.allSatisfy { $0.status == "failed" && $0.pixels == nil })
    #expect(report.frames.contains { $0.error?.contains(why) == true }, "\(report)")
    #expect(report.summary.done == 0 && report.summary.failed == report.frames.count)
  }

  private func makePictures() throws {
    try folder.shell(
      "mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 5 in/%d.png; head -c 500 in/4.png >cut; mv cut in/4.png"
    )
  }

  @Test(arguments: ["b.mkv --lossless", "b.y4m", "b.mkv --in-flight 1"]) func aFrameThatFailsLeavesNoFilm(
    _ output: String
  ) throws {
    try makePictures()
    try folder.shell("safelight process in -o \(output) --report r.json --device cpu", code: 65)
      .says("0 of 5 frames, 0 %", " failed", "in/4.png")
    try expectNothingDone("r.json", "the film was not finished")
    #expect(try folder.names() == ["in", "r.json"])
  }

  @Test func aFilmWithoutOneOfItsFramesIsNotMade() throws {
    try makePictures()
    try folder.shell("ffmpeg -v error -i in/1.png -pix_fmt yuv420p c.y4m")
    for (input, output) in [("in", "b.mkv"), ("in", "-"), ("c.y4m", "b.y4m"), ("c.y4m", "b.rgb")] {
      try folder.shell("safelight process \(input) -o \(output) --keep-going --device cpu", code: 64)
        .says("--keep-going", "write pictures first").prints(only: "")
    }
    #expect(try folder.names() == ["c.y4m", "in"])
    try folder.shell("safelight process c.y4m -o out --keep-going --device cpu")
  }

  /// Kind, depth and every sample come back from a film without loss.
  @Test(arguments: ["gray", "gray16be", "rgb24", "rgb48be", "rgba", "rgba64be"])
  func withoutLossTheKindComesBack(_ pixels: String) throws {
    try folder.shell(
      """
      mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 2 -pix_fmt \(pixels) in/film.%06d.png
      safelight process in -o film.mkv --lossless --device cpu; safelight process film.mkv -o out --device cpu
      safelight compare in out
      """)
    #expect(try folder.names("out").count == 2)
  }

  @Test func alphaThatComesLaterIsNotLost() throws {
    try folder.shell(
      """
      mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 1 -pix_fmt rgb24 in/1.png
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48,format=rgba,colorchannelmixer=aa=0.5 -frames:v 1 in/2.png
      safelight process in -o film.mkv --lossless --device cpu; safelight process film.mkv -o out --device cpu
      safelight compare in/2.png out/film.000002.png
      """)
  }

  @Test func aFilmThatCouldNotBeEndedHasNoFrames() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 5 c.y4m
      mkdir bin; printf '#!/bin/sh\\ncat >/dev/null; echo full >&2; exit 3\\n' >bin/ffmpeg; chmod +x bin/ffmpeg
      PATH="$PWD/bin:$PATH" safelight process c.y4m -o out.mp4 --report r.json --device cpu
      """, code: 74)
    try expectNothingDone("r.json", "ffmpeg ended with status 3")
    #expect(try folder.names() == ["bin", "c.y4m", "r.json"])
  }

  @Test(arguments: ["b.mkv", "b.y4m"]) func aSignalLeavesNoFilm(_ output: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 200 -pix_fmt yuv420p c.y4m
      mkfifo pipe; exec 3<>pipe; cat c.y4m >&3 & feed=$!
      '\(Tool.executable.path)' process pipe -o \(output) --report r.json --progress json --device cpu 2>errors & tool=$!
      until grep -q '"index":3' errors; do kill -0 $tool || break; sleep 0.05; done
      kill -TERM $tool; code=0; wait $tool || code=$?; kill -KILL $feed || true; exit $code
      """, code: 75
    ).ends(75)
    try expectNothingDone("r.json", "the run was stopped")
    #expect(try !folder.names().contains(output))
  }
}
