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
  static func with(
    _ pictures: [String: Image], tolerance: Tolerance = .exact, _ body: (String) async throws -> Void
  ) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "goldens-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var change = try GoldenChange(of: path)
    for (name, picture) in pictures {
      try change.record(
        try GoldenCandidate(picture, named: name), tolerance: tolerance,
        provenance: GoldenProvenance(date: "2026-11-22"))
    }
    try change.commit()
    try await body(path)
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
    let texts = Texts()
    try await withKnownIssue(isIntermittent: true) {
      try await GoldenTrait.golden(tolerance, in: folder, comparisons: comparisons)
        .provideScope(for: test, testCase: nil) { try body() }
    } matching: {
      texts.append($0.comments.map(\.rawValue).joined())
      return true
    }
    return texts.all
  }
}

/// A list of texts that threads may share.
private final class Texts: Sendable {
  private let texts = Mutex<[String]>([])
  var all: [String] { texts.withLock { $0 } }
  func append(_ text: String) { texts.withLock { $0.append(text) } }
}
