import FoundationEssentials
internal import SafelightFrames
internal import SafelightImage

/// The files and folders that filters read: those of the system, and small files written in the chain as `data:`
/// addresses (RFC 2397).
///
/// Such a chain works on machines that do not have the file: `lut=file='data:,LUT_1D_SIZE 2%0A0 0 0%0A1 1 0.8'`.
enum InlineFile {
  /// Returns the bytes at `path`.
  ///
  /// - Throws: ``SafelightError`` of reading a file, and of kind `usage` for an invalid address.
  static func read(_ path: String, limit: Int) throws -> [UInt8] {
    guard path.hasPrefix("data:") else { return try readFile(path, limit: limit) }
    guard let comma = path.firstIndex(of: ",") else { throw fault("there is no comma before the data") }
    let isBase64 = path[..<comma].hasSuffix(";base64")
    guard let bytes = percentDecoded(path[path.index(after: comma)...]) else {
      throw fault("a % is not followed by two hexadecimal digits")
    }
    guard isBase64 else { return bytes }
    // Foundation accepts surplus and misplaced padding.
    let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard bytes.count % 4 == 0, padding <= 2, !bytes.dropLast(padding).contains(UInt8(ascii: "=")),
      let decoded = Data(base64Encoded: Data(bytes))
    else { throw fault("it is not valid base64") }
    return [UInt8](decoded)
  }

  /// Returns the PNG picture at `path`.
  static func picture(_ path: String) throws -> Image {
    try PNGDecoder.decode(read(path, limit: 1 << 32), name: name(path), limits: PNGLimits(), codec: PNGCodec()).image
  }

  /// Returns the files that `path` names, in their order, with their names in the folder: all below a folder, those of
  /// a pattern or a glob, and else one; none for a `data:` address.
  ///
  /// - Throws: ``SafelightError`` of listing them; whether one can be read is not examined.
  static func files(_ path: String) throws -> [(name: String, path: String)] {
    if path.hasPrefix("data:") { return [] }
    if Folder.exists(path) {
      return try FileTree.files(in: path) { _ in true }.map { ($0, SafelightFrames.path(path, $0)) }
    }
    guard !fileExists(path), FramePattern.isPattern(path) || SequenceInput.isGlob(path) else { return [("", path)] }
    return try FrameList([path]).frames.map { ($0.name, $0.path) }
  }

  /// Returns whether `path` names one file, and not a folder or a sequence.
  static func isOne(_ path: String) -> Bool { path.hasPrefix("data:") || isFile(path) }

  /// Returns the hash of what a filter reads at `path`: the contents of a file or a `data:` address; of several files,
  /// their names too.
  static func hash(_ path: String) throws -> [UInt8] {
    if path.hasPrefix("data:") { return SHA256.hash(try read(path, limit: .max)) }
    let files = try files(path)
    if files.count == 1, files[0].path == path { return try SafelightFrames.hash(ofFileAt: path) }
    let lines = try files.map { "\($0.name) \(try SafelightFrames.hash(ofFileAt: $0.path).hexadecimal)\n" }
    return SHA256.hash(Array(lines.joined().utf8))
  }

  /// Returns the name in errors.
  static func name(_ path: String) -> String { path.hasPrefix("data:") ? "the data: address" : path }

  private static func fault(_ why: String) -> SafelightError {
    SafelightError(
      .usage, "the data: address", why: why,
      remedy: "write data:,TEXT with %0A for a new line, or data:;base64,DATA; or name a file")
  }

  private static func percentDecoded(_ text: Substring) -> [UInt8]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    var bytes = Array(parts[0])
    for part in parts.dropFirst() {
      guard let digits = String(part.prefix(2)), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes += [value] + part.dropFirst(2)
    }
    return bytes
  }
}
