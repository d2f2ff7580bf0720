import Foundation
import Testing

extension Fixtures {
  /// The frozen pixel hashes that other programs' grey and alpha give, by file and by filter.
  static func colorHashes() throws -> [String: [String: String]] {
    struct Pictures: Decodable {
      let pictures: [String: [String: String]]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: path("golden/color/pictures.json")))
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
    let data = try Data(contentsOf: URL(fileURLWithPath: path("golden/color/planes.json")))
    let frozen = try JSONDecoder().decode(Conversions.self, from: data)
    try #require(frozen.conversions.count == 96, "the frozen conversions are not complete")
    return frozen
  }
}
