internal import SafelightImage

/// The four letters that name a chunk, such as `IDAT` or `tEXt`; the case of each letter carries a meaning (PNG 5.4).
public struct PNGChunkType: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The letters as they stand in a file, the first in the highest byte.
  let code: UInt32

  init(code: UInt32) {
    self.code = code
  }

  /// Makes a type of its four ASCII letters.
  public init(stringLiteral letters: String) {
    trap(
      unless: letters.utf8.count == 4 && letters.utf8.allSatisfy(Self.isLetter),
      "a chunk type has four letters A–Z, a–z; \"\(letters)\" was given")
    self.code = letters.utf8.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// True when a picture cannot be understood without the chunk.
  public var isCritical: Bool { code >> 24 & 0x20 == 0 }

  /// True when the chunk stays valid whatever happens to the pixels.
  public var isSafeToCopy: Bool { code & 0x20 != 0 }

  /// The four letters; other bytes as hexadecimal numbers.
  public var description: String {
    bytes.map { Self.isLetter($0) ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }.joined()
  }

  /// The letters in the order of a file.
  var bytes: [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) } }

  /// False for bytes that are no letters: then this is not where a chunk begins.
  var isWellFormed: Bool { bytes.allSatisfy(Self.isLetter) }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}

/// A chunk as it stands in a file, without its length and checksum.
public struct PNGChunk: Hashable, Sendable {
  /// What the bytes mean.
  public let type: PNGChunkType
  /// The bytes, untouched: neither decompressed nor corrected.
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
  /// The 32-bit number at `offset`, the high byte first, as PNG stores all its numbers (PNG 7.1).
  func bigEndian(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func append(bigEndian value: UInt32) {
    for shift: UInt32 in [24, 16, 8, 0] { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
