import SafelightFrames
import SafelightImage

extension ComparisonReport {
  /// Writes JUnit's XML, in full or not at all; throws as ``write(html:)`` does.
  public func write(junit path: String) throws {
    try AtomicFile.write(Array(JUnitReport(report: self).text.utf8), to: path)
  }
}

/// The XML that continuous integration reads, with a test case for each case.
///
/// The format has no standard; this is the part that Jenkins, GitLab and GitHub Actions agree on.
struct JUnitReport {
  let report: ComparisonReport

  var text: String {
    let failures = report.cases.count { element(of: $0.status) == "failure" }
    let errors = report.cases.count { element(of: $0.status) == "error" }
    let (skipped, time) = (report.counts[.skipped], seconds(report.microseconds.values.reduce(0, +)))
    let counts = #"tests="\#(report.cases.count)" failures="\#(failures)" errors="\#(errors)" skipped="\#(skipped)""#
    let head = #"\#(counts) time="\#(time)""#
    let name = XMLText.attribute(report.title)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="\(name)" \(head)>
      <testsuite name="\(name)" \(head)>
      \(properties)\(report.cases.indices.map(testCase).joined())</testsuite>
      </testsuites>

      """
  }

  private var properties: String {
    let known = [("version", report.version), ("device", report.device), ("canary", report.canary)]
    let lines = known.compactMap { name, value in
      value.map { "<property name=\"\(name)\" value=\"\(XMLText.attribute($0))\"/>\n" }
    }
    return lines.isEmpty ? "" : "<properties>\n\(lines.joined())</properties>\n"
  }

  /// Returns seconds, the only unit of the format.
  private func seconds(_ microseconds: Int64) -> String {
    let rest = String(microseconds % 1_000_000)
    return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - rest.count))\(rest)"
  }

  private func testCase(_ place: Int) -> String {
    let one = report.cases[place]
    let time = seconds(report.microseconds[place] ?? 0)
    let classname = XMLText.attribute([report.title, one.sequence].compactMap(\.self).joined(separator: "."))
    let head = "<testcase classname=\"\(classname)\" name=\"\(XMLText.attribute(one.name))\" time=\"\(time)\""
    guard let element = element(of: one.status) else { return head + "/>\n" }
    let first = one.text.split(separator: "\n").first.map(String.init) ?? one.status.rawValue
    let body = [one.text, one.reproduce.map { "again: \($0)" }, one.approve.map { "approve: \($0)" }]
    return """
      \(head)>
      <\(element) type="\(one.status.rawValue)" message="\(XMLText.attribute(first))">\(
        XMLText.content(body.compactMap(\.self).joined(separator: "\n")))</\(element)>
      </testcase>

      """
  }

  private func element(of status: ComparisonStatus) -> String? {
    switch status {
    case .exact, .within: nil
    case .skipped: "skipped"
    case .differs, .missing, .extra: "failure"
    case .incomparable, .unreadable, .damaged, .unsound: "error"
    }
  }
}
