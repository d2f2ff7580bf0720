package import SafelightImage

extension PassKernel {
  /// The cards' paragraph on second pictures.
  static var secondPictures: String {
    """
    \(secondSequences)
    Its pictures have the size of the frames, unless fit says how they get it, as in resize; color is then what lies
    around those that are contained. 8 bits serve frames of 16, gray ones frames in color, and alpha also opaque frames
    in color; not the other way round. Samples are taken as they are stored, whatever their color space.
    """
  }

  /// The cards' sentences on second sequences.
  package static var secondSequences: String {
    """
    with=PATH is a PNG file for all frames, or a folder or pattern of as many as there are frames, or more, which go
    with them by position; numbers may be missing only at the same places of both. With missing=hold the last picture
    before stands for one that is not there, with missing=loop they begin again behind the last.
    """
  }
}

extension ImageDescriptor {
  /// Checks that a frame like this one can take up a second picture like `second`, whatever their sizes.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` that names `filter`.
  package func check(beside second: ImageDescriptor, of filter: String) throws(SafelightError) {
    func refuse(_ isRefused: Bool, _ why: String, _ remedy: String) throws(SafelightError) {
      try ensure(!isRefused, .unsupported, "filter '\(filter)'", why: why, remedy: remedy)
    }
    try refuse(
      second.depth == .bits16 && depth == .bits8, "its picture has 16 bits a sample, and the frame has 8",
      "use a picture of 8 bits")
    try refuse(
      channels.isGray && !second.channels.isGray, "its picture has colors, and the frame is gray",
      "use a gray picture")
    try refuse(
      channels.isGray && !channels.hasAlpha && second.channels.hasAlpha,
      "its picture has alpha, and the frame is gray without alpha",
      "use an opaque picture, or frames with alpha or in color")
  }
}

extension Image {
  /// The picture with its colors multiplied by alpha, by ``ImagePremultiply``.
  package var premultiplied: Image {
    var bytes = bytes
    unsafe bytes.withUnsafeMutableBytes { bytes in
      switch depth {
      case .bits8: unsafe Self.premultiply(bytes.assumingMemoryBound(to: UInt8.self))
      case .bits16: unsafe Self.premultiply(bytes.assumingMemoryBound(to: UInt16.self))
      }
    }
    var color = color
    color.alpha = .premultiplied
    return Image(size: size, channels: channels, depth: depth, bytes: bytes, color: color)
  }

  private static func premultiply<Sample: UnsignedSample>(_ samples: UnsafeMutableBufferPointer<Sample>) {
    let kind = PointSamples(maximum: Int32(Sample.max), hasColors: true, variant: 0)
    for first in stride(from: 0, to: samples.count, by: 4) {
      var pixel = SIMD4<Int32>()
      for sample in 0..<4 { pixel[sample] = unsafe Int32(samples[first + sample]) }
      pixel = ImagePremultiply.pixel(pixel, NoUniforms(), kind)
      for sample in 0..<4 { unsafe samples[first + sample] = Sample(truncatingIfNeeded: pixel[sample]) }
    }
  }
}
