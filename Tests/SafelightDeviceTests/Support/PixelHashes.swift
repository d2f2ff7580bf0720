import Foundation
import Safelight
import Testing

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
