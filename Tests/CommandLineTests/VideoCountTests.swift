import Foundation
import TestSupport
import Testing

/// `safelight histogram` of films, and the wait for their headers.
extension VideoPipeTests {
  /// A film, the same through a pipe, and its frames as pictures have the same counts and the same map over time.
  @Test func filmsAreCountedAsTheirPicturesAre() throws {
    try makeClip(frames: 6)
    try shell(
      """
      ffmpeg -v error -i clip.y4m -c:v ffv1 clip.mkv; safelight process clip.y4m -o frames --device cpu
      safelight histogram clip.y4m -o film.json --device cpu; safelight histogram clip.mkv -o mkv.json --device cpu
      safelight histogram - <clip.y4m --frames 2-6:2 --device cpu >pipe.json
      safelight histogram frames -o frames.json --device cpu
      for input in clip.y4m frames; do safelight histogram $input -o ${input%.y4m}.svg --over time --device cpu; done
      """)
    func channels(_ name: String) throws -> [NSDictionary] {
      try #require(folder.json(name)["frames"] as? [[String: Any]]).map {
        try #require($0["channels"] as? NSDictionary)
      }
    }
    let pictures = try channels("frames.json")
    #expect(pictures.count == 6 && Set(pictures).count > 1)
    #expect(try channels("film.json") == pictures && channels("mkv.json") == pictures)
    #expect(try channels("pipe.json") == [pictures[1], pictures[3], pictures[5]])
    #expect(try bytes("clip.svg") == bytes("frames.svg"))
    let counted = try folder.text("film.json")
    #expect(counted.contains("\"file\":\"clip.y4m\"") && counted.contains("\"index\":5"))
  }

  @Test func whatIsSaidOfAFilmChangesItsCounts() throws {
    try makeClip(frames: 1)
    try shell("ffmpeg -v error -i clip.y4m -f rawvideo -pix_fmt rgb24 clip.rgb")
    let taken = try shell("safelight histogram clip.y4m --device cpu").says("assuming bt601, limited")
    let said = try shell("safelight histogram clip.y4m --device cpu --matrix bt709 --range full")
    #expect(said.output != taken.output && !said.errors.contains("assuming"), "\(said.errors)")
    try shell("safelight histogram clip.rgb --input-format rgb24 --size 64x48 --device cpu")
    for (line, code, text) in [
      ("histogram clip.y4m -o clip.y4m --format json", Int32(64), "would replace"),
      ("histogram clip.y4m clip.y4m", 64, "one film at a time"),
      ("histogram \(Tool.haze) --matrix bt709", 64, "--matrix"),
      ("histogram clip.y4m --frames 3", 66, "there is 1 frame"),
      ("histogram - <clip.rgb", 65, "not a Y4M film"),
    ] {
      try shell("safelight \(line) --device cpu", code: code).says(text)
    }
  }

  /// Not a byte of the header has come, by standard input or a pipe that nobody has opened.
  @Test(arguments: ["process - -o film.mkv", "process pipe -o frames", "histogram -"])
  func aSignalEndsTheWaitForAHeader(_ arguments: String) throws {
    try shell(
      """
      mkfifo pipe; mkfifo silent; exec 3<>silent
      '\(Tool.executable.path)' \(arguments) --device cpu <silent & tool=$!
      until grep -q 'SigCgt:.*[4-7c-f]...$' /proc/$tool/status; do kill -0 $tool || break; sleep 0.05; done
      kill -TERM $tool; wait $tool
      """, code: 75
    ).says("stopping")
    #expect(try folder.names() == ["pipe", "silent"])
  }
}
