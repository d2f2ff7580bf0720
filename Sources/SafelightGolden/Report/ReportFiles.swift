import FoundationEssentials
import SafelightFrames
import SafelightImage

extension ComparisonReport {
  /// Writes the page, in full or not at all: one file that needs no other file and no network.
  ///
  /// - Throws: ``SafelightError`` of kind `output` (cannot be created) or `transfer` (writing failed half-way).
  public func write(html path: String) throws {
    let file = try AtomicFile(path: path)
    try HTMLReport(report: self).write { try file.write($0) }
    try file.commit()
  }

  /// Writes `report.json`, in full or not at all; throws as ``write(html:)`` does.
  public func write(json path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(json())
    try file.commit()
  }

  /// Writes JUnit's XML, in full or not at all; throws as ``write(html:)`` does.
  public func write(junit path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(Array(JUnitReport(report: self).text.utf8))
    try file.commit()
  }
}

/// The page: one file with its style, its data and its script.
struct HTMLReport {
  let report: ComparisonReport

  /// Passes the page to `take` piece by piece; the pictures, which are most of it, one by one.
  func write(_ take: ([UInt8]) throws -> Void) throws {
    var rest = PackageResources.page_html[...]
    for (mark, fill) in [("style", style), ("data", data), ("script", script)] {
      let marker = Array("<!-- \(mark) -->".utf8)
      let place = rest.firstRange(of: marker) ?? rest.endIndex..<rest.endIndex
      try take(Array(rest[..<place.lowerBound]))
      try fill(take)
      rest = rest[place.upperBound...]
    }
    try take(Array(rest))
  }

  private func style(_ take: ([UInt8]) throws -> Void) throws { try take(PackageResources.page_css) }

  private func script(_ take: ([UInt8]) throws -> Void) throws {
    let parts = [
      PackageResources.png_js, PackageResources.picture_js, PackageResources.stage_js, PackageResources.loupe_js,
      PackageResources.chart_js, PackageResources.index_js, PackageResources.facts_js, PackageResources.page_js,
    ]
    for part in parts { try take(part) }
  }

  private func data(_ take: ([UInt8]) throws -> Void) throws {
    try take(Array(#"<script id="report" type="application/json">"#.utf8))
    // Only "<" can end a script element or change how it is read (HTML 4.12.1.3); in JSON it occurs in strings alone.
    let less = Array(#"\u003c"#.utf8)
    try take(Array(report.json().map { $0 == UInt8(ascii: "<") ? less : [$0] }.joined()))
    try take(Array("</script>\n".utf8))
    for (place, pictures) in report.pictures.sorted(by: { $0.key < $1.key }) {
      for (role, bytes) in pictures.files {
        try take(Array(#"<script id="picture-\#(place)-\#(role)" type="image/png;base64">"#.utf8))
        try take(Array(Data(bytes).base64EncodedString().utf8))
        try take(Array("</script>\n".utf8))
      }
    }
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
