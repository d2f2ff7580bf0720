import Glibc

/// What one thread needs to decode or encode a picture, kept for the next one.
///
/// `@unchecked Sendable`: a codec lends it to one caller at a time, and takes it back through a lock.
@safe package final class PNGWorkspace: @unchecked Sendable {
  private var inflater: Inflater?
  private var deflaters: [Int32: Deflater] = [:]
  private var isal: ISALDeflater?
  private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

  package init() {}

  deinit { unsafe free(memory.baseAddress) }

  /// `count` bytes of any contents, until the next call; nil where no memory is left.
  func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    if unsafe memory.count < count {
      // Not realloc: nothing in it is worth a copy.
      unsafe free(memory.baseAddress)
      unsafe memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      guard let start = unsafe malloc(count) else { return nil }
      unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  /// As ``Inflater/inflate(_:into:)``; false where no memory is left too.
  func inflate(_ stream: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    inflater = inflater ?? Inflater()
    return unsafe inflater?.inflate(stream, into: target) ?? false
  }

  /// Folds `bytes` into `target` by libdeflate at `level`, or by ISA-L where that is wanted, sound, and the result fits; returns the
  /// length, nil where no memory is left.
  package func deflate(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, level: Int32, byISAL: Bool
  ) -> Int? {
    if byISAL, ISALDeflater.isSound {
      isal = isal ?? ISALDeflater()
      if let count = unsafe isal?.deflate(bytes, into: target) { return count }
    }
    deflaters[level] = deflaters[level] ?? Deflater(level: level)
    return unsafe deflaters[level]?.deflate(bytes, into: target)
  }
}
