import Foundation
import Safelight
import Testing

@Suite struct RunReportTests {
  @Test(arguments: [false, true]) func aRunThatEndsEarlySaysWhetherItWasStopped(_ isInterrupted: Bool) throws {
    let text = RunReport.json(
      version: "1", filters: "invert", shard: nil, error: "“x” is\nmissing", isInterrupted: isInterrupted)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(report["error"] as? String == "“x” is\nmissing")
    let summary = try #require(report["summary"] as? [String: Any])
    #expect(summary["interrupted"] as? Bool == isInterrupted)
    #expect(summary["seconds"] as? Double == 0)
  }
}
