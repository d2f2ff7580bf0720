import SafelightImage

/// A trial encoding: frames of one color that are encoded like a film and read back.
///
/// ffmpeg silently converts pixels that an encoder does not take, so the film would be tagged with a description of the
/// original frames. If somebody named the encoder, the first frame waits until the trial frames have come back
/// unchanged.
struct FilmRehearsal {
  let format: VideoFormat
  let encoding: FFmpegEncoding
  let name: String

  /// Samples in the order of the components, as fractions of the largest: another matrix, another range or an exchange
  /// of two components changes each of them.
  private static let color = [0.25, 0.4, 0.7, 1]

  /// The trial frames: a group of pictures, since MPEG-TS of smaller ones cannot be read.
  var frames: [VideoFrame] {
    let planes = planes
    let ticks = Int64(max(1, ((format.frameDuration?.seconds ?? 0.04) / format.timeBase.seconds).rounded()))
    return (0..<12).map { index in
      format.frame(index, planes, at: format.timeBase.multiplied(by: ticks * Int64(index)) ?? .zero)
    }
  }

  private var planes: [[UInt8]] {
    let layout = format.layout
    let color = layout == .bgra8 ? [2, 1, 0, 3].map { Self.color[$0] } : Self.color
    return layout.planeFormats.enumerated().map { number, pixels in
      let size = layout.planeSize(number, of: format.size)
      let first = layout.isYCbCr ? number : 0
      let pixel = color[first..<first + pixels.samplesPerPixel].flatMap { component in
        let sample = UInt16(component * Double((1 << layout.bits) - 1))
        return layout.depth == .bits8 ? [UInt8(sample)] : [UInt8(sample & 255), UInt8(sample >> 8)]
      }
      return Array(repeatElement(pixel, count: size.area).joined())
    }
  }

  /// Returns the color properties that the film at `path`, made of ``frames``, does not record.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the film holds other pictures than these.
  func check(_ path: String) async throws(SafelightError) -> [String] {
    let source: FFmpegSource
    let read: VideoFrame?
    do throws(SafelightError) {
      source = try await FFmpegSource(
        .file(path), options: FFmpegOptions(layout: nil, programFolder: encoding.programFolder))
      var frames = source.makeAsyncIterator()
      read = try await frames.next(isolation: nil)
    } catch {
      if error.kind == .unsupported { return [] }
      throw refusal(
        "the encoder's output cannot be read back: \(error.why)", "choose another encoder or another kind of film")
    }
    let stored = source.mixture == nil ? Samples(source.format.layout) : .yCbCr
    let given = Samples(format.layout)
    guard stored == given || given == .gray else {
      throw refusal(
        "the encoder stores \(stored.rawValue), but the frames are \(given.rawValue)",
        "give it \(stored.rawValue) (\(stored.example))", .filmPixels)
    }
    let unsaid = try given == .yCbCr ? unsaid(source) : []
    guard source.mixture == nil, !hasFilters, let read else { return unsaid }
    guard read.size == format.uprightSize else {
      throw refusal("the encoder changes the size from \(format.uprightSize) to \(read.size)", "choose another encoder")
    }
    // The second of two neighbors reveals a wrong number of bytes per pixel.
    for neighbor in 0...1 {
      let pairs = Array(zip(samples(of: read, neighbor), samples(of: frames[0], neighbor)))
      guard let place = pairs.firstIndex(where: { abs($0 - $1) > 0.025 }) else { continue }
      let percent = [pairs[place].1, pairs[place].0].map { "\(Int(($0 * 100).rounded())) %" }
      throw refusal(
        "ffmpeg converts the frames for the encoder: a sample of \(percent[0]) became \(percent[1])",
        "choose an encoder that takes \(given.rawValue), or give it \(given.other.rawValue) (\(given.other.example))",
        .filmPixels)
    }
    return unsaid
  }

  /// Returns the tags of the frames that `source` lacks; throws if it has others.
  private func unsaid(_ source: FFmpegSource) throws(SafelightError) -> [String] {
    let found = source.format.color
    let mixture = source.mixture
    let (matrix, range) =
      if let mixture {
        mixture.isAssumed ? ("unspecified", "unspecified") : (mixture.matrix, mixture.range.rawValue)
      } else { (found.matrix.rawValue, found.range.rawValue) }
    var unsaid: [String] = []
    for (tag, found, wanted, setting) in [
      ("matrix", matrix, format.color.matrix.rawValue, SafelightError.Setting.filmMatrix),
      ("range", range, format.color.range.rawValue, .filmRange),
    ] where found != wanted && !["unspecified", "other"].contains(wanted) {
      guard ["unspecified", "other"].contains(found) else {
        throw refusal(
          "players will read the encoder's film with the \(tag) \(found), but the frames have \(wanted)",
          "give it frames of the \(tag) \(found)", setting)
      }
      unsaid.append(wanted)
    }
    return unsaid
  }

  private func refusal(_ why: String, _ remedy: String, _ setting: SafelightError.Setting? = nil) -> SafelightError {
    SafelightError(.unsupported, name, why: why, remedy: remedy, setting: setting)
  }

  /// True if the arguments make ffmpeg change the frames.
  private var hasFilters: Bool {
    (encoding.arguments ?? []).contains { ["-vf", "-filter:v", "-filter", "-filter_complex", "-s"].contains($0) }
  }

  /// The color samples in the middle of `frame`, or `neighbor` pixels to the right, as fractions of the largest.
  private func samples(of frame: VideoFrame, _ neighbor: Int) -> [Double] {
    let layout = frame.layout
    let samples = frame.planes.flatMap { plane in
      let width = layout.depth == .bits8 ? 1 : 2
      let x = min(plane.size.width / 2 + neighbor, plane.size.width - 1)
      let start = plane.size.height / 2 * plane.bytesPerRow + x * plane.pixelFormat.bytesPerPixel
      return (0..<plane.pixelFormat.samplesPerPixel).map { component in
        let bytes = plane.bytes[(start + component * width)...].prefix(width)
        return Double(bytes.reversed().reduce(0) { $0 << 8 | Int($1) }) / Double((1 << layout.bits) - 1)
      }
    }
    return Array((layout == .bgra8 ? [2, 1, 0].map { samples[$0] } : samples).prefix(3))
  }

  private enum Samples: String {
    case gray
    case rgb = "red, green and blue"
    case yCbCr = "luma and chroma"

    init(_ layout: PixelLayout) { self = layout.isYCbCr ? .yCbCr : layout.isGray ? .gray : .rgb }

    /// The kind that an encoder takes if it does not take this one.
    var other: Samples { self == .yCbCr ? .rgb : .yCbCr }

    /// An example of ffmpeg's names of such pixels.
    var example: String {
      switch self {
      case .gray: "gray"
      case .rgb: "rgb24"
      case .yCbCr: "yuv420p"
      }
    }
  }
}
