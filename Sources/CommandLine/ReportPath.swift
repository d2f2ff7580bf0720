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

  /// Throws a ``SafelightError`` of kind `usage` if a file at `path` is or would be in `folder`, which `what` says, also behind links.
  static func refuse(_ path: String, in folder: String, _ what: String) throws(SafelightError) {
    guard liesIn(folder, path) else { return }
    throw SafelightError(.usage, path, why: "it lies among \(what)", remedy: "name another folder")
  }

  private static func liesIn(_ folder: String, _ path: String) -> Bool {
    guard let folder = real(folder) else { return false }
    // The folder above it that is there already; a link is written through, to what it names.
    var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    while !parts.isEmpty, real(parts.joined(separator: "/") + "/") == nil { parts.removeLast() }
    let place = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
    return [place, path].compactMap(real).contains { ($0 + "/").hasPrefix(folder + "/") }
  }

  func write(_ report: ComparisonReport) throws {
    switch path.lowercased() {
    case let name where name.hasSuffix(".json"): try report.write(json: path)
    case let name where name.hasSuffix(".xml"): try report.write(junit: path)
    default: try report.write(html: path)
    }
  }
}
