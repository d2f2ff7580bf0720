internal import SafelightFrames
internal import SafelightImage

/// What a frame waits for of those before it.
struct FrameTurn {
  /// The device has their commands.
  let recorded: Task<Void, Never>
  /// It is known what the device made of them.
  let settled: Task<Void, Never>
  /// They are written; false where one of them never will be.
  var written: Task<Bool, Never>?
}

/// The way of the frames of one run: from the file or the film to the device, and to a file or a film.
final class FrameJourney: Sendable {
  private let pipeline: FramePipeline
  /// What is known of files that are there; nil where frames come from elsewhere.
  private let outputs: ExistingOutputs?
  private let observer: FramePipeline.Observer
  private let lost: LostFrames
  private let recipe: FrameRecipe
  private let bands: FrameBands

  init(_ pipeline: FramePipeline, _ outputs: ExistingOutputs?, observer: FramePipeline.Observer) {
    self.pipeline = pipeline
    self.outputs = outputs
    self.observer = observer
    lost = LostFrames(history: pipeline.processor.chain.history)
    recipe = FrameRecipe(pipeline.processor.chain, pipeline.options)
    bands = FrameBands(pipeline, outputs, observer)
  }

  /// A frame's file, and the seal for what is made of it and of all frames on which that depends.
  private typealias Source = (png: PNGFile, seal: PNGSeal?)
  private typealias Submitted = (file: Source?, picture: FramePicture, submission: FrameSubmission)
  private typealias Made = (file: Source?, before: FramePicture, after: FramePicture)

  /// Starts the way of one frame.
  func begin(
    _ step: FrameStep, after previous: FrameTurn?
  ) -> (Task<FrameLedger.Entry?, Never>, FrameTurn?) {
    if pipeline.options.keepsOthers, let target = step.target,
      let refusal = FramePipeline.refusal(
        of: target, for: step.frame, siblings: outputs?.siblings ?? [], isFilmed: step.picture != nil)
    {
      lost.add(step.frame, refusal)
      return (Task { .refused(step.frame, target.name, refusal) }, previous)
    }
    switch step.action {
    case .skip(let target): return (Task { .unmade(step.frame, target.name, .skipped) }, previous)
    case .make(let target) where lost.history == 0 && pipeline.isSkipped(target):
      return (Task { .unmade(step.frame, target.name, .skipped) }, previous)
    case .make(let target):
      var (made, turn) = make(step, as: target.form, after: previous)
      let end = finish(step, target, made, after: previous)
      turn.written = Task { await end.value?.status == .done }
      return (end, turn)
    case .remember:
      var (made, turn) = make(step, as: .image, after: previous)
      turn.written = previous?.written
      return (remember(step, made), turn)
    }
  }

  /// Reads a frame and takes it through the device; makes nil of one that is left to ``bands``.
  private func make(
    _ step: FrameStep, as form: FrameForm, after previous: FrameTurn?
  ) -> (Task<Made?, any Error>, FrameTurn) {
    let submitted = submit(step, as: form, after: previous)
    let made = Task { () -> Made? in
      guard let (file, picture, submission) = try await submitted.value else { return nil }
      do {
        let made = try await submission.finished { observer.twinsDiffered?(step.frame, step.target, $0, $1) }
        if !submission.measurements.isEmpty { observer.measured?(step.frame, try submission.measured()) }
        return Made(file, picture, made)
      } catch {
        // Its counts may be there in part. Where the twin alone says otherwise, the device's are whole.
        if (error as? SafelightError)?.kind != .difference {
          pipeline.processor.chain.reset()
          lost.add(step.frame, error)
        }
        throw error
      }
    }
    let settled = Task {
      _ = await made.result
      await previous?.settled.value
    }
    return (made, FrameTurn(recorded: Task { _ = await submitted.result }, settled: settled))
  }

  /// Reads a frame and hands it to the device, once those before it were.
  private func submit(
    _ step: FrameStep, as form: FrameForm, after previous: FrameTurn?
  ) -> Task<Submitted?, any Error> {
    Task {
      let read: Result<(file: Source?, picture: FramePicture)?, any Error>
      do {
        read = .success(try await self.read(step))
      } catch {
        read = .failure(error)
      }
      await previous?.recorded.value
      let (frame, processor) = (step.frame, pipeline.processor)
      do {
        guard let (_, picture) = try read.get() else { return nil }
        _ = try processor.plan(picture.filtered, as: form, label: step.label)
      } catch {
        processor.chain.reset()
        lost.add(frame, error)
        throw UnfitFrame(reason: error)
      }
      lost.begin(frame)
      do {
        guard let (file, picture) = try read.get() else { return nil }
        return (file, picture, try processor.submit(picture, as: form, label: step.label))
      } catch {
        lost.add(frame, error)
        throw error
      }
    }
  }

  private func read(_ step: FrameStep) async throws -> (file: Source?, picture: FramePicture)? {
    if let frame = step.picture { return (nil, try FramePicture(frame, name: step.label)) }
    let file = try await pipeline.codec.run(for: step.frame.index) { try self.readFile(of: step) }
    return file.map { ($0, .image($0.png.image)) }
  }

  /// Reads the file of a frame, and looks at the one that it goes to; nil where the frame is left to ``bands``.
  private func readFile(of step: FrameStep) throws -> Source? {
    if bands.take(step) { return nil }
    let frame = step.frame
    let bytes = try SafelightFrames.readFile(frame.path)
    let options = pipeline.options
    func decode() throws -> PNGFile {
      try PNGDecoder.decode(bytes, name: frame.path, limits: options.limits, codec: options.pngCodec)
    }
    if case .remember = step.action { outputs?.note(frame, hash: SHA256.hash(bytes)) }
    guard let outputs, case .make(let target) = step.action, !target.isFilm else { return (try decode(), nil) }
    let hash = SHA256.hash(bytes)
    let verdict = outputs.verdict(on: frame, at: target, hash: hash)
    // With a history later frames count on this one.
    if verdict == .skip && lost.history == 0 { throw FrameIsThere() }
    var file = try decode()
    if case .make(let reason?) = verdict { file.warnings.append("made anew: \(reason)") }
    return (file, outputs.seal(of: frame, hash: hash))
  }

  /// Says only what failed: frames that cannot be read are told of with those that depend on them.
  private func remember(_ step: FrameStep, _ made: Task<Made?, any Error>) -> Task<FrameLedger.Entry?, Never> {
    let clock = ContinuousClock()
    let start = clock.now
    return Task {
      do {
        _ = try await made.value
        return nil
      } catch is UnfitFrame {
        return nil
      } catch {
        return FrameLedger.Entry(
          frame: step.frame, output: nil, status: .failed, error: .known(error, step.label), warnings: [],
          seconds: (clock.now - start).inSeconds)
      }
    }
  }

  /// Writes what comes back.
  private func finish(
    _ step: FrameStep, _ target: FrameTarget, _ made: Task<Made?, any Error>, after previous: FrameTurn?
  ) -> Task<FrameLedger.Entry?, Never> {
    let clock = ContinuousClock()
    let start = clock.now
    return Task {
      var warnings: [String] = []
      var failure: SafelightError?
      do {
        let made = try await made.value
        warnings = made?.file?.png.warnings ?? []
        switch (target, made) {
        case (_, nil):
          warnings = try await bands.make(step)
        case (.file, let made?), (.stream, let made?):
          // The seal says that all frames before it are in it.
          if lost.history > 0 { await previous?.settled.value }
          let seal = step.picture == nil ? made.file?.seal : recipe.seal(filmed: step.frame)
          try await write(made, of: step.frame, seal: lost.warnings(for: step.frame).isEmpty ? seal : nil, to: target)
        case (.film(let film), let made?):
          // A film with a frame left out would be another film.
          guard await previous?.written?.value ?? true else { return .unmade(step.frame, film.name, .untouched) }
          if made.file != nil { warnings += made.after.losses(in: film, of: made.before) }
          do {
            try await film.write(step.frame(of: made.after, in: film.format))
            if let image = made.after.image { observer.pixelsMade?(step.frame, image.pixelHash) }
          } catch let error as SafelightError where error.kind == .input {
            // A film knows its frames by their places, and whoever runs it by their files.
            throw error.during(step.label)
          }
        }
      } catch is FrameIsThere {
        return .unmade(step.frame, target.name, .skipped)
      } catch let unfit as UnfitFrame {
        if unfit.reason is FrameIsThere { return .unmade(step.frame, target.name, .skipped) }
        failure = .known(unfit.reason, step.label)
      } catch {
        failure = .known(error, step.label)
      }
      if lost.history > 0 {
        // What became of the frames before it must be known to be told.
        await previous?.settled.value
        warnings += lost.warnings(for: step.frame)
      }
      return FrameLedger.Entry(
        frame: step.frame, output: target.name, status: failure == nil ? .done : .failed, error: failure,
        warnings: warnings, seconds: (clock.now - start).inSeconds)
    }
  }

  private func write(_ made: Made, of frame: Frame, seal: PNGSeal?, to target: FrameTarget) async throws {
    guard let image = made.after.image else { return }
    try await pipeline.codec.run(for: frame.index) { [options = pipeline.options, observer] in
      var file = made.file?.png ?? PNGFile(image: image)
      if let seal { file.metadata.chunks.insert(seal.chunk, at: 0) }
      file.image = image
      switch target {
      case .file(let path): try file.write(to: path, compression: options.compression, codec: options.pngCodec)
      case .stream(let place): try file.write(to: place, compression: options.compression, codec: options.pngCodec)
      case .film: break
      }
      observer.pixelsMade?(frame, image.pixelHash)
      if let before = made.before.image { observer.pictures?(frame, before, image) }
    }
  }
}

/// A frame whose file is there already, as was found when its turn came.
struct FrameIsThere: Error {}

/// Why a frame never came to the device: its file, or a filter that is not defined for it.
private struct UnfitFrame: Error {
  let reason: any Error
}

extension FrameTarget {
  /// What frames become to go there.
  fileprivate var form: FrameForm {
    guard case .film(let film) = self, film.format.layout.isYCbCr else { return .image }
    return .planes(film.format.layout, film.format.color)
  }
}

extension FramePicture {
  private var color: ColorDescription {
    switch self {
    case .image(let image): image.color
    case .planes(let frame): frame.color
    }
  }

  /// What of this `film` cannot hold, which was made of the file's picture `original`; one sentence each.
  fileprivate func losses(in film: any FilmWriter, of original: FramePicture) -> [String] {
    var losses: [String] = []
    let hasAlpha = original.image.map { $0.channels.hasAlpha && $0.color.alpha != .opaque } ?? false
    if hasAlpha, film.format.layout.isYCbCr { losses.append("its alpha is left out of \(film.name)") }
    let (color, meant) = (color, film.format.color)
    if color.transfer != meant.transfer || color.primaries != meant.primaries {
      losses.append("its colors are tagged otherwise than those of \(film.name), which has the tags of the first frame")
    }
    return losses
  }
}

extension FrameStep {
  /// The frame, as errors name it.
  var label: String { picture == nil ? frame.path : "\(frame.path), frame \(frame.number)" }

  /// What was made of it, at its time in a film of `format`: that of the film it came from, or the place that it has among all files.
  fileprivate func frame(of made: FramePicture, in format: VideoFormat) throws(SafelightError) -> VideoFrame {
    let time = picture?.presentationTime ?? format.frameDuration?.multiplied(by: Int64(place))
    guard let time else {
      throw SafelightError(
        .limit, label, why: "its time in the film is out of range or unknown", remedy: "name a frame rate")
    }
    switch made {
    case .image(let image):
      return VideoFrame(
        index: place, image: image, presentationTime: time, duration: picture?.duration ?? format.frameDuration,
        orientation: picture?.orientation ?? .up)
    case .planes(let frame):
      return VideoFrame(
        index: place, size: frame.size, layout: frame.layout, planes: frame.planes, presentationTime: time,
        duration: picture?.duration ?? format.frameDuration, orientation: frame.orientation, color: frame.color)
    }
  }
}
