internal import CDeflate

/// Compresses bytes to zlib streams (RFC 1950) with libdeflate, to the same bytes on every machine. One thread at a
/// time may use it.
@safe package final class Deflater {
  private let state: OpaquePointer

  /// Makes a compressor of libdeflate's level 0 to 12; nil if memory is exhausted.
  package init?(level: Int32) {
    guard let state = unsafe libdeflate_alloc_compressor(level) else { return nil }
    unsafe self.state = state
  }

  deinit { unsafe libdeflate_free_compressor(state) }

  /// The most bytes that the stream of `count` bytes can take.
  package static func bound(_ count: Int) -> Int { libdeflate_zlib_compress_bound(nil, count) }

  /// Writes the stream into `target`; returns its length, nil if it does not fit.
  package func deflate(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
    let count = unsafe libdeflate_zlib_compress(state, bytes.baseAddress, bytes.count, target.baseAddress, target.count)
    return count > 0 ? count : nil
  }
}

/// Decompresses zlib streams (RFC 1950) to a known length with libdeflate. One thread at a time may use it.
@safe package final class Inflater {
  private let state: OpaquePointer

  /// Makes a decompressor; nil if memory is exhausted.
  package init?() {
    guard let state = unsafe libdeflate_alloc_decompressor() else { return nil }
    unsafe self.state = state
  }

  deinit { unsafe libdeflate_free_decompressor(state) }

  /// Decompresses `stream` to exactly `target`; returns false if the stream is damaged, or if either is longer than the
  /// other requires.
  package func inflate(_ stream: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard let first = unsafe stream.first, Self.window(first) >= min(target.count, 1 << 15) else { return false }
    var used = 0
    let result = unsafe libdeflate_zlib_decompress_ex(
      state, stream.baseAddress, stream.count, target.baseAddress, target.count, &used, nil)
    return result == LIBDEFLATE_SUCCESS && used == stream.count
  }

  /// The window size that a stream declares (RFC 1950, 2.2). zlib enforces it, libdeflate does not.
  private static func window(_ first: UInt8) -> Int { 1 << (first >> 4 + 8) }
}
