import Foundation
import Safelight
import SafelightImage
import Testing

@Suite struct HistogramReportTests {
  private let zeros = Array(repeating: "0", count: 255).joined(separator: ",")

  private func frame(_ file: String, index: Int = 0) -> HistogramReport.Frame {
    HistogramReport.Frame(
      index: index, file: file, size: Size(3, 2), depth: .bits16,
      series: [series(.red, [0: 6]), series(.alpha, [255: 6])])
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

/// Counts of `bins` bins, zero but for `values`.
func counts(_ values: [Int: UInt64], bins: Int = 256) -> [UInt64] {
  (0..<bins).map { values[$0] ?? 0 }
}

/// A series of 256 bins, zero but for `values`.
func series(_ channel: HistogramSeries.Channel, _ values: [Int: UInt64]) -> HistogramSeries {
  HistogramSeries(channel, counts: counts(values))
}

@Suite struct HistogramSeriesTests {
  @Test(arguments: [256, 512, 4096, 65536])
  func columnsSumNeighbouringBins(bins: Int) {
    let ones = HistogramSeries(.red, counts: Array(repeating: 1, count: bins))
    #expect(ones.columns() == Array(repeating: UInt64(bins / 256), count: 256))

    let step = bins / 256
    let last = HistogramSeries(.red, counts: counts([3 * step - 1: 7, 3 * step: 5], bins: bins))
    #expect(last.columns()[2] == 7)
    #expect(last.columns()[3] == 5)
    #expect(last.total == 12)
  }

  @Test func meansAreOnTheAxisOfThePicture() {
    let ends = series(.gray, [0: 1, 255: 1])
    #expect(ends.meanInTenths(maximum: 255) == 1275)
    #expect(ends.meanInTenths(maximum: 65535) == 327_675)
    #expect(series(.gray, [1: 2, 2: 1]).meanInTenths(maximum: 255) == 13)
    #expect(series(.gray, [:]).meanInTenths(maximum: 255) == nil)
  }

  @Test func meansOfLongFilmsDoNotOverflow() {
    let series = HistogramSeries(.luma, counts: counts([65535: 1 << 60], bins: 65536))
    #expect(series.meanInTenths(maximum: 65535) == 655_350)
  }
}
