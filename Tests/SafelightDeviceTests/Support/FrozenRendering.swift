import Foundation
import Testing

/// A case of `scripts/oracle freeze-rendering`: pictures rendered one after the other into another, and the hash of what is left.
struct FrozenRendering: Decodable, Sendable {
  /// One picture and where it goes.
  struct Layer: Decodable, Sendable {
    let source: String
    /// Column, row, width and height.
    let bounds: [Int]
    /// As Exif numbers them.
    let orientation: Int
    let filter: String
    let blend: String
  }

  let destination: String
  let renders: [Layer]
  let hash: String
}

extension Fixtures {
  static func renderings() throws -> [FrozenRendering] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path("golden/rendering/cases.json")))
    let cases = try JSONDecoder().decode([FrozenRendering].self, from: data)
    try #require(cases.count > 200, "the frozen cases are not complete")
    return cases
  }
}
