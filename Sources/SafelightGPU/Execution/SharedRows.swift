internal import SafelightGLES
internal import SafelightImage

/// The rows of a plane in mapped memory; lives no longer than the call that hands the mapping out.
@safe struct SharedRows {
  let base: UnsafeMutableRawPointer
  let bytesPerRow: Int
  let size: Size
  let bytesPerPixel: Int
  /// Whether blue comes first; executors store red first.
  private let isBlueFirst: Bool
  /// Whether the fourth byte means nothing.
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

  /// Bytes of all pixels.
  var byteCount: Int { size.area * bytesPerPixel }

  /// The distance of rows in pixels; nil where no whole number, as transfers of GL's ask for.
  var rowLength: Int? { bytesPerRow % bytesPerPixel == 0 ? bytesPerRow / bytesPerPixel : nil }

  /// Whether pixels lie as executors store them on the way in.
  var isReadAsStored: Bool { !isBlueFirst && !isOpaque }

  /// Whether pixels lie as executors store them on the way out.
  var isWrittenAsStored: Bool { !isBlueFirst }

  /// Copies all pixels to `target` as executors store them, without padding.
  func copy(to target: UnsafeMutableRawPointer) {
    let row = size.width * bytesPerPixel
    for y in 0..<size.height {
      let (from, to) = unsafe (base + y * bytesPerRow, target + y * row)
      if isReadAsStored {
        unsafe to.copyMemory(from: from, byteCount: row)
      } else {
        unsafe copyPixels(size.width, from: from, to: to, swapping: isBlueFirst, opaquely: isOpaque)
      }
    }
  }

  /// Copies all pixels from `source`, which has them as executors do, without padding.
  func copy(from source: UnsafeRawPointer) {
    let row = size.width * bytesPerPixel
    for y in 0..<size.height {
      let (from, to) = unsafe (source + y * row, base + y * bytesPerRow)
      if isWrittenAsStored {
        unsafe to.copyMemory(from: from, byteCount: row)
      } else {
        unsafe copyPixels(size.width, from: from, to: to, swapping: true, opaquely: false)
      }
    }
  }

  /// Copies pixels of four bytes, red and blue exchanged or the alpha made 255 on the way.
  private func copyPixels(
    _ count: Int, from: UnsafeRawPointer, to: UnsafeMutableRawPointer, swapping: Bool, opaquely: Bool
  ) {
    for x in 0..<count {
      var pixel = UInt32(littleEndian: unsafe from.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
      if swapping { pixel = (pixel & 0xff00_ff00) | ((pixel & 0xff) << 16) | ((pixel >> 16) & 0xff) }
      if opaquely { pixel |= 0xff00_0000 }
      unsafe to.storeBytes(of: pixel.littleEndian, toByteOffset: 4 * x, as: UInt32.self)
    }
  }
}
