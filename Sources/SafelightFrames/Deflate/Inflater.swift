internal import CDeflate

/// Unfolds zlib streams (RFC 1950) whose result is known in length, by libdeflate; used by one thread at a time.
@safe package final class Inflater {
  private let state: OpaquePointer

  /// Nil where no memory is left.
  package init?() {
    guard let state = unsafe libdeflate_alloc_decompressor() else { return nil }
    unsafe self.state = state
  }

  deinit { unsafe libdeflate_free_decompressor(state) }

  /// Unfolds `stream` to exactly `target`. False where the stream is damaged, or where either is longer than the other needs.
  package func inflate(_ stream: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    guard let first = unsafe stream.first, Self.window(first) >= min(target.count, 1 << 15) else { return false }
    var used = 0
    let result = unsafe libdeflate_zlib_decompress_ex(
      state, stream.baseAddress, stream.count, target.baseAddress, target.count, &used, nil)
    return result == LIBDEFLATE_SUCCESS && used == stream.count
  }

  /// How far back a stream says that it reaches (RFC 1950, 2.2). zlib holds it to that, libdeflate does not.
  private static func window(_ first: UInt8) -> Int { 1 << (first >> 4 + 8) }
}
