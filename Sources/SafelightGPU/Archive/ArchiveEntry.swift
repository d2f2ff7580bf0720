internal import SafelightGLES
import SafelightImage

/// A program as it lies in a file of an archive.
///
/// Drivers may crash on a blob that is not theirs, so nothing of a file reaches one before its checksum was found right:
///
///     magic 8 | version 4 | format 4 | length 8 | key 32 | SHA-256 of all of these and the blob 32 | blob
///
/// Numbers are little-endian. The key guards against a file under another's name.
package enum ArchiveEntry {
  private static let magic = Array("SLPROG\r\n".utf8)
  private static let version: UInt32 = 1
  private static let headerLength = 8 + 4 + 4 + 8 + 32

  /// The bytes of the file.
  package static func encoded(_ binary: ProgramBinary, key: BinaryArchive.Key) -> [UInt8] {
    let header =
      magic + bytes(version) + bytes(binary.format) + bytes(UInt64(binary.bytes.count)) + key.digest
    return header + digest(header, binary.bytes[...]) + binary.bytes
  }

  /// The program in `file`; nil where a single byte is not as it was written.
  package static func decoded(_ file: [UInt8], key: BinaryArchive.Key) -> ProgramBinary? {
    let begin = headerLength + SHA256.byteCount
    guard file.count > begin, Array(file[..<8]) == magic, number(file[8..<12]) == UInt64(version),
      number(file[16..<24]) == UInt64(file.count - begin), Array(file[24..<headerLength]) == key.digest,
      digest(Array(file[..<headerLength]), file[begin...]) == Array(file[headerLength..<begin])
    else { return nil }
    return ProgramBinary(format: UInt32(number(file[12..<16])), bytes: Array(file[begin...]))
  }

  private static func digest(_ header: [UInt8], _ blob: ArraySlice<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(header)
    hash.update(blob)
    return hash.finalize()
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension BinaryArchive {
  /// What a program was made of: the driver, the full texts and the stages.
  package struct Key: Hashable {
    let digest: [UInt8]

    package init(digest: [UInt8]) { self.digest = digest }

    /// Hashes texts with their lengths, so that none runs into the next.
    package init(_ texts: [String]) {
      var hash = SHA256()
      for text in texts {
        let bytes = Array(text.utf8)
        unsafe withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { unsafe hash.update($0) }
        hash.update(bytes)
      }
      digest = hash.finalize()
    }

    /// The name of its file.
    package var fileName: String {
      digest.hexadecimal + ArchiveFolder.suffix
    }
  }
}
