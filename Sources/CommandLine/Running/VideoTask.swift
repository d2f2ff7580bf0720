import Safelight

/// The films of a run: inputs, an output, or both.
struct VideoTask {
  /// The input films, and the pictures that ffmpeg opens; empty if the inputs are PNG files.
  let inputs: [VideoInput]
  /// The output film; nil if PNG files are written.
  let output: VideoOutput?

  /// Reads the films of a run from `names` to `output`; nil if PNG files become PNG files.
  init?(_ names: [String], output: String, _ film: VideoArguments) throws {
    inputs = try film.input.films(among: names)
    self.output = try film.film(at: output)
    do {
      try film.refuseUnused(from: inputs, to: self.output)
    } catch {
      // An option for films has no effect if the name is that of a film which cannot be written; that is the reason.
      if self.output == nil { try FrameOutput.checkName(output) }
      throw error
    }
    if inputs.isEmpty && self.output == nil { return nil }
    if let output = self.output, inputs.count > 1 {
      let arePictures = inputs.allSatisfy(\.isPicture)
      throw SafelightError(
        .usage, output.name,
        why: arePictures
          ? "\(inputs.count) pictures that are no PNG files cannot become a film"
          : "\(inputs.count) films cannot become one film",
        remedy: arePictures
          ? "convert them to PNG files first (-o FOLDER), then make a film of that folder"
          : "process one film at a time, or write pictures: -o FOLDER")
    }
  }
}

extension VideoArguments {
  /// The film to write to `output`; nil if pictures are written there.
  fileprivate func film(at output: String) throws -> VideoOutput? {
    if writesPNG && (output == "-" || VideoOutput(output) == nil) { return nil }
    // Y4M has no red, green and blue.
    let pixels = try outputFormat.map { try RawPixels(named: $0) }
    return VideoOutput(output, isRaw: pixels.map { !$0.layout.isYCbCr && !$0.layout.isGray } ?? false)
  }

  /// Begins the output film from frames of the format `source`.
  func begin(
    _ output: VideoOutput, for source: VideoFormat, grayBits: Int?, isUntouched: Bool, _ warnings: RunWarnings
  ) throws -> any VideoWriter {
    let pixels = try pixels(of: output, for: source.layout)
    let format = source.replacing(
      layout: try layout(of: output, for: source.layout),
      // If the output stores no times, `--frame-rate` takes precedence over the rate that the film claims.
      frameDuration: try output.hasTimes
        ? source.frameDuration ?? input.frameDuration() : input.frameDuration() ?? source.frameDuration)
    var color = color(of: format.layout, from: source)
    // A format with alpha that is asked for by name keeps alpha, opaque or not.
    if outputFormat != nil, let pixels, pixels.layout.hasAlpha, !pixels.leavesAlphaOut { color.alpha = .straight }
    // Chroma of frames that were turned may lie at a place that cannot be written.
    if !isUntouched, format.layout.isYCbCr, ![.center, .topLeft].contains(color.siting) { color.siting = .left }
    let meant = format.replacing(color: color)
    if lossless, outputFormat == nil, !isUntouched, meant.layout.isYCbCr {
      let (rgb, planes) = (meant.layout.depth == .bits8 ? "rgb24" : "rgb48le", RawPixels(meant.layout))
      throw SafelightError(
        .usage, "--lossless \(output.name)",
        why: "the new frames are red, green and blue, and storing them as luma and chroma would round them",
        remedy: "keep them exact with --output-format \(rgb) in .mkv, .avi or .nut, or let --output-format \(planes) "
          + "round them")
    }
    if !meant.layout.isYCbCr, outputMatrix != nil || outputRange != nil {
      throw SafelightError(
        .usage, outputMatrix == nil ? "--output-range" : "--output-matrix",
        why: "it is for luma and chroma, and the pixels of \(output.name) have none", remedy: "leave it out")
    }
    if let pixels, case .ffmpeg(let path) = output, pixels.leavesAlphaOut, source.hasAlpha {
      throw SafelightError(
        .usage, "--output-format \(pixels)",
        why: "this format leaves alpha out, but \(path) would keep the alpha of the frames",
        remedy: "ask for \(RawPixels(pixels.layout)), or leave it out")
    }
    switch output {
    case .y4m(let place):
      let kind = if case .file(let path) = place { PathParts(path).fileExtension } else { "" }
      try ensure(
        !(["png"] + FFmpegWriter.kinds).contains(kind), .usage, output.name,
        why: "it is a pipe or a device, and what goes through it would be Y4M in spite of its name",
        remedy: "name a file, or a pipe without .\(kind)")
      return try Y4MWriter(place, format: meant, grayBits: grayBits)
    case .raw(let place):
      if pixels == nil {
        warnings.add(
          "\(output.name) holds only samples, \(RawPixels(meant.layout)) of \(meant.uprightSize); note both to read it")
      }
      if let shape = meant.pixelAspect, !PixelAspect.areEqual(shape, .square) {
        warnings.add("\(output.name) does not say that its pixels are \(shape)")
      }
      return try RawWriter(place, format: meant, pixels: pixels)
    case .ffmpeg(let path):
      return try FFmpegWriter(path, format: meant, encoding: encoding) { warnings.add($0) }
    }
  }

  /// Returns true if the alpha of frames has no place in `output`.
  func leavesAlphaOut(of source: VideoFormat, _ output: VideoOutput) throws -> Bool {
    try source.hasAlpha && pixels(of: output, for: source.layout)?.leavesAlphaOut == true
  }

  /// Returns the layout that was asked for, or the one that keeps most of `source`.
  func layout(of output: VideoOutput, for source: PixelLayout) throws -> PixelLayout {
    let layout = try pixels(of: output, for: source)?.layout ?? nearest(of: output, for: source)
    if let name = outputFormat, layout.isGray, !source.isGray {
      throw SafelightError(
        .usage, "--output-format \(name)", why: "the frames have colors, which \(output.name) would lose",
        remedy:
          "use --output-format \(source.depth == .bits8 ? "yuv420p" : "yuv420p10le"), or process the frames to gray "
          + "pictures and make the film from those")
    }
    guard layout.depth == source.depth else {
      throw SafelightError(
        outputFormat == nil ? .unsupported : .usage, output.name,
        why: "its pixels would be \(outputFormat ?? layout.words), but the frames have \(source.depth.rawValue) bits",
        remedy: source.depth == .bits8
          ? "choose pixels of 8 bits"
          : outputFormat == nil
            ? "write .mkv or .mp4, which have 10 bits, or PNG files" : "choose pixels of more bits, such as yuv444p10le"
      )
    }
    if let name = outputFormat, let held = held(by: output, layout), held != layout {
      throw SafelightError(
        .usage, "--output-format \(name)", why: "\(output.name) cannot hold it",
        remedy: "ask for \(RawPixels(held)), or leave it out")
    }
    if lossless && outputFormat == nil && layout.loses(source) {
      throw SafelightError(
        .usage, output.name,
        why: "lossless .\(output.name.split(separator: ".").last ?? "") cannot store \(source.words)",
        remedy: "use .mkv, .avi or .nut, or choose its pixel format with --output-format")
    }
    return layout
  }

  /// The layout nearest to `layout` that `output` can hold; nil if it can hold any.
  private func held(by output: VideoOutput, _ layout: PixelLayout) -> PixelLayout? {
    switch output {
    case .ffmpeg(let path) where encoder == nil:
      FFmpegWriter.preferredLayout(path, for: layout, encoding: encoding)
    // Y4M has a plane for each component.
    case .y4m where layout.yCbCr?.isBiPlanar == true:
      PixelLayout.allCases.first {
        guard let planes = $0.yCbCr, let wanted = layout.yCbCr else { return false }
        return !planes.isBiPlanar && planes.bits == wanted.bits && planes.subsampling == wanted.subsampling
      }
    case .ffmpeg, .y4m, .raw: nil
    }
  }

  /// The pixels that were asked for, by option or by the extension of a file of raw samples; nil if left open.
  private func pixels(of output: VideoOutput, for source: PixelLayout) throws -> RawPixels? {
    if let name = outputFormat { return try RawPixels(named: name) }
    guard case .raw(.file(let path)) = output else { return nil }
    let isDeep = source.depth == .bits16
    switch path.split(separator: ".").last?.lowercased() {
    case "rgb": return try RawPixels(named: isDeep ? "rgb48le" : "rgb24")
    case "rgba": return try RawPixels(named: isDeep ? "rgba64le" : "rgba")
    case "yuv", "gray":
      throw SafelightError(
        .usage, path, why: "its name does not say which pixel format it holds",
        remedy: "name the format with --output-format, such as yuv420p or gray")
    default: return nil
    }
  }

  private func nearest(of output: VideoOutput, for source: PixelLayout) -> PixelLayout {
    switch output {
    case .raw: source
    case .y4m:
      source.isYCbCr || source.isGray ? source : source.depth == .bits8 ? .yCbCr444Planar8 : .yCbCr444Planar16
    case .ffmpeg(let path) where encoder == nil:
      FFmpegWriter.preferredLayout(path, for: source, encoding: encoding) ?? source
    // ffmpeg would convert to luma and chroma by a matrix of its own, which the tags do not name.
    case .ffmpeg where !source.isYCbCr: source.depth == .bits8 ? .yCbCr420Planar8 : .yCbCr420Planar10
    case .ffmpeg: source
    }
  }

  /// The meaning of the luma and chroma that are written: that of the input, or else the one that belongs to its
  /// primaries, or that of high definition.
  private func color(of layout: PixelLayout, from source: VideoFormat) -> ColorDescription {
    var color = source.color
    guard layout.isYCbCr else {
      guard source.layout.isYCbCr else { return color }
      (color.matrix, color.range, color.siting, color.alpha) = (.identity, .full, .unspecified, .opaque)
      return color
    }
    if !source.layout.isYCbCr {
      (color.matrix, color.range, color.siting) = (color.primaries == .bt2020 ? .bt2020 : .bt709, .limited, .left)
    }
    color.matrix = outputMatrix ?? color.matrix
    color.range = outputRange ?? color.range
    color.alpha = .unspecified
    return color
  }
}

extension VideoFormat {
  /// True if its frames have an alpha that is not just opaque.
  var hasAlpha: Bool { color.alpha != .opaque && layout.hasAlpha }
}

extension PixelLayout {
  /// Returns true if frames of `source` would lose something in this layout.
  fileprivate func loses(_ source: PixelLayout) -> Bool {
    guard self != source else { return false }
    guard let own = yCbCr, let other = source.yCbCr else { return true }
    return own.bits < other.bits || own.subsampling != other.subsampling
  }
}
