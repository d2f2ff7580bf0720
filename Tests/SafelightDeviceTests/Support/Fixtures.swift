import Foundation
import Safelight
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

extension Fixtures {
  /// The frozen pixel hashes that other programs' gray and alpha give, by file and by filter.
  static func colorHashes() throws -> [String: [String: String]] {
    struct Pictures: Decodable {
      let pictures: [String: [String: String]]
    }
    let data = try Data(contentsOf: URL(fileURLWithPath: path("golden/color/pictures.json")))
    let hashes = try JSONDecoder().decode(Pictures.self, from: data).pictures
    try #require(hashes.count > 50, "the frozen hashes are not complete")
    return hashes
  }

  /// A small picture, and its conversion to Y'CbCr by other programs.
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

/// A case of `scripts/oracle freeze-rendering`: pictures rendered one after the other into another, and the hash of
/// what is left.
struct FrozenRendering: Decodable, Sendable {
  /// One picture and where it goes.
  struct Layer: Decodable, Sendable {
    let source: String
    /// Column, row, width and height.
    let bounds: [Int]
    /// The orientation's number in Exif.
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

/// Hashes of pixels as `scripts/oracle freeze-equalization` defines them, made by the system's `sha256sum`.
enum PixelHashes {
  /// The hash of each picture, by its name.
  static func of(_ images: [String: Image]) throws -> [String: String] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = images.keys.sorted()
    for (number, name) in names.enumerated() {
      let image = try #require(images[name])
      try Data(blob(image)).write(to: folder.appendingPathComponent(String(number)))
    }
    var hashes: [String: String] = [:]
    for line in try sha256sum(names.indices.map(String.init), in: folder).split(separator: "\n") {
      let parts = line.split(separator: " ")
      let number = try #require(Int(parts[1]))
      hashes[names[number]] = "sha256:\(parts[0])"
    }
    return hashes
  }

  /// Width, height, channels and bits as little-endian 32-bit numbers, then the samples as a PNG file orders them.
  private static func blob(_ image: Image) -> [UInt8] {
    var blob: [UInt8] = []
    for number in [image.size.width, image.size.height, image.channels.count, image.depth.rawValue] {
      blob += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let samples =
      switch image.channels {
      case .gray: [0]
      case .grayAlpha: [0, 3]
      case .rgb: [0, 1, 2]
      case .rgba: [0, 1, 2, 3]
      }
    // In memory the low byte comes first, in a PNG file the high one.
    let bytes = image.depth == .bits8 ? samples : samples.flatMap { [2 * $0 + 1, 2 * $0] }
    blob.reserveCapacity(16 + image.size.area * bytes.count)
    for pixel in stride(from: 0, to: image.bytes.count, by: image.pixelFormat.bytesPerPixel) {
      for byte in bytes { blob.append(image.bytes[pixel + byte]) }
    }
    return blob
  }

  private static func sha256sum(_ files: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sha256sum"] + files
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "sha256sum failed")
    return String(decoding: text, as: UTF8.self)
  }
}
