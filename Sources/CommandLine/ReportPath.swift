import Glibc
import Safelight
import SafelightGolden

/// A file of `--report`, whose form the end of its name says: a page, JSON, JUnit's XML.
struct ReportPath {
  let path: String

  /// Throws a ``SafelightError`` of kind `usage` where the name says none.
  init(_ path: String) throws(SafelightError) {
    guard [".html", ".json", ".xml"].contains(where: path.lowercased().hasSuffix) else {
      throw SafelightError(
        .usage, path, why: "its name says no form of a report", remedy: "end it in .html, .json or .xml (JUnit)")
    }
    let names = [path, Self.real(path) ?? path].map { $0.split(separator: "/").last ?? "" }
    guard !names.contains("golden.json") else {
      throw SafelightError(
        .usage, path, why: "a file of that name says which goldens there are", remedy: "call the report otherwise")
    }
    self.path = path
  }

  /// The path without links, of what is there.
  static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  func write(_ report: ComparisonReport) throws {
    switch path.lowercased() {
    case let name where name.hasSuffix(".json"): try report.write(json: path)
    case let name where name.hasSuffix(".xml"): try report.write(junit: path)
    default: try report.write(html: path)
    }
  }
}
