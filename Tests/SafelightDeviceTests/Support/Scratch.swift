import Foundation
import Safelight

/// A folder that is gone with the test.
final class Scratch: Sendable {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)").path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
  }

  /// Writes a file of a name that no other has, and returns its path.
  func file(_ bytes: [UInt8]) throws -> String {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let file = "\(path)/\(UUID().uuidString)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// Writes a PNG file and returns its path.
  func file(_ image: Image) throws -> String {
    try file(PNGEncoder.encode(PNGFile(image: image), compression: .store))
  }
}
