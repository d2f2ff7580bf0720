internal import CDeflate

/// The checksum of chunks: ISO 3309 (PNG 5.5).
package enum CRC32 {
  /// The checksum of `bytes`, or of these behind others whose checksum is `start`.
  static func checksum(_ bytes: UnsafeRawBufferPointer, continuing start: UInt32 = 0) -> UInt32 {
    unsafe libdeflate_crc32(start, bytes.baseAddress, bytes.count)
  }

  /// The same of a part of an array.
  package static func checksum(_ bytes: ArraySlice<UInt8>, continuing start: UInt32 = 0) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe checksum($0, continuing: start) }
  }
}
