public import SafelightGPU
public import SafelightImage
internal import Synchronization

/// A kernel that says which passes it makes of a picture; the engine records them.
public protocol PassKernel: ImageKernel {
  /// Returns the passes that make the result of `picture`, which ``ImageKernel/check(_:)-(ImageDescriptor)`` has
  /// admitted; none for a picture that stays as it is.
  func passes(for picture: PassPicture) throws(SafelightError) -> [Pass]

  /// The number of earlier pictures of a sequence on which a result depends; 0 for most.
  var history: Int { get }

  /// Returns the kernel with what the files hold that its parameters name. Called once, before a picture is checked.
  ///
  /// - Throws: ``SafelightError`` if a file is missing or damaged.
  func prepared() throws -> Self
}

extension PassKernel {
  /// Integers of 8 and of 16 bits by default, without two channels.
  public static var formats: [PixelFormat] { PixelFormat.pictureFormats }
  /// 0 by default.
  public var history: Int { 0 }
  /// The kernel itself by default.
  public func prepared() throws -> Self { self }

  /// The passes, for pictures of any size.
  public func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage {
    try prepared().makePassStage(on: device, pipeline: pipeline)
  }

  /// Makes the stage of a kernel that is prepared.
  package func makePassStage(on device: Device, pipeline: PipelineKind) -> any ImageStage {
    PassStage([self], edge: device.capabilities.maximumTextureSize, pipeline: pipeline)
  }

  /// Returns the checked passes for `picture` on a device whose textures have at most `edge` columns and rows.
  package func plan(for picture: PassPicture, edge: Int) throws(SafelightError) -> PassPlan {
    try PassPlan([self], for: picture, edge: edge)
  }

  /// Returns the picture that the kernel makes of `picture`.
  fileprivate func result(of picture: PassPicture) throws(SafelightError) -> PassPicture {
    let made = try output(of: picture.image)
    // A texture of another format, such as r16Unorm, gives a result in the same.
    return PassPicture(made, made.pixelFormat == picture.image.pixelFormat ? picture.pixelFormat : nil)
  }

  /// True if each pixel of a result depends only on the pixel at its place, in pictures of every kind.
  package var isPointwise: Bool { PassPlan.forEveryKind([self]).arePointwise }

  /// Returns whether textures of `format` hold pictures that the kernel takes.
  func takes(_ format: PixelFormat) -> Bool { Self.formats.contains(format) }

  /// Records the kernel. Both textures need other memory, and the destination the size and format of
  /// ``ImageKernel/output(of:)-(ImageDescriptor)``. Tables are worked out each time; a stage keeps them.
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: source, destination: destination, pipeline: pipeline)
  }

  /// Records a kernel that reads a second picture, likewise.
  public func encode(
    to buffer: CommandBuffer, source: Texture, second: Texture, destination: Texture,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(to: buffer, source: source, seconds: [second], destination: destination, pipeline: pipeline)
  }

  /// Records the kernel for textures; `seconds` are the second pictures that it reads, and `position` is the frame's.
  func encodePasses(
    to buffer: CommandBuffer, source: Texture, seconds: [Texture] = [], destination: Texture, position: Int? = nil,
    pipeline: PipelineKind
  ) {
    Self.card.check(self)
    Self.checkFormat(of: source)
    let picture = picture(
      source.pixelFormat.descriptor(source.size), source.pixelFormat, seconds: seconds.map(\.size), at: position)
    do throws(SafelightError) {
      let plan = try reading(seconds.count).plan(for: picture, edge: .max)
      PassRecorder(plan: plan, pipeline: pipeline, call: Self.card.call(self), buffer: buffer)
        .encode(TiledTexture(source), seconds.map { TiledTexture($0) }, to: [TiledTexture(destination)])
    } catch {
      trap("\(Self.card.name) does not take '\(source.label)': \(error.why)")
    }
  }
}

extension [PassPlan] {
  /// True if results have the size of their picture and each pixel depends only on the pixel at its place; false for
  /// no plan.
  fileprivate var arePointwise: Bool {
    !isEmpty && allSatisfy { $0.result.size == $0.source.size }
      && flatMap(\.nodes).allSatisfy { node in
        node.group.first.kind == .pixels
          && node.group.inputs.allSatisfy { $0.resource.isTable || !$0.resource.isGiven && $0.footprint == .pixel }
          && !node.group.output.resource.isHeldWhole
      }
  }
}

extension PassPlan {
  /// Returns the plans of `kernels` for small pictures of every kind that all take, of several sizes; none if a size
  /// plays a part in that.
  fileprivate static func forEveryKind(_ kernels: [any PassKernel]) -> [PassPlan] {
    let sizes = [Size(2, 2), Size(3, 5)]
    let kinds = [Channels.gray, .rgb, .rgba].flatMap { channels in
      SampleDepth.allCases.map { depth in
        sizes.compactMap { size in
          let image = ImageDescriptor(size: size, channels: channels, depth: depth)
          return try? PassPlan(kernels, for: PassPicture(image), edge: .max)
        }
      }
    }
    return kinds.allSatisfy { [0, sizes.count].contains($0.count) } ? kinds.flatMap { $0 } : []
  }

  /// Checks and joins the passes that `kernels` make of `picture`, one after the other. All of several make each pixel
  /// from the pixel at its place.
  ///
  /// - Throws: ``SafelightError`` of a kernel that is not defined for the result of the one before.
  package init(_ kernels: [any PassKernel], for picture: PassPicture, edge: Int) throws(SafelightError) {
    let name = kernels.map(\.name).joined(separator: ", ")
    if kernels.count == 1, let kernel = kernels.first {
      // A kernel is asked for passes of pictures that it takes.
      let made = try kernel.result(of: picture)
      let passes = try kernel.passes(for: picture)
      let ownPictures = kernel is any FramePictureKernel ? 1 : 0
      if Self.numberOfSeconds(of: passes) > kernel.numberOfSeconds + ownPictures {
        throw SafelightError(
          .kernel, "filter '\(name)'", why: "it reads a second picture, and its card has none",
          remedy: "say on the card what the secondPicture is")
      }
      if kernel is any ReductionKernel, passes.last?.output.resource.isNumbers != true {
        throw Self.contradiction("it is measured, and its last pass makes no numbers", of: name)
      }
      try self.init(
        passes, of: name, from: picture, given: kernel.given(for: picture.image), to: [made], edge: edge)
      return
    }
    var (passes, current, source) = ([Pass](), picture, Pass.Resource.picture)
    var count = 0
    for kernel in kernels {
      let made = try kernel.result(of: current)
      let own = try kernel.passes(for: current)
      // Temporaries are numbered through all kernels; the result of each is one for the next.
      let first = count
      func number(_ temporary: Int) -> Int {
        count = max(count, first + temporary + 1)
        return first + temporary
      }
      for var pass in own {
        for place in pass.inputs.indices {
          switch pass.inputs[place].resource {
          case .picture: pass.inputs[place].resource = source
          case .temporary(let temporary): pass.inputs[place].resource = .temporary(number(temporary))
          case .further, .constant, .result, .table, .madeTable, .numbers, .earlier: break
          }
        }
        switch pass.output.target {
        case .temporary(let temporary, let format, let size):
          pass.output = .temporary(number(temporary), format, size)
        case .result:
          source = .temporary(count)
          pass.output = .temporary(count, made.pixelFormat)
        case .table, .numbers: break
        }
        passes.append(pass)
      }
      count += 1
      current = made
    }
    if let last = passes.lastIndex(where: { $0.output.resource == source }) { passes[last].output = .result(0) }
    try self.init(passes, of: name, from: picture, to: [current], edge: edge)
  }
}

extension PassPlan {
  /// Returns the number of second pictures that `passes` read, up to the last of which they read.
  private static func numberOfSeconds(of passes: [Pass]) -> Int {
    let numbers = passes.flatMap(\.inputs).map { input in
      if case .further(let number) = input.resource { number + 1 } else { 0 }
    }
    return numbers.max() ?? 0
  }
}

extension PassKernel {
  fileprivate var name: String { Self.card.name }
  fileprivate var call: String { Self.card.call(self) }
  fileprivate var makesUpright: Bool { Self.card.makesUpright }
}

extension PixelFormat {
  /// Returns the descriptor of a picture of the format: gray for one channel, else red, green, blue and alpha.
  package func descriptor(_ size: Size) -> ImageDescriptor {
    ImageDescriptor(size: size, channels: samplesPerPixel == 1 ? .gray : .rgba, depth: depth)
  }
}

/// A kernel of passes on one device, or several that are joined, as a stage of a chain.
private final class PassStage: BandedStage, StageMeasurement {
  private let kernels: [any PassKernel]
  private let edge: Int
  private let pipeline: PipelineKind
  let call: String
  let isPointwise: Bool
  /// The plans for the last kinds of pictures, and their tables and constant pictures.
  private let plans = Mutex<(plans: [PassPicture: PassPlan], constants: Memo<TiledTexture>)>(([:], Memo()))
  /// The memory of what passes make besides results, for pictures like the last one.
  private let kept = Mutex<(source: PassPicture, memory: Memo<PassStorage>)?>(nil)
  private let earlier = EarlierNumbers()
  /// The picture of the kernel's own for the last kind of frames, if it serves all of them.
  private let own = Mutex<(image: ImageDescriptor, picture: TiledTexture)?>(nil)

  init(_ kernels: [any PassKernel], edge: Int, pipeline: PipelineKind) {
    self.kernels = kernels
    self.edge = edge
    self.pipeline = pipeline
    call = kernels.map(\.call).joined(separator: ",")
    isPointwise = kernels.allSatisfy(\.isPointwise)
  }

  var makesUpright: Bool { kernels.contains(where: \.makesUpright) }
  func scaledSize(of size: Size) -> Size {
    kernels.reduce(size) { ($1 as? any ResamplingKernel)?.scaledSize(of: $0) ?? $0 }
  }
  var history: Int { kernels.map(\.history).max() ?? 0 }
  func reset() { earlier.reset() }
  private var framePictures: (any FramePictureKernel)? { kernels.first as? any FramePictureKernel }
  var dependsOnPosition: Bool { timed != nil || framePictures?.picturesDependOnPosition ?? false }
  var dependsOnName: Bool { framePictures?.picturesDependOnName ?? false }

  func input(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> StageInput? {
    guard let kernel = framePictures else { return nil }
    if !kernel.hasPictureForEachFrame, let own = own.withLock({ $0 }), own.image == image {
      return .pictures([own.picture])
    }
    let picture = TiledTexture(
      try kernel.framePicture(for: frame, like: image), edge: edge, label: "picture of \(name)")
    own.withLock { $0 = kernel.hasPictureForEachFrame ? nil : (image, picture) }
    return .pictures([picture])
  }

  /// Joins stages whose kernels make each pixel from the pixel at its place, if one function comes of them.
  func joined(with next: any ImageStage) -> (any ImageStage)? {
    guard let next = next as? PassStage, isPointwise, next.isPointwise else { return nil }
    let kernels = kernels + next.kernels
    let isOne = PassPlan.forEveryKind(kernels).allSatisfy { $0.nodes.count <= 1 }
    return isOne ? PassStage(kernels, edge: edge, pipeline: pipeline) : nil
  }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try plan(for: picture(image)).result.image
  }

  func exchangesAxes(of image: ImageDescriptor) throws(SafelightError) -> Bool {
    try plan(for: picture(image)).exchangesAxes
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    let recorder = recorder(for: source, input, buffer)
    recorder.encode(source, input?.pictures ?? [], to: [destination], earlier: earlier.next(recorder.plan))
  }

  func encodeButRows(to buffer: CommandBuffer, source: TiledTexture) -> PassRows? {
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
    kept.withLock { kept in
      if let kept, kept.source == source { return kept.memory }
      let memory = Memo<PassStorage>()
      kept = (source, memory)
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
    guard history == 0 else { return nil }
    return PassBands(
      plan: try plan(for: picture(image)), pipeline: pipeline, call: call,
      constants: plans.withLock { $0.constants },
      isMeasured: reduction != nil
    ) { [self] source, input in
      secondCount == 0 ? nil : plan(of: source, beside: input)
    }
  }

  // MARK: Second pictures

  private var timed: (any TimedKernel)? { kernels.lazy.compactMap { $0 as? any TimedKernel }.first }
  var secondCount: Int { kernels.map(\.numberOfSeconds).max() ?? 0 }

  // MARK: Measurement

  private var reduction: (any ReductionKernel)? { kernels.first as? any ReductionKernel }
  var measurement: (any StageMeasurement)? { reduction == nil ? nil : self }
  var name: String { kernels.map(\.name).joined(separator: ", ") }

  func byteCount(of source: TiledTexture) -> Int { reduction(of: source).byteCount }

  func encode(to buffer: CommandBuffer, source: TiledTexture, into memory: Buffer, offset: Int) {
    reduction(of: source).encode(to: buffer, source, into: memory, offset: offset)
  }

  func values(_ bytes: [UInt8], of image: ImageDescriptor) -> [(name: String, value: Double)] {
    reduction?.values(of: bytes.words, for: image) ?? []
  }

  private func reduction(of source: TiledTexture) -> Reduction { Reduction(plan: plan(of: source), call: call) }

  // MARK: Plans

  /// The picture of which passes are made, with what is known of all that comes with it.
  private func picture(
    _ image: ImageDescriptor, _ format: PixelFormat? = nil, beside input: StageInput? = nil
  ) -> PassPicture {
    guard kernels.count == 1, framePictures == nil else { return PassPicture(image, format) }
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
