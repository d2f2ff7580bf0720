import Safelight
import Testing

@Suite struct ProgressEventTests {
  @Test func framesAreTheContractsLines() {
    #expect(
      ProgressEvent.frame(index: 17, file: "a\"b.png", milliseconds: 41).json
        == #"{"event":"frame","index":17,"file":"a\"b.png","milliseconds":41,"status":"done"}"#)
    #expect(
      ProgressEvent.frame(index: 0, file: "a.png", milliseconds: 0, status: .skipped).json.hasSuffix(
        #""status":"skipped"}"#))
  }

  @Test(arguments: [(1.9, "1.9"), (12.0, "12"), (0.0412, "0.041"), (0.0, "0"), (100.0, "100"), (.infinity, "0")])
  func summariesRoundTheirSeconds(seconds: Double, text: String) {
    #expect(
      ProgressEvent.summary(done: 24, skipped: 1, failed: 0, seconds: seconds).json
        == "{\"event\":\"summary\",\"done\":24,\"skipped\":1,\"failed\":0,\"seconds\":\(text)}")
  }
}
