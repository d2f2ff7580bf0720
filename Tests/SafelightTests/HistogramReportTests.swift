import Foundation
import Safelight
import SafelightImage
import Testing

@Suite struct HistogramReportTests {
  private let zeros = Array(repeating: "0", count: 255).joined(separator: ",")

  private func frame(_ file: String, index: Int = 0) -> HistogramReport.Frame {
    HistogramReport.Frame(
      index: index, file: file, size: Size(3, 2), depth: .bits16,
      series: [HistogramSeries(.red, counts: counts([0: 6])), HistogramSeries(.alpha, counts: counts([255: 6]))])
  }

  @Test func jsonIsTheContracts() {
    #expect(
      HistogramReport([frame("a.png"), frame("b.png", index: 1)]).json
        == "{\"frames\":["
        + "{\"index\":0,\"file\":\"a.png\",\"width\":3,\"height\":2,\"depth\":16,\"entries\":256,"
        + "\"channels\":{\"red\":[6,\(zeros)],\"alpha\":[\(zeros),6]}},"
        + "{\"index\":1,\"file\":\"b.png\",\"width\":3,\"height\":2,\"depth\":16,\"entries\":256,"
        + "\"channels\":{\"red\":[6,\(zeros)],\"alpha\":[\(zeros),6]}}"
        + "]}\n")
    #expect(HistogramReport([]).json == "{\"frames\":[]}\n")
  }

  @Test func csvHasALineForEachBin() {
    let lines = HistogramReport([frame("a.png")]).csv.split(separator: "\n")
    #expect(lines.count == 1 + 2 * 256)
    #expect(lines[0] == "frame,file,channel,bin,count")
    #expect(lines[1] == "0,a.png,red,0,6")
    #expect(lines[2] == "0,a.png,red,1,0")
    #expect(lines[512] == "0,a.png,alpha,255,6")
  }

  @Test(arguments: [
    ("plain name.png", "plain name.png"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""),
    ("a\r\nb", "\"a\r\nb\""), ("a\rb", "\"a\rb\""), ("é", "é"),
  ])
  func csvQuotesWhatItMust(text: String, field: String) {
    #expect(CSVText.field(text) == field)
  }

  @Test(arguments: [
    "plain", "quote \" back \\ slash /", "line\nfeed\r\ntab\t", "\u{0}\u{1}\u{1f}\u{7f}", "日本 😀 e\u{301}",
  ])
  func anyFileNameSurvivesJSON(name: String) throws {
    struct Report: Decodable {
      struct Frame: Decodable { var file: String }
      var frames: [Frame]
    }
    let json = HistogramReport([frame(name)]).json
    #expect(!json.dropLast().contains { $0.isNewline })
    let report = try JSONDecoder().decode(Report.self, from: Data(json.utf8))
    #expect(report.frames.map { Array($0.file.utf8) } == [Array(name.utf8)])
  }
}
