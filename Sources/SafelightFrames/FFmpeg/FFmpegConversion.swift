public import SafelightImage

/// Luma and chroma in planes that frames do not have, such as those of 4:1:1 or beside alpha, of which ffmpeg makes
/// red, green and blue.
public struct FFmpegMixture: Hashable, Sendable {
  /// ffmpeg's name of the pixels that are stored: `yuv411p`.
  public let pixels: String
  /// By which luma and chroma are mixed, as ffmpeg calls it.
  public let matrix: String
  /// Which samples are black and white.
  public let range: ColorRange
  /// True where the film does not say both.
  public let isAssumed: Bool
}

/// From a track's samples to the planes asked for: what is decided before the first frame, and how ffmpeg is told.
struct FFmpegConversion {
  /// The frames that come out.
  let format: VideoFormat
  /// ffmpeg's options between input and output.
  let arguments: [String]
  /// What red, green and blue are mixed of that nobody asked for.
  let mixture: FFmpegMixture?
  /// What holds every frame to the size of the track.
  let sizeGuard: FrameSizeGuard

  /// Throws a ``SafelightError`` of kind `unsupported` where the layout does not suit the track.
  init(_ track: VideoTrack, options: FFmpegOptions, name: String) throws(SafelightError) {
    let samples = track.samples
    let turn = options.turnsUpright ? track.orientation : .up
    let layout = options.layout ?? samples.storedLayout(of: track.size, turned: turn)
    if let loss = samples.loss(in: layout), !options.allowsLoss {
      throw SafelightError(
        .unsupported, name, why: "\(samples), and would become \(layout): \(loss)",
        remedy: samples.suitableLayout.map { "ask for \($0)" }
          ?? "convert it first, which rounds and clips: ffmpeg -i '\(name)' -pix_fmt rgba64le OUTPUT")
    }
    let isTurnedToRGB = samples.isYCbCr && !layout.isYCbCr
    if isTurnedToRGB && track.color.matrix == .other {
      throw SafelightError(
        .unsupported, name, why: "\(layout) was asked for, and the matrix that its tag names is not known",
        remedy: "ask for \(PixelLayout.yCbCr420BiPlanar8), or convert it with ffmpeg")
    }
    let uprightSize = options.size ?? turn.uprightSize(of: track.size)
    // Scaled before it is turned: then it has its layout.
    let size = turn.uprightSize(of: uprightSize)
    // A grey or RGB track that says nothing is full; YCbCr is limited then, unless told otherwise (H.273, and ffmpeg).
    let assumed: ColorRange = samples.isYCbCr ? options.untaggedRange : .full
    let range = track.color.range == .unspecified ? assumed : track.color.range
    let untagged = options.untaggedMatrix ?? .customary(for: track.size)
    let matrix = Self.name(track.color.matrix) ?? untagged.rawValue
    mixture =
      isTurnedToRGB && options.layout == nil
      ? FFmpegMixture(
        pixels: samples.name, matrix: matrix, range: range,
        isAssumed: Self.name(track.color.matrix) == nil || track.color.range == .unspecified) : nil
    var color = track.color
    var target = ColorRange.full
    switch (layout.isYCbCr, samples.isYCbCr) {
    case (false, _):
      (color.matrix, color.range, color.siting) = (.identity, .full, .unspecified)
      if !samples.hasAlpha && layout.planeFormats[0].samplesPerPixel == 4 { color.alpha = .opaque }
    case (true, true):
      target = options.range ?? range
      color.range = options.range ?? color.range
    case (true, false):
      target = options.range ?? .limited
      (color.matrix, color.range) = (untagged, target)
    }

    if turn != .up && layout.isYCbCr {
      color.siting = (color.siting == .unspecified ? .left : color.siting).turned(turn)
    }
    self.format = VideoFormat(
      size: uprightSize, layout: layout, timeBase: track.timeBase, frameDuration: track.frameDuration,
      orientation: options.turnsUpright ? .up : track.orientation, color: color,
      pixelAspect: track.pixelAspect.map { turn.exchangesAxes ? PixelAspect($0.height, $0.width) : $0 },
      storedSize: track.size)
    self.sizeGuard = FrameSizeGuard(size: track.size)
    // All spelled out, so that neither ffmpeg's defaults nor tags that change on the way decide; exact integer
    // arithmetic, so that every processor computes the same.
    var scale = [
      "w=\(size.width)", "h=\(size.height)", "in_range=\(range)", "out_range=\(target)",
      "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact",
    ]
    if samples.isYCbCr { scale.append("in_color_matrix=\(matrix)") }
    if layout.isYCbCr { scale.append("out_color_matrix=\(matrix)") }
    let turning = turn.ffmpegFilter.map { ",format=\(layout.ffmpegName),\($0)" } ?? ""
    self.arguments = [
      "-vf", "\(sizeGuard.filter),scale=\(scale.joined(separator: ":"))\(turning)", "-pix_fmt", layout.ffmpegName,
    ]
  }

  /// ffmpeg's names, where a matrix is one.
  private static func name(_ matrix: ColorMatrix) -> String? {
    switch matrix {
    case .bt601, .bt709, .bt2020: matrix.rawValue
    case .unspecified, .identity, .other: nil
    }
  }
}

extension ColorDescription {
  /// ffmpeg's options that tag a film so; what is unspecified, or other, is left out.
  var ffmpegArguments: [String] {
    let ranges: [ColorRange: String] = [.full: "pc", .limited: "tv"]
    let matrices: [ColorMatrix: String] = [
      .bt601: "smpte170m", .bt709: "bt709", .bt2020: "bt2020nc", .identity: "rgb",
    ]
    let transfers: [ColorTransfer: String] = [
      .bt709: "bt709", .sRGB: "iec61966-2-1", .linear: "linear", .gamma22: "gamma22", .gamma28: "gamma28",
      .pq: "smpte2084", .hlg: "arib-std-b67",
    ]
    let lights: [ColorPrimaries: String] = [
      .bt709: "bt709", .bt601Lines525: "smpte170m", .bt601Lines625: "bt470bg", .bt2020: "bt2020",
      .displayP3: "smpte432",
    ]
    let sitings: [ChromaSiting: String] = [
      .left: "left", .center: "center", .topLeft: "topleft", .top: "top", .bottomLeft: "bottomleft", .bottom: "bottom",
    ]
    let tags = [
      ("-color_range", ranges[range]), ("-colorspace", matrices[matrix]), ("-color_trc", transfers[transfer]),
      ("-color_primaries", lights[primaries]), ("-chroma_sample_location", sitings[siting]),
    ]
    return tags.flatMap { option, value in value.map { [option, $0] } ?? [] }
  }
}

extension Orientation {
  /// ffmpeg's filters that turn a picture upright; nil where it is. Samples only change their places.
  var ffmpegFilter: String? {
    switch self {
    case .up: nil
    case .upMirrored: "hflip"
    case .down: "hflip,vflip"
    case .downMirrored: "vflip"
    case .leftMirrored: "transpose=cclock_flip"
    case .right: "transpose=clock"
    case .rightMirrored: "transpose=clock_flip"
    case .left: "transpose=cclock"
    }
  }
}

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
