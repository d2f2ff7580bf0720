import SafelightImage

/// The bytes of a PNG file: in memory, or where they lie.
enum PNGBytes {
  case memory([UInt8])
  case file(OpenedFile)

  /// How many there are.
  var count: Int {
    switch self {
    case .memory(let bytes): bytes.count
    case .file(let file): file.byteCount
    }
  }

  /// The bytes of `range`, which lies within them; throws what ``OpenedFile/read(_:)`` does.
  func read(_ range: Range<Int>) throws -> [UInt8] {
    switch self {
    case .memory(let bytes): Array(bytes[range])
    case .file(let file): try file.read(range)
    }
  }

  /// The checksum of `range`; of a file only a part is in memory at a time.
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
