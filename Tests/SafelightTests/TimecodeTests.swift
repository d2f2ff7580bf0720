import Safelight
import SafelightImage
import Testing

/// Timecodes by SMPTE ST 12-1, whose truths are well known.
@Suite struct TimecodeTests {
  @Test(arguments: [
    ("00:00:00:00", 25.0, 1, "00:00:00:01"), ("00:00:59:24", 25, 1, "00:01:00:00"),
    ("01:00:00:00", 24, 86_399, "01:59:59:23"), ("23:59:59:23", 23.976, 1, "00:00:00:00"),
    ("00:00:59:29", 29.97, 1, "00:01:00:00"), ("00:00:59;29", 29.97, 1, "00:01:00;02"),
    ("00:01:00;02", 29.97, -1, "00:00:59;29"), ("00:09:59;29", 29.97, 1, "00:10:00;00"),
    ("00:00:00;00", 29.97, 1800, "00:01:00;02"), ("00:00:00;00", 29.97, 17_981, "00:09:59;29"),
    ("00:00:00;00", 29.97, 17_982, "00:10:00;00"), ("00:00:00;00", 29.97, 107_892, "01:00:00;00"),
    ("00:00:00;00", 59.94, 215_784, "01:00:00;00"), ("00:00:59;59", 59.94, 1, "00:01:00;04"),
    ("00:00:00;00", 29.97, 2_589_408, "00:00:00;00"), ("23:59:59;29", 29.97, 1, "00:00:00;00"),
    ("00:00:00:00", 120, 119, "00:00:00:119"), ("00:00:00:00", 30, 108_000, "01:00:00:00"),
  ])
  func framesFollow(_ start: String, _ rate: Double, _ frames: Int, _ expected: String) throws {
    let timecode = try #require(Timecode(start, rate: rate))
    #expect(timecode.description == start)
    #expect(timecode.advanced(by: frames).description == expected)
  }

  /// Every number of ten minutes and a bit, counted by hand.
  @Test func dropFramesAreCountedOneByOne() throws {
    let start = try #require(Timecode("00:08:50;00", rate: 29.97))
    var (minute, second, frame) = (8, 50, 0)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for count in 0..<4000 {
      #expect(start.advanced(by: count).description == "00:\(two(minute)):\(two(second));\(two(frame))")
      frame += 1
      if frame == 30 { (second, frame) = (second + 1, 0) }
      if second == 60 { (minute, second, frame) = (minute + 1, 0, (minute + 1) % 10 == 0 ? 0 : 2) }
    }
  }

  @Test(arguments: [
    ("00:01:00;00", 29.97), ("00:01:00;01", 29.97), ("00:01:00;03", 59.94), ("00:00:00;00", 25), ("00:00:00;00", 30),
    ("00:00:00:25", 25), ("24:00:00:00", 25), ("00:60:00:00", 25), ("1:00:00:00", 25), ("01:00:00", 25), ("", 25),
  ])
  func othersAreNone(_ text: String, _ rate: Double) { #expect(Timecode(text, rate: rate) == nil) }

  @Test(arguments: [
    (25.0, 26, "00:00:01.040"), (24, 1, "00:00:00.041"), (29.97, 30, "00:00:01.001"), (23.976, 24, "00:00:01.001"),
    (59.94, 215_784, "00:59:59.996"), (12.5, 25, "00:00:02.000"), (1, 360_000, "100:00:00.000"),
  ])
  func timesAreRoundedDown(_ rate: Double, _ frame: Int, _ expected: String) {
    #expect(FrameRate(rate).time(ofFrame: frame) == expected)
  }
}
