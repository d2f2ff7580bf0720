import FoundationEssentials
import SafelightFrames
import SafelightGPU
import SafelightImage

/// The file `capture.json` of a capture's folder.
struct CaptureDocument: Codable {
  /// The name of the file.
  static let name = "capture.json"
  /// The only version there is.
  static let version = 1

  var version = Self.version
  var capture: CaptureManifest
  /// The files with the capture's bytes, by the names that it uses.
  var files: [String: File]

  /// Bytes in a file.
  struct File: Codable {
    /// Within the folder.
    var path: String
    /// Bytes in memory, which a PNG file packs.
    var length: Int
    /// SHA-256 of the pixels as reports give it, or of the bytes where they are no picture.
    var hash: String
    var size: Size?
    var pixelFormat: PixelFormat?
  }

  /// The text, with sorted keys, so that equal captures are equal files.
  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }

  /// Reads the text of the file at `path`.
  init(_ text: [UInt8], path: String) throws {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let data = Data(text)
    do {
      let version = try decoder.decode(Version.self, from: data).version
      guard version == Self.version else {
        throw SafelightError(
          .input, path, why: "it has version \(version); this program reads \(Self.version)",
          remedy: "replay it with the program that wrote it")
      }
      self = try decoder.decode(CaptureDocument.self, from: data)
    } catch let error as DecodingError {
      throw SafelightError(.input, path, why: error.reason, remedy: "capture the command buffer again")
    }
  }

  init(capture: CaptureManifest, files: [String: File]) {
    self.capture = capture
    self.files = files
  }

  private struct Version: Decodable {
    var version: Int
  }
}

extension DecodingError {
  /// What is wrong, and where.
  var reason: String {
    switch self {
    case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(place(context.codingPath)) is of another kind than it must be"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is no JSON" : "\(place(context.codingPath)) cannot be read: \(context.debugDescription)"
    @unknown default: "it cannot be read: \(self)"
    }
  }

  /// As programs write it: `commands[3].upload.region`.
  private func place(_ path: [any CodingKey]) -> String {
    path.reduce("") { text, key in
      key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
    }
  }
}
