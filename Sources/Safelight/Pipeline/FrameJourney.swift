internal import SafelightFrames
internal import SafelightImage
internal import Synchronization

/// Takes the frames of one run all the way: from a file or film through the device to a file or film.
///
/// Each frame is one task. It passes gates in the order of the turns: when its commands are recorded, when the device's
/// result is known (which matters only to filters with a history), and when it is written to a film.
final class FrameJourney: Sendable {
  let pipeline: FramePipeline
  private let outputs: ExistingOutputs
  let observer: FramePipeline.Observer
  private let lost: LostFrames
  private let recipe: FrameRecipe
  /// The shape of the pixels of a film; nil if it is not stated, and for files, which state their own.
  private let aspect: PixelAspect?
  private let recording = FrameGate()
  private let settling = FrameGate()
  private let filming = FrameGate()
  let banding = FrameGate()
  /// The turn of the next huge frame.
  let bandTurns = Atomic(0)

  init(
    _ pipeline: FramePipeline, _ outputs: ExistingOutputs, _ observer: FramePipeline.Observer, _ aspect: PixelAspect?
  ) {
    self.aspect = aspect
    self.pipeline = pipeline
    self.outputs = outputs
    self.observer = observer
    lost = LostFrames(history: pipeline.processor.chain.history)
    recipe = FrameRecipe(pipeline.processor.chain, pipeline.options)
  }

  /// The outcome of reading a frame.
  private enum Source {
    /// A picture for the device.
    case picture(Decoded)
    /// A file for bands of rows and how it is turned, the output's path, the remarks on an existing output and on the
    /// way, and the new output's seal.
    case banded(BandPlan, Orientation, to: String, remarks: [String], PNGProvenance?)
    /// No picture: the existing output is kept.
    case kept
    /// No picture: the existing output belongs to another frame.
    case refused(SafelightError)
  }

  private struct Decoded {
    let picture: FramePicture
    /// That of pictures which are turned as this one is.
    let processor: FrameProcessor
    /// The file of a frame that does not come from a film.
    var file: PNGFile?
    /// The seal for the output.
    let seal: PNGProvenance?
    /// The inputs of the filters besides the picture, or the error of finding them; nil if `submit` finds them.
    var inputs: Result<[StageInput?], any Error>?
  }

  /// A frame's result, which the device has made, or all of it but its rows.
  private enum Made {
    case picture(FramePicture)
    /// A picture whose rows are made where they are encoded.
    case rows(ImageRows)

    /// The picture's size, format and meaning; nil for luma and chroma.
    var descriptor: ImageDescriptor? {
      switch self {
      case .picture(let picture): picture.image?.descriptor
      case .rows(let rows): rows.picture
      }
    }
  }

  /// A frame that never reached the device, because of its file or because a filter is not defined for it.
  private struct UnfitFrame: Error { let reason: any Error }

  /// Takes one frame all the way and returns its entry; nil if it only had to be remembered and was, or if it could not
  /// be read and later frames report that.
  func take(_ step: FrameStep, _ admission: FrameAdmission, turn: Int) async -> FrameLedger.Entry? {
    let clock = ContinuousClock()
    let start = clock.now
    var entry = FrameLedger.Entry(step.frame, output: step.target?.name, .done)
    do {
      entry.status = try await make(step, admission, turn, &entry.warnings)
    } catch let unfit as UnfitFrame {
      (entry.status, entry.error) = (.failed, step.target == nil ? nil : .known(unfit.reason, step.label))
    } catch {
      (entry.status, entry.error) = (.failed, .known(error, step.label))
    }
    recording.pass(turn)
    settling.pass(turn)
    let isMissing = entry.status == .failed || entry.status == .untouched
    filming.pass(turn, closing: isMissing && step.target != nil)
    if step.target == nil && entry.error == nil { return nil }
    guard entry.status == .done || entry.status == .failed else { return entry }
    if lost.history > 0 && step.target != nil {
      await settling.wait(for: turn)
      entry.warnings += lost.warnings(for: step.frame)
    }
    entry.seconds = (clock.now - start).inSeconds
    return entry
  }

  /// Makes and writes one frame and returns how it ended, unless it failed.
  private func make(
    _ step: FrameStep, _ admission: FrameAdmission, _ turn: Int, _ warnings: inout [String]
  ) async throws -> FrameLedger.Status {
    let read: Result<Source, any Error> = await pipeline.codec.run(for: step.frame.index) {
      Result { try self.read(step, admission) }
    }
    var source: Decoded
    switch read {
    case .success(.kept): return .skipped
    case .success(.banded(let plan, let orientation, let path, let remarks, let seal)):
      recording.pass(turn)
      warnings = try await makeInBands(step, plan, orientation, to: path, seal) + remarks
      return .done
    case .success(.refused(let error)): throw error
    case .failure(let error):
      await recording.wait(for: turn)
      throw unfit(step, error)
    case .success(.picture(let decoded)):
      await recording.wait(for: turn)
      source = decoded
    }
    let submission = try submit(step, source)
    source.inputs = nil
    recording.pass(turn)
    warnings = source.file?.warnings ?? []
    let made = try await settle(step, submission)
    settling.pass(turn)
    switch step.target {
    case nil: break
    case .file, .stream:
      // The seal promises that the result includes all frames before this one.
      if lost.history > 0 { await settling.wait(for: turn) }
      try await write(step, made, source, isSealed: lost.warnings(for: step.frame).isEmpty)
    case .film(let film):
      guard case .picture(let made) = made else { trap("rows were made for the film \(film.name)") }
      // A film with a frame left out would be another film.
      guard await filming.wait(for: turn) else { return .untouched }
      if let file = source.file {
        let shape = try shape(of: source.picture.filtered, through: source.processor.chain, file.metadata.pixelAspect)
        warnings += made.losses(in: film, of: source.picture, shape)
      }
      do throws(SafelightError) {
        try await film.write(step.frame(of: made, in: film.format, isUpright: pipeline.options.turnsUpright))
      } catch {
        // A film names its frames by their places, and the user by their files.
        throw error.kind == .input ? error.during(step.label) : error
      }
      if let image = made.image { observer.pixelsMade?(step.frame, image.pixelHash) }
    }
    return .done
  }

  /// Decides on an existing output and reads the frame's file, on a thread of the codec.
  private func read(_ step: FrameStep, _ admission: FrameAdmission) throws -> Source {
    let (frame, options) = (step.frame, pipeline.options)
    // A file that is not held whole is not read whole to be hashed.
    let isHeld = if case .whole = admission.way { true } else { false }
    lazy var bytes = Result { try observer.timed(.read) { try readFile(frame.path) } }
    func hash(checking: Bool) throws -> [UInt8] {
      let file = try isHeld ? PNGBytes.memory(bytes.get()) : .file(OpenedFile(frame.path))
      return try PNGProvenance.hash(of: file, name: frame.path, checking: checking)
    }
    var remark: String?
    if let target = step.target {
      let isFilmed = step.picture != nil
      let verdict =
        step.verdict
        ?? outputs.verdict(on: frame, at: target, isFilmed: isFilmed) { try hash(checking: true) }
      switch verdict {
      case .keep: return .kept
      case .refuse(let error): return .refused(error)
      case .make(let why): remark = why.map { "made anew: \($0)" }
      }
    }
    if case .refused(let error) = admission.way {
      // A fault of the file itself is reported first: more memory would not help.
      if step.picture == nil { try PNGDecoder.check(fileAt: frame.path, limits: options.limits) }
      throw error
    }
    var seal: PNGProvenance?
    switch (step.target, step.picture) {
    // The decoder compares the checksums, and says what is wrong with a file that has no hash.
    case (nil, nil): if let hash = try? hash(checking: false) { outputs.note(frame, hash: hash) }
    case (.file, nil), (.stream, nil):
      seal = (try? hash(checking: false)).flatMap { outputs.seal(of: frame, hash: $0) }
    case (.file, _?), (.stream, _?): seal = recipe.seal(filmed: frame)
    case (.film, _), (nil, _?): break
    }
    if let remark = admission.remark { observer.warned?(frame, remark) }
    let remarks = [remark, admission.remark].compactMap { $0 }
    if case .file(let path) = step.target, case .bands(let plan, let turn) = admission.way {
      return .banded(plan, turn, to: path, remarks: remarks, seal)
    }
    func decoded(_ picture: FramePicture, _ file: PNGFile?, turned: Orientation) throws -> Source {
      let processor = try pipeline.processor.turning(options.turnsUpright ? turned : .up)
      let inputs = inputs(of: step, picture, processor)
      return .picture(Decoded(picture: picture, processor: processor, file: file, seal: seal, inputs: inputs))
    }
    if let picture = step.picture {
      return try decoded(FramePicture(picture, name: step.label), nil, turned: picture.orientation)
    }
    let encoded = try bytes.get()
    var file = try observer.timed(.decode) {
      try PNGDecoder.decode(encoded, name: frame.path, limits: options.limits, codec: options.pngCodec)
    }
    file.warnings += remarks
    if let kind = options.kind { file.image = file.image.promoted(to: kind.union(PictureKind(file.image.descriptor))) }
    return try decoded(.image(file.image), file, turned: file.metadata.orientation)
  }

  /// Finds what the filters read besides `picture`: often files.
  private func inputs(
    of step: FrameStep, _ picture: FramePicture, _ processor: FrameProcessor
  ) -> Result<[StageInput?], any Error>? {
    // Why there is no plan, submitting the picture reports.
    guard let plan = try? processor.chain.plan(picture.filtered) else { return nil }
    return Result { try processor.inputs(for: step.identity, of: picture.filtered, plan) }
  }

  /// Hands a frame to the device.
  private func submit(_ step: FrameStep, _ source: Decoded) throws -> FrameSubmission {
    let (processor, picture) = (source.processor, source.picture)
    var layout = FrameLayout.image
    if case .film(let film) = step.target, film.format.layout.isYCbCr {
      layout = .planes(film.format.layout, film.format.color)
    }
    let (plan, inputs): ([ImageDescriptor], [StageInput?]?)
    do {
      (plan, inputs) = (
        try processor.plan(picture.filtered, as: layout, label: step.label), try source.inputs?.get()
      )
    } catch {
      throw unfit(step, error)
    }
    lost.begin(step.frame)
    do {
      return try processor.submit(
        picture, as: layout, plan, inputs: inputs, endsInRows: endsInRows(step, source), of: step.identity)
    } catch {
      lost.add(step.frame, error)
      throw error
    }
  }

  /// Returns whether nobody needs a frame's picture whole, so that its rows can be encoded as they are made.
  private func endsInRows(_ step: FrameStep, _ source: Decoded) -> Bool {
    guard observer.pictures == nil, source.file?.grayBits == nil else { return false }
    return switch step.target {
    case .file, .stream: pipeline.options.pngCodec.encodesBlocks(pipeline.options.compression)
    case .film, nil: false
    }
  }

  /// Resets the filters and notes the loss, since later frames may depend on this one.
  private func unfit(_ step: FrameStep, _ error: any Error) -> UnfitFrame {
    pipeline.processor.chain.reset()
    lost.add(step.frame, error)
    return UnfitFrame(reason: error)
  }

  /// Waits for the device.
  private func settle(_ step: FrameStep, _ submission: FrameSubmission) async throws -> Made {
    do {
      let made: Made
      if let rows = try await submission.rows() {
        made = .rows(rows)
      } else {
        made = .picture(try await submission.finished { observer.twinsDiffered?(step.frame, step.target, $0, $1) })
      }
      if !submission.measurements.isEmpty { observer.measured?(step.frame, try submission.measured()) }
      submission.tellTimes(observer)
      return made
    } catch {
      // Its counts may be incomplete. If only the twin disagrees, those of the device are complete.
      if (error as? SafelightError)?.kind != .difference {
        pipeline.processor.chain.reset()
        lost.add(step.frame, error)
      }
      throw error
    }
  }

  /// Returns the shape of the pixels that `chain` makes of a picture like `picture`, whose own have the shape `stated`;
  /// nil if it is not stated.
  private func shape(
    of picture: ImageDescriptor, through chain: FilterChain, _ stated: PixelAspect?
  ) throws -> PixelAspect? {
    try pipeline.options.pixelAspect ?? chain.pixelAspect(of: picture, stated ?? aspect)
  }

  /// Returns the metadata, made from `metadata`, of what `chain` makes of a picture like `picture`.
  func metadata(
    _ metadata: PNGMetadata, of picture: ImageDescriptor, through chain: FilterChain, _ seal: PNGProvenance?
  ) throws -> PNGMetadata {
    var made = metadata
    if let seal { made.chunks.insert(seal.chunk, at: 0) }
    made = made.shaped(try shape(of: picture, through: chain, metadata.pixelAspect))
    return chain.makesUpright ? made.upright() : made
  }

  /// Writes a PNG file, or the bytes of one to a stream.
  private func write(_ step: FrameStep, _ made: Made, _ source: Decoded, isSealed: Bool) async throws {
    guard let target = step.target, let result = made.descriptor else { return }
    let (chain, picture) = (source.processor.chain, source.picture.filtered)
    let codec = try codec(for: result, of: picture, through: chain)
    try await pipeline.codec.run(for: step.frame.index) { [options = pipeline.options, observer] in
      let stated = try source.file?.metadata ?? step.metadata(of: result)
      let metadata = try self.metadata(stated, of: picture, through: chain, isSealed ? source.seal : nil)
      if case .rows(let rows) = made {
        let encoded = try observer.timed(.encode) {
          try PNGEncoder.encode(
            rows, metadata: metadata, for: target.name, codec: codec, hashing: observer.pixelsMade != nil)
        }
        try self.write(encoded.bytes, to: target)
        if let hash = encoded.hash { observer.pixelsMade?(step.frame, hash) }
        return
      }
      guard case .picture(.image(let image)) = made else { trap("luma and chroma were made for \(target.name)") }
      let file = PNGFile(image: image, metadata: metadata, grayBits: source.file?.grayBits)
      let encoded = try observer.timed(.encode) { try file.encoded(for: target.name, options.compression, codec) }
      try self.write(encoded, to: target)
      observer.pixelsMade?(step.frame, image.pixelHash)
      if let before = source.picture.image { observer.pictures?(step.frame, before, image) }
    }
  }

  private func write(_ encoded: [UInt8], to target: FrameTarget) throws {
    switch target {
    case .file(let path):
      try observer.timed(.write) {
        let output = try AtomicFile(path: path)
        try output.write(encoded)
        try output.commit()
      }
    case .stream(let place): try place.write(encoded)
    case .film: break
    }
  }

  /// Returns the codec that writes `image`, made by `chain` of a picture like `source`: huge ones row by row, unless a
  /// filter needs the whole.
  private func codec(
    for image: ImageDescriptor, of source: ImageDescriptor, through chain: FilterChain
  ) throws -> PNGCodec {
    let codec = pipeline.options.pngCodec
    guard image.byteCount > codec.largestWrittenWhole else { return codec }
    if case .whole = try chain.bands(of: [source] + chain.plan(source)) { return pipeline.wholeCodec }
    return codec
  }
}
