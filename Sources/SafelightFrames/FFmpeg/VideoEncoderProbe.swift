import SafelightImage

/// A trial encoding: frames that are encoded like a film and read back.
///
/// ffmpeg silently converts pixels that an encoder does not take, so the film would be tagged with a description of the
/// original frames; and some encoders write films of small pictures that read differently. If somebody named the
/// encoder or asked for a film without loss, the first frame waits until the trial frames have come back: of one color,
/// which must be nearly the same everywhere, or of noise, of which no sample may differ.
struct VideoEncoderProbe {
  let format: VideoFormat
  let encoding: FFmpegEncoding
  let name: String

  /// Samples in the order of the components, as fractions of the largest: another matrix, another range or an exchange
  /// of two components changes each of them.
  private static let color = [0.25, 0.4, 0.7, 1]

  /// True if every sample must come back. Turned frames are not noise, since they are turned upright on the way.
  private var isExact: Bool { encoding.isLossless && format.orientation == .up }

  /// The trial frames. MPEG-TS needs a group of pictures, since a smaller one cannot be read.
  var frames: [VideoFrame] {
    let planes = isExact ? noise : planes
    let ticks = Int64(max(1, ((format.frameDuration?.seconds ?? 0.04) / format.timeBase.seconds).rounded()))
    let isShort = isExact && VideoContainer(path: name) != .ts
    return (0..<(isShort ? 1 : 12)).map { index in
      format.frame(index, planes, at: format.timeBase.multiplied(by: ticks * Int64(index)) ?? .zero)
    }
  }

  private var planes: [[UInt8]] {
    let layout = format.layout
    let color = layout == .bgra8 ? [2, 1, 0, 3].map { Self.color[$0] } : Self.color
    return layout.planeFormats.enumerated().map { number, pixels in
      let first = layout.isYCbCr ? number : 0
      let pixel = color[first..<first + pixels.samplesPerPixel].flatMap { component in
        bytes(UInt16(component * Double((1 << layout.bits) - 1)))
      }
      return filled(number, by: pixel)
    }
  }

  /// Planes of numbers by chance, always the same, with opaque pixels where the film has no alpha.
  private var noise: [[UInt8]] {
    let layout = format.layout
    let largest = UInt16((1 << layout.bits) - 1)
    var state: UInt32 = 1
    return layout.planeFormats.enumerated().map { number, pixels in
      // Repeated at another distance than that of rows.
      let block = (0..<4099).flatMap { _ in
        (0..<pixels.samplesPerPixel).flatMap { component in
          // Numerical Recipes, "An Even Quicker Generator".
          state = state &* 1_664_525 &+ 1_013_904_223
          let isOpaque = component == 3 && format.color.alpha == .opaque
          return bytes(isOpaque ? largest : UInt16(state >> 16) & largest)
        }
      }
      return filled(number, by: block)
    }
  }

  /// The bytes of a sample.
  private func bytes(_ sample: UInt16) -> [UInt8] {
    format.layout.depth == .bits8 ? [UInt8(sample)] : [UInt8(sample & 255), UInt8(sample >> 8)]
  }

  /// Returns plane `number`, filled with repetitions of `pixels`.
  private func filled(_ number: Int, by pixels: [UInt8]) -> [UInt8] {
    let count = format.layout.planeByteCounts(of: format.size)[number]
    return Array(repeatElement(pixels, count: count / pixels.count + 1).joined().prefix(count))
  }

  /// Returns the color properties that the film at `path`, made of ``frames``, does not record.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the film holds other pictures than these.
  func check(_ path: String) async throws(SafelightError) -> [String] {
    let source: FFmpegSource
    let read: VideoFrame?
    let layout = isExact ? format.layout : nil
    do throws(SafelightError) {
      source = try await FFmpegSource(
        .file(path), options: FFmpegOptions(layout: layout, programFolder: encoding.programFolder))
      var frames = source.makeAsyncIterator()
      read = try await frames.next(isolation: nil)
    } catch {
      if error.kind == .unsupported, !isExact { return [] }
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
    if isExact {
      guard zip(read.planes, frames[0].planes).allSatisfy({ $0.packedBytes == $1.bytes }) else {
        throw refusal(
          "the encoder does not keep every sample of pictures of \(format.size)",
          "choose another kind of film, or write pictures")
      }
      return unsaid
    }
    for (read, wanted) in zip(extremes(of: read), extremes(of: frames[0])) {
      guard let sample = [read.least, read.most].first(where: { abs($0 - wanted.least) > 0.025 }) else { continue }
      let percent = [wanted.least, sample].map { "\(Int(($0 * 100).rounded())) %" }
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

  /// The least and the most of each color component of `frame`, as fractions of the largest.
  private func extremes(of frame: VideoFrame) -> [(least: Double, most: Double)] {
    let layout = frame.layout
    let largest = Double((1 << layout.bits) - 1)
    let extremes = frame.planes.flatMap { plane in
      let (bytes, count) = (plane.packedBytes, plane.pixelFormat.samplesPerPixel)
      let isWide = layout.depth == .bits16
      return (0..<count).map { component in
        var (least, most) = (UInt16.max, UInt16.min)
        for place in stride(from: component, to: plane.size.area * count, by: count) {
          let sample = isWide ? UInt16(bytes[2 * place]) | UInt16(bytes[2 * place + 1]) << 8 : UInt16(bytes[place])
          (least, most) = (min(least, sample), max(most, sample))
        }
        return (least: Double(least) / largest, most: Double(most) / largest)
      }
    }
    return Array((layout == .bgra8 ? [2, 1, 0].map { extremes[$0] } : extremes).prefix(3))
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
