import Foundation
import GoldenTesting
import SafelightFrames
import SafelightImage
import Testing

@Suite struct CandidateOutputTests {
  /// Runs `body` with a package that has a golden folder.
  private func withPackage(_ body: (_ package: String, _ goldens: String) throws -> Void) throws {
    let package = FileManager.default.temporaryDirectory.appending(path: "package-\(UUID().uuidString)")
    let goldens = package.appending(path: "Tests/A/Goldens")
    try FileManager.default.createDirectory(at: goldens, withIntermediateDirectories: true)
    try "".write(to: package.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: package) }
    try body(package.path, goldens.path)
  }

  @Test func candidatesLieAsTheGoldensDoInTheirPackage() throws {
    try withPackage { package, goldens in
      let output = CandidateOutput(folder: package + "/out")
      var premultiplied = GoldenFixture.picture(0)
      premultiplied.color.alpha = .premultiplied
      try output.write(premultiplied, named: "blur/soft", of: goldens + "/../Goldens")
      let written = try PNGFile(reading: package + "/out/Tests/A/Goldens/blur/soft.png").image
      #expect(written.bytes == premultiplied.bytes)
    }
  }

  @Test func goldensAreNeverWrittenOver() throws {
    try withPackage { package, goldens in
      let error = #expect(throws: SafelightError.self) {
        try CandidateOutput(folder: package).write(GoldenFixture.picture(0), named: "soft", of: goldens)
      }
      #expect(error?.kind == .usage)
      let files = try FileManager.default.contentsOfDirectory(atPath: goldens)
      #expect(files.isEmpty)
    }
  }
}
