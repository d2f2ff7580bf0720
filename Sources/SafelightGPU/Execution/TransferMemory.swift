internal import SafelightGLES
internal import SafelightImage

/// Memory for bytes on their way between the process and a device, reused from command to command.
final class TransferMemory {
  var allocations = 0
  private var staging: [UInt8] = []

  /// Calls `body` with at least `count` bytes of any contents.
  func withStaging(
    _ count: Int, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Void
  ) throws(SafelightError) {
    if staging.count < count {
      staging = [UInt8](repeating: 0, count: count)
      allocations += 1
    }
    unsafe try staging.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      if let base = bytes.baseAddress { unsafe try body(UnsafeMutableRawPointer(base)) }
    }
  }

  /// The memory of an earlier frame, or new memory; zeros unless the command overwrites all of it.
  func bytes(for readback: Readback, isOverwritten: Bool) -> [UInt8] {
    if let spare = readback.takeSpare() { return spare }
    allocations += 1
    if isOverwritten { return unsafe [UInt8](unsafeUninitializedCapacity: readback.length) { $1 = readback.length } }
    return [UInt8](repeating: 0, count: readback.length)
  }
}

/// The rows of a plane in mapped memory; valid only during the call that maps it.
@safe struct SharedRows {
  let plane: SharedPlane
  let base: UnsafeMutableRawPointer

  private var pixelFormat: PixelFormat { plane.buffer.format.pixelFormat(ofPlane: plane.index) }
  private var bytesPerRow: Int { plane.buffer.planes[plane.index].stride }
  private var size: Size { plane.buffer.format.size(ofPlane: plane.index, in: plane.buffer.size) }
  private var bytesPerPixel: Int { pixelFormat.bytesPerPixel }
  /// True if blue comes first; backends store red first.
  private var isBlueFirst: Bool { pixelFormat == .bgra8Unorm }
  /// True if the fourth byte is padding.
  private var isOpaque: Bool { plane.buffer.format.isOpaque }

  var byteCount: Int { size.area * bytesPerPixel }

  /// The distance between rows in pixels, as OpenGL's transfers take it; nil if it is not a whole number.
  var rowLength: Int? { bytesPerRow % bytesPerPixel == 0 ? bytesPerRow / bytesPerPixel : nil }

  /// True if reading needs no conversion to the order in which backends store channels.
  var isReadAsStored: Bool { !isBlueFirst && !isOpaque }

  /// True if writing needs no conversion.
  var isWrittenAsStored: Bool { !isBlueFirst }

  /// Copies all pixels to `target`, in the backends' order and without padding.
  func copy(to target: UnsafeMutableRawPointer) {
    unsafe copyRows(
      size, bytesPerPixel: bytesPerPixel, from: base, bytesPerRow, to: target, size.width * bytesPerPixel,
      swapping: isBlueFirst, opaquely: isOpaque)
  }

  /// Copies all pixels from `source`, which holds them in the backends' order and without padding.
  func copy(from source: UnsafeRawPointer) {
    unsafe copyRows(
      size, bytesPerPixel: bytesPerPixel, from: source, size.width * bytesPerPixel, to: base, bytesPerRow,
      swapping: isBlueFirst)
  }
}

/// Copies rows of pixels; optionally swaps red and blue of pixels of four bytes, and makes alpha 255.
func copyRows(
  _ size: Size, bytesPerPixel: Int, from source: UnsafeRawPointer, _ sourceRow: Int,
  to target: UnsafeMutableRawPointer, _ targetRow: Int, swapping: Bool, opaquely: Bool = false
) {
  for y in 0..<size.height {
    let (from, to) = unsafe (source + y * sourceRow, target + y * targetRow)
    guard swapping || opaquely else {
      unsafe to.copyMemory(from: from, byteCount: size.width * bytesPerPixel)
      continue
    }
    for x in 0..<size.width {
      var pixel = UInt32(littleEndian: unsafe from.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
      if swapping { pixel = (pixel & 0xff00_ff00) | ((pixel & 0xff) << 16) | ((pixel >> 16) & 0xff) }
      if opaquely { pixel |= 0xff00_0000 }
      unsafe to.storeBytes(of: pixel.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
    }
  }
}

/// Copies rows of pixels from an offset of one array to an offset of another.
func copyRows(
  _ size: Size, bytesPerPixel: Int, from source: [UInt8], _ sourceOffset: Int, _ sourceRow: Int,
  to target: inout [UInt8], _ targetOffset: Int, _ targetRow: Int, swapping: Bool
) {
  let (last, width) = (size.height - 1, size.width * bytesPerPixel)
  trap(
    unless: size.isEmpty
      || min(sourceOffset, targetOffset, sourceRow, targetRow) >= 0
        && sourceOffset + last * sourceRow + width <= source.count
        && targetOffset + last * targetRow + width <= target.count,
    "rows of \(size) lie outside of their memory; check the command before it runs")
  unsafe source.withUnsafeBytes { source in
    unsafe target.withUnsafeMutableBytes { target in
      guard let from = source.baseAddress, let to = target.baseAddress else { return }
      unsafe copyRows(
        size, bytesPerPixel: bytesPerPixel, from: from + sourceOffset, sourceRow, to: to + targetOffset, targetRow,
        swapping: swapping)
    }
  }
}
