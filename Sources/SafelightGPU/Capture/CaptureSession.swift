internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// The capture of one command buffer: reads before and after it, which leave its own replay unchanged.
final class CaptureSession: Sendable {
  private let submission: Submission
  private let sink: any CaptureSink
  private let manifest: ManifestWriter
  private let before: [CaptureRead]
  private let after: [CaptureRead]
  private let notes: [String]
  private let missingInputs: [String]
  /// Resources that are read but not needed: after a lost context they are zeros, and not an error.
  private let dispensable: Set<ResourceID>
  private let inputs = Mutex<Result<ReplayResult, SafelightError>?>(nil)

  init(_ submission: Submission, info: DeviceInfo, sink: any CaptureSink) throws(SafelightError) {
    let recording = submission.recording
    self.submission = submission
    self.sink = sink
    manifest = try ManifestWriter(recording, info: info)
    var before: [CaptureRead] = []
    var after: [CaptureRead] = []
    var notes: [String] = []
    for used in manifest.resources {
      guard used.isInput || used.isOutput else { continue }
      if let obstacle = used.resource.obstacleToReading {
        notes.append("\(used.name) holds \(obstacle), which cannot be read")
        continue
      }
      if used.isInput { before += CaptureRead.all(of: used.resource, name: used.name) }
      if used.isOutput { after += CaptureRead.all(of: used.resource, name: used.name) }
    }
    let reads = before + after + manifest.readbacks
    let needed = manifest.byteCount + reads.reduce(0) { $0 + $1.readback.length }
    try ensure(
      needed <= sink.byteLimit, .limit, "'\(recording.label)'",
      why: "a capture of it takes up to \(needed) bytes of memory; the limit is \(sink.byteLimit)",
      remedy: "use smaller resources or fewer in a command buffer, or raise the byteLimit of the capture's sink")
    self.before = before
    self.after = after
    self.notes = notes
    let used = Set(manifest.resources.map(\.resource.id))
    let contents = recording.neededContents(among: used)
    missingInputs = contents.filter { $0.obstacleToReading != nil }.map(\.label)
    dispensable = used.subtracting(contents.map(\.id))
  }

  /// Submits the command buffer to `thread` after the reads of its inputs. It completes after the reads of its outputs
  /// and the call of the sink.
  ///
  /// Returns an error if the device takes no more work.
  func submit(to thread: DeviceThread) -> SafelightError? {
    var reads = Submission(
      recording: Recording(
        label: "capture before '\(recording.label)'", commands: recording.leadingWaits + before.compactMap(\.command)),
      timeline: submission.timeline, scheduled: {}
    ) { outcome in
      self.inputs.withLock { $0 = outcome.mapError(\.error) }
    }
    reads.dispensable = dispensable
    var watched = Submission(recording: recording, timeline: submission.timeline, scheduled: submission.scheduled) {
      outcome in
      do throws(SafelightError) {
        try self.end(outcome, on: thread)
        self.submission.completed(outcome)
      } catch {
        self.submission.completed(.failure(ReplayFailure(error: error.during("capture of '\(self.recording.label)'"))))
      }
    }
    // A command buffer that is reported as failed must not have visible signals or outputs.
    watched.refusal = {
      guard case .failure(let error) = self.inputs.withLock({ $0 }) else { return nil }
      return error.during("inputs of its capture")
    }
    // Both at once: otherwise work of another queue could come between, and the inputs would not be what the commands
    // see.
    return thread.submit(reads, watched)
  }

  private var recording: Recording { submission.recording }

  /// Reads the outputs of the command buffer and calls the sink; on the device's thread.
  private func end(_ outcome: Result<ReplayResult, ReplayFailure>, on thread: DeviceThread) throws(SafelightError) {
    var capture = Capture(manifest: manifest.manifest, blobs: manifest.blobs, texts: manifest.texts)
    capture.manifest.notes = notes
    capture.manifest.missingInputs = missingInputs.isEmpty ? nil : missingInputs
    switch inputs.withLock({ $0 }) {
    case .success(let result):
      capture.manifest.inputs = before.compactMap { $0.contents(result, in: "inputs", &capture.blobs) }
    case .failure(let error):
      capture.manifest.notes.append("the inputs could not be read, so no command ran: \(error)")
    case nil: break
    }
    switch outcome {
    case .failure(let failure):
      capture.manifest.failure = recording.locate(failure.error, at: failure.command).description
    case .success(let result):
      let left = try thread.replay(
        Recording(label: "capture after '\(recording.label)'", commands: after.compactMap(\.command)),
        dispensable: dispensable)
      capture.manifest.outputs =
        after.compactMap { $0.contents(left, in: "outputs", &capture.blobs) }
        + manifest.readbacks.compactMap { $0.contents(result, in: "outputs", &capture.blobs) }
    }
    try sink.receive(capture)
  }
}

extension ResourceAccess.Resource {
  /// The reason why a texture's contents cannot be read; nil if they can.
  fileprivate var obstacleToReading: String? {
    guard case .texture(let texture) = self else { return nil }
    if !texture.pixelFormat.isColor { return "depths or stencils" }
    return texture.descriptor.sampleCount > 1 ? "several samples a pixel" : nil
  }
}

extension Recording {
  /// The waits before all other commands: what happens until they end is an input of the command buffer.
  fileprivate var leadingWaits: [Command] {
    commands.prefix { entry in
      if case .signalEvent = entry.command { return false }
      return entry.accesses.isEmpty
    }.map(\.command).filter { command in
      if case .waitForEvent = command { true } else { false }
    }
  }
}

/// The read of a whole buffer, of an image of a texture, or of a readback that the command buffer itself fills.
struct CaptureRead: Sendable {
  let name: String
  let resource: String
  var image: TextureImage?
  var size: Size?
  var pixelFormat: PixelFormat?
  let readback: Readback
  /// The command that reads; nil for a readback of the command buffer.
  var command: Command?
}

extension CaptureRead {
  init(_ readback: Readback, name: String, command: Command? = nil) {
    self.init(name: name, resource: name, readback: readback, command: command)
  }

  init(_ buffer: Buffer, name: String) {
    let readback = Readback(length: buffer.length)
    self.init(readback, name: name, command: .readBuffer(buffer, range: 0..<buffer.length, into: readback))
  }

  init(_ texture: Texture, _ image: TextureImage, name: String, of resource: String) {
    let size = texture.descriptor.size(atLevel: image.level)
    let read = Command.TextureRead(texture: texture, image: image, region: Region(size: size))
    self.init(
      name: name, resource: resource, image: image, size: size, pixelFormat: read.pixelFormat,
      readback: read.readback, command: .readTexture(read))
  }

  static func all(of resource: ResourceAccess.Resource, name: String) -> [CaptureRead] {
    switch resource {
    case .buffer(let buffer): return [CaptureRead(buffer, name: name)]
    case .texture(let texture):
      let descriptor = texture.descriptor
      let isOne = descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1
      return (0..<descriptor.mipmapLevelCount).flatMap { level in
        (0..<descriptor.sliceCount(atLevel: level)).map { slice in
          CaptureRead(
            texture, TextureImage(level: level, slice: slice),
            name: isOne ? name : "\(name)-level-\(level)-slice-\(slice)", of: name)
        }
      }
    }
  }

  /// Returns the entry of the bytes that were read, which go to `blobs` under `folder`; nil if none were.
  func contents(
    _ result: ReplayResult, in folder: String, _ blobs: inout [String: Capture.Blob]
  ) -> CaptureManifest.Contents? {
    guard let bytes = result.contents(of: readback) else { return nil }
    return CaptureManifest.Contents(
      name: name, resource: resource, image: image,
      bytes: CaptureManifest.Bytes(bytes, at: "\(folder)/\(name)", size: size, pixelFormat, in: &blobs))
  }
}
