internal import SafelightFrames
internal import SafelightImage
internal import Synchronization

/// Huge frames go from file to file in bands of rows, so that memory is bounded by bands and not by the picture.
///
/// One frame is made at a time, whatever the jobs. The files are byte for byte those of whole pictures.
extension FrameJourney {
  /// A huge frame, whose file is open.
  struct HugeFrame {
    let picture: BandedPicture
    let reader: PNGRowReader
  }

  /// Opens the file of a frame that was admitted to bands; nil if a filter needs all of it, which its colors may decide.
  func huge(_ step: FrameStep, _ byteCount: Int) throws -> HugeFrame? {
    let reader = try PNGRowReader(step.frame.path, limits: pipeline.options.limits)
    let picture = try BandedPicture(reader.picture, of: step.identity, pipeline.processor, byteCount: byteCount)
    return picture.map { HugeFrame(picture: $0, reader: reader) }
  }

  /// Makes the file at `path` from a huge frame, once those before it are made; returns the warnings.
  func makeInBands(
    _ step: FrameStep, _ frame: HugeFrame, to path: String, _ seal: PNGSeal?
  ) async throws -> [String] {
    let turn = bandTurns.add(1, ordering: .relaxed).oldValue
    await banding.wait(for: turn)
    defer { banding.pass(turn) }
    let (picture, reader) = (frame.picture, frame.reader)
    for (number, sweep) in picture.sweeps.dropLast().enumerated() {
      try await survey(step, picture, sweep, try number == 0 ? reader : reopened(reader))
    }
    guard let last = picture.sweeps.last else { return [] }
    return try await make(step, picture, last, picture.sweeps.count == 1 ? reader : reopened(reader), to: path, seal)
  }

  /// Opens the file again from which `reader` reads.
  private func reopened(_ reader: PNGRowReader) throws -> PNGRowReader {
    let again = try PNGRowReader(reader.path, limits: pipeline.options.limits)
    guard again.picture == reader.picture else {
      throw SafelightError(
        .input, reader.path, why: "it was replaced by a file of another picture while it was read",
        remedy: "run again once nothing writes to it")
    }
    return again
  }

  /// Reads a picture once, for a survey of a filter.
  private func survey(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandedPicture.Sweep, _ reader: PNGRowReader
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

  /// Reads a picture and makes the file at `path`; returns the warnings.
  private func make(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandedPicture.Sweep, _ reader: PNGRowReader, to path: String,
    _ seal: PNGSeal?
  ) async throws -> [String] {
    let window = PNGRowWindow(reader)
    let metadata = try metadata(reader.metadata, of: reader.picture, seal)
    // A small result of a huge picture is written as any other. What goes in bands for lack of memory has none to
    // collect rows.
    let largest = pipeline.options.pngCodec.largestWrittenWhole
    let collects = reader.picture.byteCount > largest && picture.result.byteCount <= largest
    let output = try await pipeline.codec.run(for: step.frame.index) { [options = pipeline.options, observer] in
      try BandOutput(
        to: path, picture.result, metadata, options.compression, options.pngCodec, collects: collects,
        hashing: observer.pixelsMade != nil)
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
      return try output.finish()
    }
    if let hash { observer.pixelsMade?(step.frame, hash) }
    return reader.warnings
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
    _ step: FrameStep, _ window: PNGRowWindow, _ picture: BandedPicture, _ sweep: BandedPicture.Sweep, _ band: Int
  ) async throws -> Image? {
    guard sweep.bands.indices.contains(band) else { return nil }
    return try await pipeline.codec.run(for: step.frame.index) {
      try window.rows(picture.rows(for: sweep.bands[band], in: sweep))
    }
  }

  /// Takes a band through the device.
  private func processed(
    _ step: FrameStep, _ picture: BandedPicture, _ sweep: BandedPicture.Sweep, _ band: Int, of source: Image
  ) async throws -> Image? {
    let submission = try picture.submit(sweep.bands[band], of: source, in: sweep)
    let made = try await submission.finished { observer.twinsDiffered?(step.frame, step.target, $0, $1) }
    if !submission.measurements.isEmpty { observer.measured?(step.frame, try submission.measured()) }
    return made.image
  }
}

/// The file that bands are written to.
private final class BandOutput: Sendable {
  private let rows: PNGRowWriter?
  private let collected = Mutex<[UInt8]>([])
  private let whole: @Sendable ([UInt8]) throws -> String

  /// Begins the file at `path` for `picture`. If `collects`, its rows are written at once in the end.
  init(
    to path: String, _ picture: ImageDescriptor, _ metadata: PNGMetadata, _ compression: PNGCompression,
    _ codec: PNGCodec, collects: Bool, hashing: Bool
  ) throws {
    rows =
      collects
      ? nil : try PNGRowWriter(to: path, picture, metadata: metadata, compression: compression, hashing: hashing)
    whole = { bytes in
      let image = Image(picture, bytes: bytes)
      try PNGFile(image: image, metadata: metadata).write(to: path, compression: compression, codec: codec)
      return image.pixelHash
    }
  }

  func append(_ band: Image) throws {
    if let rows { try rows.append(band) } else { collected.withLock { $0 += band.bytes } }
  }

  /// Removes the unfinished file, unless it has its name already.
  func abandon() { rows?.abandon() }

  /// Gives the file its name, once it has all rows; returns the hash of its pixels.
  func finish() throws -> String? {
    if let rows { return try rows.finish() }
    return try whole(
      collected.withLock { bytes in
        defer { bytes = [] }
        return bytes
      })
  }
}
