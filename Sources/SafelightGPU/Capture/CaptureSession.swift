internal import SafelightGLES
internal import SafelightImage
internal import Synchronization

/// One command buffer on its way through the device with reads before and after it, so that nothing of its replay changes.
final class CaptureSession: Sendable {
  private let submission: Submission
  private let composer: CaptureComposer
  private let before: CaptureProbe
  private let after: CaptureProbe
  private let notes: [String]
  private let missingInputs: [String]
  /// What is read though the command buffer does not depend on what it held: lost with a context, that is zeros as in the new one.
  private let dispensable: Set<ResourceID>
  private let sink: any CaptureSink
  private let inputs = Mutex<Result<ReplayResult, SafelightError>?>(nil)

  init(_ submission: Submission, info: DeviceInfo, sink: any CaptureSink) throws(SafelightError) {
    let recording = submission.recording
    self.submission = submission
    self.sink = sink
    composer = try CaptureComposer(recording, info: info)
    var before = CaptureProbe(label: "capture before '\(recording.label)'")
    var after = CaptureProbe(label: "capture after '\(recording.label)'")
    var notes: [String] = []
    let used = Set(composer.resources.map(\.resource.id))
    let contents = recording.neededContents(among: used)
    for touched in composer.resources {
      var isReadable = true
      if touched.isInput { isReadable = before.add(touched.resource, name: touched.name) }
      if touched.isOutput { isReadable = after.add(touched.resource, name: touched.name) && isReadable }
      guard !isReadable else { continue }
      if case .texture(let texture) = touched.resource, !texture.pixelFormat.isColor {
        notes.append("\(touched.name) holds depths or stencils, which cannot be read")
      } else {
        notes.append("\(touched.name) has several samples a pixel, which cannot be read")
      }
    }
    let read = composer.readbacks.reduce(0) { $0 + $1.readback.length }
    let needed = composer.byteCount + before.byteCount + after.byteCount + read
    guard needed <= sink.byteLimit else {
      throw SafelightError(
        .limit, "'\(recording.label)'",
        why: "a capture of it takes up to \(needed) bytes of memory; \(sink.byteLimit) are the limit",
        remedy: "use smaller resources or fewer in a command buffer, or raise the byteLimit of the capture's sink")
    }
    self.before = before
    self.after = after
    self.notes = notes
    missingInputs = contents.compactMap(\.missingLabel)
    dispensable = used.subtracting(contents.map(\.id))
  }

  /// Hands the command buffer to `thread` with the reads before it; it is told to be over after those behind it and the sink.
  ///
  /// Returns why where the device takes no more work.
  func submit(to thread: DeviceThread) -> SafelightError? {
    var reads = Submission(
      recording: before.recording(after: recording.leadingWaits), lane: submission.lane, scheduled: {}
    ) { outcome in
      self.inputs.withLock { $0 = outcome.mapError(\.error) }
    }
    reads.dispensable = dispensable
    var watched = Submission(recording: recording, lane: submission.lane, scheduled: submission.scheduled) { outcome in
      do throws(SafelightError) {
        try self.end(outcome, on: thread)
        self.submission.completed(outcome)
      } catch {
        self.submission.completed(.failure(ReplayFailure(error: error.during("capture of '\(self.recording.label)'"))))
      }
    }
    // Nobody must see signals and outputs of a command buffer that is said to have failed.
    watched.refusal = {
      guard case .failure(let error) = self.inputs.withLock({ $0 }) else { return nil }
      return error.during("inputs of its capture")
    }
    // In one go: the work of another queue between the two would make inputs of what the command buffer never saw.
    return thread.submit(reads, watched)
  }

  private var recording: Recording { submission.recording }

  /// Reads what the command buffer left behind and hands all to the sink; on the device's thread.
  private func end(_ outcome: Result<ReplayResult, ReplayFailure>, on thread: DeviceThread) throws(SafelightError) {
    var capture = Capture(manifest: composer.manifest, blobs: composer.blobs, texts: composer.texts)
    capture.manifest.notes = notes
    capture.manifest.missingInputs = missingInputs.isEmpty ? nil : missingInputs
    switch inputs.withLock({ $0 }) {
    case .success(let result):
      capture.manifest.inputs = before.contents(result, in: "inputs", &capture.blobs)
    case .failure(let error):
      capture.manifest.notes.append("the inputs could not be read, so no command was carried out: \(error)")
    case nil: break
    }
    switch outcome {
    case .failure(let failure):
      capture.manifest.failure = recording.locate(failure.error, at: failure.command).description
    case .success(let result):
      let left = try thread.replay(after.recording(), dispensable: dispensable)
      capture.manifest.outputs = after.contents(left, in: "outputs", &capture.blobs)
      for received in composer.readbacks {
        guard let bytes = result.contents(of: received.readback) else { continue }
        capture.manifest.outputs.append(
          CaptureManifest.Contents(
            name: received.name, resource: received.name, image: nil,
            bytes: CaptureComposer.keep(
              bytes, at: "outputs/\(received.name)", size: received.size, received.pixelFormat, in: &capture.blobs)))
      }
    }
    try sink.receive(capture)
  }
}

extension ResourceTouch.Resource {
  /// The label of a texture that a capture needs and cannot read.
  fileprivate var missingLabel: String? {
    guard case .texture(let texture) = self else { return nil }
    guard !texture.pixelFormat.isColor || texture.descriptor.sampleCount > 1 else { return nil }
    return texture.label
  }
}

extension Recording {
  /// The waits that stand before everything else: what others do until then the command buffer sees as its inputs.
  fileprivate var leadingWaits: [Command] {
    commands.map(\.command).prefix { command in
      if case .signalEvent = command { return false }
      return command.touches.isEmpty
    }.filter { command in
      if case .waitForEvent = command { true } else { false }
    }
  }
}

/// Reads resources whole: what they hold before and after a command buffer.
struct CaptureProbe {
  /// An image of a texture or a whole buffer, and where its bytes go.
  struct Part {
    let name: String
    let resource: String
    let image: TextureImage?
    let size: Size?
    let pixelFormat: PixelFormat?
    let readback: Readback
    let command: Command

    init(_ buffer: Buffer, name: String) {
      self.name = name
      resource = name
      image = nil
      size = nil
      pixelFormat = nil
      readback = Readback(length: buffer.length)
      command = .readBuffer(buffer, range: 0..<buffer.length, into: readback)
    }

    init(_ texture: Texture, _ image: TextureImage, name: String, of resource: String) {
      let (format, size) = (texture.pixelFormat, texture.descriptor.size(atLevel: image.level))
      self.name = name
      self.resource = resource
      self.image = image
      self.size = size
      pixelFormat = format
      readback = Readback(size, format)
      command = .readTexture(
        Command.TextureRead(
          texture: texture, image: image, region: Region(size: size), pixelFormat: format, readback: readback,
          offset: 0, bytesPerRow: size.width * format.bytesPerPixel))
    }
  }

  private(set) var parts: [Part] = []
  let label: String

  init(label: String) { self.label = label }

  /// Adds all of a resource; false where it cannot be read.
  mutating func add(_ resource: ResourceTouch.Resource, name: String) -> Bool {
    switch resource {
    case .buffer(let buffer): parts.append(Part(buffer, name: name))
    case .texture(let texture):
      let descriptor = texture.descriptor
      guard descriptor.sampleCount == 1, descriptor.pixelFormat.isColor else { return false }
      let isOne = descriptor.mipmapLevelCount == 1 && descriptor.sliceCount() == 1
      for level in 0..<descriptor.mipmapLevelCount {
        for slice in 0..<descriptor.sliceCount(atLevel: level) {
          parts.append(
            Part(
              texture, TextureImage(level: level, slice: slice),
              name: isOne ? name : "\(name)-level-\(level)-slice-\(slice)", of: name))
        }
      }
    }
    return true
  }

  /// Bytes that they read.
  var byteCount: Int { parts.reduce(0) { $0 + $1.readback.length } }

  /// The commands that read, behind `waits`.
  func recording(after waits: [Command] = []) -> Recording {
    Recording(label: label, commands: waits + parts.map(\.command))
  }

  /// What they read, in words, the bytes in `blobs` under `folder`.
  func contents(
    _ result: ReplayResult, in folder: String, _ blobs: inout [String: Capture.Blob]
  ) -> [CaptureManifest.Contents] {
    parts.compactMap { part in
      guard let bytes = result.contents(of: part.readback) else { return nil }
      return CaptureManifest.Contents(
        name: part.name, resource: part.resource, image: part.image,
        bytes: CaptureComposer.keep(
          bytes, at: "\(folder)/\(part.name)", size: part.size, part.pixelFormat, in: &blobs))
    }
  }
}
