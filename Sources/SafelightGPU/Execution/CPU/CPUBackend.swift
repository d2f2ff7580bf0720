internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on the CPU: copies as they are, functions through their Swift twins.
final class CPUBackend: Backend {
  let info = DeviceInfo.cpu
  let capabilities: Capabilities

  unowned let home: DeviceThread
  var textures: [ResourceID: TextureMemory] = [:]
  var buffers: [ResourceID: BufferMemory] = [:]
  /// Buffers of other devices that have received what the process wrote, in the recording under way.
  var refreshed: Set<ResourceID> = []
  var transferAllocations = 0
  let worksInHostMemory = true

  init(options: DeviceOptions, home: DeviceThread) {
    self.home = home
    capabilities = options.limits.map { .cpu.clamped(to: $0) } ?? .cpu
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let variant):
      try variant.check(pipeline.function, capabilities)
      _ = try twin(of: pipeline.function)
    case .render(let pipeline):
      try pipeline.check(capabilities)
      _ = try pipeline.vertexFunction.reflection(nil)
      _ = try pipeline.fragment.reflection(nil)
      _ = try twin(of: pipeline.vertexFunction)
      _ = try twin(of: pipeline.fragment)
    }
  }

  func begin() { refreshed = [] }

  func refresh(except newer: [Buffer]) { refreshed = Set(newer.map(\.lifetime.id)) }

  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    try prepare(pipeline)
    return nil
  }

  func mark() -> TimeMark { TimeMark() }

  /// The commands were carried out where they were performed, so the host's clock is the device's.
  func seconds(at marks: [TimeMark]) -> [Double]? { marks.map(\.hostTime) }

  func reuse(_ marks: [TimeMark]) {}

  func flush() {}

  func finish(_ label: String) throws(SafelightError) { try checkLoss() }

  private func checkLoss() throws(SafelightError) {
    guard isLost else { return }
    throw SafelightError(.driver, info.name, why: "its memory was lost by a simulation", remedy: "run again")
  }

  private(set) var isLost = false

  func simulateLoss() { isLost = true }

  func rebuild() {
    close()
    isLost = false
  }

  func close() {
    textures = [:]
    buffers = [:]
  }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    // Before anything is done: the process shares the memory.
    try checkLoss()
    switch command {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost: break
    // DeviceThread carries these out.
    case .signalEvent, .waitForEvent, .sampleCounters: break
    case .dispatch(let dispatch):
      let grid = try grid(of: dispatch)
      try run(
        dispatch.pipeline.function, dispatch.bindings, grid: grid.size, depth: grid.depth, variant: dispatch.variant,
        target: nil)
    case .draw(let draw): try perform(draw)
    case .clear(let pass): clear(pass)
    case .store(let pass): store(pass)
    case .upload(let upload): perform(upload)
    case .readTexture(let read): perform(read, result: &result)
    case .copyTexture(let copy): perform(copy)
    case .copyBufferToTexture(let copy): upload(copy)
    case .copyTextureToBuffer(let copy): download(copy)
    case .generateMipmaps(let texture): generateMipmaps(texture)
    case .writeBuffer(let buffer, let offset, let bytes): write(bytes, to: buffer, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory(buffer).bytes[range]).initializeMemory(
        as: UInt8.self, repeating: value)
    case .copyBuffer(let copy): perform(copy)
    case .readBuffer(let buffer, let range, let readback): read(buffer, range, into: readback, result: &result)
    // The process and the twins work in the same memory.
    case .synchronize: break
    }
  }
}

extension CPUBackend {
  func erase(_ id: ResourceID) {
    textures[id]?.erase()
    if let buffer = buffers[id] { unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0) }
  }
}

extension TextureMemory {
  /// Makes all images zeros, in the same memory where nobody else reads it.
  fileprivate func erase() {
    for level in 0..<descriptor.mipmapLevelCount {
      for slice in 0..<descriptor.sliceCount(atLevel: level) {
        unsafe image(level: level, slice: slice).withMutableSamples(of: UInt8.self) { samples in
          unsafe samples.update(repeating: 0)
        }
      }
    }
  }
}

extension CPUBackend {
  func run(
    _ function: ShaderFunction, _ bindings: Bindings, grid: Size, depth: Int = 1, variant: ComputeVariant? = nil,
    target: TextureMemory?
  ) throws(SafelightError) {
    let twin = try twin(of: function)
    guard case .grid(let body) = twin.body else {
      throw SafelightError(
        .usage, function.name, why: "its Swift twin is one of a vertex or fragment function", remedy: "draw with it")
    }
    let arguments = arguments(bindings, grid: grid, depth: depth, variant: variant, target: target)
    do {
      try body(arguments)
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.driver, function.name, why: "its Swift twin failed: \(error)", remedy: "correct the twin")
    }
  }

  /// The threads of a dispatch, read from its buffer where they lie there.
  func grid(of dispatch: Command.Dispatch) throws(SafelightError) -> (size: Size, depth: Int) {
    guard let indirect = dispatch.indirect else { return (dispatch.threads, dispatch.depth) }
    let words = unsafe memory(indirect.buffer).from(indirect.offset).withWords { words in
      unsafe [Int(words[0]), Int(words[1]), Int(words[2])]
    }
    guard !words.contains(0) else { return (Size(0, 0), 0) }
    guard words.allSatisfy({ $0 <= 65535 }) else {
      throw SafelightError(
        .limit, dispatch.pipeline.function.name,
        why: "'\(indirect.buffer.label)' asks for \(words) threadgroups; every device takes 65535 along an axis",
        remedy: "write smaller counts, or larger threadgroups")
    }
    // Numbers from a buffer may be anything: more than this no twin would finish.
    guard words.reduce(1, *) <= 1 << 24 else {
      throw SafelightError(
        .limit, dispatch.pipeline.function.name,
        why: "'\(indirect.buffer.label)' asks for \(words) threadgroups; the CPU takes 16777216 in all",
        remedy: "write smaller counts, or larger threadgroups")
    }
    let group = dispatch.threadsPerThreadgroup
    return (Size(words[0] * group.width, words[1] * group.height), words[2])
  }

  /// The bindings of a command as memory.
  func arguments(
    _ bindings: Bindings, grid: Size, depth: Int = 1, variant: ComputeVariant? = nil, target: TextureMemory? = nil
  ) -> TwinArguments {
    TwinArguments(
      grid: grid, depth: depth, variant: variant, colorAttachment: target,
      textures: bindings.textures.mapValues { memory($0) },
      buffers: Dictionary(
        uniqueKeysWithValues: bindings.buffers.map { ($0, memory($1).from(bindings.bufferOffsets[$0] ?? 0)) }),
      samplers: bindings.samplers, bytes: bindings.bytes)
  }

  func twin(of function: ShaderFunction) throws(SafelightError) -> ShaderTwin {
    guard let twin = function.twin else {
      throw SafelightError(
        .unsupported, function.name, why: "it has no Swift twin, so the CPU cannot run it",
        remedy: "give the function a twin, or use a GPU device")
    }
    return twin
  }
}
