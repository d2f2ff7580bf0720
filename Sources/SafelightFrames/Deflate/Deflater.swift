internal import CDeflate
internal import CISAL
import Glibc

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

/// Compresses bytes to zlib streams with ISA-L: three times as fast as ``Deflater``, to about the same length.
///
/// Processors of one kind give the same bytes. One thread at a time may use it.
@safe package final class ISALDeflater {
  private let memory: UnsafeMutableRawPointer

  /// True if the package was built with ISA-L, for x86-64.
  package static var isBuiltIn: Bool { cisal_memory_bytes() > 0 }
  /// True if ISA-L is built in and its streams decompress to the input; tested once.
  package static let isSound = isBuiltIn && passes()

  /// Makes a compressor; nil if ISA-L is not built in or memory is exhausted.
  package init?() {
    guard Self.isBuiltIn, let memory = unsafe malloc(cisal_memory_bytes()) else { return nil }
    unsafe self.memory = memory
  }

  deinit { unsafe free(memory) }

  /// Writes the stream into `target`; returns its length, nil if it does not fit, and for 2 GB and more.
  package func deflate(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Int? {
    guard let source = bytes.baseAddress, let stream = target.baseAddress else { return nil }
    let count = unsafe cisal_compress(
      memory, source.assumingMemoryBound(to: UInt8.self), bytes.count, stream.assumingMemoryBound(to: UInt8.self),
      target.count)
    return count > 0 ? count : nil
  }

  /// Tests bytes of several kinds, more than its window and its blocks hold: equal, noisy, and in between as filtered
  /// rows are.
  private static func passes() -> Bool {
    var random: UInt64 = 1
    var mixed: [UInt8] = []
    for index in 0..<300_000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let noise = UInt8(truncatingIfNeeded: random >> 56)
      switch index >> 12 & 3 {
      case 0: mixed.append(0)
      case 1: mixed.append(noise)
      case 2: mixed.append(noise & 7)
      default: mixed.append(UInt8(truncatingIfNeeded: index))
      }
    }
    return [1, 100, 16384, mixed.count].allSatisfy { roundTrips(Array(mixed[..<$0])) }
  }

  private static func roundTrips(_ bytes: [UInt8]) -> Bool {
    guard let deflater = ISALDeflater(), let inflater = Inflater() else { return false }
    var stream = [UInt8](repeating: 0, count: Deflater.bound(bytes.count) + 64)
    var back = [UInt8](repeating: 0xA5, count: bytes.count)
    return unsafe bytes.withUnsafeBytes { source in
      unsafe stream.withUnsafeMutableBytes { stream in
        unsafe back.withUnsafeMutableBytes { back in
          guard let count = unsafe deflater.deflate(source, into: stream) else { return false }
          let made = unsafe UnsafeRawBufferPointer(rebasing: stream[..<count])
          return unsafe inflater.inflate(made, into: back) && back.elementsEqual(source)
        }
      }
    }
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
