import ArgumentParser
import Glibc
import Safelight
import SafelightGolden

/// The files of `--report` of one comparison, which are written however it ends.
struct ReportPaths {
  private let paths: [ReportPath]

  /// Checks that their extensions are known, and that files can be created there.
  init(_ names: [String]) throws {
    paths = try names.map { try ReportPath($0) }
    for path in paths { try FrameOutput.checkSideFile(path.path, beside: []) }
  }

  /// True if no report was asked for.
  var isEmpty: Bool { paths.isEmpty }

  /// True if one is an HTML page, which shows pictures.
  var hasPage: Bool { paths.contains { $0.path.lowercased().hasSuffix(".html") } }

  /// Checks that they replace none of `files`, which are compared.
  func check(beside files: [String]) throws {
    let frames = files.map { Frame(index: 0, number: 1, path: $0) }
    for path in paths { try FrameOutput.checkSideFile(path.path, beside: frames) }
  }

  /// Checks that they do not lie among `goldens`.
  func check(outside goldens: String) throws {
    for path in paths {
      try ReportPath.refuse(path.path, in: goldens, "the goldens, which a comparison never writes into")
    }
  }

  /// Writes `report` to all files.
  func write(_ report: ComparisonReport) throws {
    for path in paths { try path.write(report) }
  }

  /// Runs the `comparison` called `title`, which ends by writing the reports. If it throws before that, the reports say
  /// so, and none of an earlier comparison is taken for this one's.
  ///
  /// After a usage error nothing is written: the names of the reports may be what is wrong.
  func telling<Result>(of title: String, _ comparison: () throws -> Result) throws -> Result {
    do {
      return try comparison()
    } catch {
      if (error as? SafelightError)?.kind != .usage { tell(error, title) }
      throw error
    }
  }

  /// Does the same for an asynchronous comparison.
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
      for path in paths where try !fileExists(path.path) || !PNGSignature.begins(fileAt: path.path) {
        try path.write(report)
      }
    } catch let other as SafelightError where other.description == (error as? SafelightError)?.description {
      // The report itself failed, and the caller reports that.
    } catch {
      Console.line("safelight: \(error)")
    }
  }
}

/// A file of `--report`, by its extension an HTML page, JSON, or JUnit XML.
struct ReportPath {
  let path: String

  /// - Throws: ``SafelightError`` of kind `usage` if the extension is unknown, or if the name is that of a golden's
  ///   record.
  init(_ path: String) throws(SafelightError) {
    guard [".html", ".json", ".xml"].contains(where: path.lowercased().hasSuffix) else {
      throw SafelightError(
        .usage, path, why: "its name does not say which form of report it is to hold",
        remedy: "end it in .html, .json or .xml (JUnit)")
    }
    let names = [path, Self.real(path) ?? path].map { $0.split(separator: "/").last ?? "" }
    guard !names.contains("golden.json") else {
      throw SafelightError(
        .usage, path, why: "this name is kept for the list of goldens", remedy: "choose another name")
    }
    self.path = path
  }

  /// The path with links resolved; nil if nothing exists there.
  static func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Refuses a file at `path` that is or would be in `folder`, even through links; `what` describes the folder.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`.
  static func refuse(_ path: String, in folder: String, _ what: String) throws(SafelightError) {
    guard liesIn(folder, path) else { return }
    throw SafelightError(.usage, path, why: "it lies among \(what)", remedy: "name another folder")
  }

  private static func liesIn(_ folder: String, _ path: String) -> Bool {
    guard let folder = real(folder) else { return false }
    // The nearest enclosing folder that exists counts, and so does the target of a link, which is what gets written.
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
