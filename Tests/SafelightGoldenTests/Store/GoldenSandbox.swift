import Foundation
import SafelightFrames
import SafelightGolden
import SafelightImage
import TestSupport

/// A folder with goldens and pictures to compare with them, removed with the test.
final class GoldenSandbox {
  private let folder = TemporaryFolder()
  var path: String { folder.path }
  var goldens: String { folder.path("goldens") }
  var actual: String { folder.path("actual") }

  /// Returns a picture that is different for each seed.
  static func picture(_ seed: Int = 0, _ size: Size = Size(24, 16), _ channels: Channels = .rgb) -> Image {
    var image = SyntheticImage.noise.image(size, channels: channels, depth: .bits8)
    image[x: 3, y: 2, sample: 0] = seed
    return image
  }

  /// A picture that is black in the pixel in which ``picture(_:_:_:)`` differs.
  static var maskPicture: Image {
    var image = SyntheticImage.flat.image(Size(24, 16), channels: .gray, depth: .bits8)
    image[x: 3, y: 2, sample: 0] = 0
    return image
  }

  static func mask() throws -> GoldenMask { try .file(PNGEncoder.encode(PNGFile(image: maskPicture))) }

  /// Writes a picture to compare, or one in another folder.
  func make(_ name: String, _ image: Image, in place: String = "actual") throws {
    try folder.write(image, to: "\(place)/\(name).png")
  }

  /// Records pictures as goldens.
  func record(_ pictures: [String: Image], tolerance: Tolerance = .exact) throws {
    var change = try GoldenChange(of: goldens)
    for (name, image) in pictures {
      try change.record(GoldenCandidate(image, named: name), tolerance: tolerance, provenance: Self.today)
    }
    try change.commit()
  }

  /// Replaces goldens.
  func approve(
    _ name: String, _ image: Image, variant: String? = nil, tolerance: Tolerance? = nil, mask: GoldenMask? = nil,
    reason: String? = "seen"
  ) throws {
    var change = try GoldenChange(of: goldens)
    try change.approve(
      GoldenCandidate(image, named: name), variant: variant, tolerance: tolerance, mask: mask,
      provenance: GoldenProvenance(date: "2026-11-22", reason: reason))
    try change.commit()
  }

  /// Compares everything.
  func verify(variant: String? = nil, tolerance: Tolerance? = nil, jobs: Int = 2) throws -> [GoldenOutcome] {
    var outcomes: [GoldenOutcome] = []
    try GoldenFolder(goldens).verify(
      CandidateFolder(actual), variant: variant, tolerance: tolerance, jobs: jobs
    ) { outcomes.append($0) }
    return outcomes
  }

  /// Returns every file of the goldens, including hidden ones, with its bytes and its modification time.
  func goldenFiles() throws -> [String: String] {
    var files: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: goldens) {
      let file = "\(goldens)/\(name)"
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      let bytes =
        attributes[.type] as? FileAttributeType == .typeRegular
        ? try Data(contentsOf: URL(fileURLWithPath: file)) : Data()
      files[name] = "\(attributes[.modificationDate] ?? "") \(bytes.base64EncodedString())"
    }
    return files
  }

  /// Replaces the bytes of a golden's file.
  func overwrite(_ file: String, _ bytes: [UInt8]) throws { try folder.write(bytes, to: "goldens/\(file)") }

  func read(_ file: String) throws -> String { try folder.text("goldens/\(file)") }

  func remove(_ file: String) throws { try folder.remove(file) }

  static let today = GoldenProvenance(date: "2026-11-22")
  /// The pointer that Git LFS leaves in place of a file.
  static let pointer = Array(
    "version https://git-lfs.github.com/spec/v1\noid sha256:\(String(repeating: "0", count: 64))\nsize 12\n".utf8)
}
