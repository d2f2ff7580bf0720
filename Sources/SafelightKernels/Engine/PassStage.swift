internal import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// A kernel of passes on one device, or several that are joined, as a stage of a chain.
final class PassStage: BandedStage, StageMeasurement {
  private let kernels: [AppliedKernel]
  private let edge: Int
  private let pipeline: PipelineKind
  let call: String
  let isPointwise: Bool
  /// The plans for the last kinds of pictures, and their tables and constant pictures.
  private let plans = Mutex<(plans: [PassPicture: PassPlan], constants: Memo<TiledTexture>)>(([:], Memo()))
  /// The memory of what passes make besides results, for pictures like the last one.
  private let kept = Mutex<(shape: PassPlan.Shape, memory: Memo<PassStorage>)?>(nil)
  /// Whether one plan of bands serves all frames of a kind, by their kinds; a sequence has few.
  private let timed = Mutex<[ImageDescriptor: Bool]>([:])
  private let earlier = EarlierNumbers()
  /// The picture of the kernel's own for the last kind of frames, if it serves all of them.
  private let own = Mutex<(picture: PassPicture, texture: TiledTexture)?>(nil)

  init(_ kernels: [AppliedKernel], edge: Int, pipeline: PipelineKind) {
    self.kernels = kernels
    self.edge = edge
    self.pipeline = pipeline
    call = kernels.map(\.call).joined(separator: ",")
    isPointwise = kernels.allSatisfy(\.isPointwise)
  }

  var makesUpright: Bool { kernels.contains(where: \.kernel.makesUpright) }
  func scaledSize(of size: Size) -> Size {
    kernels.reduce(size) { ($1.kernel as? any ResamplingKernel)?.scaledSize(of: $0) ?? $0 }
  }
  var history: Int { kernels.map(\.kernel.history).max() ?? 0 }
  func reset() { earlier.reset() }
  private var framePictures: (any FramePictureKernel)? { kernels.first?.kernel as? any FramePictureKernel }
  private var isTimed: Bool { kernels.contains { $0.kernel is any TimedKernel || !$0.indices.isEmpty } }
  var dependsOnPosition: Bool { isTimed || framePictures?.picturesDependOnPosition ?? false }
  var dependsOnName: Bool { framePictures?.picturesDependOnName ?? false }

  func input(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> StageInput? {
    let input = StageInput.pictures([], position: frame.position)
    try check(image, beside: input)
    guard framePictures != nil else { return isTimed ? input : nil }
    let picture = picture(image, beside: input)
    guard let kernel = kernels[0].kernel(at: picture.moment) as? any FramePictureKernel else { return nil }
    if !kernel.hasPictureForEachFrame, let own = own.withLock({ $0 }), own.picture == picture {
      return .pictures([own.texture], position: frame.position)
    }
    let texture = TiledTexture(
      try kernel.framePicture(for: frame, like: image), edge: edge, label: "picture of \(name)")
    own.withLock { $0 = kernel.hasPictureForEachFrame ? nil : (picture, texture) }
    return .pictures([texture], position: frame.position)
  }

  /// Joins stages whose kernels make each pixel from the pixel at its place, if one function comes of them.
  func joined(with next: any ImageStage) -> (any ImageStage)? {
    guard let next = next as? PassStage, isPointwise, next.isPointwise else { return nil }
    let kernels = kernels + next.kernels
    let isOne = PassPlan.forEveryKind(kernels).allSatisfy { $0.nodes.count <= 1 }
    return isOne ? PassStage(kernels, edge: edge, pipeline: pipeline) : nil
  }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    _ = try needsSameRows(for: image)
    return try plan(for: picture(image)).result.image
  }

  func check(_ image: ImageDescriptor, beside input: StageInput?) throws(SafelightError) {
    guard isTimed else { return }
    let picture = picture(image, beside: input)
    // A value between those that were tried may make another size.
    try ensure(
      try plan(for: picture).result.image == output(of: image), .usage, "filter '\(name)'",
      why: "its result changes over time", remedy: "give the numbers that change it one value")
  }

  /// Checks values over time; returns whether one plan of bands serves all frames.
  private func needsSameRows(for image: ImageDescriptor) throws(SafelightError) -> Bool {
    if let known = timed.withLock({ $0[image] }) { return known }
    let found = kernels.count > 1 ? true : try kernels[0].checkOverTime(image)
    timed.withLock { $0[image] = found }
    return found
  }

  func exchangesAxes(of image: ImageDescriptor) throws(SafelightError) -> Bool {
    try plan(for: picture(image)).exchangesAxes
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    let recorder = recorder(for: source, input, buffer)
    recorder.encode(
      source, input?.pictures ?? [], mask: input?.mask, to: [destination], earlier: earlier.next(recorder.plan))
  }

  func encodeButRows(to buffer: CommandBuffer, source: TiledTexture) -> PassRows? {
    // A plan for every frame, which makes rows of its picture alone.
    guard kernels.allSatisfy(\.isPlain) else { return nil }
    let recorder = recorder(for: source, nil, buffer)
    return PassRows(recorder, of: source) { earlier.next(recorder.plan) }
  }

  private func recorder(for source: TiledTexture, _ input: StageInput?, _ buffer: CommandBuffer) -> PassRecorder {
    let plan = plan(of: source, beside: input)
    return PassRecorder(
      plan: plan, pipeline: pipeline, call: call, buffer: buffer, constants: plans.withLock { $0.constants },
      kept: memory(for: plan.source))
  }

  /// All pictures can share the memory: it is made and used by commands between which no command buffer waits, and a
  /// device turns to another command buffer only where one waits.
  private func memory(for source: PassPicture) -> Memo<PassStorage> {
    let shape = PassPlan.Shape(source)
    return kept.withLock { kept in
      if let kept, kept.shape == shape { return kept.memory }
      let memory = Memo<PassStorage>()
      kept = (shape, memory)
      return memory
    }
  }

  var filterCount: Int { kernels.count }

  func explained(for image: ImageDescriptor, beside input: StageInput?) throws(SafelightError) -> [ExplainedPass] {
    try plan(for: picture(image, beside: input)).explained
  }

  func byteCounts(for image: ImageDescriptor) throws(SafelightError) -> StageByteCounts {
    try plan(for: picture(image)).byteCounts
  }

  func bands(of image: ImageDescriptor) throws(SafelightError) -> (any StageBands)? {
    let plan = try plan(for: picture(image))
    guard history == 0, try needsSameRows(for: image) else { return nil }
    return PassBands(
      plan: plan, pipeline: pipeline, call: call,
      constants: plans.withLock { $0.constants },
      isMeasured: reduction != nil
    ) { [self] source, input in
      secondCount == 0 && !isTimed ? nil : self.plan(of: source, beside: input)
    }
  }

  // MARK: Second pictures

  var secondCount: Int { kernels.map(\.kernel.numberOfSeconds).max() ?? 0 }
  var readsMask: Bool { kernels.contains(where: \.isMasked) }

  // MARK: Measurement

  private var reduction: (any ReductionKernel)? { kernels.first?.kernel as? any ReductionKernel }
  var measurement: (any StageMeasurement)? { reduction == nil ? nil : self }
  var name: String { kernels.map(\.kernel.name).joined(separator: ", ") }

  func byteCount(of source: TiledTexture) -> Int { reduction(of: source).byteCount }

  func encode(to buffer: CommandBuffer, source: TiledTexture, into memory: Buffer, offset: Int) {
    reduction(of: source).encode(to: buffer, source, into: memory, offset: offset)
  }

  func values(_ bytes: [UInt8], of image: ImageDescriptor) -> [(name: String, value: Double)] {
    let whole = Region(size: image.size)
    let counted = kernels.first?.region?.intersection(whole) ?? whole
    let part = ImageDescriptor(
      size: counted.size, channels: image.channels, depth: image.depth, color: image.color)
    return reduction?.values(of: bytes.words, for: part) ?? []
  }

  private func reduction(of source: TiledTexture) -> Reduction { Reduction(plan: plan(of: source), call: call) }

  // MARK: Plans

  /// The picture of which passes are made, with what is known of all that comes with it.
  private func picture(
    _ image: ImageDescriptor, _ format: PixelFormat? = nil, beside input: StageInput? = nil
  ) -> PassPicture {
    guard kernels.count == 1 else { return PassPicture(image, format) }
    return kernels[0].picture(image, format, seconds: input?.pictures.map(\.size) ?? [], at: input?.position)
  }

  /// The plan for a picture that ``output(of:)`` has admitted, and for what comes with it.
  private func plan(of source: TiledTexture, beside input: StageInput? = nil) -> PassPlan {
    let picture = picture(
      source.image ?? source.pixelFormat.descriptor(source.size), source.pixelFormat, beside: input)
    do throws(SafelightError) {
      return try plan(for: picture)
    } catch {
      trap("\(call) was given \(picture.image), which output(of:) refuses: \(error.why)")
    }
  }

  private func plan(for picture: PassPicture) throws(SafelightError) -> PassPlan {
    if let known = plans.withLock({ $0.plans[picture] }) { return known }
    let plan = try PassPlan(kernels, for: picture, edge: edge)
    plans.withLock { known in
      // A sequence has few kinds of pictures.
      if known.plans.count == 16 { known = ([:], Memo()) }
      known.plans[picture] = plan
    }
    return plan
  }
}
