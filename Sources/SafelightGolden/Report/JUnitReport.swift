internal import SafelightImage

/// The XML that continuous integration reads: a test case for every case.
///
/// The format has no standard of its own; this is the part that Jenkins, GitLab and GitHub's actions agree on.
struct JUnitReport {
  let report: ComparisonReport

  var text: String {
    let failures = report.cases.count { element(of: $0.status) == "failure" }
    let errors = report.cases.count { element(of: $0.status) == "error" }
    let counts =
      #"tests="\#(report.cases.count)" failures="\#(failures)" errors="\#(errors)" skipped="\#(report.counts[.skipped])""#
    let head = #"\#(counts) time="\#(seconds(report.microseconds.values.reduce(0, +)))""#
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

  /// As the format wants it, which knows no other unit.
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
