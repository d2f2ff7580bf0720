internal import SafelightImage

/// An operation of C on the samples of two rows, `A row over another` in `CKernelRows`.
typealias PairOperation<Sample> = (
  _ made: UnsafeMutablePointer<Sample>, _ frames: UnsafePointer<Sample>, _ others: UnsafePointer<Sample>,
  _ weight: Sample, _ colors: UInt64, _ count: Int
) -> Void

extension PictureMemory {
  /// Ones in the bits of samples that are no alpha; the bits of eight samples of 8 bits, or of four of 16.
  var colorBits: UInt64 {
    guard step == 4 else { return .max }
    return pixelFormat.depth == .bits8 ? 0x00FF_FFFF_00FF_FFFF : 0x0000_FFFF_FFFF_FFFF
  }
}

extension PassMemory {
  /// Calls `body` with the addresses of a row that is made and of the rows of both inputs at its place, for each row.
  func forEachPairOfRows<Sample: UnsignedSample>(
    _ type: Sample.Type,
    _ body: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>) -> Void
  ) {
    for y in region.y..<region.y + region.size.height {
      func row(_ picture: PictureMemory) -> UnsafeMutablePointer<Sample>? {
        unsafe picture.row(Sample.self, x: region.x, y: y, count: region.size.width).baseAddress
      }
      guard let made = unsafe row(output), let frame = unsafe row(inputs[0]), let second = unsafe row(inputs[1]) else {
        return
      }
      unsafe body(made, frame, second)
    }
  }
}
