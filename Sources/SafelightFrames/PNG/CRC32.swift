/// The checksum of chunks: ISO 3309, polynomial 0xEDB88320 reflected (PNG 5.5 and annex D).
///
/// Only metadata comes this way; libpng verifies the pixels.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { remainder, _ in
      remainder & 1 == 1 ? 0xEDB8_8320 ^ remainder >> 1 : remainder >> 1
    }
  }

  /// The checksum over `parts` one after the other.
  static func checksum(_ parts: [UInt8]...) -> UInt32 {
    let table = self.table
    var remainder = UInt32.max
    for part in parts {
      for byte in part { remainder = table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ remainder >> 8 }
    }
    return ~remainder
  }
}
