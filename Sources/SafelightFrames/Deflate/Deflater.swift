internal import CDeflate

/// Folds bytes into zlib streams (RFC 1950) by libdeflate, the same bytes on every machine; used by one thread at a time.
@safe package final class Deflater {
  private let state: OpaquePointer

  /// Takes libdeflate's level, 0 to 12; nil where no memory is left.
  package init?(level: Int32) {
    guard let state = unsafe libdeflate_alloc_compressor(level) else { return nil }
    unsafe self.state = state
  }

  deinit { unsafe libdeflate_free_compressor(state) }

  /// What any stream of `count` bytes fits into.
  package static func bound(_ count: Int) -> Int { libdeflate_zlib_compress_bound(nil, count) }

  /// Writes the stream into `target`; returns its length, nil where it does not fit.
  package func deflate(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
    let count = unsafe libdeflate_zlib_compress(
      state, bytes.baseAddress, bytes.count, target.baseAddress, target.count)
    return count > 0 ? count : nil
  }
}
