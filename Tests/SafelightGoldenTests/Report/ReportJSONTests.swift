import Foundation
import SafelightGolden
import SafelightImage
import Testing

@Suite struct ReportJSONTests {
  @Test func itIsReadBackAsItWas() throws {
    let report = try SampleReport.made.get()
    let back = try JSONDecoder().decode(ComparisonReport.self, from: Data(report.json()))
    #expect(back.cases == report.cases)
    #expect(try back.json() == report.json())
    #expect(back.device == report.device && back.canary == report.canary && back.title == report.title)
  }

  @Test func itCounts() throws {
    let report = try SampleReport.made.get()
    #expect(
      report.summary == "29 compared: 17 exact, 1 within, 11 differ; 1 not comparable; 2 missing; 1 skipped")
    #expect(report.fails)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(report.json())) as? [String: Any])
    #expect((json["summary"] as? [String: Int])?["differs"] == 11)
    #expect(json["schema"] as? Int == 1)
    #expect(ComparisonReport(title: "empty").summary == "nothing compared")
  }

  @Test func anotherSchemaIsRefused() throws {
    let text = #"{"schema":2,"title":"later","cases":[]}"#
    #expect(throws: SafelightError.self) { try JSONDecoder().decode(ComparisonReport.self, from: Data(text.utf8)) }
  }

  @Test func metricsStandWithTheirPlace() throws {
    let report = try SampleReport.made.get()
    let one = try #require(report.cases.first { $0.name == "tone/sixteen bits and alpha" })
    let metrics = try #require(one.metrics)
    #expect(
      metrics.maximum == 513 && metrics.place?.x == 20 && metrics.place?.y == 4 && metrics.place?.channel == "alpha")
    #expect(metrics.over == ["0": 5, "1": 5, "3": 5])
    #expect(
      one.terms.map(\.text) == ["max<=64"] && one.terms.map(\.measured) == [513] && one.terms.map(\.passes) == [false])
    #expect(one.depth == 16 && one.channels == "rgba" && one.width == 31 && one.height == 17)
  }
}
