import SafelightImage

/// The first video track of an input, as ffprobe describes it.
struct VideoTrack {
  let size: Size
  /// True if it is coded as FFV1, whose decoder conceals damage whatever its options say.
  let isFFV1: Bool
  let samples: TrackSamples
  /// One tick of its clock.
  let timeBase: MediaTime
  /// Seconds by which times must be shifted so that none is negative, a whole number of ticks; 0 for most films.
  let shift: Int
  /// The time between frames if it is constant.
  let frameDuration: MediaTime?
  var orientation: Orientation
  var color: ColorDescription
  let pixelAspect: PixelAspect?
  let announcedFrames: Int?
  /// The time at which the last frame ends; nil if the container does not state it.
  let end: MediaTime?
  let fields: FieldOrder
  /// The other parts of the input, in the order of messages: `sound`, `subtitles`, `chapters`.
  let companions: [String]
  /// True if alpha is a second picture beside each, as in WebM (AlphaMode), which ffmpeg's own decoders ignore.
  let hasAlphaBeside: Bool
  let hasProfile: Bool
  let facts: VideoFacts
  /// The track's number in a file of a kind that numbers them; ffprobe prints it in hexadecimal.
  let number: Int?

  /// ffprobe's options for the output that ``init(_:name:)`` reads.
  static func arguments(_ input: FFmpegInput) -> [String] {
    // Frames are listed too: the decoder of a single picture finds tags, such as its orientation, beside the pixels,
    // and so does that of VP8. Some films contradict their frames, and of a film that changes ffprobe may describe the
    // end.
    let frames =
      switch input {
      case .file: ["-show_frames", "-read_intervals", "%+#1"]
      case .stream, .camera, .lavfi: [String]()
      }
    return ["-v", "error", "-of", "flat", "-show_streams", "-show_format", "-show_chapters", "-show_pixel_formats"]
      + frames + input.arguments
  }

  /// ffprobe's options for the first frame of the video track that `listing` describes; nil if it has the frame
  /// already. The first of a film with several tracks may be of another, or none.
  static func frameArguments(_ input: FFmpegInput, after listing: FlatListing) -> [String]? {
    guard case .file = input, listing["streams.stream.1.index"] != nil, let track = videos(in: listing).first,
      listing["frames.frame.0.stream_index"] != listing[track + "index"]
    else { return nil }
    return ["-v", "error", "-of", "flat", "-select_streams", "V:0", "-show_frames", "-read_intervals", "%+#1"]
      + input.arguments
  }

  /// ffprobe's options for counting the frames, which takes as long as reading them; see ``frameCount(_:)``.
  static func countingArguments(_ input: FFmpegInput) -> [String] {
    // V: video tracks other than cover pictures.
    ["-v", "error", "-of", "flat", "-select_streams", "V:0", "-count_frames", "-show_entries", "stream=nb_read_frames"]
      + input.arguments
  }

  /// Reads ffprobe's output about the input that messages call `name`.
  init(_ listing: FlatListing, name: String) throws(SafelightError) {
    let tracks = Self.tracks(in: listing)
    let kinds = tracks.map { listing[$0 + "codec_type"] }
    let videos = Self.videos(in: listing)
    let video = try required(
      videos.first, .input, name, why: "it has no video track", remedy: "name a film, a stream or a camera")
    func track(_ key: String) -> String { video + key }
    guard let width = listing.number(track("width")), let height = listing.number(track("height")), width > 0,
      height > 0, let format = listing["frames.frame.0.pix_fmt"] ?? listing[track("pix_fmt")]
    else {
      throw SafelightError(
        .input, name, why: "ffmpeg finds no picture in it of a known size and pixel format",
        remedy: "read its messages: ffmpeg -i '\(name)'")
    }
    self.fields = FieldOrder(listing, track)
    self.timeBase = try required(
      listing.fraction(track("time_base")), .input, name, why: "its video track has no time base")
    self.shift = Self.shift(listing.number(track("start_pts")) ?? 0, timeBase)
    self.size = Size(width, height)
    self.isFFV1 = listing[track("codec_name")] == "ffv1"
    self.companions =
      [("audio", "sound"), ("subtitle", "subtitles")].filter { kinds.contains($0.0) }.map(\.1)
      + (videos.count > 1 ? ["other pictures"] : [])
      + (tracks.contains { listing.number($0 + "disposition.attached_pic") == 1 } ? ["cover"] : [])
      + (listing["chapters.chapter.0.id"] != nil ? ["chapters"] : [])
      + (Self.isStereo(listing, video) ? ["stereo mode"] : [])
    self.hasProfile = (0..<16).contains { index in
      listing["frames.frame.0.side_data_list.side_data.\(index).side_data_type"] == "ICC profile"
    }
    self.samples = try TrackSamples(listing, format: format, name: name)
    self.hasAlphaBeside = ["alpha_mode", "ALPHA_MODE"].contains { listing[track("tags.\($0)")] == "1" }
    // Frames are evenly spaced if the rate that fits every time of the track is also its mean rate.
    let rate = listing.fraction(track("r_frame_rate"))
    let isEven = rate == listing.fraction(track("avg_frame_rate"))
    self.frameDuration =
      isEven ? rate.flatMap { MediaTime(seconds: Int128($0.timescale), over: Int128($0.value)) } : nil
    // 0:1 is unknown.
    let shape = listing["frames.frame.0.sample_aspect_ratio"] ?? listing[track("sample_aspect_ratio")]
    let aspect = shape?.split(separator: ":").compactMap { Int($0) } ?? []
    self.pixelAspect = aspect.count == 2 && aspect.allSatisfy { $0 > 0 } ? PixelAspect(aspect[0], aspect[1]) : nil
    self.facts = VideoFacts(listing, track: video)
    self.number = listing[track("id")].flatMap { Int($0.dropFirst(2), radix: 16) }
    self.announcedFrames = listing.number(track("nb_frames"))
    self.end = Self.end(listing, track, isAlone: tracks.count == 1, timeBase)
    self.orientation = try Self.orientation(listing, track, name: name)
    self.color = ColorDescription(
      matrix: samples.isYCbCr
        ? FFmpegColor.matrices[listing["frames.frame.0.color_space"] ?? listing[track("color_space")]] : .identity,
      range: Self.range(listing["frames.frame.0.color_range"] ?? listing[track("color_range")], samples),
      transfer: FFmpegColor.transfers[listing[track("color_transfer")]],
      primaries: FFmpegColor.primaries[listing[track("color_primaries")]],
      siting: samples.isYCbCr ? Self.siting(listing, track("chroma_location")) : .unspecified)
  }

  /// Returns the seconds that bring a first time of `start` ticks, and times of later frames that come before it, above
  /// 0.
  private static func shift(_ start: Int, _ timeBase: MediaTime) -> Int {
    guard start < 0, let first = timeBase.multiplied(by: Int64(start)), first.seconds > -1e9 else { return 0 }
    let step = Int(timeBase.value)
    return (Int(-first.seconds) + 10 + step - 1) / step * step
  }

  /// The beginnings of the keys of each track.
  private static func tracks(in listing: FlatListing) -> [String] {
    Array((0...).lazy.map { "streams.stream.\($0)." }.prefix { listing[$0 + "index"] != nil })
  }

  /// The same of video tracks, without cover pictures.
  private static func videos(in listing: FlatListing) -> [String] {
    tracks(in: listing).filter {
      listing[$0 + "codec_type"] == "video" && listing.number($0 + "disposition.attached_pic") != 1
    }
  }

  /// Returns whether each picture holds one for each eye, as a container or its first frame says.
  private static func isStereo(_ listing: FlatListing, _ track: String) -> Bool {
    [track, "frames.frame.0."].contains { place in
      (0..<16).contains { index in
        let data = "\(place)side_data_list.side_data.\(index)."
        return listing[data + "side_data_type"] == "Stereo 3D" && listing[data + "type"] != "2D"
      }
    }
  }

  /// Chroma of still pictures that do not state its place is in the middle, as in JPEG: so do the decoders of WebP and
  /// AVIF upsample it (libwebp and libavif), and so is the default of TIFF (YCbCrPositioning).
  private static func siting(_ listing: FlatListing, _ key: String) -> ChromaSiting {
    let siting = FFmpegColor.sitings[listing["frames.frame.0.chroma_location"] ?? listing[key]]
    // ffmpeg has a demuxer for each kind of picture, but opens AVIF and HEIF as a film.
    let isStill =
      listing["format.format_name"].map { $0.hasSuffix("_pipe") || $0 == "image2" } ?? false
      || ["avif", "mif1", "heic", "heix"].contains(listing["format.tags.major_brand"])
    return siting == .unspecified && isStill ? .center : siting
  }

  /// Reads the end of the track of a QuickTime file, a GIF or a Matroska file, which state it; of others ffprobe only
  /// estimates it.
  private static func end(
    _ listing: FlatListing, _ track: (String) -> String, isAlone: Bool, _ timeBase: MediaTime
  ) -> MediaTime? {
    let kinds = listing["format.format_name"]?.split(separator: ",") ?? []
    if kinds.contains("mov") || kinds.contains("gif"), let ticks = listing.number(track("duration_ts")) {
      let (end, isTooLate) = ticks.addingReportingOverflow(listing.number(track("start_pts")) ?? 0)
      return isTooLate ? nil : timeBase.multiplied(by: Int64(end))
    }
    guard kinds.contains("matroska") else { return nil }
    // Of the track as a tag, 00:00:03.400000000; of the longest track in the header.
    let text = listing[track("tags.DURATION")] ?? (isAlone ? listing["format.duration"] : nil)
    let parts = text?.split(separator: ":").reversed().map { Double($0) } ?? []
    let seconds = zip(parts, [1, 60, 3600]).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
    // Matroska's clock, as ffmpeg writes it, has milliseconds.
    return seconds > 0 && seconds < 1e9 ? MediaTime(value: Int64((seconds * 1e6).rounded()), timescale: 1_000_000) : nil
  }

  /// Reads the display matrix: nine numbers in rows of three, each row preceded by its number in hexadecimal.
  private static func orientation(
    _ listing: FlatListing, _ track: (String) -> String, name: String
  ) throws(SafelightError) -> Orientation {
    let places = [track("side_data_list.side_data"), "frames.frame.0.side_data_list.side_data"]
    for place in places.flatMap({ place in (0..<16).map { "\(place).\($0).displaymatrix" } }) {
      guard let text = listing[place] else { continue }
      let rows = text.split(separator: "\n").map { $0.split(separator: " ").dropFirst().compactMap { Int($0) } }
      guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }),
        let orientation = Orientation(a: rows[0][0], b: rows[0][1], c: rows[1][0], d: rows[1][1])
      else {
        throw SafelightError(
          .unsupported, name, why: "its track asks for a rotation that is not a multiple of 90 degrees",
          remedy: "rotate it first: ffmpeg -i '\(name)' OUTPUT")
      }
      return orientation
    }
    return .up
  }

  private static func range(_ tag: String?, _ samples: TrackSamples) -> ColorRange {
    switch tag {
    case "pc", "jpeg", "full": .full
    case "tv", "mpeg", "limited": .limited
    // Pixel formats such as yuvj420p are full range.
    default: samples.name.hasPrefix("yuvj") || samples.isRGB ? .full : .unspecified
    }
  }
}

/// What a track says about the two moments in each of its pictures.
enum FieldOrder: Hashable {
  /// Each picture holds one moment.
  case progressive
  /// The decoder knows the order of every frame.
  case byFrame
  /// Only the container states the order, by its first field.
  case top, bottom
  /// Neither says anything.
  case unknown

  /// Reads what the first frame says, since DV states it nowhere else, then what the container says, of whose two
  /// letters ffmpeg's own decoders take the first for the earlier field.
  init(_ listing: FlatListing, _ track: (String) -> String) {
    self =
      switch (listing.number("frames.frame.0.interlaced_frame"), listing[track("field_order")]) {
      case (1, _): .byFrame
      case (_, "tt"), (_, "tb"): .top
      case (_, "bb"), (_, "bt"): .bottom
      case (_, "progressive"): .progressive
      default: .unknown
      }
  }

  /// ffmpeg's filter that makes one picture of each frame; nil if there is nothing to do.
  var deinterlacer: String? {
    // Of a film that does not say, ffmpeg assumes the top field first.
    let parity = [.top: "tff", .bottom: "bff"][self] ?? "auto"
    return self == .progressive
      ? nil : "bwdif=mode=send_frame:parity=\(parity):deint=\(self == .byFrame ? "interlaced" : "all")"
  }
}

/// The samples of a track, from ffmpeg's description of its pixel format.
struct TrackSamples: CustomStringConvertible {
  let name: String
  /// The bits of the widest sample.
  let bits: Int
  let isRGB: Bool
  let isGray: Bool
  let hasAlpha: Bool
  /// 2 if chroma has half the width, or half the height.
  let chromaStep: Size

  /// The text in messages, such as `its samples are yuv420p10le`.
  var description: String {
    let isFloat = ["f32", "f16"].contains { name.contains($0) }
    return isFloat ? "its samples are floats of \(bits) bits (\(name))" : "its samples are \(name)"
  }

  var isYCbCr: Bool { !isRGB && !isGray }

  init(_ listing: FlatListing, format: String, name input: String) throws(SafelightError) {
    var index = 0
    while let name = listing["pixel_formats.pixel_format.\(index).name"], name != format { index += 1 }
    func number(_ key: String) -> Int? { listing.number("pixel_formats.pixel_format.\(index).\(key)") }
    guard let components = number("nb_components"), let bits = number("components.component.0.bit_depth") else {
      throw SafelightError(
        .unsupported, input, why: "ffprobe does not describe its pixel format \(format)",
        remedy: "convert it with ffmpeg")
    }
    let isPalette = number("flags.palette") == 1
    self.name = format
    self.bits = isPalette ? 8 : max(bits, number("components.component.1.bit_depth") ?? 0)
    self.hasAlpha = number("flags.alpha") == 1
    self.isRGB = number("flags.rgb") == 1 || isPalette
    self.isGray = !isRGB && components <= 2
    self.chromaStep = Size(1 << (number("log2_chroma_w") ?? 0), 1 << (number("log2_chroma_h") ?? 0))
  }

  /// Returns what `layout` would lose of the samples; nil if nothing.
  func loss(in layout: PixelLayout) -> String? {
    if let step = layout.yCbCr?.subsampling.step {
      guard isYCbCr else { return "its \(isGray ? "gray" : "red, green and blue") would have to become chroma" }
      guard chromaStep.width >= step.width, chromaStep.height >= step.height else {
        return "some of its chroma would be left out"
      }
      guard chromaStep == step else { return "some of its chroma would have to be interpolated" }
    }
    if bits > layout.bits { return "\(bits) bits do not fit into \(layout.bits)" }
    if layout.isGray, !isGray { return "its colors would be left out" }
    return hasAlpha && !layout.hasAlpha ? "its alpha would be left out" : nil
  }

  /// Returns the layout nearest to a stored track of `size` that is `turned` upright; red, green, blue and alpha if no
  /// other fits.
  ///
  /// Shared chroma does not survive a turn if columns share it and rows do not, or if the last of an odd number, which
  /// would become the first, has its own.
  func storedLayout(of size: Size, turned turn: Orientation) -> PixelLayout {
    let isEven = size.width.isMultiple(of: chromaStep.width) && size.height.isMultiple(of: chromaStep.height)
    let keepsChroma = turn == .up || isEven && (!turn.exchangesAxes || chromaStep.width == chromaStep.height)
    let planar = PixelLayout.allCases.first { layout in
      guard let planes = layout.yCbCr else { return false }
      return !planes.isBiPlanar && planes.subsampling.step == chromaStep && planes.bits >= bits
    }
    if isYCbCr, !hasAlpha, keepsChroma, let planar { return planar }
    return [.gray8, .gray16, .rgba8].first { loss(in: $0) == nil } ?? .rgba16
  }

  /// A layout that loses nothing; nil if every layout would.
  var suitableLayout: PixelLayout? {
    let layouts: [PixelLayout] = isGray ? [.gray8, .gray16, .rgba8, .rgba16] : [.bgra8, .rgba16]
    return layouts.first { loss(in: $0) == nil }
  }
}
