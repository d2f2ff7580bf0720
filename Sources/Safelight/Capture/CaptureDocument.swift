import FoundationEssentials
import SafelightFrames
public import SafelightGPU
import SafelightImage

/// The file `capture.json` of a capture's folder.
struct CaptureDocument: Codable {
  /// The name of the file.
  static let name = "capture.json"
  /// The only version.
  static let version = 1

  var version = Self.version
  var capture: CaptureManifest
  /// The files with the capture's bytes, by their names in the capture.
  var files: [String: File]

  /// A file with bytes of the capture.
  struct File: Codable {
    /// The path in the folder.
    var path: String
    /// The number of bytes in memory; a PNG file compresses them.
    var length: Int
    /// SHA-256 of the pixels, as in reports, or of the bytes if they are not a picture.
    var hash: String
    var size: Size?
    var pixelFormat: PixelFormat?
  }

  /// Returns the text with sorted keys, so that equal captures are equal files.
  func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}

extension CaptureDocument {
  private struct Version: Decodable {
    var version: Int
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
          remedy: "replay it with the version of the program that wrote it")
      }
      self = try decoder.decode(CaptureDocument.self, from: data)
    } catch let error as DecodingError {
      throw SafelightError(.input, path, why: error.reason, remedy: "capture the command buffer again")
    }
  }
}

extension DecodingError {
  /// A phrase that says what is wrong at which place.
  var reason: String {
    switch self {
    case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\(place(context.codingPath)) is of the wrong type"
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is not JSON" : "\(place(context.codingPath)) cannot be read: \(context.debugDescription)"
    @unknown default: "it cannot be read: \(self)"
    }
  }

  /// Returns the path as in a program: `commands[3].upload.region`.
  private func place(_ path: [any CodingKey]) -> String {
    path.reduce("") { text, key in
      key.intValue.map { "\(text)[\($0)]" } ?? (text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)")
    }
  }
}

extension Capture.Blob {
  /// The pixels of a texture as a picture for a file, red first; nil for floats, tables and pairs of samples.
  var image: Image? {
    guard let size, let pixelFormat, !size.isEmpty, bytes.count == size.area * pixelFormat.bytesPerPixel else {
      return nil
    }
    return try? Image(size: size, pixelFormat: pixelFormat, bytes: bytes)
  }

  /// The hash of the pixels, or of the bytes if they are not a picture; it shows whether they were changed.
  var hash: String { image?.pixelHash ?? "sha256:" + SHA256.hash(bytes).hexadecimal }
}

extension CaptureReplay.Output {
  /// The name for a file; a name in a capture from elsewhere may be any text.
  public var fileName: String { Capture.fileName(name) }

  /// Returns what the replay made as a file: PNG if it is a picture that PNG can hold, else the bytes.
  public func file() throws -> (fileExtension: String, bytes: [UInt8]) {
    guard let image = picture(actual) else { return ("bin", actual) }
    return ("png", try PNGEncoder.encode(PNGFile(image: image)))
  }

  /// Returns a picture of the differences, the largest in white; nil if both are equal or not pictures.
  public func differencePicture() throws -> [UInt8]? {
    guard let difference, let before = picture(expected), let after = picture(actual) else { return nil }
    let width = before.depth.rawValue / 8
    var bytes = [UInt8](repeating: 0, count: before.bytes.count / width)
    for index in bytes.indices {
      let distance = abs(
        Self.sample(before.bytes, index * width, width) - Self.sample(after.bytes, index * width, width))
      bytes[index] = UInt8(min(255, Double(distance) * 255 / difference.largest))
    }
    // Transparency would hide the differences.
    if before.channels == .rgba { for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 } }
    let channels: Channels = before.channels == .gray ? .gray : .rgb
    return try PNGEncoder.encode(
      PNGFile(image: Image(size: before.size, channels: channels, depth: .bits8, bytes: bytes)))
  }

  private func picture(_ bytes: [UInt8]) -> Image? {
    Capture.Blob(bytes: bytes, size: size, pixelFormat: pixelFormat).image
  }

  private static func sample(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
    width == 1 ? Int(bytes[at]) : Int(bytes[at]) | Int(bytes[at + 1]) << 8
  }
}
