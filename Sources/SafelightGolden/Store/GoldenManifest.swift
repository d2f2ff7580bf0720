import FoundationEssentials
import SafelightFrames
import SafelightImage

/// `golden.json`: the list of the goldens in a folder.
///
/// Keys are sorted and every value has a line of its own: approvals of different goldens merge, two of the same one
/// conflict.
struct GoldenManifest: Codable {
  struct Row: Codable, Hashable, Sendable {
    var width: Int
    var height: Int
    var channels: Channels
    var depth: SampleDepth
    var tolerance: String
    var mask: String?
    /// The pictures by variant; the one for every driver is called `default`.
    var pictures: [String: Picture]
    /// The properties that all pictures of the golden share.
    var kind: ImageDescriptor { ImageDescriptor(size: Size(width, height), channels: channels, depth: depth) }
    var hasMaskFile: Bool { mask?.hasSuffix(".png") == true }
    /// The variants in order, without the default.
    var variants: [String] { pictures.keys.filter { $0 != GoldenManifest.defaultPicture }.sorted() }

    /// Returns the files of a golden called `name`: its pictures, and its mask if that is one.
    func files(of name: String) -> [String] {
      let parts = variants + (hasMaskFile ? [GoldenName.mask] : [])
      return [GoldenName.file(name)] + parts.map { GoldenName.file(name, $0) }
    }
  }

  struct Picture: Codable, Hashable, Sendable {
    var pixels: String
    var approved: String
    var reason: String?
    var made: String?
    var device: String?
    var provenance: GoldenProvenance { GoldenProvenance(date: approved, reason: reason, made: made, device: device) }
  }

  static let fileName = "golden.json"
  /// The key of the picture that serves every driver without a variant of its own.
  static let defaultPicture = "default"
  private static let currentVersion = 1
  var goldens: [String: Row] = [:]
  private var version = currentVersion

  init() {}

  /// Reads the file at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is not such a file, `unsupported` if a later version wrote it.
  init(reading path: String) throws {
    let bytes = try readRegularFile(path, limit: 1 << 28)
    try ensure(
      !Self.hasMergeMarks(bytes), .input, path, why: "the file holds conflict markers of git",
      remedy: "resolve the merge, then run safelight golden status")
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(bytes))
      if let key = JSONKeys.repeated(in: bytes) { throw Self.damaged(path, "“\(key)” occurs twice") }
    } catch let error as DecodingError {
      throw Self.damaged(path, Self.reason(error))
    }
    try ensure(
      version == Self.currentVersion, .unsupported, path,
      why: "it has version \(version); this version of safelight reads \(Self.currentVersion)",
      remedy: "use the version of safelight that wrote it")
    for (name, row) in goldens {
      if name.split(separator: "/").contains("..") {
        throw Self.damaged(path, "\(name) would lie outside of its folder")
      }
      if let fault = row.fault { throw Self.damaged(path, "\(name): \(fault)") }
    }
    if let fault = sharedFile { throw Self.damaged(path, fault) }
  }

  /// A description of a file that belongs to two goldens; nil if none does.
  var sharedFile: String? {
    let shared = goldens.keys.sorted().lazy.compactMap { name in
      GoldenName.owner(of: name, in: goldens).map { (name, $0) }
    }
    return shared.first.map { "\(GoldenName.file($0)) is the golden \($0) and belongs to the golden \($1)" }
  }

  /// Returns true if a line begins as git marks the parts of an unresolved merge. No line of JSON can.
  private static func hasMergeMarks(_ bytes: [UInt8]) -> Bool {
    bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      ["<<<<<<<", "=======", ">>>>>>>"].contains { line.starts(with: $0.utf8) }
    }
  }

  private static func damaged(_ path: String, _ why: String) -> SafelightError {
    SafelightError(
      .input, path, why: "it is not a list of goldens: \(why)", remedy: "restore the file from version control")
  }

  private static func reason(_ error: DecodingError) -> String {
    let context: DecodingError.Context
    switch error {
    case .keyNotFound(let key, let found):
      let place = found.codingPath.map(\.stringValue).joined(separator: "/")
      return place.isEmpty ? "\(key.stringValue) is missing" : "\(place) has no \(key.stringValue)"
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
    @unknown default: return "\(error)"
    }
    let place = context.codingPath.map(\.stringValue).joined(separator: "/")
    return place.isEmpty ? "it is no JSON" : "\(place): \(context.debugDescription)"
  }
}

extension GoldenManifest.Row {
  /// The reason why the row is invalid; nil if it is valid.
  fileprivate var fault: String? {
    // The limits of a PNG's sides and of a mask's memory.
    if width > Int(Int32.max) || height > Int(Int32.max) || width * height > 1 << 32 {
      return "a picture of \(width)×\(height) is too large"
    }
    if width < 1 || height < 1 { return "a picture of \(width)×\(height) has no pixels" }
    if pictures[GoldenManifest.defaultPicture] == nil { return "it has no default picture, only variants" }
    let bare = variants.first { pictures[$0]?.reason?.contains { !$0.isWhitespace } != true }
    return bare.map { "its variant \($0) has no reason" }
  }
}

extension Encodable {
  /// Returns the value as a JSON file: a line for every field, in the order of their names, and a final line feed.
  func jsonFile() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}

/// Finds duplicate keys, which Foundation's decoder accepts: it takes the first value, other decoders the last.
package enum JSONKeys {
  /// Returns a key that occurs twice in one object of the JSON text `bytes`, in whatever spelling of Unicode, or nil.
  package static func repeated(in bytes: [UInt8]) -> String? {
    // The keys so far of every object around the current position; arrays have none.
    var known: [Set<String>] = []
    var text = ""
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): known.append([])
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = known.popLast()
      case UInt8(ascii: "\""):
        let start = place
        place = end(of: start + 1, in: bytes)
        text = string(bytes[start..<min(place + 1, bytes.count)])
      // Outside of strings a colon follows keys alone.
      case UInt8(ascii: ":"):
        guard !known.isEmpty else { break }
        if !known[known.count - 1].insert(text).inserted { return text }
      default: break
      }
      place += 1
    }
    return nil
  }

  /// Returns the end of the string that begins at `start`: its closing quotation mark, or the end of `bytes`.
  private static func end(of start: Int, in bytes: [UInt8]) -> Int {
    var place = start
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place, bytes.count)
  }

  /// Decodes `text`, a string with its quotation marks.
  private static func string(_ text: ArraySlice<UInt8>) -> String {
    if text.contains(UInt8(ascii: "\\")), let read = try? JSONDecoder().decode(String.self, from: Data(text)) {
      return read
    }
    return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
  }
}
