import Foundation
import SafelightGolden
import SafelightImage
import Testing

@Suite struct HTMLReportTests {
  /// The page as it is written, but for the bytes of its pictures, in which nothing is looked for.
  private func page(_ report: ComparisonReport) throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString).html").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try report.write(html: path)
    let lines = try Data(contentsOf: URL(fileURLWithPath: path)).split(separator: UInt8(ascii: "\n"))
    let short = lines.map {
      $0.starts(with: Data("<script id=\"picture".utf8)) ? $0.prefix(70) + Data("</script>".utf8) : $0
    }
    return String(decoding: Data(short.joined(separator: Data("\n".utf8))), as: UTF8.self)
  }

  /// What scripts/check-report opens in a browser.
  @Test(.enabled(if: sampleFolder != nil)) func theSampleIsKept() throws {
    let folder = try #require(Self.sampleFolder), report = try SampleReport.made.get()
    try report.write(html: folder + "/report.html")
    try report.write(json: folder + "/report.json")
    try report.write(junit: folder + "/junit.xml")
  }

  private static let sampleFolder = ProcessInfo.processInfo.environment["SAFELIGHT_REPORT_SAMPLE"]

  @Test func itLoadsNothing() throws {
    let page = try page(SampleReport.made.get())
    // The one address is the name of SVG's namespace, which nobody loads.
    let addresses = page.replacing("\"http://www.w3.org/2000/svg\"", with: "")
    #expect(!addresses.contains("http:") && !addresses.contains("https:"))
    #expect(page.contains("default-src 'none'"))
    for load in [" src=", "@import", "url(", "<link rel=\"stylesheet", "fetch(", "import("] {
      #expect(
        !page.replacing(
          SampleReport.hostileName.replacing("<", with: "\\u003c").replacing("\"", with: "\\\""), with: ""
        ).contains(load), "\(load)")
    }
  }

  @Test func everyFailingCaseBringsItsPictures() throws {
    let report = try SampleReport.made.get(), page = try page(report)
    for (place, one) in report.cases.enumerated() {
      #expect(page.contains("id=\"picture-\(place)-") == one.status.fails, "\(one.name)")
    }
    #expect(page.contains("id=\"picture-2-flip\""))
  }

  @Test func namesCannotEndTheScript() throws {
    let page = try page(SampleReport.made.get())
    let parts = page.components(separatedBy: "<script").count - 1
    #expect(page.components(separatedBy: "</script>").count - 1 == parts)
    #expect(page.contains(#"\u003c/script>\u003cimg src=x"#))
    #expect(!page.contains("<img"))
  }

  @Test func picturesOfPassingCasesAreKeptWhenAsked() throws {
    let image = SyntheticImage.ramp.image(Size(3, 2), channels: .rgb, depth: .bits8)
    let difference = try ImageDifference(expected: image, actual: image)
    var report = ComparisonReport(title: "kept", keepsPassing: true)
    try report.add(.init("same", difference, Tolerance.exact.verdict(on: difference)), expected: image, actual: image)
    #expect(try page(report).contains("picture-0-actual"))
  }

  @Test func theWorstPicturesStayWhereThereIsNoRoomForAll() throws {
    let expected = SyntheticImage.noise.image(Size(64, 64), channels: .gray, depth: .bits8)
    var report = ComparisonReport(title: "full", pictureLimit: 20_000)
    for damage in [3, 9, 1, 7] {
      var actual = expected
      actual[x: 1, y: 1, sample: 0] = expected[x: 1, y: 1, sample: 0] ^ damage
      let difference = try ImageDifference(expected: expected, actual: actual)
      try report.add(
        .init("\(damage)", difference, Tolerance.exact.verdict(on: difference)), expected: expected, actual: actual)
    }
    #expect(report.cases.filter { $0.picturesLeftOut == nil }.map(\.name) == ["9", "7"])
    let page = try page(report)
    #expect(page.contains("picture-1-actual") && !page.contains("picture-0-actual"))
  }
}
