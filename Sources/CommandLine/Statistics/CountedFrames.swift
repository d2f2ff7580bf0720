import ArgumentParser
import Safelight

/// The options of a command that counts the samples of pictures or of a film.
struct CountingArguments: ParsableArguments {
  @Option(
    help: """
      Which pixels are counted where alpha is straight: visible, of alpha above 0, or all. Alpha itself is counted of \
      all.
      """)
  var counts = CountedPixels.visible

  @Option(help: "The most pixels (columns × rows) that a picture may have, against files that claim too many.")
  var maxPixels: Int = PNGLimits().pixels

  @Flag(name: .customShort("q"), help: "Errors only: no warnings, and nothing about the device.") var isQuiet = false

  @Option(help: "How to show progress: auto, bar, plain, json or none; warnings are shown in any case.")
  var progress: ProgressStyle = .auto

  @OptionGroup(title: "Film options") var film: VideoInputArguments
  @OptionGroup(title: "Device options") var device: DeviceArguments

  func validate() throws { try OptionRange.maxPixels.check(maxPixels) }

  /// Opens a film; returns those of its frames that `selection` names.
  func frames(
    of input: VideoInput, _ selection: FrameSelection? = nil, warnings: RunWarnings, stop: StopRequest
  ) async throws -> CountedFrames {
    let source = try await film.open(input, pixelLimit: maxPixels, warnings: warnings, stop: stop)
    return .film(try film.tagged(source, input.name, warnings: warnings), name: input.name, selection, warnings)
  }

  /// Opens the device, which also runs `calls`, and has `count` use it.
  ///
  /// - Throws: What `count` throws, or `ExitCode.interrupted` once `stop` is made.
  func run(
    for calls: [FilterCall] = [], until stop: StopRequest, _ count: sending @escaping (Device) async throws -> Void
  ) async throws {
    let opened = try device.openFastest(for: calls, comparing: false)
    defer { opened.close() }
    try device.tell(opened, progress: progress, isQuiet: isQuiet)
    let counting = Task { try await count(opened) }
    // A pipe may be silent forever; canceling ends the wait for it.
    stop.whenMade { counting.cancel() }
    do {
      try await counting.value
    } catch  where stop.isMade {
      throw ExitCode.interrupted
    }
  }

  /// Shows the progress of `total` frames, nil if the number is unknown.
  func display(total: Int?) -> ProgressDisplay { ProgressDisplay(progress, isQuiet: isQuiet, total: total) }
}

/// The pictures whose samples are counted, in their order: files, or the frames of a film.
enum CountedFrames {
  case files([Frame], PNGLimits)
  case film(any FrameSource, name: String, FrameSelection?, RunWarnings)

  var total: Int? { if case .files(let frames, _) = self { frames.count } else { nil } }

  /// Passes each picture to `count`, converted by `processor` if it is luma and chroma, and returns their number.
  func each(
    through processor: FrameProcessor, until stop: StopRequest, _ count: (Frame, Image) async throws -> Void
  ) async throws -> Int {
    switch self {
    case .files(let frames, let limits):
      // Some are decoded ahead, since decoding takes longer than counting; few, for the sake of memory.
      var decoded = frames.prefix(min(4, ProcessorCount.ofThisProcess.value)).map { Self.decode($0, limits) }
      defer { for task in decoded { task.cancel() } }
      for (number, frame) in frames.enumerated() {
        if stop.isMade { throw ExitCode.interrupted }
        let image = try await decoded.removeFirst().value
        if number + decoded.count + 1 < frames.count {
          decoded.append(Self.decode(frames[number + decoded.count + 1], limits))
        }
        try await count(frame, image)
      }
      return frames.count
    case .film(let source, let name, let selection, let warnings):
      return try await Self.each(of: source, name, selection, warnings, processor, stop, count)
    }
  }

  private static func decode(_ frame: Frame, _ limits: PNGLimits) -> Task<Image, any Error> {
    Task.detached {
      try Task.checkCancellation()
      return try PNGFile(reading: frame.path, limits: limits).image
    }
  }

  private static func each(
    of source: some FrameSource, _ name: String, _ selection: FrameSelection?, _ warnings: RunWarnings,
    _ processor: FrameProcessor, _ stop: StopRequest, _ count: (Frame, Image) async throws -> Void
  ) async throws -> Int {
    var frames = source.makeAsyncIterator()
    var (index, counted, last) = (0, 0, 0)
    while selection.map({ index <= $0.last }) ?? true, let frame = try await frames.next(isolation: #isolation) {
      defer { index += 1 }
      guard selection?.contains(index) ?? true else { continue }
      let image = try await processor.image(of: frame, "\(name), frame \(index + 1)")
      try await count(Frame(index: index, number: index + 1, path: name), image)
      counted += 1
      last = index + 1
    }
    // A canceled film also ends, as if it were complete.
    if stop.isMade { throw ExitCode.interrupted }
    try selection?.check(count: index)
    guard counted > 0 else {
      throw SafelightError(.missingInput, name, why: "the film has no frames", remedy: "see what wrote it")
    }
    warnings.add(endOf: selection, at: last, of: name)
    return counted
  }
}
