/// Swaps the first and third byte of every pixel of rows of four bytes a pixel: RGBA to BGRA and back.
package func swapRedAndBlue(_ bytes: inout [UInt8], offset: Int, size: Size, bytesPerRow: Int) {
  unsafe bytes.withUnsafeMutableBytes { bytes in
    for y in 0..<size.height {
      let row = offset + y * bytesPerRow
      for x in 0..<size.width {
        let pixel = unsafe bytes.loadUnaligned(fromByteOffset: row + 4 * x, as: UInt32.self)
        unsafe bytes.storeBytes(of: pixel.swappingRedAndBlue, toByteOffset: row + 4 * x, as: UInt32.self)
      }
    }
  }
}

/// Copies rows of four bytes a pixel and swaps the first and third byte of each.
package func copyRowsSwappingRedAndBlue(
  _ size: Size, from source: [UInt8], offset sourceOffset: Int, bytesPerRow sourceRow: Int, to target: inout [UInt8],
  offset targetOffset: Int, bytesPerRow targetRow: Int
) {
  unsafe source.withUnsafeBytes { source in
    unsafe target.withUnsafeMutableBytes { target in
      for y in 0..<size.height {
        let from = sourceOffset + y * sourceRow
        let to = targetOffset + y * targetRow
        for x in 0..<size.width {
          let pixel = unsafe source.loadUnaligned(fromByteOffset: from + 4 * x, as: UInt32.self)
          unsafe target.storeBytes(of: pixel.swappingRedAndBlue, toByteOffset: to + 4 * x, as: UInt32.self)
        }
      }
    }
  }
}

extension UInt32 {
  /// The middle two bytes of the pixel stay on either byte order: first and third byte are exchanged.
  fileprivate var swappingRedAndBlue: UInt32 {
    let word = littleEndian
    return UInt32(littleEndian: (word & 0xff00_ff00) | ((word & 0xff) << 16) | ((word >> 16) & 0xff))
  }
}
