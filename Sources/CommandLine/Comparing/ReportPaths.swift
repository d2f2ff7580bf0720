import ArgumentParser
import Glibc
import Safelight
import SafelightGolden

/// The files of `--report` of one comparison, each by its extension an HTML page, JSON, or JUnit XML. They are written
/// however the comparison ends.
struct ReportPaths {
  private let paths: [String]

  /// Checks that files can be created there.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if an extension is unknown, or a name is that of a golden's record.
  init(_ paths: [String]) throws {
    for path in paths {
      guard [".html", ".json", ".xml"].contains(where: path.lowercased().hasSuffix) else {
        throw SafelightError(
          .usage, path, why: "its name does not say which form of report it is to hold",
          remedy: "end it in .html, .json or .xml (JUnit)")
      }
      let names = [path, realPath(path) ?? path].map { $0.split(separator: "/").last ?? "" }
      guard !names.contains("golden.json") else {
        throw SafelightError(
          .usage, path, why: "this name is kept for the list of goldens", remedy: "choose another name")
      }
    }
    self.paths = paths
    try check(beside: [])
  }

  var isEmpty: Bool { paths.isEmpty }

  /// True if one is an HTML page, which shows pictures.
  var hasPage: Bool { paths.contains { $0.lowercased().hasSuffix(".html") } }

  /// Checks that they replace none of `files`, which are compared.
  func check(beside files: [String]) throws {
    let frames = files.map { Frame(index: 0, number: 1, path: $0) }
    for path in paths { try FrameOutput.checkSideFile(path, beside: frames) }
  }

  /// Checks that they do not lie among `goldens`.
  func check(outside goldens: String) throws {
    for path in paths { try refuseFile(path, in: goldens, "the goldens, which a comparison never writes into") }
  }

  func write(_ report: ComparisonReport) throws {
    for path in paths { try Self.write(report, to: path) }
  }

  private static func write(_ report: ComparisonReport, to path: String) throws {
    switch path.lowercased() {
    case let name where name.hasSuffix(".json"): try report.write(json: path)
    case let name where name.hasSuffix(".xml"): try report.write(junit: path)
    default: try report.write(html: path)
    }
  }

  /// Runs the `comparison` called `title`, which ends by writing the reports. If it throws before that, the reports say
  /// so, and none of an earlier comparison is taken for this one's.
  ///
  /// After a usage error nothing is written: the names of the reports may be what is wrong.
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
      try report.add(.init("comparison", .missing, text: "it stopped before its end: \(why)"))
      // A link of that name may lead to a picture that was to be compared.
      for path in paths where try !fileExists(path) || !PNGSignature.begins(fileAt: path) {
        try Self.write(report, to: path)
      }
    } catch let other as SafelightError where other.description == (error as? SafelightError)?.description {
      // The report itself failed, and the caller reports that.
    } catch {
      Console.line("safelight: \(error)")
    }
  }
}

/// Returns `path` with links resolved; nil if nothing exists there.
func realPath(_ path: String) -> String? {
  guard let resolved = realpath(path, nil) else { return nil }
  defer { free(resolved) }
  return String(cString: resolved)
}

/// Refuses a file at `path` that is or would be in `folder`, even through links; `what` describes the folder.
///
/// - Throws: ``SafelightError`` of kind `usage`.
func refuseFile(_ path: String, in folder: String, _ what: String) throws(SafelightError) {
  guard let folder = realPath(folder) else { return }
  // The nearest enclosing folder that exists counts, and so does the target of a link, which is what gets written.
  var parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
  while !parts.isEmpty, realPath(parts.joined(separator: "/") + "/") == nil { parts.removeLast() }
  let place = parts.isEmpty ? "." : parts.joined(separator: "/") + "/"
  guard [place, path].compactMap(realPath).contains(where: { ($0 + "/").hasPrefix(folder + "/") }) else { return }
  throw SafelightError(.usage, path, why: "it lies among \(what)", remedy: "name another folder")
}
