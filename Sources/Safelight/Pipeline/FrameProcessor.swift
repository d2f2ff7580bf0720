internal import SafelightFrames
public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// Takes frames through a filter chain on a device, one command buffer a frame.
///
/// Working textures are kept between frames of the same size and format. The device runs command buffers in the order
/// in which frames were submitted; any number of them may be in flight.
public final class FrameProcessor: Sendable {
  /// The device.
  public let device: Device
  /// The filters.
  public let chain: FilterChain

  /// The device on which every frame is replayed and compared; nil if nothing is verified.
  private let twin: Device?
  /// The queue of its command buffers.
  package let queue: CommandQueue
  private let kept: Kept
  /// The memory through which frames reach a GPU and return; nil if the driver copies them.
  private let mapped: MappedFrames?
  /// True if frames take memory that a GPU and the process share.
  var mapsMemory: Bool { mapped != nil }
  /// True if upload, filters and readback are command buffers of their own, each waited for, to be timed.
  private let isTimed: Bool
  /// The processors of turned pictures.
  private let turned = Mutex<[Orientation: FrameProcessor]>([:])

  /// The textures and the replay that a frame leaves for the next one.
  private final class Kept: Sendable {
    let workspace = Mutex<FrameWorkspace?>(nil)
    /// The last frame's replay on the twin; those of chains with a history follow one another.
    let lastReplay = Mutex<Task<Void, Never>?>(nil)
  }

  /// Joins a device and a chain made for it. With `verifying`, each frame is also replayed on that device.
  public convenience init(device: Device, chain: FilterChain, verifying twin: Device? = nil) {
    // A replay on another device needs the frame as it was; mapped memory holds the next one by then.
    self.init(device: device, chain: chain, verifying: twin, maps: twin == nil && MappedFrames.suit(device))
  }

  /// Joins a device and a chain; with `maps`, frames reach the device and return through mapped memory. With `isTimed`,
  /// submissions have their ``FrameSubmission/times``, and no two frames are on the device at a time.
  package init(device: Device, chain: FilterChain, verifying twin: Device? = nil, maps: Bool, isTimed: Bool = false) {
    trap(unless: twin == nil || !isTimed, "a frame whose stages are timed cannot be replayed")
    self.device = device
    self.chain = chain
    self.twin = twin
    self.isTimed = isTimed
    mapped = maps ? MappedFrames(device: device) : nil
    queue = device.makeCommandQueue(label: "frames")
    kept = Kept()
  }

  private init(_ processor: FrameProcessor, _ chain: FilterChain) {
    (device, self.chain, twin, isTimed) = (processor.device, chain, processor.twin, processor.isTimed)
    (mapped, queue, kept) = (processor.mapped, processor.queue, processor.kept)
  }

  /// Returns the processor of pictures stored as `orientation` says, which are made upright before the first filter.
  /// Its frames follow those of this one.
  package func turning(_ orientation: Orientation) throws -> FrameProcessor {
    if orientation == .up { return self }
    return try turned.withLock { turned in
      if let known = turned[orientation] { return known }
      let made = FrameProcessor(self, try chain.turning(orientation, on: device))
      turned[orientation] = made
      return made
    }
  }

  /// Takes one picture through the chain.
  public func process(_ image: Image, label: String = "picture") async throws -> Image {
    try await submit(image, label: label).image()
  }

  /// Takes one picture through a chain whose filters read second pictures: `seconds` are those that the chain does not
  /// name, in the order of its filters.
  ///
  /// ```swift
  /// let chain = try FilterChain(parsing: "blend=multiply:fit=cover,saturation=1.2", givenSecondsOn: device)
  /// let made = try await FrameProcessor(device: device, chain: chain).process(image, with: [texture])
  /// ```
  ///
  /// They follow `fit`, `gravity` and `color` of the chain, like pictures of files.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if there are more or fewer than the chain lacks, and of kind
  ///   `unsupported` if one does not suit the picture.
  public func process(_ image: Image, with seconds: [Image], label: String = "picture") async throws -> Image {
    let frame = FrameIdentity(name: label)
    let plan = try plan(image.descriptor, as: .image, label: label)
    let inputs = try inputs(for: frame, of: image.descriptor, plan, given: seconds)
    return try await submit(.image(image), as: .image, plan, inputs: inputs, of: frame).image()
  }

  /// Takes a frame of a sequence through the chain.
  package func process(_ image: Image, of frame: FrameIdentity) async throws -> Image {
    try await submit(.image(image), as: .image, of: frame).image()
  }

  /// Records and commits the work on `image` without waiting for it; `label` names it in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if a filter is not defined for such a picture or for the
  ///   meaning of its samples.
  public func submit(_ image: Image, label: String) throws -> FrameSubmission {
    try submit(.image(image), as: .image, label: label)
  }

  /// Records and commits the work that makes `layout` of `picture` without waiting for it; `label` names it in errors.
  ///
  /// Luma and chroma that no filter touches, and whose layout stays the same, come back byte for byte.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if a filter is not defined for such a picture or for the
  ///   meaning of its samples; also if luma and chroma do not state their matrix or range, or are asked for in a depth
  ///   other than the picture's.
  public func submit(_ picture: FramePicture, as layout: FrameLayout, label: String) throws -> FrameSubmission {
    try submit(picture, as: layout, of: FrameIdentity(name: label))
  }

  /// Submits the picture of `frame`. What is known already is not made again: its `plan`, and the `inputs` of the
  /// filters besides. With `endsInRows` the CPU leaves a look-up that ends the chain to the reader of
  /// ``FrameSubmission/rows()``, unless the commands are replayed, captured or timed.
  ///
  /// If that fails, the filters are reset, because commands on which later pictures of a film depend are lost.
  package func submit(
    _ picture: FramePicture, as layout: FrameLayout, _ plan: [ImageDescriptor]? = nil, inputs: [StageInput?]? = nil,
    endsInRows: Bool = false, of frame: FrameIdentity
  ) throws -> FrameSubmission {
    do {
      let plan = try plan ?? self.plan(picture.filtered, as: layout, label: frame.name)
      let inputs = try inputs ?? self.inputs(for: frame, of: picture.filtered, plan)
      let isWatched = twin != nil || isTimed || device.captureManager.mayCapture
      let endsInRows = endsInRows && device.info.isCPU && !isWatched
      return try record(picture, as: layout, plan, inputs, endsInRows, label: frame.name)
    } catch {
      chain.reset()
      throw error
    }
  }

  /// Returns what each filter makes of `image`, the input of the first; the last element is the result.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if a filter is not defined for such a picture or for the
  ///   meaning of its samples.
  func plan(_ image: ImageDescriptor, as layout: FrameLayout, label: String) throws(SafelightError) -> [ImageDescriptor]
  {
    let plan: [ImageDescriptor]
    do throws(SafelightError) {
      plan = try chain.plan(image)
    } catch {
      throw error.during(label)
    }
    guard case .planes(let planes, _) = layout, let result = plan.last, planes.depth != result.depth else {
      return plan
    }
    throw SafelightError(
      .unsupported, label,
      why:
        """
        \(chain.isPassthrough ? "it has" : "the filters make") samples of \(result.depth.rawValue) bits, but \
        \(RawPixels(planes)) holds \(planes.bits) bits
        """,
      remedy: "write a film of \(result.depth == .bits8 ? "8" : "more than 8") bits, or PNG files")
  }

  /// Returns what each filter reads besides its picture, for `frame` of which they make `plan`; `given` are the second
  /// pictures that the chain does not name.
  func inputs(
    for frame: FrameIdentity, of image: ImageDescriptor, _ plan: [ImageDescriptor], given: [Image] = []
  ) throws -> [StageInput?] {
    do {
      return try chain.inputs(for: frame, of: [image] + plan, given: given)
    } catch let error as SafelightError {
      throw error.during(frame.name)
    }
  }

  /// Commits what `record` records of a part of a picture, `source`. What it makes, if anything, is read back, and
  /// begins in row `firstRow` of a picture like `image`.
  func submit(
    part source: Image, firstRow: Int, label: String,
    _ record: (CommandBuffer) throws -> (made: TiledTexture?, image: ImageDescriptor, measured: [FrameMeasurement])
  ) throws -> FrameSubmission {
    let buffers = FrameBuffers(queue, label: label, areSeparate: false)
    let (made, image, measured) = try record(buffers.readback)
    let result = made.map { image.ofRows($0.region.size.height) } ?? image
    let returns = made.map { [FrameReturn.readback($0.encodeReadback(to: buffers.readback))] } ?? []
    try buffers.commit()
    return FrameSubmission(
      buffers: buffers, returns: returns, arrival: arrival(of: buffers.readback, returns, leaving: []),
      measurements: measured, picture: .image(source), firstRow: firstRow, layout: .image, result: result,
      replay: beginReplay(of: buffers.readback))
  }

  private func record(
    _ picture: FramePicture, as layout: FrameLayout, _ plan: [ImageDescriptor], _ inputs: [StageInput?],
    _ endsInRows: Bool, label: String
  ) throws -> FrameSubmission {
    var result = plan.last ?? picture.filtered
    var layout = layout
    if case .planes(let planes, let meaning) = layout {
      result.color = ColorDescription(
        matrix: meaning.matrix, range: meaning.range, transfer: result.color.transfer,
        primaries: result.color.primaries, siting: meaning.siting)
      layout = .planes(planes, result.color)
    }
    let images = [picture.filtered] + plan
    let kind = FrameWorkspace.Kind(picture, images, result: layout, isUnchanged: chain.isPassthrough)
    let buffers = FrameBuffers(queue, label: label, areSeparate: isTimed)
    let memory = try mapped.map { mapped in try picture.packedPlanes.map { try mapped.take(holding: $0) } }
    // Recording and committing under the lock makes the textures' uses follow the order of the queue.
    return try kept.workspace.withLock { kept in
      var space = try kept.flatMap { $0.kind == kind ? $0 : nil } ?? FrameWorkspace(device: device, kind: kind)
      let returns: [FrameReturn]
      let measurements: [FrameMeasurement]
      do {
        (returns, measurements) = try space.encode(
          picture, in: memory, through: Array(zip(chain.filters, inputs)), making: images, returning: mapped,
          endsInRows: endsInRows && layout == .image, to: buffers)
      } catch let error as SafelightError {
        throw error.during(label)
      }
      kept = space
      try buffers.commit()
      return FrameSubmission(
        buffers: buffers, returns: returns, arrival: arrival(of: buffers.readback, returns, leaving: memory ?? []),
        measurements: measurements, picture: picture, firstRow: 0, layout: layout, result: result,
        replay: beginReplay(of: buffers.readback))
    }
  }

  /// Waits for the bytes of a frame, then gives back the mapped memory of the result, and `memory`, which held the
  /// source.
  private func arrival(
    of buffer: CommandBuffer, _ returns: [FrameReturn], leaving memory: [Buffer]
  ) -> Task<[FrameContents], any Error> {
    Task { [mapped] in
      defer {
        let results = returns.compactMap { if case .mapped(let buffer) = $0 { buffer } else { nil } }
        mapped?.give(memory + results)
      }
      try await buffer.completed()
      return try returns.map { try $0.contents() }
    }
  }

  /// Starts the replay on the twin. With a history each waits for the one before, because the twin, too, holds what a
  /// frame leaves for the next.
  private func beginReplay(of buffer: CommandBuffer) -> Task<ReplayResult, any Error>? {
    guard let twin else { return nil }
    return kept.lastReplay.withLock { last in
      let before = chain.history > 0 ? last : nil
      let replay = Task {
        await before?.value
        return try await twin.replayed(buffer.recording)
      }
      last = Task { _ = await replay.result }
      return replay
    }
  }
}
