internal import FoundationEssentials
internal import SafelightFrames
internal import SafelightImage

extension ComparisonReport {
  /// Writes the page, whole or not at all: one file that needs no other and no network.
  ///
  /// Throws a ``SafelightError`` of kind `output` (cannot be created) or `transfer` (writing failed half-way).
  public func write(html path: String) throws {
    let file = try AtomicFile(path: path)
    try HTMLReport(report: self).write { try file.write($0) }
    try file.commit()
  }

  /// Writes `report.json`, whole or not at all; throws as ``write(html:)``.
  public func write(json path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(json())
    try file.commit()
  }

  /// Writes JUnit's XML, whole or not at all; throws as ``write(html:)``.
  public func write(junit path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(Array(JUnitReport(report: self).text.utf8))
    try file.commit()
  }
}

/// One file that needs no other and no network: the page, what it shows, and the script that shows it.
struct HTMLReport {
  let report: ComparisonReport

  /// Hands the page over part by part; the pictures, which are most of it, one by one.
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
    // Inside a script element only "<" can end it or change how it is read (HTML 4.12.1.3); in JSON it stands in strings alone.
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

extension ComparisonReport: Codable {
  private enum Key: String, CodingKey {
    case schema, title, version, device, canary, count, summary, cases
  }

  /// Encodes everything but the pictures, with the line and the numbers that count.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.schema, forKey: .schema)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(version, forKey: .version)
    try container.encodeIfPresent(device, forKey: .device)
    try container.encodeIfPresent(canary, forKey: .canary)
    try container.encode(summary, forKey: .count)
    let counts = counts
    let numbers = ComparisonStatus.allCases.map { ($0.rawValue, counts[$0]) }
    try container.encode(Dictionary(numbers) { first, _ in first }, forKey: .summary)
    try container.encode(cases, forKey: .cases)
  }

  /// Decodes a report of this version of the schema; it has no pictures.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let schema = try container.decode(Int.self, forKey: .schema)
    guard schema == Self.schema else {
      throw SafelightError(
        .input, "report", why: "its schema is \(schema); this version reads \(Self.schema)",
        remedy: "read it with the version that wrote it")
    }
    self.init(
      title: try container.decode(String.self, forKey: .title),
      version: try container.decodeIfPresent(String.self, forKey: .version),
      device: try container.decodeIfPresent(String.self, forKey: .device),
      canary: try container.decodeIfPresent(String.self, forKey: .canary))
    cases = try container.decode([Case].self, forKey: .cases)
  }

  /// The bytes of `report.json`: a line for every field, in the order of their names, and one at the end.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}
