import SafelightImage

extension PNGLimits {
  /// Refuses a header that asks for more than is allowed, or than its compressed data can unfold to.
  func check(_ header: PNGHeader, compressed: Int, name: String) throws {
    let size = header.size
    let side = "cut it into parts or scale it down; programs raise the limit with PNGLimits"
    guard size.width <= width else {
      throw Self.exceeded(name, "\(size.width) columns; the limit is \(width)", remedy: side)
    }
    guard size.height <= height else {
      throw Self.exceeded(name, "\(size.height) rows; the limit is \(height)", remedy: side)
    }
    guard size.area <= pixels else {
      throw Self.exceeded(
        name, "\(size) = \(size.area) pixels; the limit is \(pixels)",
        remedy: "scale it down, or if the file is to be trusted raise the limit", setting: .pixelLimit)
    }
    // Deflate codes at most 258 bytes in 2 bits.
    let (reach, isBeyondAll) = compressed.multipliedReportingOverflow(by: 1032)
    guard let needed = header.filteredByteCount, isBeyondAll || needed <= reach else {
      throw SafelightError(
        .input, name,
        why: "the PNG is damaged or deceptive: \(compressed) bytes of compressed data cannot hold \(size) pixels",
        remedy: "write or copy the file again")
    }
  }

  static func exceeded(
    _ name: String, _ claim: String, remedy: String, setting: SafelightError.Setting? = nil
  ) -> SafelightError {
    SafelightError(.input, name, why: "it asks for \(claim)", remedy: remedy, setting: setting)
  }
}
