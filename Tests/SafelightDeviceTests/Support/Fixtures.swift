import Foundation
import Safelight
import Synchronization
import Testing

/// The pictures in the folder `fixtures` of the package.
enum Fixtures {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "../../../fixtures"
  ).standardized

  /// The path of a file in the folder.
  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private static let images = Mutex<[String: Image]>([:])

  /// A picture of the folder, decoded once for all tests.
  static func image(_ name: String) throws -> Image {
    if let image = images.withLock({ $0[name] }) { return image }
    let image = try PNGFile(reading: path(name)).image
    images.withLock { $0[name] = image }
    return image
  }

  /// Reads a file of the folder `golden`.
  private static func golden<Contents: Decodable>(_ name: String) throws -> Contents {
    try JSONDecoder().decode(
      Contents.self, from: Data(contentsOf: folder.appendingPathComponent("golden/\(name).json")))
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
    try #require(frozen.conversions.count == 96, "the frozen conversions are not complete")
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
@discardableResult
func expectHashes(
  _ hashes: [String: String?], after chain: String, on device: Device, prepare: (inout Image) -> Void = { _ in }
) async throws -> Int {
  let processor = try FrameProcessor(chain, on: device)
  var images: [String: Image] = [:]
  for (name, hash) in hashes {
    var image = try Fixtures.image(name)
    prepare(&image)
    if hash != nil {
      images[name] = try await processor.process(image, label: name)
    } else {
      let error = await #expect(throws: SafelightError.self) { try await processor.process(image, label: name) }
      #expect(error?.kind == .unsupported)
    }
  }
  let made = try PixelHashes.of(images)
  for name in images.keys { #expect(made[name] == hashes[name], "\(chain) of \(name)") }
  return images.count
}

/// Expects `chain` not to be made on the CPU; returns the error.
func refusal(ofChain chain: String) throws -> SafelightError? {
  let device = try Device.open(.cpu)
  return #expect(throws: SafelightError.self) { try FilterChain(parsing: chain, device: device) }
}

/// Expects `chain` to refuse a small picture named `deep`, of 16 bits, on the CPU; returns the error.
func refusalOf16Bits(_ chain: String) async throws -> SafelightError? {
  let image = SyntheticImage.noise.image(Size(3, 2), channels: .rgb, depth: .bits16)
  let processor = try FrameProcessor(chain, on: Device.open(.cpu))
  return await #expect(throws: SafelightError.self) { try await processor.process(image, label: "deep") }
}

/// Hashes of pixels as `scripts/oracle freeze-equalization` defines them, made by the system's `sha256sum`.
enum PixelHashes {
  /// The hash of each picture, by its name.
  static func of(_ images: [String: Image]) throws -> [String: String] {
    let scratch = Scratch()
    let names = images.keys.sorted()
    for (number, name) in names.enumerated() {
      try scratch.write(blob(#require(images[name])), as: String(number))
    }
    let lines = try withExtendedLifetime(scratch) { try sha256sum(names.indices.map(String.init), in: scratch.url) }
    var hashes: [String: String] = [:]
    for line in lines.split(separator: "\n") {
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
