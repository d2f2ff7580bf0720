import ArgumentParser
import Safelight

/// The pictures whose samples are counted, in their order: files, or the frames of a film.
enum CountedFrames {
  case files([Frame], PNGLimits)
  case film(any FrameSource, name: String, FrameSelection?)

  /// How many there are; nil where nobody knows.
  var total: Int? {
    switch self {
    case .files(let frames, _): frames.count
    case .film: nil
    }
  }

  /// Gives each to `count`, as a picture that `processor` makes of luma and chroma; how many there were.
  func each(
    through processor: FrameProcessor, until stop: StopRequest, _ count: (Frame, Image) async throws -> Void
  ) async throws -> Int {
    switch self {
    case .files(let frames, let limits):
      for frame in frames {
        if stop.isMade { throw ExitCode.interrupted }
        try await count(frame, PNGFile(reading: frame.path, limits: limits).image)
      }
      return frames.count
    case .film(let source, let name, let selection):
      return try await Self.each(of: source, name, selection, processor, stop, count)
    }
  }

  private static func each(
    of source: some FrameSource, _ name: String, _ selection: FrameSelection?, _ processor: FrameProcessor,
    _ stop: StopRequest, _ count: (Frame, Image) async throws -> Void
  ) async throws -> Int {
    var frames = source.makeAsyncIterator()
    var (index, counted) = (0, 0)
    while selection.map({ index <= $0.last }) ?? true, let frame = try await frames.next(isolation: #isolation) {
      defer { index += 1 }
      guard selection?.contains(index) ?? true else { continue }
      let label = "\(name), frame \(index + 1)"
      let picture = try FramePicture(frame, name: label)
      let frame = Frame(index: index, number: index + 1, path: name)
      if let image = picture.image {
        try await count(frame, image)
      } else {
        try await count(frame, processor.submit(picture, as: .image, label: label).image())
      }
      counted += 1
    }
    // A film that is let go of ends, too.
    if stop.isMade { throw ExitCode.interrupted }
    try selection?.check(count: index)
    guard counted > 0 else {
      throw SafelightError(.missingInput, name, why: "the film has no frames", remedy: "see what wrote it")
    }
    return counted
  }
}
