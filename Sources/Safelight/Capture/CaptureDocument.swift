import FoundationEssentials
import SafelightFrames
public import SafelightGPU
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

/// Pixels of a texture as a picture that a file can hold; there is none for floats, tables and pairs of samples.
struct CapturePicture {
  let image: Image

  init?(_ blob: Capture.Blob) {
    guard let size = blob.size, let format = blob.pixelFormat, let (channels, depth) = Self.kind(of: format),
      !size.isEmpty, blob.bytes.count == size.area * format.bytesPerPixel
    else { return nil }
    image = Image(
      size: size, channels: channels, depth: depth, bytes: Self.reordered(blob.bytes, size: size, format))
  }

  /// The pixels of a file, as a texture of `format` holds them; nil where the file has another kind.
  static func bytes(of image: Image, size: Size, _ format: PixelFormat) -> [UInt8]? {
    guard let (channels, depth) = kind(of: format), image.size == size, image.channels == channels,
      image.depth == depth
    else { return nil }
    return reordered(image.bytes, size: size, format)
  }

  private static func kind(of format: PixelFormat) -> (Channels, SampleDepth)? {
    switch format {
    case .r8Unorm: (.gray, .bits8)
    case .rgba8Unorm, .bgra8Unorm: (.rgba, .bits8)
    case .r16Uint, .r16Unorm: (.gray, .bits16)
    case .rgba16Uint, .rgba16Unorm: (.rgba, .bits16)
    case .rg8Unorm, .rg16Uint, .rg16Unorm, .r32Uint, .r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float,
      .rgba32Float:
      nil
    case .depth16Unorm, .depth32Float, .stencil8, .depth32Float_stencil8: nil
    }
  }

  /// Pictures have red first.
  private static func reordered(_ bytes: [UInt8], size: Size, _ format: PixelFormat) -> [UInt8] {
    guard format == .bgra8Unorm else { return bytes }
    var bytes = bytes
    swapRedAndBlue(&bytes, offset: 0, size: size, bytesPerRow: size.width * 4)
    return bytes
  }
}

extension Capture.Blob {
  /// What tells whether the bytes were changed: the hash of the pixels where they are a picture.
  var hash: String {
    CapturePicture(self)?.image.pixelHash ?? "sha256:" + SHA256.hash(bytes).hexadecimal
  }
}

extension CaptureReplay.Output {
  /// The name as a file may have it; that of a capture from elsewhere may be any text.
  public var fileName: String { Capture.fileName(name) }

  /// What the replay made, as a file: PNG where it is a picture that PNG can hold, else the bytes.
  public func file() throws -> (fileExtension: String, bytes: [UInt8]) {
    guard let image = picture(actual) else { return ("bin", actual) }
    return ("png", try PNGEncoder.encode(PNGFile(image: image)))
  }

  /// Where both differ, the largest difference white; nil where they are equal, or no picture.
  public func differencePicture() throws -> [UInt8]? {
    guard let difference, let before = picture(expected), let after = picture(actual) else { return nil }
    let width = before.depth.rawValue / 8
    var bytes = [UInt8](repeating: 0, count: before.bytes.count / width)
    for index in bytes.indices {
      let distance = abs(
        Self.sample(before.bytes, index * width, width) - Self.sample(after.bytes, index * width, width))
      bytes[index] = UInt8(min(255, Double(distance) * 255 / difference.largest))
    }
    // Alpha would hide what it has to show.
    if before.channels == .rgba { for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 } }
    let channels: Channels = before.channels == .gray ? .gray : .rgb
    return try PNGEncoder.encode(
      PNGFile(image: Image(size: before.size, channels: channels, depth: .bits8, bytes: bytes)))
  }

  private func picture(_ bytes: [UInt8]) -> Image? {
    CapturePicture(Capture.Blob(bytes: bytes, size: size, pixelFormat: pixelFormat))?.image
  }

  private static func sample(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
    width == 1 ? Int(bytes[at]) : Int(bytes[at]) | Int(bytes[at + 1]) << 8
  }
}
