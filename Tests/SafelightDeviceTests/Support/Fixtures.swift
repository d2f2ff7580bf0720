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

  /// Reads a file of the folder `golden`.
  static func golden<Contents: Decodable>(_ name: String) throws -> Contents {
    try JSONDecoder().decode(
      Contents.self, from: Data(contentsOf: folder.appendingPathComponent("golden/\(name).json")))
  }

  /// Reads frozen hashes by file, of which there must be more than `count`.
  private static func hashes<Hashes: Decodable>(_ name: String, above count: Int) throws -> [String: Hashes] {
    let hashes: [String: Hashes] = try golden(name)
    try #require(hashes.count > count, "the frozen hashes are not complete")
    return hashes
  }

  private struct Document<Hashes: Decodable>: Decodable { let pictures: [String: Hashes] }

  /// Reads frozen hashes by file from a document with other members.
  private static func pictureHashes<Hashes: Decodable>(_ name: String, above count: Int) throws -> [String: Hashes] {
    let document: Document<Hashes> = try golden(name)
    try #require(document.pictures.count > count, "the frozen hashes are not complete")
    return document.pictures
  }

  /// The frozen pixel hashes of equalized pictures, by file and by channels (`each`, `luma`).
  static func equalizationHashes() throws -> [String: [String: String]] { try hashes("equalization/hashes", above: 80) }

  /// The frozen pixel hashes of pictures that are matched to others, by file, by reference and by channels.
  static func specificationHashes() throws -> [String: [String: [String: String]]] {
    try hashes("histogram/specification", above: 80)
  }

  /// The frozen pixel hashes of other programs' equalization, by file, by rule and by channels.
  static func equalizationRuleHashes() throws -> [String: [String: [String: String]]] {
    try pictureHashes("equalization/rules", above: 80)
  }

  /// The frozen pixel hashes of ffmpeg's histeq, by file and by filter.
  static func histeqHashes() throws -> [String: [String: String]] {
    try pictureHashes("equalization/histeq", above: 70)
  }

  /// The frozen pixel hashes of OpenCV's CLAHE, by file, by settings and by channels.
  static func claheHashes() throws -> [String: [String: [String: String]]] {
    try pictureHashes("equalization/clahe", above: 80)
  }

  /// The frozen pixel hashes of pictures after a tone filter, by chain and by file.
  static func toneHashes() throws -> [String: [String: String]] { try hashes("tone/hashes", above: 35) }

  /// The frozen pixel hashes of other programs' gray and alpha, by file and by filter.
  static func colorHashes() throws -> [String: [String: String]] { try pictureHashes("color/pictures", above: 50) }

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
    let frozen: Conversions = try golden("color/planes")
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
    let cases: [FrozenRendering] = try golden("rendering/cases")
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
