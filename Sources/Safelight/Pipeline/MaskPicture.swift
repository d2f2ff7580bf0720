internal import SafelightImage
internal import SafelightKernels

extension Image {
  /// The gray picture that a mask stands for: the luma of its colors, multiplied by its alpha.
  var mask: Image {
    if channels == .gray { return self }
    let bytes =
      switch depth {
      case .bits8: lumas(UInt8.self)
      case .bits16: lumas(UInt16.self)
      }
    return Image(size: size, channels: .gray, depth: depth, bytes: bytes)
  }

  private func lumas<Sample: UnsignedSample>(_ type: Sample.Type) -> [UInt8] {
    let (maximum, weights) = (UInt32(Sample.max), LumaWeights.bt709)
    // Premultiplied colors are multiplied already.
    let isWeighted = channels.hasAlpha && color.alpha != .premultiplied
    return unsafe bytes.withUnsafeBytes { bytes in
      let samples = unsafe bytes.assumingMemoryBound(to: type)
      let lumas = (0..<size.area).map { pixel -> Sample in
        let first = 4 * pixel
        // Gray with alpha lies in memory as equal red, green and blue, whose luma it is.
        var value = unsafe weights.luma(
          UInt32(samples[first]), UInt32(samples[first + 1]), UInt32(samples[first + 2]))
        if isWeighted { value = unsafe (value * UInt32(samples[first + 3]) + maximum / 2) / maximum }
        return Sample(truncatingIfNeeded: value)
      }
      return unsafe lumas.withUnsafeBytes { unsafe Array($0) }
    }
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
