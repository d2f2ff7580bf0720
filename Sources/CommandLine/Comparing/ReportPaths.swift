import ArgumentParser
import Glibc
import Safelight
import SafelightGolden

/// The files of `--report` of one comparison, which tell of it however it ends.
struct ReportPaths {
  private let paths: [ReportPath]

  /// Makes sure that their names say a form, and that files can be made there.
  init(_ names: [String]) throws {
    paths = try names.map { try ReportPath($0) }
    for path in paths { try FrameOutput.checkSideFile(path.path, beside: []) }
  }

  /// True where nobody asked for a report.
  var isEmpty: Bool { paths.isEmpty }

  /// True where one is a page, which shows pictures.
  var hasPage: Bool { paths.contains { $0.path.lowercased().hasSuffix(".html") } }

  /// Makes sure that they replace none of `files`, which are compared.
  func check(beside files: [String]) throws {
    let frames = files.map { Frame(index: 0, number: 1, path: $0) }
    for path in paths { try FrameOutput.checkSideFile(path.path, beside: frames) }
  }

  /// Makes sure that they do not lie among `goldens`.
  func check(outside goldens: String) throws {
    for path in paths {
      try ReportPath.refuse(path.path, in: goldens, "the goldens, which a comparison never writes into")
    }
  }

  /// Writes them all.
  func write(_ report: ComparisonReport) throws {
    for path in paths { try path.write(report) }
  }

  /// Makes the `comparison` called `title`, which ends with writing them. Where it throws before that they say so, and none of an earlier
  /// comparison is taken for one of this.
  ///
  /// A command that cannot be understood changes nothing: their names may be what is wrong.
  func telling<Result>(of title: String, _ comparison: () throws -> Result) throws -> Result {
    do {
      return try comparison()
    } catch {
      if (error as? SafelightError)?.kind != .usage { tell(error, title) }
      throw error
    }
  }

  /// The same of a comparison that waits.
  func telling<Result>(of title: String, _ comparison: () async throws -> Result) async throws -> Result {
    do {
      return try await comparison()
    } catch {
      if (error as? SafelightError)?.kind != .usage { tell(error, title) }
      throw error
    }
  }

  private func tell(_ error: any Error, _ title: String) {
    let why = error is ExitCode ? "it was interrupted" : "\(error)"
    do {
      var report = ComparisonReport(title: title, version: SafelightCommand.version)
      try report.add(.init("comparison", .missing, text: "it did not come to its end: \(why)"))
      // A link of that name may lead to a picture that was to be compared.
      for path in paths where try !fileExists(path.path) || !PNGSignature.begins(fileAt: path.path) {
        try path.write(report)
      }
    } catch let other as SafelightError where other.description == (error as? SafelightError)?.description {
      // The report is what is wrong, and that is said.
    } catch {
      Console.line("safelight: \(error)")
    }
  }
}

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
