import SafelightImage

/// The eight bytes that every PNG file begins with (PNG 5.2), and what a file without them may be.
package enum PNGSignature {
  static let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// True when the file calls itself a PNG.
  static func begins(_ file: [UInt8]) -> Bool { file.starts(with: bytes) }

  /// True when the file at `path` calls itself a PNG, whatever its name.
  package static func begins(fileAt path: String) throws -> Bool {
    begins(try readBeginning(path, count: bytes.count))
  }

  /// Explains a file that does not begin so; `file` is its beginning, or all of a short one.
  static func mismatch(_ file: [UInt8], name: String) -> SafelightError {
    if file.isEmpty {
      return SafelightError(.input, name, why: "the file is empty", remedy: "write or copy it again")
    }
    if bytes.starts(with: file) {
      return SafelightError(
        .input, name, why: "the file is truncated: it ends after \(file.count) bytes, inside the PNG signature",
        remedy: "write or copy it again")
    }
    if isDamagedByTextTransfer(file) {
      return SafelightError(
        .input, name, why: "not a PNG file any more: its signature was changed as a transfer in text mode changes it",
        remedy: "transfer the original again in binary mode")
    }
    if GitLFSPointer.isPointer(file) {
      return SafelightError(
        .input, name, why: "it is a Git LFS pointer: the picture itself was not fetched", remedy: GitLFSPointer.remedy)
    }
    if let format = FileFormat.name(of: file) {
      return SafelightError(
        .input, name, why: "not a PNG file: it holds \(format)",
        remedy: "name it by itself, without a pattern, convert it to PNG, or name another file")
    }
    return SafelightError(
      .input, name, why: "not a PNG file: the signature is missing", remedy: "name a PNG file")
  }

  /// Line ends rewritten, or the high bit lost: what the signature was made to reveal (PNG 5.2).
  private static func isDamagedByTextTransfer(_ file: [UInt8]) -> Bool {
    file.count > 3 && (file[0] & 0x7F == 0x09) && file[1...3].elementsEqual(bytes[1...3])
  }
}
