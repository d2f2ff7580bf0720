internal import CDeflate

/// The checksum of chunks: ISO 3309 (PNG 5.5).
package enum CRC32 {
  /// The checksum of `bytes`.
  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe libdeflate_crc32(0, bytes.baseAddress, bytes.count)
  }

  /// The checksum of a part of an array.
  package static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe checksum($0) }
  }
}
