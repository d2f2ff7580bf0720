import Safelight

/// The film that a run writes: its format, and what it says of its frames.
extension FrameRun {
  /// Returns true if frames of `format` go to `output` as they are.
  func isUntouched(_ format: VideoFormat, _ chain: FilterChain, _ output: VideoOutput) -> Bool {
    guard chain.isPassthrough, film.outputFormat == nil, film.outputMatrix == nil, film.outputRange == nil else {
      return false
    }
    return (try? film.layout(of: output, for: format.layout)) == format.layout
  }

  /// Begins the film of frames that are like `made` and come from `input`, where they are like `source`. Warns of what
  /// it leaves out.
  func begin(
    _ output: VideoOutput, from source: VideoFormat, _ input: String, for made: VideoFormat, grayBits: Int? = nil,
    isUntouched: Bool = false
  ) throws -> any VideoWriter {
    let writer = try film.begin(output, for: made, grayBits: grayBits, isUntouched: isUntouched, warnings)
    let hasTags = writer is FFmpegWriter
    // ffmpeg's writer tells itself what the container does not hold.
    if !hasTags, let lost = made.facts.names(except: []) { warnings.add("\(writer.name) leaves out \(lost)") }
    let unknown = [
      writer.format.color.matrix == .other ? "a matrix" : nil,
      hasTags && source.color.transfer == .other ? "a transfer function" : nil,
      hasTags && source.color.primaries == .other ? "primaries" : nil,
    ].compactMap { $0 }.joined(separator: " and ")
    if !unknown.isEmpty {
      warnings.add("\(input) declares \(unknown) that safelight does not know; \(writer.name) leaves that out")
    }
    // Other writers than that of Y4M warn themselves of a matrix that players will not assume.
    let (matrix, size) = (writer.format.color.matrix, writer.format.uprightSize)
    let customary = ColorMatrix.customary(for: size)
    if writer is Y4MWriter, ![.unspecified, .identity, .other, customary].contains(matrix) {
      warnings.add("\(writer.name) does not say that its colors are \(matrix); for \(size) players assume \(customary)")
    }
    if try film.leavesAlphaOut(of: source, output) { warnOfAlpha(writer) }
    return writer
  }

  /// Returns the shape of the pixels that `chain` makes of frames of `format`; nil if it is not stated.
  func shape(of format: VideoFormat, _ chain: FilterChain) throws -> PixelAspect? {
    try run.pixelAspect ?? chain.pixelAspect(of: format.filtered, format.pixelAspect)
  }

  /// Returns what the source of frames like `source` says that holds for those like `made` too; warns of the rest.
  func facts(
    of source: VideoFormat, in made: VideoFormat, _ output: String, beginsLater: Bool = false
  ) -> VideoFacts {
    let keepsColors = source.color.transfer == made.color.transfer && source.color.primaries == made.color.primaries
    let wrong: [(kinds: Set<VideoFacts.Kind>, why: String)] = [
      (keepsColors ? [] : VideoFacts.light, "since the filters change what colors mean"),
      (beginsLater ? [.timecode] : [], "since it begins with another frame"),
    ]
    var facts = source.facts
    for (kinds, why) in wrong {
      let kept = facts.kinds.filter { !kinds.contains($0) }
      if let lost = facts.names(except: kept) { warnings.add("\(output) leaves out \(lost), \(why)") }
      facts = facts.keeping(kept)
    }
    return facts
  }

  func warnOfAlpha(_ writer: any VideoWriter) {
    warnings.add("\(writer.name) has no alpha; the alpha of the frames is left out")
  }
}

extension VideoFormat {
  /// Returns the format with the size, and the meaning of colors, that `picture` has.
  func holding(_ picture: ImageDescriptor) -> VideoFormat {
    var color = color
    (color.transfer, color.primaries) = (picture.color.transfer, picture.color.primaries)
    return replacing(size: picture.size, color: color)
  }
}
