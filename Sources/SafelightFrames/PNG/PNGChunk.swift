internal import CDeflate
internal import SafelightImage

/// The four letters that name a chunk, such as `IDAT` or `tEXt`; the case of each letter has a meaning (PNG 5.4).
public struct PNGChunkType: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The letters as in a file, the first in the highest byte.
  let code: UInt32
}

extension PNGChunkType {
  /// Makes a type from its four ASCII letters.
  public init(stringLiteral letters: String) {
    trap(
      unless: letters.utf8.count == 4 && letters.utf8.allSatisfy(Self.isLetter),
      "a chunk type has four letters A–Z, a–z; \"\(letters)\" was given")
    self.code = letters.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// True if a picture cannot be understood without the chunk.
  public var isCritical: Bool { code >> 24 & 0x20 == 0 }
  /// True if the chunk stays valid whatever happens to the pixels.
  public var isSafeToCopy: Bool { code & 0x20 != 0 }

  /// The four letters; other bytes as hexadecimal numbers.
  public var description: String {
    bytes.map { Self.isLetter($0) ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }.joined()
  }

  var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) } }
  /// False if some bytes are not letters, so that no chunk begins here.
  var isWellFormed: Bool { bytes.allSatisfy(Self.isLetter) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}

/// A chunk of a file, without its length and checksum.
public struct PNGChunk: Hashable, Sendable {
  /// The meaning of the bytes.
  public let type: PNGChunkType
  /// The bytes, neither decompressed nor corrected.
  public let data: [UInt8]

  /// Makes a chunk; PNG allows at most 2³¹ − 1 bytes in one.
  public init(type: PNGChunkType, data: [UInt8]) {
    trap(unless: data.count <= Int(Int32.max), "a chunk holds at most 2147483647 bytes; \(data.count) were given")
    self.type = type
    self.data = data
  }

  /// Appends length, type, data and checksum (PNG 5.3).
  func append(to file: inout [UInt8]) {
    file.append(bigEndian: UInt32(data.count))
    let start = file.count
    file.append(contentsOf: type.bytes)
    file.append(contentsOf: data)
    file.append(bigEndian: CRC32.checksum(file[start...]))
  }
}

extension [UInt8] {
  /// Returns the 32-bit number at `offset`, the high byte first, as PNG stores all its numbers (PNG 7.1).
  func bigEndian(at offset: Int) -> UInt32 { self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

  /// Appends a number, the high byte first.
  mutating func append(bigEndian value: some FixedWidthInteger) {
    unsafe Swift.withUnsafeBytes(of: value.bigEndian) { unsafe append(contentsOf: $0) }
  }

  /// Makes the bytes of numbers, the high byte of each first.
  init(bigEndian numbers: [UInt32]) { self = numbers.reduce(into: []) { $0.append(bigEndian: $1) } }
}

struct PNGChunkRange {
  let type: PNGChunkType
  /// The range of length, type, data and checksum.
  let range: Range<Int>
  var data: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
}

/// Finds the chunks of a file one after another, without reading their data (PNG 5.3).
struct PNGChunkReader {
  let file: PNGBytes
  let name: String
  private(set) var position = PNGSignature.bytes.count

  init(_ file: PNGBytes, name: String) throws {
    // Enough to recognize other formats.
    let beginning = try file.read(0..<min(file.count, 1 << 16))
    guard PNGSignature.begins(beginning) else { throw PNGSignature.mismatch(beginning, name: name) }
    self.file = file
    self.name = name
  }

  /// Returns the next chunk; throws if it is incomplete.
  mutating func next() throws -> PNGChunkRange {
    let left = file.count - position
    guard left >= 12 else { throw damaged("it ends after \(file.count) bytes without an IEND chunk", "truncated") }
    let beginning = try file.read(position..<position + 8)
    let length = Int(beginning.bigEndian(at: 0))
    let type = PNGChunkType(code: beginning.bigEndian(at: 4))
    guard type.isWellFormed, length <= Int(Int32.max) else {
      throw damaged("the data at byte \(position) is not a chunk: length \(length), type \(type)")
    }
    guard length <= left - 12 else {
      let why = "its \(type) chunk at byte \(position) should hold \(length) bytes, not \(max(0, left - 12))"
      throw damaged(why, "truncated")
    }
    let place = PNGChunkRange(type: type, range: position..<position + length + 12)
    position = place.range.upperBound
    return place
  }

  func data(_ place: PNGChunkRange) throws -> [UInt8] { try file.read(place.data) }

  func isIntact(_ place: PNGChunkRange) throws -> Bool {
    let stored = try file.read(place.data.upperBound..<place.range.upperBound).bigEndian(at: 0)
    return try file.checksum(place.range.lowerBound + 4..<place.data.upperBound) == stored
  }

  func damaged(_ why: String, _ fault: String = "damaged") -> SafelightError {
    SafelightError(.input, name, why: "the PNG is \(fault): \(why)", remedy: "write or copy the file again")
  }
}

/// The bytes of a PNG file, in memory or on disk.
package enum PNGBytes {
  case memory([UInt8])
  case file(OpenedFile)

  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .file(let file): file.byteCount
    }
  }

  /// Returns the bytes of `range`, which must be within the file; throws the errors of ``OpenedFile/read(_:)``.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    switch self {
    case .memory(let bytes): Array(bytes[range])
    case .file(let file): try file.read(range)
    }
  }

  /// Returns the checksum of `range`, reading a file in parts.
  func checksum(_ range: Range<Int>) throws -> UInt32 {
    switch self {
    case .memory(let bytes): return CRC32.checksum(bytes[range])
    case .file(let file):
      var checksum: UInt32 = 0
      for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
        let part = try file.read(start..<min(start + 1 << 20, range.upperBound))
        checksum = CRC32.checksum(part[...], continuing: checksum)
      }
      return checksum
    }
  }
}

/// The checksum of chunks: ISO 3309 (PNG 5.5).
package enum CRC32 {
  /// Returns the checksum of `bytes`, or of these after others whose checksum is `start`.
  static func checksum(_ bytes: UnsafeRawBufferPointer, continuing start: UInt32 = 0) -> UInt32 {
    unsafe libdeflate_crc32(start, bytes.baseAddress, bytes.count)
  }

  package static func checksum(_ bytes: ArraySlice<UInt8>, continuing start: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe checksum($0, continuing: start) }
  }
}

/// The eight bytes that every PNG file begins with (PNG 5.2), and explanations of files without them.
package enum PNGSignature {
  static let bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static func begins(_ file: [UInt8]) -> Bool { file.starts(with: bytes) }

  /// Returns whether the file at `path` begins with the signature, whatever its name.
  package static func begins(fileAt path: String) throws -> Bool { begins(try readBeginning(path, count: bytes.count)) }

  /// Returns the error for a file without the signature; `file` is its beginning, or all of a short one.
  static func mismatch(_ file: [UInt8], name: String) -> SafelightError {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.input, name, why: why, remedy: remedy)
    }
    if file.isEmpty { return refused("the file is empty", "write or copy it again") }
    if bytes.starts(with: file) {
      let why = "the file is truncated: it ends after \(file.count) bytes, inside the PNG signature"
      return refused(why, "write or copy it again")
    }
    if isDamagedByTextTransfer(file) {
      let why = "no longer a PNG file: a transfer in text mode has changed its signature"
      return refused(why, "transfer the original again in binary mode")
    }
    if GitLFSPointer.isPointer(file) {
      return refused("it is a Git LFS pointer: the picture itself was not fetched", GitLFSPointer.remedy)
    }
    guard let format = FileFormat(of: file) else {
      return refused("not a PNG file: the signature is missing", "name a PNG file")
    }
    // A name in .png is taken at its word; under its own kind ffmpeg may open the file.
    let isMisnamed = name.lowercased().hasSuffix(".png")
    let renaming = format.suffix.flatMap { isMisnamed ? "rename it to .\($0), " : nil } ?? ""
    return refused("not a PNG file: it holds \(format.name)", "\(renaming)convert it to PNG, or name another file")
  }

  /// Returns whether line ends were rewritten or the high bit was lost, which the signature is designed to reveal (PNG
  /// 5.2).
  private static func isDamagedByTextTransfer(_ file: [UInt8]) -> Bool {
    file.count > 3 && (file[0] & 0x7F == 0x09) && file[1...3].elementsEqual(bytes[1...3])
  }
}
