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
  public func write(json path: String) throws { try AtomicFile.write(json(), to: path) }
}

struct HTMLReport {
  let report: ComparisonReport

  /// Passes the page to `take` piece by piece; the pictures, which are most of it, one by one.
  func write(_ take: ([UInt8]) throws -> Void) throws {
    var rest = Array(PackageTexts.page_html.utf8)[...]
    for mark in ["style", "data", "script"] {
      let marker = Array("<!-- \(mark) -->".utf8)
      let place = rest.firstRange(of: marker) ?? rest.endIndex..<rest.endIndex
      try take(Array(rest[..<place.lowerBound]))
      if mark == "data" { try data(take) } else { for part in Self.parts[mark] ?? [] { try take(Array(part.utf8)) } }
      rest = rest[place.upperBound...]
    }
    try take(Array(rest))
  }

  private static let parts = [
    "style": [PackageTexts.page_css],
    "script": [
      PackageTexts.png_js, PackageTexts.picture_js, PackageTexts.stage_js, PackageTexts.loupe_js,
      PackageTexts.chart_js, PackageTexts.index_js, PackageTexts.facts_js, PackageTexts.page_js,
    ],
  ]

  private func data(_ take: ([UInt8]) throws -> Void) throws {
    try take(Array(#"<script id="report" type="application/json">"#.utf8))
    // Only "<" can end a script element or change how it is read (HTML 4.12.1.3); in JSON it occurs in strings alone.
    let less = Array(#"\u003c"#.utf8)
    try take(Array(report.json().map { $0 == UInt8(ascii: "<") ? less : [$0] }.joined()))
    try take(Array("</script>\n".utf8))
    for (place, pictures) in report.pictures.sorted(by: { $0.key < $1.key }) {
      for (role, bytes) in pictures {
        try take(Array(#"<script id="picture-\#(place)-\#(role)" type="image/png;base64">"#.utf8))
        try take(Array(Data(bytes).base64EncodedString().utf8))
        try take(Array("</script>\n".utf8))
      }
    }
  }
}
