internal import FoundationEssentials

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
