import SafelightImage

/// From a track's samples to the planes asked for: what is decided before the first frame, and how ffmpeg is told.
struct FFmpegConversion {
  /// The frames that come out.
  let format: VideoFormat
  /// ffmpeg's options between input and output.
  let arguments: [String]

  /// Throws a ``SafelightError`` of kind `unsupported` where the layout does not suit the track.
  init(_ track: VideoTrack, options: FFmpegOptions, name: String) throws(SafelightError) {
    let (samples, layout) = (track.samples, options.layout)
    if let loss = samples.loss(in: layout), !options.allowsLoss {
      throw SafelightError(
        .unsupported, name, why: "\(layout) was asked for and its track is \(samples.name): \(loss)",
        remedy: (samples.suitableLayout.map { "ask for \($0), or " } ?? "") + "allow the loss")
    }
    let isTurnedToRGB = samples.isYCbCr && !layout.isYCbCr
    if isTurnedToRGB && track.color.matrix == .other {
      throw SafelightError(
        .unsupported, name, why: "\(layout) was asked for, and the matrix that its tag names is not known",
        remedy: "ask for \(PixelLayout.yCbCr420BiPlanar8), or convert it with ffmpeg")
    }
    let size = options.size ?? track.size
    // A grey or RGB track that says nothing is full; YCbCr is limited then (H.273, and ffmpeg).
    let assumed: ColorRange = samples.isYCbCr ? .limited : .full
    let range = track.color.range == .unspecified ? assumed : track.color.range
    let matrix = Self.name(track.color.matrix) ?? options.untaggedMatrix.rawValue
    var color = track.color
    var target = ColorRange.full
    switch (layout.isYCbCr, samples.isYCbCr) {
    case (false, _):
      (color.matrix, color.range, color.siting) = (.identity, .full, .unspecified)
    case (true, true):
      target = options.range ?? range
      color.range = options.range ?? color.range
    case (true, false):
      target = options.range ?? .limited
      (color.matrix, color.range) = (options.untaggedMatrix, target)
    }

    self.format = VideoFormat(
      size: size, layout: layout, timeBase: track.timeBase, frameDuration: track.frameDuration,
      orientation: track.orientation, color: color)
    // All spelled out, so that neither ffmpeg's defaults nor tags that change on the way decide; exact integer
    // arithmetic, so that every processor computes the same.
    var scale = [
      "w=\(size.width)", "h=\(size.height)", "in_range=\(range)", "out_range=\(target)",
      "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact",
    ]
    if samples.isYCbCr { scale.append("in_color_matrix=\(matrix)") }
    if layout.isYCbCr { scale.append("out_color_matrix=\(matrix)") }
    self.arguments = ["-vf", "scale=\(scale.joined(separator: ":"))", "-pix_fmt", Self.name(layout)]
  }

  /// ffmpeg's names, where a matrix is one.
  private static func name(_ matrix: ColorMatrix) -> String? {
    switch matrix {
    case .bt601, .bt709, .bt2020: matrix.rawValue
    case .unspecified, .identity, .other: nil
    }
  }

  /// ffmpeg's names; Safelight runs on machines whose low byte comes first alone.
  private static func name(_ layout: PixelLayout) -> String {
    switch layout {
    case .gray8: "gray"
    case .gray16: "gray16le"
    case .rgba8: "rgba"
    case .bgra8: "bgra"
    case .rgba16: "rgba64le"
    default: layout.yCbCr.map(name) ?? layout.rawValue
    }
  }

  /// `nv12`, `p010le`, `yuv422p`, `yuv444p10le`.
  private static func name(_ layout: YCbCrLayout) -> String {
    let chroma = layout.subsampling.step
    switch (layout.isBiPlanar, layout.bits) {
    case (true, 8): return chroma.height == 2 ? "nv12" : chroma.width == 2 ? "nv16" : "nv24"
    case (true, let bits): return "p\(chroma.height == 2 ? 0 : chroma.width == 2 ? 2 : 4)\(bits)le"
    case (false, let bits):
      return "yuv4\(chroma.width == 2 ? 2 : 4)\(chroma.height == 2 ? 0 : chroma.width == 2 ? 2 : 4)p"
        + (bits == 8 ? "" : "\(bits)le")
    }
  }
}
