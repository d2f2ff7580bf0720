import SafelightImage

extension PixelLayout {
  /// As ffmpeg names it; Safelight runs on machines whose low byte comes first alone.
  var ffmpegName: String {
    switch self {
    case .gray8: "gray"
    case .gray16: "gray16le"
    case .rgba8: "rgba"
    case .bgra8: "bgra"
    case .rgba16: "rgba64le"
    default: yCbCr?.ffmpegName ?? rawValue
    }
  }
}

extension YCbCrLayout {
  /// `nv12`, `p010le`, `yuv422p`, `yuv444p10le`.
  fileprivate var ffmpegName: String {
    let chroma = subsampling.step
    switch (isBiPlanar, bits) {
    case (true, 8): return chroma.height == 2 ? "nv12" : chroma.width == 2 ? "nv16" : "nv24"
    case (true, let bits): return "p\(chroma.height == 2 ? 0 : chroma.width == 2 ? 2 : 4)\(bits)le"
    case (false, let bits):
      return "yuv4\(chroma.width == 2 ? 2 : 4)\(chroma.height == 2 ? 0 : chroma.width == 2 ? 2 : 4)p"
        + (bits == 8 ? "" : "\(bits)le")
    }
  }
}
