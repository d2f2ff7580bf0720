/// Why a piece of a NUT stream could not be read.
package enum NUTFault: Error, Equatable {
  /// It goes on beyond the bytes at hand.
  case short
  /// It breaks the format's rules; the text says which.
  case damaged(String)
}

/// Reads the numbers of a NUT stream one after the other (NUT Open Container Format, "Syntax").
package struct NUTCursor {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    self.position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// u(8).
  mutating func byte() throws(NUTFault) -> UInt8 {
    guard position < bytes.endIndex else { throw .short }
    defer { position += 1 }
    return bytes[position]
  }

  /// u(32), the highest byte first.
  mutating func word() throws(NUTFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try byte()) }
    return value
  }

  /// u(64), the highest byte first.
  mutating func startcode() throws(NUTFault) -> UInt64 { UInt64(try word()) << 32 | UInt64(try word()) }

  /// v: seven bits a byte, the highest first, until a byte below 128.
  package mutating func number() throws(NUTFault) -> Int {
    var value = 0
    while true {
      let next = try byte()
      guard value <= Int.max >> 7 else { throw .damaged("a number has more than 63 bits") }
      value = value << 7 | Int(next & 0x7f)
      if next < 0x80 { return value }
    }
  }

  /// v that counts something: at most `limit`.
  mutating func count(_ what: String, atMost limit: Int) throws(NUTFault) -> Int {
    let value = try number()
    guard value <= limit else { throw .damaged("\(value) \(what) are claimed, more than \(limit)") }
    return value
  }

  /// s: 0, 1, −1, 2, −2 …
  package mutating func signed() throws(NUTFault) -> Int {
    let value = try number()
    return value & 1 == 0 ? -(value >> 1) : value >> 1 + 1
  }

  /// vb: a length and as many bytes.
  mutating func data(atMost limit: Int) throws(NUTFault) -> ArraySlice<UInt8> {
    let length = try count("bytes", atMost: limit)
    guard length <= bytes.endIndex - position else { throw .short }
    defer { position += length }
    return bytes[position..<position + length]
  }
}

/// The checksum of NUT: generator 0x104C11DB7, the highest bit first, beginning with 0.
package enum NUTChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { remainder, _ in
      remainder & 0x8000_0000 == 0 ? remainder << 1 : remainder << 1 ^ 0x04C1_1DB7
    }
  }

  package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 24) ^ $1)] }
  }
}
