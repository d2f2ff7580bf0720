internal import SafelightGLES
internal import SafelightImage

/// Memory for bytes on their way between the process and a device, reused from command to command.
final class TransferMemory {
  private(set) var allocations = 0
  private var staging: [UInt8] = []

  func noteAllocation() { allocations += 1 }

  /// Calls `body` with at least `count` bytes of any contents.
  func withStaging(_ count: Int, _ body: (inout [UInt8]) throws(SafelightError) -> Void) throws(SafelightError) {
    // Taken out meanwhile, so that writing to it copies nothing.
    var staged = staging
    staging = []
    defer { staging = staged }
    if staged.count < count {
      staged = [UInt8](repeating: 0, count: count)
      allocations += 1
    }
    try body(&staged)
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
  let base: UnsafeMutableRawPointer
  let bytesPerRow: Int
  let size: Size
  let bytesPerPixel: Int
  /// True if blue comes first; backends store red first.
  private let isBlueFirst: Bool
  /// True if the fourth byte is padding.
  private let isOpaque: Bool

  init(_ plane: SharedPlane, at base: UnsafeMutableRawPointer) {
    let format = plane.buffer.format
    unsafe self.base = unsafe base
    bytesPerRow = plane.buffer.planes[plane.index].stride
    size = format.size(ofPlane: plane.index, in: plane.buffer.size)
    bytesPerPixel = format.pixelFormat(ofPlane: plane.index).bytesPerPixel
    isBlueFirst = format.pixelFormat(ofPlane: plane.index) == .bgra8Unorm
    isOpaque = format.isOpaque
  }

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
      from: base, bytesPerRow, to: target, size.width * bytesPerPixel, swapping: isBlueFirst, opaquely: isOpaque)
  }

  /// Copies all pixels from `source`, which holds them in the backends' order and without padding.
  func copy(from source: UnsafeRawPointer) {
    unsafe copyRows(
      from: source, size.width * bytesPerPixel, to: base, bytesPerRow, swapping: isBlueFirst, opaquely: false)
  }

  /// Copies rows; optionally swaps red and blue of pixels of four bytes, and makes alpha 255.
  private func copyRows(
    from source: UnsafeRawPointer, _ sourceRow: Int, to target: UnsafeMutableRawPointer, _ targetRow: Int,
    swapping: Bool, opaquely: Bool
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
}
