import SafelightImage

/// A frame of one color that is encoded as a film is to be, and read back.
///
/// ffmpeg converts pixels that an encoder does not take, and tells nobody: the film is tagged with what the frames were. So the first frame of a
/// film whose encoder somebody named waits until this one has come back as it went.
struct FilmRehearsal {
  let format: VideoFormat
  let encoding: FFmpegEncoding
  /// The film, as messages call it.
  let name: String

  /// The samples of ``frame``, in the order of the components, as fractions of the largest: none is the same after another matrix, another range
  /// or an exchange of two of them.
  private static let color = [0.25, 0.4, 0.7, 1]

  var frame: VideoFrame {
    let layout = format.layout
    let color = layout == .bgra8 ? [2, 1, 0, 3].map { Self.color[$0] } : Self.color
    let planes = layout.planeFormats.enumerated().map { number, pixels in
      let size = layout.planeSize(number, of: format.size)
      let components =
        layout.isYCbCr ? color[number...].prefix(pixels.samplesPerPixel) : color[..<pixels.samplesPerPixel]
      let pixel = components.flatMap { component in
        let sample = UInt16(component * Double((1 << layout.bits) - 1))
        return layout.depth == .bits8 ? [UInt8(sample)] : [UInt8(sample & 255), UInt8(sample >> 8)]
      }
      return PixelPlane(
        size: size, pixelFormat: pixels, bytes: Array(repeatElement(pixel, count: size.area).joined()))
    }
    return VideoFrame(
      index: 0, size: format.size, layout: layout, planes: planes, presentationTime: .zero,
      duration: format.frameDuration, orientation: format.orientation, color: format.color)
  }

  /// Throws a ``SafelightError`` of kind `unsupported` where the film at `path`, of ``frame`` alone, holds something
  /// else. A film that a ``FFmpegSource`` refuses, as it does one that is interlaced, is not judged.
  func check(_ path: String) async throws(SafelightError) {
    let options = FFmpegOptions(layout: nil, programFolder: encoding.programFolder)
    guard let source = try? await FFmpegSource(.file(path), options: options) else { return }
    var frames = source.makeAsyncIterator()
    guard let read = try? await frames.next(isolation: nil) else { return }
    let stored = source.mixture == nil ? Samples(source.format.layout) : .yCbCr
    let given = Samples(format.layout)
    guard stored == given || given == .gray else {
      throw refusal(
        "the encoder stores \(stored.rawValue), and the frames are \(given.rawValue)", "give it \(stored.example)",
        .filmPixels)
    }
    if given == .yCbCr {
      try check("matrix", source.format.color.matrix.rawValue, format.color.matrix.rawValue, .filmMatrix)
      try check("range", source.format.color.range.rawValue, format.color.range.rawValue, .filmRange)
    }
    guard source.mixture == nil, !hasFilters else { return }
    let pairs = Array(zip(samples(of: read), samples(of: frame)))
    guard let place = pairs.firstIndex(where: { abs($0 - $1) > 0.025 }) else { return }
    let percent = [pairs[place].1, pairs[place].0].map { "\(Int(($0 * 100).rounded())) %" }
    throw refusal(
      "ffmpeg converts the frames for the encoder: \(percent[0]) of the largest sample became \(percent[1])",
      "give it what it takes, or name an encoder that takes \(format.layout)", .filmPixels)
  }

  private func check(
    _ tag: String, _ found: String, _ wanted: String, _ setting: SafelightError.Setting
  ) throws(SafelightError) {
    guard found != wanted, !["unspecified", "other"].contains(found), !["unspecified", "other"].contains(wanted) else {
      return
    }
    throw refusal(
      "players take what the encoder stores for the \(tag) \(found), and the frames have \(wanted)",
      "give it frames of the \(tag) \(found)", setting)
  }

  private func refusal(_ why: String, _ remedy: String, _ setting: SafelightError.Setting) -> SafelightError {
    SafelightError(.unsupported, name, why: why, remedy: remedy, setting: setting)
  }

  /// True where somebody asked ffmpeg to change the frames.
  private var hasFilters: Bool {
    (encoding.arguments ?? []).contains { ["-vf", "-filter:v", "-filter", "-filter_complex"].contains($0) }
  }

  /// The color samples in the middle of `frame`, as fractions of the largest.
  private func samples(of frame: VideoFrame) -> [Double] {
    let layout = frame.layout
    let samples = frame.planes.flatMap { plane in
      let width = layout.depth == .bits8 ? 1 : 2
      let start = plane.size.height / 2 * plane.bytesPerRow + plane.size.width / 2 * plane.pixelFormat.bytesPerPixel
      return (0..<plane.pixelFormat.samplesPerPixel).map { component in
        let bytes = plane.bytes[(start + component * width)...].prefix(width)
        return Double(bytes.reversed().reduce(0) { $0 << 8 | Int($1) }) / Double((1 << layout.bits) - 1)
      }
    }
    return Array((layout == .bgra8 ? [2, 1, 0].map { samples[$0] } : samples).prefix(3))
  }

  /// What samples are, as messages call it.
  private enum Samples: String {
    case gray
    case rgb = "red, green and blue"
    case yCbCr = "luma and chroma"

    init(_ layout: PixelLayout) {
      self = layout.isYCbCr ? .yCbCr : layout.isGray ? .gray : .rgb
    }

    /// What to give in its place, with an example by ffmpeg's name.
    var example: String {
      switch self {
      case .gray: "gray frames (gray)"
      case .rgb: "red, green and blue (rgb24)"
      case .yCbCr: "luma and chroma (yuv420p)"
      }
    }
  }
}
