import Foundation
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

@Suite struct HTMLReportTests {
  /// Returns the page as written, without the bytes of its pictures, in which nothing is looked for.
  private func page(_ report: ComparisonReport) throws -> String {
    let folder = TemporaryFolder()
    try report.write(html: folder.path("report.html"))
    let lines = try Data(folder.bytes("report.html")).split(separator: UInt8(ascii: "\n"))
    let short = lines.map {
      $0.starts(with: Data("<script id=\"picture".utf8)) ? $0.prefix(70) + Data("</script>".utf8) : $0
    }
    return String(decoding: Data(short.joined(separator: Data("\n".utf8))), as: UTF8.self)
  }

  /// The sample that scripts/check-report opens in a browser.
  @Test(.enabled(if: sampleFolder != nil)) func theSampleIsKept() throws {
    let folder = try #require(Self.sampleFolder), report = try SampleReport.made.get()
    try report.write(html: folder + "/report.html")
    try report.write(json: folder + "/report.json")
    try report.write(junit: folder + "/junit.xml")
  }

  private static let sampleFolder = ProcessInfo.processInfo.environment["SAFELIGHT_REPORT_SAMPLE"]

  @Test func itLoadsNothing() throws {
    let page = try page(SampleReport.made.get())
    // The one address is the name of SVG's namespace, which nothing loads.
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

@Suite struct JUnitReportTests {
  private func text(_ report: ComparisonReport) throws -> String {
    let folder = TemporaryFolder()
    try report.write(junit: folder.path("junit.xml"))
    return try folder.text("junit.xml")
  }

  @Test func everyStatusHasItsElement() throws {
    var report = ComparisonReport(title: "all", device: "a & b")
    for status in ComparisonStatus.allCases { try report.add(.init("\(status)", status, text: "first line\nsecond")) }
    let text = try text(report)
    #expect(text.contains(#"<testsuite name="all" tests="10" failures="3" errors="4" skipped="1" time="0.000000">"#))
    #expect(text.contains(#"<testcase classname="all" name="exact" time="0.000000"/>"#))
    #expect(text.contains(#"<failure type="differs" message="first line">first line"#))
    #expect(text.contains(#"<error type="unsound" message="first line">"#))
    #expect(text.contains(#"<skipped type="skipped" message="first line">"#))
    #expect(text.contains(#"<property name="device" value="a &amp; b"/>"#))
  }

  @Test func eachCaseSaysHowLongItTookAndTheSuiteTheSum() throws {
    var report = ComparisonReport(title: "all")
    try report.add(.init("a", .exact, text: "identical"), duration: .microseconds(1_250_007))
    try report.add(.init("b", .exact, text: "identical"), duration: .milliseconds(750))
    let text = try text(report)
    #expect(text.contains(#"name="a" time="1.250007"/>"#) && text.contains(#"name="b" time="0.750000"/>"#), "\(text)")
    #expect(text.contains(#"skipped="0" time="2.000007">"#), "\(text)")
    // The same pictures have the same JSON.
    var other = ComparisonReport(title: "all")
    for name in ["a", "b"] { try other.add(.init(name, .exact, text: "identical")) }
    #expect(try report.json() == other.json())
  }

  @Test func whatXMLCannotHoldIsReplaced() throws {
    var report = ComparisonReport(title: "t")
    try report.add(.init("<a & \"b\">\u{1B}[31m\n\u{FFFF}é", .differs, text: "]]> \0 <b>\r\n\tend"))
    let text = try text(report)
    #expect(text.contains("name=\"&lt;a &amp; &quot;b&quot;&gt;\u{FFFD}[31m&#10;\u{FFFD}é\""))
    #expect(text.contains(">]]&gt; \u{FFFD} &lt;b&gt;&#13;\n&#9;end</failure>"))
    #expect(text.unicodeScalars.allSatisfy { $0.value >= 32 || $0 == "\n" })
  }

  @Test func framesStandUnderTheirSequence() throws {
    let text = try text(SampleReport.made.get())
    #expect(text.contains(#"<testcase classname="Dark room.shot" name="shot 1" time="0.000000"/>"#))
    #expect(text.contains(#"<testcase classname="Dark room.shot" name="shot 20" time="0.000000">"#))
  }
}

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
    #expect(report.summary == "29 compared: 17 exact, 1 within, 11 differ; 1 not comparable; 2 missing; 1 skipped")
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
