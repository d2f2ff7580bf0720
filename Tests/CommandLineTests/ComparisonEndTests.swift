import Foundation
import TestSupport
import Testing

/// Comparisons that do not come to their end leave no report that reads as if they had.
@Suite struct ComparisonEndTests {
  private static let forms = ["r.html", "r.json", "r.xml"]

  let sandbox: GoldenSandbox
  private var folder: TemporaryFolder { sandbox.folder }
  private var reports: [String] { Self.forms.flatMap { ["--report", folder.path($0)] } }

  init() throws {
    sandbox = try GoldenSandbox()
    try sandbox.recorded()
  }

  private func expectTold(_ outcome: Tool.Outcome, code: Int32, _ reason: String) throws {
    #expect(outcome.code == code && outcome.errors.contains(reason), "\(outcome)")
    for form in Self.forms {
      let text = try folder.text(form)
      #expect(text.contains("it stopped before its end") && text.contains(reason), "\(form)")
    }
    #expect(try folder.text("r.xml").contains(#"tests="1" failures="1" errors="0""#))
    #expect(try (folder.json("r.json")["summary"] as? [String: Int])?.filter { $0.value > 0 } == ["missing": 1])
  }

  private func compare(_ expected: String, _ actual: String, _ more: String...) throws -> Tool.Outcome {
    try Tool.run(["compare", folder.path(expected), folder.path(actual)] + reports + more)
  }

  private func verify(_ actual: String = "out", _ more: String...) throws -> Tool.Outcome {
    try Tool.run(["golden", "verify", folder.path("goldens"), folder.path(actual)] + reports + more)
  }

  @Test func compareSaysSoInItsReports() throws {
    #expect(try compare("goldens", "out").code == 0)
    try expectTold(compare("goldens", "none"), code: 66, "no such file or folder")
    #expect(try compare("goldens", "out").code == 0)
    #expect(try !folder.text("r.html").contains("it stopped before its end"))
    try expectTold(compare("goldens", "out", "--mask", folder.path("none.png")), code: 66, "none.png")
  }

  @Test func goldenVerifySaysSoInItsReports() throws {
    #expect(try verify().code == 0)
    try expectTold(verify("none"), code: 66, "/none: cannot be opened")
    #expect(try verify().code == 0)
    #expect(try !folder.text("r.xml").contains("it stopped before its end"))
    try sandbox.folder.write("{", to: "goldens/golden.json")
    try expectTold(verify(), code: 65, "golden.json")
  }

  @Test func aCommandThatCannotBeUnderstoodChangesNothing() throws {
    #expect(try compare("goldens", "out").code == 0)
    let before = try Self.forms.map(folder.text)
    #expect(try compare("goldens", "out", "--tolerance", "max<3").code == 64)
    #expect(try verify("out", "--tolerance", "max<3").code == 64)
    #expect(try verify("out", "--report", folder.path("goldens/r.html")).code == 64)
    #expect(try Self.forms.map(folder.text) == before)
    #expect(try !folder.names("goldens").contains("r.html"))
  }

  @Test func aPictureOfTheReportsNameStays() throws {
    let picture = try Data(contentsOf: URL(filePath: folder.path("goldens/shot1.png")))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("r.html"), withDestinationPath: folder.path("goldens/shot1.png"))
    #expect(try compare("goldens", "none").code == 66)
    #expect(try Data(contentsOf: URL(filePath: folder.path("goldens/shot1.png"))) == picture)
    #expect(try folder.text("r.json").contains("it stopped before its end"))
  }

  @Test func aReportWithoutPlaceIsSeenBeforeTheWork() throws {
    try verify("out", "--report", folder.path("none/r.html")).ends(73).prints(only: "")
  }
}
