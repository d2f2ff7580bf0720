extension Image {
  /// One sample, as ``Channels`` orders them in memory: red (or grey) 0, green 1, blue 2, alpha 3.
  ///
  /// Meant for tests and small pictures; kernels walk ``bytes``.
  public subscript(x x: Int, y y: Int, sample sample: Int) -> Int {
    get {
      let first = offset(x: x, y: y, sample: sample)
      return switch depth {
      case .bits8: Int(bytes[first])
      case .bits16: Int(UInt16(bytes[first]) | UInt16(bytes[first + 1]) << 8)
      }
    }
    set {
      let first = offset(x: x, y: y, sample: sample)
      bytes[first] = UInt8(truncatingIfNeeded: newValue)
      if depth == .bits16 { bytes[first + 1] = UInt8(truncatingIfNeeded: newValue >> 8) }
    }
  }

  private func offset(x: Int, y: Int, sample: Int) -> Int {
    let format = pixelFormat
    trap(
      unless: x >= 0 && y >= 0 && x < size.width && y < size.height && sample < format.samplesPerPixel,
      "(\(x), \(y)) sample \(sample) lies outside an image of \(size) with \(format.samplesPerPixel) samples a pixel")
    return y * bytesPerRow + x * format.bytesPerPixel + sample * format.bytesPerSample
  }
}
