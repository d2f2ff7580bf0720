import Safelight

/// What a run has to do with films: one comes in, or one goes out, or both.
struct FilmTask {
  let input: FilmInput?
  let output: FilmOutput?

  /// Nil where pictures become pictures.
  init?(_ inputs: [String], output: String, _ film: FilmArguments) throws {
    let isRaw = film.inputFormat != nil
    let films = try inputs.compactMap { try FilmInput($0, isRaw: isRaw) }
    if let first = films.first, inputs.count > 1 {
      throw SafelightError(
        .usage, first.name, why: "it is a film, and other inputs are named beside it",
        remedy: "process one film at a time")
    }
    // Y4M has no red, green and blue.
    let pixels = try film.outputFormat.map { try RawPixels(named: $0) }
    let isRawOutput = pixels.map { !$0.layout.isYCbCr && ![.gray8, .gray16].contains($0.layout) } ?? false
    self.input = films.first
    self.output = FilmOutput(output, isRaw: isRawOutput)
    if self.input == nil && self.output == nil { return nil }
  }

  /// Opens the film that comes in.
  static func open(_ input: FilmInput, _ film: FilmArguments, pixelLimit: Int) async throws -> any FrameSource {
    let duration = try film.frameDuration()
    switch input {
    case .stream(let place):
      if let format = film.inputFormat {
        return try RawSource(
          place, pixels: RawPixels(named: format), size: film.rawSize(),
          frameDuration: duration ?? MediaTime(value: 1, timescale: 25), pixelLimit: pixelLimit)
      }
      return try await Y4MSource(place, frameDuration: duration, pixelLimit: pixelLimit)
    case .ffmpeg(let input):
      return try await FFmpegSource(input, options: FFmpegOptions(layout: nil, turnsUpright: true))
    }
  }

  /// Begins the film that goes out, made of frames of `source`.
  static func begin(
    _ output: FilmOutput, for source: VideoFormat, grayBits: Int?, _ film: FilmArguments
  ) throws -> any FilmWriter {
    let pixels = try film.outputFormat.map { try RawPixels(named: $0) }
    let format = source.replacing(
      layout: try layout(of: output, for: source.layout, film),
      frameDuration: try source.frameDuration ?? film.frameDuration())
    let meant = format.replacing(color: color(of: format.layout, from: source, film))
    switch output {
    case .y4m(let place): return try Y4MWriter(place, format: meant, grayBits: grayBits)
    case .raw(let place): return try RawWriter(place, format: meant, pixels: pixels)
    case .ffmpeg(let path): return try FFmpegWriter(path, format: meant, encoding: film.encoding)
    }
  }

  /// The layout that was asked for, or that keeps most of `source`.
  static func layout(of output: FilmOutput, for source: PixelLayout, _ film: FilmArguments) throws -> PixelLayout {
    if let name = film.outputFormat { return try RawPixels(named: name).layout }
    return switch output {
    case .raw: source
    case .y4m:
      source.isYCbCr || [.gray8, .gray16].contains(source)
        ? source : source.depth == .bits8 ? .yCbCr444Planar8 : .yCbCr444Planar16
    case .ffmpeg(let path):
      film.encoder == nil ? FFmpegWriter.preferredLayout(path, for: source, encoding: film.encoding) ?? source : source
    }
  }

  /// What luma and chroma mean that are written: as they come in, or as high definition has them.
  private static func color(of layout: PixelLayout, from source: VideoFormat, _ film: FilmArguments) -> ColorDescription
  {
    var color = source.color
    guard layout.isYCbCr else { return color }
    if !source.layout.isYCbCr { (color.matrix, color.range, color.siting) = (.bt709, .limited, .left) }
    color.matrix = film.outputMatrix ?? color.matrix
    color.range = film.outputRange ?? color.range
    color.alpha = .unspecified
    return color
  }
}

extension VideoFormat {
  /// What a film that leaves it open is taken to mean: as players take it, by its size.
  func assumed(_ film: FilmArguments) -> ColorDescription {
    let isLarge = size.height > 576 || size.width > 1024
    return ColorDescription(
      matrix: film.matrix ?? (isLarge ? .bt709 : .bt601), range: film.range ?? .limited, siting: .left)
  }

  /// True where nobody can tell what its luma and chroma mean.
  var leavesMeaningOpen: Bool {
    layout.isYCbCr && (color.matrix.lumaWeights == nil || color.range == .unspecified || color.siting == .other)
  }
}
