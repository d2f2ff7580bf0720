import Foundation
import TestSupport
import Testing

/// Reports, contact sheets and plots that cannot be written are found before the work, and not after hours of it.
@Suite struct SideFileTests {
  private let folder = TemporaryFolder()

  private static let input = Tool.fixture("dark-room")

  private func refusal(_ arguments: String...) throws -> Tool.Outcome { try Tool.run(arguments + ["--device", "cpu"]) }

  @Test(arguments: ["--report", "--contact-sheet"])
  func aFolderInThePlaceOfAFile(_ option: String) throws {
    let file = option == "--report" ? "there.json" : "there.png"
    try folder.make(file)
    for output in ["out", "film.y4m"] where option == "--report" || output == "out" {
      try refusal(
        "equalize", Self.input, "-o", folder.path(output), "--frames", "1", option, folder.path(file)
      ).ends(73).says("\(file): cannot be created: Is a directory")
      #expect(try folder.names() == [file])
    }
  }

  /// JSON in a file called report.html, or a PNG in one called sheet.jpg, would mislead whoever opens it.
  @Test(arguments: [
    (["equalize", input, "-o", "out", "--report"], "report.html", "it would hold JSON, so end its name in .json"),
    (["equalize", input, "-o", "out", "--report"], "report.XML", "it would hold JSON, so end its name in .json"),
    (["equalize", input, "-o", "out", "--contact-sheet"], "sheet.jpg", "it would hold a PNG, so end its name in .png"),
    (["matrix", "--stacks", "llvmpipe", "--report"], "table.csv", "it would hold JSON, so end its name in .json"),
  ])
  func aNameOfAnotherForm(_ arguments: [String], _ name: String, _ message: String) throws {
    let behind = arguments[0] == "matrix" ? ["--", "true"] : ["--device", "cpu"]
    try Tool.run(
      arguments.map { $0 == "out" ? folder.path("out") : $0 } + [folder.path(name)] + behind
    ).ends(64).says("\(name): \(message)")
    #expect(try folder.names() == [])
  }

  /// A name that says nothing of its form may have any.
  @Test func aReportOfAnyOtherName() throws {
    let report = folder.path("tmp.Xa82kd")
    #expect(
      try refusal("equalize", Self.input, "-o", folder.path("out"), "--frames", "1", "--report", report).code == 0)
    #expect(try folder.text("tmp.Xa82kd").hasPrefix("{"))
  }

  @Test func aFolderInThePlaceOfAPlot() throws {
    try folder.make("there.svg")
    let outcome = try refusal("histogram", Self.input, "-o", folder.path("there.svg")).ends(73)
    #expect(outcome.errors.split(separator: "\n").count == 1, "no device was opened: \(outcome.errors)")
  }

  /// The superuser may write everywhere.
  @Test(.enabled(if: geteuid() != 0), arguments: ["--report", "--contact-sheet"])
  func aClosedFolder(_ option: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path("closed"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    try refusal("equalize", Self.input, "-o", folder.path("out"), option, folder.path("closed/a.png"))
      .ends(73).says("closed/a.png: cannot be created: Permission denied")
    #expect(try folder.names() == ["closed"])
  }

  @Test func aReportMayGoToStandardOutput() throws {
    for output in ["out", "film.y4m"] {
      try refusal("equalize", Self.input, "-o", folder.path(output), "--frames", "1", "--report", "-")
        .ends(0).prints(first: "{\"version\"")
    }
  }
}
