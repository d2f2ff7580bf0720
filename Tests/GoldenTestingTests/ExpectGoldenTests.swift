import Foundation
import GoldenTesting
import SafelightFrames
import SafelightGPU
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

@Suite struct ExpectGoldenTests {
  private let picture = GoldenFixture.picture(0)

  @Test func theSamePixelsPass() async throws {
    let found = try await GoldenIssues.of(["a": picture]) { [picture] in
      let outcome = try expectGolden(picture, "a")
      #expect(outcome.status == .exact)
    }
    #expect(found.isEmpty, "\(found)")
  }

  @Test func theTextSaysWhereAndHowMuch() async throws {
    let found = try await GoldenIssues.of(["a": picture]) { [picture] in
      try expectGolden(GoldenFixture.off(picture), "a")
    }
    let text = try #require(found.first)
    #expect(
      found.count == 1 && text.contains("golden a") && text.contains("max") && text.contains("at (16, 1) red"),
      "\(text)")
  }

  @Test func anUnknownGoldenIsAFailureAndIsNotWritten() async throws {
    try await GoldenFixture.with(["a": picture]) { folder in
      let before = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
      let found = try await GoldenIssues.of(in: folder) { [picture] in try expectGolden(picture, "b") }
      #expect(found.count == 1 && found[0].contains("record"), "\(found)")
      #expect(try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() == before)
    }
  }

  @Test func anotherSizeIsSaid() async throws {
    let found = try await GoldenIssues.of(["a": picture]) { try expectGolden(GoldenFixture.picture(1), "a") }
    #expect(found.count == 1 && found[0].contains("24×16") && found[0].contains("25×16"), "\(found)")
  }

  @Test func aTestThatComparesNothingFails() async throws {
    let nothing = try await GoldenIssues.of(["a": picture]) {}
    #expect(nothing.count == 1 && nothing[0].contains("nothing was compared"), "\(nothing)")
    let tooFew = try await GoldenIssues.of(["a": picture], comparisons: 2) { [picture] in
      try expectGolden(picture, "a")
    }
    #expect(tooFew.count == 1 && tooFew[0].contains("1 comparisons were made, 2 expected"), "\(tooFew)")
  }

  /// In place of a golden that is only a pointer of Git LFS the picture with its hash is damaged.
  @Test(arguments: [false, true]) func aToleranceThatSeesNothingIsUnsound(isPointer: Bool) async throws {
    try await GoldenFixture.with(["a": picture]) { folder in
      if isPointer {
        let pointer =
          "version https://git-lfs.github.com/spec/v1\noid sha256:\(String(repeating: "0", count: 64))\nsize 12\n"
        try Data(pointer.utf8).write(to: URL(filePath: "\(folder)/a.png"))
      }
      try GoldenFixture.loosen(folder, to: "max<=255")
      let error = try await GoldenIssues.error(in: folder) { [picture] in try expectGolden(picture, "a") }
      #expect(error?.why.contains("damaged copy") == true, "\(String(describing: error))")
    }
  }

  /// Without `Test.current` an issue would be lost.
  @Test func itThrowsOutsideATest() async {
    let picture = picture
    let error = await Task.detached {
      #expect(throws: SafelightError.self) { try expectGolden(picture, "a") }
    }.value
    #expect(error?.kind == .usage)
  }

  @Test(arguments: [1, 2]) func casesHaveGoldensOfTheirOwn(number: Int) async throws {
    let pictures = ["blur-1": GoldenFixture.picture(1), "blur-2": GoldenFixture.picture(2)]
    try await GoldenFixture.with(pictures) { folder in
      let found = try await GoldenIssues.of(in: folder) {
        try expectGolden(GoldenFixture.picture(number), "blur", case: number)
      }
      #expect(found.isEmpty, "\(found)")
      _ = try await GoldenIssues.error(in: folder) { try expectGolden(GoldenFixture.picture(number)) }
    }
  }

  @Test func framesOneLateAreSaidToBe() async throws {
    let frames = (0..<6).map { GoldenFixture.off(picture, by: UInt8(10 + $0)) }
    let goldens = Dictionary(uniqueKeysWithValues: frames.indices.map { ("pan/000\($0 + 1)", frames[$0]) })
    let device = try Device.open(.cpu)
    func outputs(_ numbers: [Int]) throws -> [Output<CPU>] { try numbers.map { try Output(frames[$0], by: device) } }
    let (right, late, short) = (try outputs(Array(0..<6)), try outputs([0, 1, 2, 2, 3, 4]), try outputs(Array(0..<4)))
    try await GoldenFixture.with(goldens) { folder in
      #expect(try await GoldenIssues.of(in: folder) { try expectSequence(right, "pan") }.isEmpty)
      let lateness = try await GoldenIssues.of(in: folder) { try expectSequence(late, "pan") }
      #expect(lateness.count == 1 && lateness[0].contains("from frame 4 on they are one frame late"), "\(lateness)")
      let missing = try await GoldenIssues.of(in: folder) { try expectSequence(short, "pan") }
      #expect(missing.count == 1 && missing[0].contains("2 missing: pan/0005, pan/0006"), "\(missing)")
    }
  }
}

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
      expectError(.usage) {
        try CandidateOutput(folder: package).write(GoldenFixture.picture(0), named: "soft", of: goldens)
      }
      let files = try FileManager.default.contentsOfDirectory(atPath: goldens)
      #expect(files.isEmpty)
    }
  }
}
