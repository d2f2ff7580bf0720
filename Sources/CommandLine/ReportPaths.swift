import ArgumentParser
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
