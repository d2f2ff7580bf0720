import ArgumentParser
import Safelight
import SafelightGolden

extension CompareCommand {
  /// Compares two sides of which at least one is a film, picture by picture, and returns the code of the worst result.
  func compare(
    films sides: (expected: CompareSide, actual: CompareSide), _ rules: ComparisonRules, _ paths: ReportPaths
  ) async throws -> ExitCode? {
    if complete {
      throw SafelightError(
        .usage, "--complete",
        why: "it checks for numbers missing in file names, and the frames of a film have no file names",
        remedy: "state the number of frames with --expect")
    }
    let inputs = sides.expected.inputs + sides.actual.inputs
    let differences = try diff.map { text in
      let others = inputs + [mask].compactMap { $0 }
      return try sides.actual.film.map { try DifferenceFiles(text, of: $0, beside: others) }
        ?? DifferenceFiles(text, of: sides.actual.files, beside: others)
    }
    try paths.check(beside: inputs)
    let signals = SignalWatch(saying: SignalWatch.noResult)
    defer { withExtendedLifetime(signals) {} }
    let device = try Device.open(.cpu)
    defer { device.close() }
    let expected = try await pictures(of: sides.expected, on: device, signals.stop)
    defer { expected.close() }
    let actual = try await pictures(of: sides.actual, on: device, signals.stop)
    defer { actual.close() }
    signals.stop.whenMade {
      expected.close()
      actual.close()
    }
    var outcomes = CompareOutcomes(
      CompareReport(tolerance: rules.tolerance, picture: drawing), paths, title, isSequence: true, progress: progress,
      total: nil)
    let study = CompareStudy(differences: differences, wantsFigures: format == .json, wantsFlip: false)
    var walk = VideoWalk(sides, (expected.film, actual.film), RunningComparison(rules), facts)
    while let (frame, findings) = try await walk.next(expected, actual, study) {
      try outcomes.add(frame, findings)
    }
    try signals.check()
    outcomes.add(walk.facts)
    return try outcomes.finish(walk.finish(count: expect), format)
  }

  private func pictures(of side: CompareSide, on device: Device, _ stop: StopRequest) async throws -> ComparePictures {
    guard let input = side.film else { return ComparePictures(side.files) }
    let warnings = RunWarnings(isQuiet: false)
    if input.isPipe { Console.line("safelight: waiting for what comes through \(input.name)") }
    let source = try await film.open(input, pixelLimit: PNGLimits().pixels, warnings: warnings, stop: stop)
    let processor = FrameProcessor(device: device, chain: try FilterChain([], device: device))
    return ComparePictures(
      try film.tagged(source, input.name, warnings: warnings), name: input.name,
      besides: (source as? FFmpegSource ?? (source as? StillSource<FFmpegSource>)?.source)?.leftOut ?? [],
      through: processor)
  }
}

/// The walk through two sides, one picture of each at a time.
private struct VideoWalk {
  let sides: (expected: CompareSide, actual: CompareSide)
  /// The films; nil for sides that are files.
  private let films: (expected: ComparePictures.Video?, actual: ComparePictures.Video?)
  private(set) var comparison: RunningComparison
  private(set) var facts = FactFindings()
  /// The times to compare; nil if they are not compared.
  private var times: VideoTimes?
  /// The durations of the last pair so far; nil if one of the films does not state its own.
  private var durations: (expected: MediaTime, actual: MediaTime)?
  var index = 0
  var isOver = false
  var missing: [FramePairing.Unpaired] = []
  var extra: [FramePairing.Unpaired] = []

  /// Begins the comparison of `sides`, at least one of which is a film.
  init(
    _ sides: (expected: CompareSide, actual: CompareSide),
    _ films: (expected: ComparePictures.Video?, actual: ComparePictures.Video?), _ comparison: RunningComparison,
    _ compared: ComparedFacts
  ) {
    (self.sides, self.films, self.comparison) = (sides, films, comparison)
    guard let expected = films.expected, let actual = films.actual else { return }
    let names = (sides.expected.inputs[0], sides.actual.inputs[0])
    facts.add((expected.facts, names.0), (actual.facts, names.1), place: nil)
    switch compared {
    case .time: times = VideoTimes(expected.format, actual.format)
    case .none: for name in [names.0, names.1] { facts.ignore("times", of: name) }
    }
  }

  /// Adds what is stated of a pair of pictures.
  private mutating func add(
    _ expected: ComparePictures.Picture, _ actual: ComparePictures.Picture, _ pair: FramePairing.Pair
  ) {
    if films.expected != nil && films.actual != nil {
      // A frame that cannot be decoded has no time.
      durations = expected.duration.flatMap { expected in actual.duration.map { (expected, $0) } }
      guard let before = expected.time, let after = actual.time, let differing = times?.difference(before, after) else {
        return
      }
      facts.add(times: differing.expected, differing.actual, place: pair.name)
    } else if let before = films.expected?.facts ?? StatedFacts(pngAt: pair.expected),
      let after = films.actual?.facts ?? StatedFacts(pngAt: pair.actual)
    {
      facts.add((before, pair.expected), (after, pair.actual), place: pair.name, areAlike: false)
    }
  }

  /// Compares the next pair; nil after the last picture of the longer side. Pictures without a counterpart are noted.
  mutating func next(
    _ expected: ComparePictures, _ actual: ComparePictures, _ study: CompareStudy
  ) async throws -> (FrameComparison, CompareStudy.Findings?)? {
    while !isOver {
      defer { index += 1 }
      switch (try await expected.next(), try await actual.next()) {
      case (let left?, let right?):
        isOver = left.isLast || right.isLast
        let pair = FramePairing.Pair(
          index: index, name: "frame \(index + 1)", number: index + 1, expected: sides.expected.path(index),
          actual: sides.actual.path(index), place: sides.actual.name(index))
        add(left, right, pair)
        let images = left.image.flatMap { left in right.image.map { (expected: left, actual: $0) } }
        return try comparison.add(pair, images, study: study.findings)
      case (let left?, nil):
        if left.isLast { _ = try left.image.get() }
        missing.append(.init(missing: sides.expected.name(index)))
      case (nil, let right?):
        if right.isLast { _ = try right.image.get() }
        extra.append(.init(extra: sides.actual.name(index)))
      case (nil, nil):
        isOver = true
        // Films whose times differ have other durations too.
        if !facts.fails, let (before, after) = durations, times?.areEqual(durations: before, after) == false {
          facts.add(lastDurations: before.seconds, after.seconds)
        }
      }
    }
    return nil
  }

  /// Returns the whole comparison; `count` is the number of pictures that the expected side must have.
  consuming func finish(count: Int?) -> SequenceComparison {
    comparison.finish(missing: missing, extra: extra, expected: sides.expected.inputs[0], count: count)
  }
}
