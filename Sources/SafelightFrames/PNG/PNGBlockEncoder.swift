internal import CDeflate
internal import CPNGRows
import Glibc
import SafelightImage

/// The memory in which a picture becomes IDAT chunks, kept for the next one. One picture at a time may use it.
@safe final class PNGBlockMemory {
  fileprivate let level: OpaquePointer
  fileprivate let deflater: OpaquePointer
  /// Filtered rows, and the chunk that they become.
  fileprivate var rows = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
  fileprivate let chunk: UnsafeMutableRawBufferPointer

  /// Makes it for the instructions of `level`, 0 being the fastest that the processor has; nil if memory is exhausted
  /// or there is no such level.
  init?(level: Int = 0) {
    // With the length, the type and the checksum of the chunk, and what zlib adds.
    let count = cpng_deflate_bound(cpng_block_bytes) + 64
    guard let level = unsafe cpng_level(level), let chunk = unsafe malloc(count) else { return nil }
    guard let deflater = unsafe cpng_deflater_create() else {
      unsafe free(chunk)
      return nil
    }
    unsafe self.level = level
    unsafe self.deflater = deflater
    unsafe self.chunk = UnsafeMutableRawBufferPointer(start: chunk, count: count)
  }

  deinit {
    unsafe cpng_deflater_release(deflater)
    unsafe free(rows.baseAddress)
    unsafe free(chunk.baseAddress)
  }

  /// Makes room for `count` bytes of rows; returns false if memory is exhausted.
  fileprivate func reserveRows(_ count: Int) -> Bool {
    guard unsafe rows.count < count else { return true }
    unsafe free(rows.baseAddress)
    unsafe rows = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    guard let start = unsafe malloc(count) else { return false }
    unsafe rows = UnsafeMutableRawBufferPointer(start: start, count: count)
    return true
  }
}

/// Encodes a picture's rows from the top down, some at a time, as IDAT chunks of the package's own compressor.
///
/// A chunk is a block of deflate of as many rows as fit into 256 KB, so the chunks do not depend on how many rows come
/// at a time. They are the same on every machine.
@safe final class PNGBlockEncoder {
  private let memory: PNGBlockMemory
  private let filter: OpaquePointer
  private let bytesPerRow: Int
  /// The bytes of a filtered row, with its filter byte.
  private let rowByteCount: Int
  private let rowsPerBlock: Int
  private let height: Int
  /// The rows that wait for the others of their block.
  private var waiting = 0
  private var row = 0
  private var adler: UInt32 = 1
  private var isFirst = true

  /// Begins a picture; nil if memory is exhausted.
  init?(_ picture: ImageDescriptor, _ type: CPNGSampleType, _ filter: CPNGFilter, in memory: PNGBlockMemory) {
    let layout = CPNGLayout(picture.size, picture.pixelFormat)
    bytesPerRow = picture.bytesPerRow
    rowByteCount = cpng_row_bytes(type, layout.width) + 1
    rowsPerBlock = max(1, cpng_block_bytes / rowByteCount)
    height = picture.size.height
    guard memory.reserveRows(rowByteCount * min(rowsPerBlock, height)),
      let filter = unsafe cpng_row_filter_create(memory.level, layout, type, filter)
    else { return nil }
    unsafe self.filter = filter
    self.memory = memory
    unsafe cpng_deflater_begin(memory.deflater)
  }

  deinit { unsafe cpng_row_filter_release(filter) }

  /// Encodes the next rows, laid out as in an ``Image``, but none beyond the picture; calls `write` with each chunk
  /// that is complete.
  func encode(_ pixels: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Void) {
    guard var next = pixels.baseAddress, let rows = unsafe memory.rows.baseAddress else { return }
    var left = min(pixels.count / bytesPerRow, height - row)
    while left > 0 {
      let count = min(left, rowsPerBlock - waiting)
      unsafe cpng_filter_rows(
        filter, next.assumingMemoryBound(to: UInt8.self), count,
        (rows + waiting * rowByteCount).assumingMemoryBound(to: UInt8.self))
      unsafe next += count * bytesPerRow
      left -= count
      waiting += count
      row += count
      if waiting == rowsPerBlock || row == height { unsafe writeBlock(write) }
    }
  }

  private func writeBlock(_ write: (UnsafeRawBufferPointer) -> Void) {
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: memory.rows[..<(waiting * rowByteCount)])
    unsafe adler = libdeflate_adler32(adler, bytes.baseAddress, bytes.count)
    waiting = 0
    // A row may be longer than a block.
    for start in stride(from: 0, to: bytes.count, by: cpng_block_bytes) {
      let end = min(start + cpng_block_bytes, bytes.count)
      let isLast = row == height && end == bytes.count
      unsafe write(chunk(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), isLast: isLast))
    }
  }

  /// Returns the chunk with a block (PNG 5.3); the first begins the zlib stream, the last ends it (RFC 1950, 2.2).
  private func chunk(_ block: UnsafeRawBufferPointer, isLast: Bool) -> UnsafeRawBufferPointer {
    let chunk = unsafe memory.chunk
    unsafe chunk.storeBytes(of: PNGChunkType("IDAT").code.bigEndian, toByteOffset: 4, as: UInt32.self)
    var end = 8
    if isFirst {
      // Deflate with a window of 32 KB.
      unsafe chunk.storeBytes(of: UInt16(0x7801).bigEndian, toByteOffset: end, as: UInt16.self)
      end += 2
      isFirst = false
    }
    if let source = block.baseAddress, let target = chunk.baseAddress {
      end += unsafe cpng_deflate_block(
        memory.deflater, memory.level, source.assumingMemoryBound(to: UInt8.self), block.count, isLast,
        (target + end).assumingMemoryBound(to: UInt8.self))
    }
    if isLast {
      unsafe chunk.storeBytes(of: adler.bigEndian, toByteOffset: end, as: UInt32.self)
      end += 4
    }
    unsafe chunk.storeBytes(of: UInt32(end - 8).bigEndian, toByteOffset: 0, as: UInt32.self)
    let checksum = unsafe CRC32.checksum(UnsafeRawBufferPointer(rebasing: chunk[4..<end]))
    unsafe chunk.storeBytes(of: checksum.bigEndian, toByteOffset: end, as: UInt32.self)
    return unsafe UnsafeRawBufferPointer(rebasing: chunk[..<(end + 4)])
  }
}
