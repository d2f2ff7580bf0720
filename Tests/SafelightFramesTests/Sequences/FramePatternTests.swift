import SafelightFrames
import SafelightImage
import Testing

@Suite("Frame patterns")
struct FramePatternTests {
  @Test(
    "numbers are written and found again",
    arguments: [
      ("shot.%04d.png", 7, "shot.0007.png"), ("shot.%04d.png", 12345, "shot.12345.png"), ("%d.png", 0, "0.png"),
      ("a/b/%03d", 42, "a/b/042"), ("100%%_%d.png", 3, "100%_3.png"), ("v2_%d1.png", 5, "v2_51.png"),
      ("%020d.png", 1, "00000000000000000001.png"), ("%00d.png", 8, "8.png"),
    ])
  func roundTrip(text: String, number: Int, path: String) throws {
    let pattern = try FramePattern(text)
    #expect(pattern.path(number) == path)
    #expect(try pattern.number(in: #require(path.split(separator: "/").last.map(String.init))) == number)
    #expect(pattern.description == text)
  }

  @Test(
    "names that the pattern would not write",
    arguments: [
      "shot.7.png", "shot.00007.png", "shot.0007.PNG", "shot.png", "shot..png", "shot.-001.png", "shot.+007.png",
      "Shot.0007.png", "shot.0x07.png", "shot.99999999999999999999.png", "xshot.0007.png", "shot.٠٠٠٧.png",
    ])
  func strangers(name: String) throws {
    #expect(try FramePattern("shot.%04d.png").number(in: name) == nil)
  }

  @Test(arguments: [
    ("shot%04d.png", true), ("shot%4d.png", true), ("shot%s.png", true), ("100%%_%d.png", true), ("100%.png", false),
    ("100%%.png", false), ("50 %_a.png", false), ("shot%", false),
  ])
  func whatMayBeAPattern(_ text: String, _ isPattern: Bool) { #expect(FramePattern.isPattern(text) == isPattern) }

  @Test(
    "what is no pattern",
    arguments: [
      "shot.png", "%d_%d.png", "shot%s.png", "shot%4d.png", "shot%", "a%%b", "%02d/shot.png", "shot%-4d.png",
      "%099d.png", "%0", "%999999999999999999999d",
    ])
  func refusals(text: String) {
    expectError(.usage, mentioning: text, "%04d") { _ = try FramePattern(text) }
  }
}
