public import SafelightImage

/// A conversion to red, green and blue by ffmpeg, of luma and chroma without a layout, such as 4:1:1 or with alpha.
public struct FFmpegMixture: Hashable, Sendable {
  /// ffmpeg's name of the stored pixel format: `yuv411p`.
  public let pixels: String
  /// ffmpeg's name of the matrix that the conversion uses.
  public let matrix: String
  /// The range of the stored samples.
  public let range: ColorRange
  /// True if the film does not specify both.
  public let isAssumed: Bool
}

/// The conversion of a track's samples to the requested planes: decisions before the first frame, and ffmpeg's options.
struct FFmpegConversion {
  let format: VideoFormat
  /// The samples of the frames that ffmpeg sends.
  let sent: StoredSamples
  /// ffmpeg's options between input and output.
  let arguments: [String]
  /// The conversion to red, green and blue if nobody asked for it.
  let mixture: FFmpegMixture?

  /// Chooses the conversion. Throws a ``SafelightError`` of kind `unsupported` if the layout does not suit the track.
  init(_ track: VideoTrack, options: FFmpegOptions, name: String) throws(SafelightError) {
    let samples = track.samples
    let turn = options.turnsUpright ? track.orientation : .up
    let layout = options.layout ?? samples.storedLayout(of: track.size, turned: turn)
    if let loss = samples.loss(in: layout), !options.allowsLoss {
      throw SafelightError(
        .unsupported, name, why: "\(samples); converting them to \(layout) would lose data: \(loss)",
        remedy: samples.suitableLayout.map { "ask for \($0)" }
          ?? "convert it first, which rounds and clips samples: ffmpeg -i '\(name)' -pix_fmt rgba64le OUTPUT")
    }
    let isTurnedToRGB = samples.isYCbCr && !layout.isYCbCr
    let uprightSize = options.size ?? turn.uprightSize(of: track.size)
    // Scaled before it is turned, while it has the layout of the track.
    let size = turn.uprightSize(of: uprightSize)
    // An untagged gray or RGB track is full; YCbCr is limited unless the options say otherwise (H.273, and ffmpeg).
    let assumed: ColorRange = samples.isYCbCr ? options.untaggedRange : .full
    let range = track.color.range == .unspecified ? assumed : track.color.range
    let untagged = options.untaggedMatrix ?? .customary(for: track.size)
    let isTagged = track.color.matrix.isConvertible || track.color.matrix.isForeign
    let used = isTagged ? track.color.matrix : untagged
    // ffmpeg scales by Kr and Kb alone.
    try ensure(
      samples.isYCbCr == layout.isYCbCr || used.lumaWeights != nil, .unsupported, name,
      why: "ffmpeg cannot convert \(samples.name) of the color matrix \(used.named) to \(layout)",
      remedy: samples.isYCbCr ? used.remedy : "ask for another matrix")
    // ffmpeg's names of these matrices are ours. Planes that stay luma and chroma are not mixed by any.
    let matrix = (used.lumaWeights == nil ? .bt709 : used).rawValue
    mixture =
      isTurnedToRGB && options.layout == nil
      ? FFmpegMixture(
        pixels: samples.name, matrix: matrix, range: range,
        isAssumed: !isTagged || track.color.range == .unspecified) : nil
    var color = track.color
    var target = ColorRange.full
    switch (layout.isYCbCr, samples.isYCbCr) {
    case (false, let isConverted):
      // Nothing stretches red, green, blue and gray.
      target = isConverted ? .full : range
      (color.matrix, color.range, color.siting) = (.identity, target, .unspecified)
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
    let aspect = track.pixelAspect.map { turn.exchangesAxes ? PixelAspect($0.height, $0.width) : $0 }
    var format = VideoFormat(
      size: uprightSize, layout: layout, timeBase: track.timeBase, frameDuration: track.frameDuration,
      orientation: options.turnsUpright ? .up : track.orientation, color: color,
      pixelAspect: aspect?.scaled(from: turn.uprightSize(of: track.size), to: uprightSize),
      storedSize: track.size)
    format.facts = track.facts
    self.format = format
    // All spelled out, so that neither ffmpeg's defaults nor tags that change on the way decide; exact integer
    // arithmetic, so that every processor computes the same.
    let flags = "flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp+bitexact"
    let isPadded = isTurnedToRGB && samples.paddedSize(track.size) != track.size
    let scaled = isPadded ? samples.paddedSize(track.size) : size
    var scale = ["w=\(scaled.width)", "h=\(scaled.height)", "in_range=\(range)", "out_range=\(target)", flags]
    if samples.isYCbCr {
      scale.append("in_color_matrix=\(matrix)")
      if !layout.isYCbCr { scale.append(samples.place(of: track.color.siting)) }
    }
    if layout.isYCbCr { scale.append("out_color_matrix=\(matrix)") }
    // swscale computes red, green and blue of 16 bits from 8 by way of luma and chroma, which rounds.
    sent = layout == .rgba16 && !samples.isYCbCr && samples.bits <= 8 ? .halves : .same
    let pixels = sent == .halves ? PixelLayout.rgba8.ffmpegName : layout.ffmpegName
    let widening = samples.widening(to: layout).map { "scale=in_range=\(range):out_range=\(range):\(flags),\($0)" }
    let padding = isPadded ? try samples.padding(of: track.size, name: name) : nil
    let cropping = "format=\(pixels),crop=\(track.size.width):\(track.size.height):0:0:exact=1"
    let resizing = "scale=w=\(size.width):h=\(size.height):\(flags)"
    let turning = turn.ffmpegFilter.map { "format=\(pixels),\($0)" }
    let filters = [
      FrameReports.filter, Self.sizeGuard(track.size), options.deinterlaces ? track.fields.deinterlacer : nil, widening,
      padding, "scale=\(scale.joined(separator: ":"))", isPadded ? cropping : nil,
      isPadded && size != track.size ? resizing : nil, turning,
    ].compactMap { $0 }.joined(separator: ",")
    self.arguments = ["-vf", filters, "-pix_fmt", pixels]
  }

  /// A filter that passes frames of `size` unchanged and cannot be configured for others, so that ffmpeg ends at the
  /// first frame of another size, which the other filters would silently scale, and reports its size.
  private static func sizeGuard(_ size: Size) -> String {
    let sign = "if(eq(iw\\,\(size.width))*eq(ih\\,\(size.height))\\,1\\,-1)"
    return "crop=w=iw*\(sign):h=ih*\(sign):exact=1"
  }

  /// Returns the size of the frame at which ffmpeg ended, from its messages; nil if it ended for another reason.
  static func refusedSize(in lines: [String]) -> Size? {
    // libavfilter/vf_crop.c, config_input.
    let message = /non positive size for width '-(\d+)' or height '-(\d+)'/
    guard let match = lines.lazy.compactMap({ $0.firstMatch(of: message) }).first, let width = Int(match.1),
      let height = Int(match.2)
    else { return nil }
    return Size(width, height)
  }
}

extension TrackSamples {
  /// Returns swscale's options for the place of chroma in 256ths of a pixel, which it would take for the middle. An
  /// unspecified or unknown siting is taken as left.
  fileprivate func place(of siting: ChromaSiting) -> String {
    let place = siting.place ?? (0, 1)
    return "in_h_chr_pos=\(place.x * 128 * (chromaStep.width - 1)):"
      + "in_v_chr_pos=\(place.y * 128 * (chromaStep.height - 1))"
  }

  /// The columns and rows of a picture of `size` with those that complete the last samples of chroma.
  fileprivate func paddedSize(_ size: Size) -> Size {
    func padded(_ count: Int, _ step: Int) -> Int { (count + step - 1) / step * step }
    return Size(padded(size.width, chromaStep.width), padded(size.height, chromaStep.height))
  }

  /// Returns ffmpeg's filters that complete the last samples of chroma: where fewer pixels share these, swscale would
  /// stretch chroma, so that colors drift away from luma. `pad` would overwrite them, so luma and alpha are padded by
  /// themselves.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for samples that ffmpeg does not part into planes.
  fileprivate func padding(of size: Size, name input: String) throws(SafelightError) -> String {
    let subsampling = [
      Size(2, 2): "420", Size(2, 1): "422", Size(1, 2): "440", Size(4, 1): "411", Size(4, 4): "410",
    ][chromaStep]
    // libavfilter/vf_extractplanes.c lists no others.
    let isKnown = bits == 8 || (name.hasPrefix("yuv") && chromaStep != Size(1, 2))
    guard let subsampling, isKnown else {
      throw SafelightError(
        .unsupported, input,
        why: "ffmpeg misplaces chroma of \(self.name) that is shared by pixels which \(size) lacks",
        remedy: "crop it first: ffmpeg -i '\(input)' -vf crop=trunc(iw/4)*4:trunc(ih/4)*4 OUTPUT")
    }
    let pixels = "yuv\(hasAlpha ? "a" : "")\(subsampling)p\(bits == 8 ? "" : "\(bits)le")"
    let planes = ["y", "u", "v"] + (hasAlpha ? ["a"] : [])
    let padded = paddedSize(size)
    // Planes whose name states the full range are these; `format` would change the range.
    let planar = name.replacing("yuvj", with: "yuv") == pixels ? "" : "format=\(pixels),"
    let parted = "\(planar)extractplanes=\(planes.joined(separator: "+"))" + planes.map { "[\($0)]" }.joined()
    let filled = planes.filter { ["y", "a"].contains($0) }.map { plane in
      "[\(plane)]pad=\(padded.width):\(padded.height),fillborders=right=\(padded.width - size.width)"
        + ":bottom=\(padded.height - size.height):mode=smear[whole\(plane)]"
    }
    let merged =
      planes.map { ["y", "a"].contains($0) ? "[whole\($0)]" : "[\($0)]" }.joined() + "mergeplanes="
      + planes.indices.map { "map\($0)s=\($0):map\($0)p=0" }.joined(separator: ":") + ":format=\(pixels)"
    return ([parted] + filled + [merged]).joined(separator: ";")
  }

  /// Returns ffmpeg's filters after which swscale converts to `layout` without changing a sample, where it would
  /// change some without them; nil where it changes none.
  fileprivate func widening(to layout: PixelLayout) -> String? {
    // It has no exact way from this order of red, green and blue to the usual one, but from planes.
    if name.hasPrefix("bgra64") { return "format=gbrap16le" }
    // It only shifts gray on the way to red, green and blue.
    if isGray && !hasAlpha && bits > 8 && layout == .rgba16 { return "format=gray16le" }
    guard isRGB, let bits = Self.narrowBits.first(where: { name.contains($0.name) })?.bits else { return nil }
    // It only shifts these too, so white would be gray; their upper bits are right, and are repeated below.
    let tables = zip(["r", "g", "b"], bits).map { channel, bits in
      let sample = "floor(val/\(1 << (8 - bits)))*\(1 << (8 - bits))"
      let terms = stride(from: bits, to: 8, by: bits).map { "floor(\(sample)/\(1 << $0))" }
      return "\(channel)=\(([sample] + terms).joined(separator: "+"))"
    }
    return "format=rgba,lutrgb=\(tables.joined(separator: ":"))"
  }

  /// The bits of red, green and blue in pixels of one or two bytes, which ffprobe 5.1 confuses for `rgb8`.
  private static let narrowBits: [(name: String, bits: [Int])] = [
    ("rgb8", [3, 3, 2]), ("bgr8", [3, 3, 2]), ("444", [4, 4, 4]), ("555", [5, 5, 5]), ("565", [5, 6, 5]),
  ]
}

/// ffmpeg's names of color properties, as ffprobe prints them.
enum FFmpegColor {
  static let matrices = ColorCodes<String, ColorMatrix>(
    codes: [
      ("smpte170m", .bt601), ("bt470bg", .bt601), ("bt709", .bt709), ("bt2020nc", .bt2020), ("rgb", .identity),
      ("fcc", .fcc), ("smpte240m", .smpte240M), ("ycgco", .yCgCo), ("bt2020c", .bt2020Constant),
      ("smpte2085", .smpte2085), ("chroma-derived-nc", .chromaticityDerived),
      ("chroma-derived-c", .chromaticityDerivedConstant), ("ictcp", .iCtCp),
    ], unspecified: .unspecified, other: .other)

  static let transfers = ColorCodes<String, ColorTransfer>(
    codes: [
      ("bt709", .bt709), ("smpte170m", .bt709), ("bt2020-10", .bt709), ("bt2020-12", .bt709), ("iec61966-2-1", .sRGB),
      ("linear", .linear), ("gamma22", .gamma22), ("bt470m", .gamma22), ("gamma28", .gamma28), ("bt470bg", .gamma28),
      ("smpte2084", .pq), ("arib-std-b67", .hlg),
    ], unspecified: .unspecified, other: .other)

  static let primaries = ColorCodes<String, ColorPrimaries>(
    codes: [
      ("bt709", .bt709), ("smpte170m", .bt601Lines525), ("bt470bg", .bt601Lines625), ("bt2020", .bt2020),
      ("smpte432", .displayP3),
    ], unspecified: .unspecified, other: .other)

  static let sitings = ColorCodes<String, ChromaSiting>(
    codes: [
      ("left", .left), ("center", .center), ("topleft", .topLeft), ("top", .top), ("bottomleft", .bottomLeft),
      ("bottom", .bottom),
    ], unspecified: .unspecified, other: .other)
}

extension ColorMatrix {
  /// The matrix in messages.
  package var named: String { self == .other ? "that has no name here" : description }

  /// What to do about a film whose matrix is not converted here.
  package var remedy: String {
    let convert = "convert it first, as with ffmpeg -i INPUT -vf zscale=matrix=bt2020nc OUTPUT"
    return [.smpte2085, .other].contains(self) ? "convert it first with a program that knows this matrix" : convert
  }
}

extension ColorDescription {
  /// ffmpeg's options that tag a film with this description, without values that are unspecified or other.
  var ffmpegArguments: [String] {
    let tags = [
      ("-color_range", range == .full ? "pc" : range == .limited ? "tv" : nil),
      ("-colorspace", FFmpegColor.matrices.code(of: matrix)), ("-color_trc", FFmpegColor.transfers.code(of: transfer)),
      ("-color_primaries", FFmpegColor.primaries.code(of: primaries)),
      ("-chroma_sample_location", FFmpegColor.sitings.code(of: siting)),
    ]
    return tags.flatMap { option, value in value.map { [option, $0] } ?? [] }
  }
}

extension VideoFacts {
  /// ffmpeg's options that record these facts. Those about light go through the pipe.
  var ffmpegArguments: [String] {
    (title.map { ["-metadata", "title=\($0)"] } ?? [])
      + (language.map { ["-metadata:s:v:0", "language=\($0)"] } ?? [])
      + (timecode.map { ["-timecode", $0] } ?? [])
  }
}

extension Orientation {
  /// ffmpeg's filters that turn a picture upright; nil if it is upright. They only move samples.
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
  /// ffmpeg's name of the layout. Safelight runs only on little-endian machines.
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
  /// ffmpeg's name: `nv12`, `p010le`, `yuv422p`, `yuv444p10le`.
  fileprivate var ffmpegName: String {
    let name = subsampling.rawValue.replacing(":", with: "")
    switch (isBiPlanar, bits) {
    case (true, 8): return ["420": "nv12", "422": "nv16"][name] ?? "nv24"
    case (true, let bits): return "p\(name.suffix(1))\(bits)le"
    case (false, let bits): return "yuv\(name)p" + (bits == 8 ? "" : "\(bits)le")
    }
  }
}
