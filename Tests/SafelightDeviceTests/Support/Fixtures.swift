import Foundation
import Testing

/// The pictures in the folder `fixtures` of the package.
enum Fixtures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "../../../fixtures"
  ).standardized

  /// The path of a file in the folder.
  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The frozen pixel hashes of equalized pictures, by file and by channels (`each`, `luma`).
  static func equalizationHashes() throws -> [String: [String: String]] {
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/equalization/hashes.json"))
    let hashes = try JSONDecoder().decode([String: [String: String]].self, from: data)
    try #require(hashes.count > 80, "the frozen hashes are not complete")
    return hashes
  }

  /// The frozen pixel hashes of pictures that are matched to others, by file, by reference and by channels.
  static func specificationHashes() throws -> [String: [String: [String: String]]] {
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/histogram/specification.json"))
    let hashes = try JSONDecoder().decode([String: [String: [String: String]]].self, from: data)
    try #require(hashes.count > 80, "the frozen hashes are not complete")
    return hashes
  }

  /// The frozen pixel hashes that other programs' equalization gives, by file, by rule and by channels.
  static func equalizationRuleHashes() throws -> [String: [String: [String: String]]] {
    struct Rules: Decodable {
      let pictures: [String: [String: [String: String]]]
    }
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/equalization/rules.json"))
    let hashes = try JSONDecoder().decode(Rules.self, from: data).pictures
    try #require(hashes.count > 80, "the frozen hashes are not complete")
    return hashes
  }

  /// The frozen pixel hashes of pictures after a tone filter, by chain and by file.
  static func toneHashes() throws -> [String: [String: String]] {
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/tone/hashes.json"))
    let hashes = try JSONDecoder().decode([String: [String: String]].self, from: data)
    try #require(hashes.count > 35, "the frozen hashes are not complete")
    return hashes
  }
}
