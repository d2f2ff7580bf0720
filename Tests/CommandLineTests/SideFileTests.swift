import Foundation
import SafelightFrames
import Testing

/// Reports, contact sheets and plots that cannot be written are found before the work, and not after hours of it.
@Suite struct SideFileTests {
  private static let input = Tool.fixture("dark-room")

  private func refusal(_ arguments: String...) throws -> Tool.Outcome {
    let (process, output, errors) = try Tool.start(arguments + ["--device", "cpu"])
    return try Tool.end(process, output, errors)
  }

  @Test(arguments: ["--report", "--contact-sheet"])
  func aFolderInThePlaceOfAFile(_ option: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("there.png"), withIntermediateDirectories: false)
    for output in ["out", "film.y4m"] where option == "--report" || output == "out" {
      let outcome = try refusal(
        "equalize", Self.input, "-o", folder.path(output), "--frames", "1", option, folder.path("there.png"))
      #expect(outcome.code == 73)
      #expect(outcome.errors.contains("there.png: cannot be created: Is a directory"), "\(outcome.errors)")
      #expect(try folder.names() == ["there.png"])
    }
  }

  @Test func aFolderInThePlaceOfAPlot() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("there.svg"), withIntermediateDirectories: false)
    let outcome = try refusal("histogram", Self.input, "-o", folder.path("there.svg"))
    #expect(outcome.code == 73)
    #expect(outcome.errors.split(separator: "\n").count == 1, "no device was opened: \(outcome.errors)")
  }

  /// The superuser may write everywhere.
  @Test(.enabled(if: geteuid() != 0), arguments: ["--report", "--contact-sheet"])
  func aClosedFolder(_ option: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("closed"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
    let outcome = try refusal("equalize", Self.input, "-o", folder.path("out"), option, folder.path("closed/a.png"))
    #expect(outcome.code == 73 && outcome.errors.contains("closed/a.png: cannot be created: Permission denied"))
    #expect(try folder.names() == ["closed"])
  }

  @Test func aReportMayGoToStandardOutput() throws {
    let folder = try TemporaryFolder()
    for output in ["out", "film.y4m"] {
      let outcome = try refusal("equalize", Self.input, "-o", folder.path(output), "--frames", "1", "--report", "-")
      #expect(outcome.code == 0 && outcome.output.hasPrefix("{\"version\""), "\(outcome.errors)")
    }
  }
}
