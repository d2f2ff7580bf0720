import SafelightFrames
import SafelightImage
import Testing

@Suite("Frame patterns") struct FramePatternTests {
  @Test(arguments: [
    ("shot.%04d.png", 7, "shot.0007.png"), ("shot.%04d.png", 12345, "shot.12345.png"), ("%d.png", 0, "0.png"),
    ("a/b/%03d", 42, "a/b/042"), ("100%%_%d.png", 3, "100%_3.png"), ("v2_%d1.png", 5, "v2_51.png"),
    ("shot.%04d.png", -3, "shot.-003.png"), ("%d.png", -12, "-12.png"), ("f%03d.png", -1234, "f-1234.png"),
    ("%020d.png", 1, "00000000000000000001.png"), ("%00d.png", 8, "8.png"), ("%%03d x/f%d.png", 2, "%03d x/f2.png"),
  ])
  func numbersAreWrittenAndFoundAgain(text: String, number: Int, path: String) throws {
    let pattern = try FramePattern(text)
    #expect(pattern.path(number) == path)
    #expect(try pattern.number(in: #require(path.split(separator: "/").last.map(String.init))) == number)
    #expect(pattern.description == text)
  }

  @Test(arguments: [
    "shot.7.png", "shot.00007.png", "shot.0007.PNG", "shot.png", "shot..png", "shot.-01.png", "shot.+007.png",
    "shot.-00001.png", "shot.-000.png", "shot.--003.png", "shot.-.png", "shot.-9223372036854775808.png",
    "Shot.0007.png", "shot.0x07.png", "shot.99999999999999999999.png", "xshot.0007.png", "shot.٠٠٠٧.png",
  ])
  func namesItWouldNotWrite(name: String) throws { #expect(try FramePattern("shot.%04d.png").number(in: name) == nil) }

  @Test func aSignMayPrecedeAllDigits() throws { #expect(try FramePattern("f.%04d").number(in: "f.-0003") == -3) }

  @Test(arguments: [
    ("shot%04d.png", true), ("shot%4d.png", true), ("shot%s.png", true), ("100%%_%d.png", true), ("100%.png", false),
    ("100%%.png", false), ("50 %_a.png", false), ("shot%", false), ("a%20b.png", false), ("caf%C3%A9.png", false),
  ])
  func whatMayBeAPattern(_ text: String, _ isPattern: Bool) { #expect(FramePattern.isPattern(text) == isPattern) }

  @Test(arguments: [
    "shot.png", "%d_%d.png", "shot%s.png", "shot%4d.png", "shot%", "a%%b", "%02d/shot.png", "shot%-4d.png",
    "%099d.png", "%0", "%999999999999999999999d",
  ])
  func invalidPatterns(text: String) { expectError(.usage, mentioning: text, "%04d") { _ = try FramePattern(text) } }
}

@Suite("Frame selections") struct FrameSelectionTests {
  @Test(arguments: [
    ("1", [0]), ("3-5", [2, 3, 4]), ("1-10:3", [0, 3, 6, 9]), ("2-9:3,1", [0, 1, 4, 7]), ("4-6,5-7,5", [3, 4, 5, 6]),
    ("10", [9]), ("1-2:100", [0]), ("007", [6]), ("7-", [6, 7, 8, 9]), ("2-:3", [1, 4, 7]), ("9-,1", [0, 8, 9]),
  ])
  func positionsCountFromOneInTheOrderOfTheListEachOnce(text: String, expected: [Int]) throws {
    #expect(try FrameSelection(text).indices(count: 10) == expected)
  }

  @Test(arguments: [
    "", ",", "0", "0-3", "5-4", "-1", "-", "1-2-3", "a", "1-b", "1-5:0", "1-5:", "3:2", "1..5", " 1", "+1",
    "1,,2", "99999999999999999999", "1-5:2:2",
  ])
  func garbageZeroAndReversedRangesAreErrors(text: String) {
    expectError(.usage, mentioning: "frames \(text)", "1-10") { _ = try FrameSelection(text) }
  }

  @Test(arguments: [
    ("1-11", Array(0..<10)), ("5,8-12:3", [4, 7]), ("8-9223372036854775807", [7, 8, 9]), ("9-11:2", [8]),
  ])
  func anEndBeyondTheLastFrameIsTheLastFrame(text: String, expected: [Int]) throws {
    let selection = try FrameSelection(text)
    #expect(try selection.indices(count: 10) == expected)
    let last = try #require(expected.last) + 1
    let warning = try #require(selection.warning(endingAt: last, of: "in"))
    #expect(warning == "frames \(text) of in end with frame \(last), since there are no more")
  }

  /// Nothing is missing if a step or the end of the list leaves the last position out.
  @Test(arguments: [("1-10", 10), ("2-11:2", 10), ("7-", 10), ("1-11,7-", 10), ("3", 3), ("1-4,10", 10)])
  func whatIsWholeHasNoWarning(text: String, last: Int) throws {
    #expect(try FrameSelection(text).warning(endingAt: last, of: "in") == nil)
  }

  @Test(arguments: ["11", "11-20", "5,12-20:3", "1-11,11", "11-", "1,12-:2"])
  func partsBeyondTheEndAreMissing(text: String) throws {
    let selection = try FrameSelection(text)
    expectError(.missingInput, mentioning: text, "10 frames") { _ = try selection.indices(count: 10) }
  }

  /// Determined from the ranges alone, however long they are.
  @Test(arguments: [
    ("3", true), ("3-3,3", true), ("3-8:9", true), ("3000000000", true), ("1-9223372036854775807", false),
    ("3,4", false), ("3-8:5", false),
  ])
  func oneFrameAlone(_ text: String, _ isSingle: Bool) throws { #expect(try FrameSelection(text).isSingle == isSingle) }
}
