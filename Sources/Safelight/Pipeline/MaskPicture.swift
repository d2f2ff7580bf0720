internal import SafelightImage
internal import SafelightKernels

extension Image {
  /// The gray picture that a mask stands for: the luma of its colors, multiplied by its alpha.
  var mask: Image {
    if channels == .gray { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * depth.rawValue / 8)
    let weights = LumaWeights.bt709
    let maximum = UInt32(pixelFormat.maximum)
    let alpha = channels.hasAlpha ? 3 : nil
    // Premultiplied colors are multiplied already.
    let isMultiplied = color.alpha == .premultiplied
    for y in 0..<size.height {
      for x in 0..<size.width {
        func sample(_ index: Int) -> UInt32 { UInt32(self[x: x, y: y, sample: index]) }
        var value = channels.isGray ? sample(0) : weights.luma(sample(0), sample(1), sample(2))
        if let alpha, !isMultiplied { value = (value * sample(alpha) + maximum / 2) / maximum }
        bytes.append(UInt8(truncatingIfNeeded: value))
        if depth == .bits16 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
      }
    }
    return Image(size: size, channels: .gray, depth: depth, bytes: bytes)
  }
}

extension ImageDescriptor {
  /// Checks that the picture can be a mask for frames like `frame`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` that names `filter`.
  func check(asMaskOf frame: ImageDescriptor, _ filter: String) throws(SafelightError) {
    try ensure(
      size == frame.size, .unsupported, "filter '\(filter)'",
      why: "its mask is of \(size), and the frame of \(frame.size)", remedy: "resize one of them to the other's size")
    try ensure(
      depth == .bits8 || frame.depth == .bits16, .unsupported, "filter '\(filter)'",
      why: "its mask has 16 bits a sample, and the frame has 8", remedy: "use a mask of 8 bits")
  }
}
