internal import SafelightFrames
internal import SafelightImage
internal import Synchronization

/// The way of a run's huge frames, from file to file in bands of rows: memory is bounded by a band, and not by the
/// picture.
///
/// One frame goes it at a time, whatever the jobs. The files are the same, byte for byte, as if the pictures had come
/// whole.
final class FrameBands: Sendable {
  private let pipeline: FramePipeline
  private let outputs: ExistingOutputs?
  private let observer: FramePipeline.Observer
  private let last = Mutex<Task<Void, Never>?>(nil)

  init(_ pipeline: FramePipeline, _ outputs: ExistingOutputs?, _ observer: FramePipeline.Observer) {
    self.pipeline = pipeline
    self.outputs = outputs
    self.observer = observer
  }

  /// True where the frame of `step` goes this way: from a huge file to a file, through filters that need not see all of
  /// it, and nobody else wants to. Looks at the beginning of its file.
  func take(_ step: FrameStep) -> Bool {
    guard case .make(.file) = step.action, step.picture == nil, observer.pictures == nil,
      pipeline.processor.chain.isPointwise
    else { return false }
    return PNGRowReader.isMeant(for: step.frame.path, codec: pipeline.options.pngCodec)
  }

  /// Makes the file of a frame that ``take(_:)`` is true for, once those before it are made; returns the warnings.
  ///
  /// Throws ``FrameIsThere`` where it need not be made.
  func make(_ step: FrameStep) async throws -> [String] {
    let task = last.withLock { last in
      let task = Task { [before = last] in
        await before?.value
        return try await makeNow(step)
      }
      last = Task { _ = await task.result }
      return task
    }
    return try await task.value
  }

  private func makeNow(_ step: FrameStep) async throws -> [String] {
    let (frame, options) = (step.frame, pipeline.options)
    let way = try await pipeline.codec.run(for: frame.index) { try self.open(step) }
    // A thread that wrote may still hold the writer when the frame has failed.
    defer { way.writer.abandon() }
    let band = max(1, options.bandByteCount / way.bytesPerRow)
    // While one band is written the next is read and made.
    var next = made(step, way.reader, 0..<band)
    var row = 0
    while let rows = try await next.value {
      row += band
      next = made(step, way.reader, row..<row + band)
      do {
        try await pipeline.codec.run(for: frame.index) { try way.writer.append(rows) }
      } catch {
        // Nothing goes on behind the end of a frame.
        _ = await next.result
        throw error
      }
    }
    let hash = try await pipeline.codec.run(for: frame.index) { try way.writer.finish() }
    if let hash { observer.pixelsMade?(frame, hash) }
    return way.reader.warnings + way.remarks
  }

  private struct Way: Sendable {
    let reader: PNGRowReader
    let writer: PNGRowWriter
    let remarks: [String]

    var bytesPerRow: Int { reader.picture.size.width * reader.picture.pixelFormat.bytesPerPixel }
  }

  /// Opens both files, unless nothing is to be done.
  private func open(_ step: FrameStep) throws -> Way {
    guard case .make(.file(let path)) = step.action else { throw FrameIsThere() }
    let (frame, options) = (step.frame, pipeline.options)
    var remarks: [String] = []
    var seal: PNGSeal?
    if let outputs {
      let hash = try hash(ofFileAt: frame.path)
      switch outputs.verdict(on: frame, at: .file(path), hash: hash) {
      case .skip: throw FrameIsThere()
      case .make(let reason): remarks += reason.map { ["made anew: \($0)"] } ?? []
      }
      seal = outputs.seal(of: frame, hash: hash)
    }
    let reader = try PNGRowReader(frame.path, limits: options.limits)
    let plan = try pipeline.processor.plan(reader.picture, as: .image, label: step.label)
    let picture = plan.last ?? reader.picture
    var metadata = reader.metadata
    if let seal { metadata.chunks.insert(seal.chunk, at: 0) }
    let writer = try PNGRowWriter(
      to: path, picture, metadata: metadata, compression: options.compression, hashing: observer.pixelsMade != nil)
    return Way(reader: reader, writer: writer, remarks: remarks)
  }

  /// Starts to read a band and to take it through the device; makes nil behind the last row.
  private func made(_ step: FrameStep, _ reader: PNGRowReader, _ rows: Range<Int>) -> Task<Image?, any Error> {
    Task { [pipeline, observer] in
      guard let band = try await pipeline.codec.run(for: step.frame.index, { try reader.rows(rows.count) }) else {
        return nil
      }
      let submission = try pipeline.processor.submit(
        .image(band), as: .image, label: step.label, firstRow: rows.lowerBound)
      return try await submission.finished { observer.twinsDiffered?(step.frame, step.target, $0, $1) }.image
    }
  }
}
