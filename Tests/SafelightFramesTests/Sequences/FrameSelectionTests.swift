import SafelightFrames
import SafelightImage
import Testing

@Suite("Frame selections")
struct FrameSelectionTests {
  @Test(
    "positions count from 1, in the order of the list, each once",
    arguments: [
      ("1", [0]), ("3-5", [2, 3, 4]), ("1-10:3", [0, 3, 6, 9]), ("2-9:3,1", [0, 1, 4, 7]), ("4-6,5-7,5", [3, 4, 5, 6]),
      ("10", [9]), ("1-2:100", [0]), ("007", [6]), ("7-", [6, 7, 8, 9]), ("2-:3", [1, 4, 7]), ("9-,1", [0, 8, 9]),
    ])
  func positions(text: String, expected: [Int]) throws {
    #expect(try FrameSelection(text).indices(count: 10) == expected)
  }

  @Test(
    "garbage, zero and reversed ranges are misuse",
    arguments: [
      "", ",", "0", "0-3", "5-4", "-1", "-", "1-2-3", "a", "1-b", "1-5:0", "1-5:", "3:2", "1..5", " 1", "+1",
      "1,,2", "99999999999999999999", "1-5:2:2",
    ])
  func misuse(text: String) {
    expectError(.usage, mentioning: "frames \(text)", "1-10") { _ = try FrameSelection(text) }
  }

  @Test(
    "frames beyond the end are missing",
    arguments: ["11", "1-11", "5,8-12:3", "1-9223372036854775807", "11-", "1,12-:2"])
  func beyond(text: String) throws {
    let selection = try FrameSelection(text)
    expectError(.missingInput, mentioning: text, "10 frames") { _ = try selection.indices(count: 10) }
  }

  /// Found from the ranges alone, however far they reach.
  @Test(arguments: [
    ("3", true), ("3-3,3", true), ("3-8:9", true), ("3000000000", true), ("1-9223372036854775807", false),
    ("3,4", false),
    ("3-8:5", false),
  ])
  func oneFrameAlone(_ text: String, _ isSingle: Bool) throws {
    #expect(try FrameSelection(text).isSingle == isSingle)
  }
}
