import SafelightImage

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
