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

  /// The frozen pixel hashes that other programs' grey and alpha give, by file and by filter.
  static func colorHashes() throws -> [String: [String: String]] {
    struct Pictures: Decodable {
      let pictures: [String: [String: String]]
    }
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/color/pictures.json"))
    let hashes = try JSONDecoder().decode(Pictures.self, from: data).pictures
    try #require(hashes.count > 50, "the frozen hashes are not complete")
    return hashes
  }

  /// A small picture, and what others make of it as Y'CbCr.
  struct Conversions: Decodable {
    struct Conversion: Decodable {
      let by: String
      let layout: String
      let matrix: String
      let range: String
      let siting: String
      let planes: [[Int]]
      let picture: [Int]
    }
    let width: Int
    let height: Int
    let rgb8: [Int]
    let rgb16: [Int]
    let conversions: [Conversion]
  }

  /// The frozen conversions to Y'CbCr and back.
  static func conversions() throws -> Conversions {
    let data = try Data(contentsOf: folder.appendingPathComponent("golden/color/planes.json"))
    let frozen = try JSONDecoder().decode(Conversions.self, from: data)
    try #require(frozen.conversions.count == 72, "the frozen conversions are not complete")
    return frozen
  }
}
