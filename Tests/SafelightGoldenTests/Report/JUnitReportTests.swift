import Foundation
import SafelightGolden
import SafelightImage
import Testing

@Suite struct JUnitReportTests {
  private func text(_ report: ComparisonReport) throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("junit-\(UUID().uuidString).xml").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try report.write(junit: path)
    return try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test func everyStatusHasItsElement() throws {
    var report = ComparisonReport(title: "all", device: "a & b")
    for status in ComparisonStatus.allCases {
      try report.add(.init("\(status)", status, text: "first line\nsecond"))
    }
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
