import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// Options that cannot be meant as they are written are refused, with what would be meant.
@Suite struct OptionTests {
  private static let picture = Tool.fixture("haze/haze.png")

  private func run(_ arguments: [String]) throws -> Tool.Outcome {
    let (process, output, errors) = try Tool.start(arguments)
    return try Tool.end(process, output, errors)
  }

  /// They hold one histogram a frame, and a filter that changes nothing would be believed.
  @Test(arguments: ["json", "csv"])
  func countsOfAFrameTakeNoFilter(_ format: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "histogram", Self.picture, "-o", folder.path("counts.\(format)"), "--filter", "invert", "--device", "cpu")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("--filter invert: \(format) has one histogram a frame"), "\(outcome.errors)")
    #expect(outcome.errors.contains("write .svg or .png"))
    #expect(try folder.names() == [])
  }
}
