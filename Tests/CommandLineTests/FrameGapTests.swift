import Foundation
import SafelightFrames
import Testing

/// A number that the names of frames skip is told of, and stops a film that would be out of step.
@Suite struct FrameGapTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.shell(
      "mkdir in; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 6 in/f%d.png; rm in/f4.png")
  }

  @Test func picturesComeWithAWarning() throws {
    let outcome = try folder.shell("safelight process in -o out --report r.json --progress none --device cpu")
    #expect(outcome.errors == "safelight: in/f4.png is missing between the frames; if that is meant, say --gaps skip\n")
    #expect(
      try String(decoding: folder.bytes("r.json"), as: UTF8.self).contains("\"warnings\":[\"in/f4.png is missing"))
    #expect(try folder.shell("safelight process in -o out -q --device cpu").errors == "")
    #expect(try folder.shell("safelight process in -o out --gaps skip --progress none --device cpu").errors == "")
    try folder.shell("safelight process in -o none --gaps error --device cpu", code: 66)
    try folder.shell("safelight process in -o none --gaps hold --device cpu", code: 64)
    // Frames that were chosen without the gap between them.
    #expect(try folder.shell("safelight process in -o out --frames 1-3 --progress none --device cpu").errors == "")
    #expect(try !folder.names().contains("none"))
  }

  @Test func aFilmSaysWhatIsMeant() throws {
    let refused = try folder.shell("safelight process in -o film.mkv --device cpu", code: 66)
    #expect(refused.errors.contains("in/f4.png is missing") && refused.errors.contains("--gaps"), "\(refused.errors)")
    for (gaps, count) in [("skip", 5), ("hold", 6)] {
      try folder.shell("safelight process in -o \(gaps).y4m --gaps \(gaps) --frame-rate 25 --device cpu")
      try folder.shell("safelight process \(gaps).y4m -o \(gaps) --device cpu")
      #expect(try folder.names(gaps).count == count)
    }
    let frames = try (3...5).map { try PNGFile(reading: folder.path("hold/hold.00000\($0).png")).image }
    #expect(frames[0] == frames[1] && frames[1] != frames[2])
    try folder.shell("safelight process skip.y4m -o out --gaps skip --device cpu", code: 64)
  }
}
