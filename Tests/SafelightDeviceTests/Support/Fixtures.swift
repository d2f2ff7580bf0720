import Foundation
import Safelight
import Synchronization
import TestSupport
import Testing

/// The pictures in the folder `fixtures` of the package.
enum Fixtures {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../fixtures")
    .standardized

  /// The path of a file in the folder.
  static func path(_ name: String) -> String { folder.appending(path: name).path }

  private static let images = Mutex<[String: Image]>([:])

  /// A picture of the folder, decoded once for all tests.
  static func image(_ name: String) throws -> Image {
    if let image = images.withLock({ $0[name] }) { return image }
    let image = try PNGFile(reading: path(name)).image
    images.withLock { $0[name] = image }
    return image
  }

  /// Reads a file of the folder `golden`.
  static func golden<Contents: Decodable>(_ name: String) throws -> Contents {
    try JSONDecoder().decode(Contents.self, from: Data(contentsOf: folder.appending(path: "golden/\(name).json")))
  }

  /// Reads frozen hashes of pixels by file, or by chain, of which there must be more than `count`.
  static func hashes<Hashes: Decodable>(_ name: String, above count: Int) throws -> [String: Hashes] {
    let hashes: [String: Hashes] = try golden(name)
    try #require(hashes.count > count, "the frozen hashes are not complete")
    return hashes
  }

  private struct Document<Hashes: Decodable>: Decodable { let pictures: [String: Hashes] }

  /// Reads frozen hashes of pixels by file from a document with other members.
  static func pictureHashes<Hashes: Decodable>(_ name: String, above count: Int) throws -> [String: Hashes] {
    let document: Document<Hashes> = try golden(name)
    try #require(document.pictures.count > count, "the frozen hashes are not complete")
    return document.pictures
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
    let frozen: Conversions = try golden("color/planes")
    try #require(frozen.conversions.count == 192, "the frozen conversions are not complete")
    return frozen
  }

  /// The frozen renderings.
  static func renderings() throws -> [FrozenRendering] {
    let cases: [FrozenRendering] = try golden("rendering/cases")
    try #require(cases.count > 200, "the frozen cases are not complete")
    return cases
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

/// Expects pictures of the fixtures to have the hashes of their files after `chain`; those with nil must be refused.
/// Returns how many hashes it compared.
@discardableResult func expectHashes(
  _ hashes: [String: String?], after chain: String, on device: Device, prepare: (inout Image) -> Void = { _ in }
) async throws -> Int {
  let processor = try FrameProcessor(chain, on: device)
  for (name, hash) in hashes {
    var image = try Fixtures.image(name)
    prepare(&image)
    if let hash {
      #expect(try await processor.process(image, label: name).pixelHash == hash, "\(chain) of \(name)")
    } else {
      let error = await #expect(throws: SafelightError.self) { try await processor.process(image, label: name) }
      #expect(error?.kind == .unsupported)
    }
  }
  return hashes.values.count { $0 != nil }
}

/// Expects `chain` not to be made on the CPU, for these reasons.
func expectRefusal(
  _ kind: SafelightError.Kind, ofChain chain: String, why: Wording? = nil, remedy: Wording? = nil,
  at location: SourceLocation = #_sourceLocation
) {
  expectError(kind, why: why, remedy: remedy, at: location) { try FilterChain(parsing: chain, device: .open(.cpu)) }
}

/// Expects `chain` to refuse a small picture named `deep`, of 16 bits, on the CPU; returns the error.
func refusalOf16Bits(_ chain: String) async throws -> SafelightError? {
  let image = SyntheticImage.noise.image(Size(3, 2), channels: .rgb, depth: .bits16)
  let processor = try FrameProcessor(chain, on: Device.open(.cpu))
  return await #expect(throws: SafelightError.self) { try await processor.process(image, label: "deep") }
}
