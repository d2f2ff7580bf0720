import Foundation
import GoldenTesting
import SafelightGolden
import SafelightImage
import Synchronization
import Testing

/// A golden folder of its own, and pictures to put into it.
enum GoldenFixture {
  /// Records `pictures` under their names, judged by `tolerance`, runs `body` with the folder's path and removes the
  /// folder.
  static func with<Result>(
    _ pictures: [String: Image], tolerance: Tolerance = .exact, _ body: (String) async throws -> Result
  ) async throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(path: "goldens-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var change = try GoldenChange(of: path)
    for (name, picture) in pictures {
      try change.record(
        try GoldenCandidate(picture, named: name), tolerance: tolerance,
        provenance: GoldenProvenance(date: "2026-11-22"))
    }
    try change.commit()
    return try await body(path)
  }

  /// Writes `tolerance` into the golden.json of `folder`, even one that commands refuse.
  static func loosen(_ folder: String, to tolerance: String) throws {
    let file = URL(filePath: "\(folder)/golden.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    try text.replacingOccurrences(of: "\"exact\"", with: "\"\(tolerance)\"").write(
      to: file, atomically: true, encoding: .utf8)
  }

  /// Approves `picture` as the variant of the golden `name`.
  static func approve(_ name: String, _ picture: Image, variant: String, in folder: String) throws {
    var change = try GoldenChange(of: folder)
    try change.approve(
      try GoldenCandidate(picture, named: name), variant: variant,
      provenance: GoldenProvenance(date: "2026-11-22", reason: "ties go down"))
    try change.commit()
  }

  /// Returns a picture that is different for each number.
  static func picture(_ number: Int) -> Image {
    SyntheticImage.noise.image(Size(24 + number, 16), channels: .rgba, depth: .bits8)
  }

  /// Returns `picture` with one sample off by `amount`.
  static func off(_ picture: Image, by amount: UInt8 = 9) -> Image {
    var bytes = picture.bytes
    bytes[4 * 40] &+= amount
    return picture.replacing(bytes: bytes)
  }
}

/// The issues of comparisons that do not pass.
enum GoldenIssues {
  /// Runs `body` as a test with the trait would, and returns the texts of its issues.
  static func of(
    tolerance: String? = nil, in folder: String, comparisons: Int? = nil,
    _ body: @escaping @Sendable () throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let texts = Mutex<[String]>([])
    try await withKnownIssue(isIntermittent: true) {
      try await GoldenTrait.golden(tolerance, in: folder, comparisons: comparisons)
        .provideScope(for: test, testCase: nil) { try body() }
    } matching: { issue in
      texts.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
      return true
    }
    return texts.withLock { $0 }
  }

  /// Runs `body` in the same way with a folder of `pictures`.
  static func of(
    _ pictures: [String: Image], comparisons: Int? = nil, _ body: @escaping @Sendable () throws -> Void
  ) async throws -> [String] {
    try await GoldenFixture.with(pictures) { try await of(in: $0, comparisons: comparisons, body) }
  }

  /// Expects that `body`, run as a test with the trait would, throws an error; returns it.
  static func error(
    in folder: String, _ body: @escaping @Sendable () throws -> Void
  ) async throws -> SafelightError? {
    let test = try #require(Test.current)
    return await #expect(throws: SafelightError.self) {
      try await GoldenTrait.golden(in: folder).provideScope(for: test, testCase: nil) { try body() }
    }
  }
}
