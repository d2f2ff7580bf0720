internal import SafelightFrames
internal import SafelightImage
internal import Synchronization

/// Frames go from file to file in bands of rows if they are huge, or do not fit into the memory for frames.
///
/// One frame is made at a time, whatever the jobs. The files of huge frames are byte for byte those of whole pictures;
/// the others have the same pixels.
extension FrameJourney {
  /// A frame that is made in bands, and its file.
  struct BandedFrame {
    let picture: BandedPicture
    let reader: PNGRowReader
  }

  /// Makes the file at `path` from a frame, once those that came before it are made; returns the warnings.
  func makeInBands(
    _ step: FrameStep, _ plan: BandPlan, _ orientation: Orientation, to path: String, _ seal: PNGProvenance?
  ) async throws -> [String] {
    let turn = bandTurns.add(1, ordering: .relaxed).oldValue
    await banding.wait(for: turn)
    defer { banding.pass(turn) }
    let frame = try await pipeline.codec.run(for: step.frame.index) { [pipeline] in
      let reader = try PNGRowReader(step.frame.path, limits: pipeline.options.limits)
      let isAsPlanned =
        reader.picture == plan.images[0]
        && (!pipeline.options.turnsUpright || reader.metadata.orientation == orientation)
      try ensure(
        isAsPlanned, .input, reader.path, why: "it was replaced while it was read",
        remedy: "run again once nothing writes to it")
      let processor = try pipeline.processor.turning(orientation)
      return BandedFrame(picture: try BandedPicture(plan, of: step.identity, processor), reader: reader)
    }
    var reader = frame.reader
    for sweep in plan.sweeps.dropLast() {
      try await survey(step, frame.picture, sweep, reader)
      reader = try await reopened(frame.reader, step)
    }
    guard let last = plan.sweeps.last else { return [] }
    try await make(step, frame.picture, last, reader, since: frame.reader, to: path, seal)
    let measured = frame.picture.measured.withLock { $0 }
    if !measured.isEmpty { observer.measured?(step.frame, measured) }
    return reader.warnings
  }

  /// Opens the file again from which `reader` reads; throws if it was changed.
  private func reopened(_ reader: PNGRowReader, _ step: FrameStep) async throws -> PNGRowReader {
    try await pipeline.codec.run(for: step.frame.index) { [limits = pipeline.options.limits] in
      try reader.checkIsUnchanged()
      return try PNGRowReader(reader.path, limits: limits)
    }
  }

  /// Reads a picture once, for a survey of a filter.
  private func survey(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandPlan.Sweep, _ reader: PNGRowReader
  ) async throws {
    let window = PNGRowWindow(reader)
    var source = try await rows(step, window, picture, sweep, 0)
    for band in sweep.bands.indices {
      guard let current = source else { return }
      // While a band is surveyed the next is read.
      source = try await during({ try await self.rows(step, window, picture, sweep, band + 1) }) {
        _ = try await self.processed(step, picture, sweep, band, of: current)
      }
    }
  }

  /// Reads a picture and makes the file at `path`, unless the picture's file was changed since `first` opened it.
  private func make(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandPlan.Sweep, _ reader: PNGRowReader,
    since first: PNGRowReader, to path: String, _ seal: PNGProvenance?
  ) async throws {
    let window = PNGRowWindow(reader)
    let metadata = try metadata(reader.metadata, of: reader.picture, through: picture.processor.chain, seal)
    let output = try await pipeline.codec.run(for: step.frame.index) { [options = pipeline.options, observer] in
      try BandOutput(to: path, picture.plan, metadata, options, hashing: observer.pixelsMade != nil)
    }
    // When the frame has failed, a writing thread may still hold the writer.
    defer { output.abandon() }
    let made: @Sendable (Int) async throws -> Image? = { band in
      guard let source = try await self.rows(step, window, picture, sweep, band) else { return nil }
      return try await self.processed(step, picture, sweep, band, of: source)
    }
    var band = try await made(0)
    for number in sweep.bands.indices {
      guard let rows = band else { break }
      // While a band is written the next is read and made.
      band = try await during({ try await made(number + 1) }) {
        try await self.pipeline.codec.run(for: step.frame.index) { try output.append(rows) }
      }
    }
    let hash = try await pipeline.codec.run(for: step.frame.index) {
      try window.finish()
      try first.checkIsUnchanged()
      return try output.finish()
    }
    if let hash { observer.pixelsMade?(step.frame, hash) }
  }

  /// Does `work` while `next` goes on, which is returned.
  private func during<Value: Sendable>(
    _ next: @escaping @Sendable () async throws -> Value?, _ work: () async throws -> Void
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await next() }
      try await work()
      return try await group.next() ?? nil
    }
  }

  /// Reads the rows that a band of this number needs; nil after the last band.
  private func rows(
    _ step: FrameStep, _ window: PNGRowWindow, _ picture: BandedPicture, _ sweep: BandPlan.Sweep, _ band: Int
  ) async throws -> Image? {
    guard sweep.bands.indices.contains(band) else { return nil }
    return try await pipeline.codec.run(for: step.frame.index) {
      try window.rows(picture.plan.needs(for: sweep.bands[band], in: sweep)[0])
    }
  }

  /// Takes a band through the device.
  private func processed(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandPlan.Sweep, _ band: Int, of source: Image
  ) async throws -> Image? {
    let submission = try picture.submit(sweep.bands[band], of: source, in: sweep)
    let made = try await submission.finished { observer.twinsDiffered?(step.frame, step.target, $0, $1) }
    let measured = try submission.measured()
    picture.measured.withLock { $0 += measured }
    return made.image
  }
}

/// The file that bands are written to.
private final class BandOutput: Sendable {
  private struct Collected: ~Copyable {
    var file: AtomicFile?
    var bytes: [UInt8] = []
  }

  private let rows: PNGRowWriter?
  private let collected: Mutex<Collected>
  private let encoded: @Sendable ([UInt8]) throws -> (file: [UInt8], hash: String?)

  /// Begins the file at `path` for the result of `plan`. A small result of a huge picture is written at once, as any
  /// other; a picture that goes in bands for lack of memory leaves none to collect its rows.
  init(
    to path: String, _ plan: BandPlan, _ metadata: PNGMetadata, _ options: FramePipeline.Options, hashing: Bool
  ) throws {
    let (picture, compression, codec) = (plan.result, options.compression, options.pngCodec)
    if BandPlan.collectsResult(plan.images, codec) {
      rows = nil
      collected = Mutex(Collected(file: try AtomicFile(path: path)))
    } else {
      rows = try PNGRowWriter(
        to: path, picture, metadata: metadata, compression: compression, codec: codec, hashing: hashing)
      collected = Mutex(Collected(file: nil))
    }
    encoded = { bytes in
      let image = Image(picture, bytes: bytes)
      let file = try PNGFile(image: image, metadata: metadata).encoded(for: path, compression, codec)
      return (file, hashing ? image.pixelHash : nil)
    }
  }

  func append(_ band: Image) throws {
    if let rows { try rows.append(band) } else { collected.withLock { $0.bytes += band.bytes } }
  }

  /// Removes the unfinished file, unless it has its name already.
  func abandon() {
    rows?.abandon()
    collected.withLock { $0.file = nil }
  }

  /// Gives the file its name, once it has all rows; returns the hash of its pixels.
  func finish() throws -> String? {
    if let rows { return try rows.finish() }
    return try collected.withLock { collected in
      let made = try encoded(collected.bytes)
      guard let file = collected.file.take() else { return made.hash }
      try file.write(made.file)
      try file.commit()
      return made.hash
    }
  }
}

extension BandPlan {
  /// Returns whether the first of `images` is huge and the last is not, so that the rows of the last are written at
  /// once.
  static func collectsResult(_ images: [ImageDescriptor], _ codec: PNGCodec) -> Bool {
    images[0].byteCount > codec.largestWrittenWhole
      && images[images.count - 1].byteCount <= codec.largestWrittenWhole
  }
}
