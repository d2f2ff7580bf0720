public import SafelightImage

/// Frames that decoders and cameras leave in their own memory.
extension DMABuffer: SharedFrameMemory {
  /// The layout that frames have of the format; nil for a plane of chroma alone.
  public var layout: PixelLayout? {
    switch format {
    case .r8: .gray8
    case .gr88: nil
    case .argb8888, .xrgb8888: .bgra8
    case .abgr8888, .xbgr8888: .rgba8
    case .nv12: .yCbCr420BiPlanar8
    }
  }

  /// Copies a plane out without padding, opaque where the fourth byte means nothing.
  public func copy(ofPlane index: Int) throws(SafelightError) -> PixelPlane {
    var bytes = try contents(ofPlane: index)
    if format.isOpaque {
      for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 }
    }
    return PixelPlane(
      size: format.size(ofPlane: index, in: size), pixelFormat: format.pixelFormat(ofPlane: index), bytes: bytes)
  }
}
