internal import SafelightGLES
internal import SafelightImage

/// Carries commands out on the CPU: copies directly, functions through their Swift twins.
final class CPUBackend: Backend {
  let info = DeviceInfo.cpu
  let capabilities: Capabilities
  let transfer = TransferMemory()
  private unowned let home: DeviceThread
  private var textures: [ResourceID: TextureMemory] = [:]
  private var buffers: [ResourceID: BufferMemory] = [:]
  /// Buffers of other devices that have received what the process wrote, in the current recording.
  private var refreshed: Set<ResourceID> = []

  init(options: DeviceOptions, home: DeviceThread) {
    self.home = home
    capabilities = options.limits.map { .cpu.clamped(to: $0) } ?? .cpu
  }

  // MARK: Commands

  func begin() { refreshed = [] }
  func refresh(except newer: [Buffer]) { refreshed = Set(newer.map(\.lifetime.id)) }

  func perform(
    _ command: Command, _ accesses: [ResourceAccess], label: String, result: inout ReplayResult
  ) throws(SafelightError) {
    // Checked first: the process shares the memory.
    try checkLoss()
    switch command {
    case .pushDebugGroup, .popDebugGroup, .insertDebugSignpost: break
    // DeviceThread carries these out.
    case .signalEvent, .waitForEvent, .sampleCounters: break
    case .dispatch(let dispatch):
      let grid = try grid(of: dispatch)
      let arguments = TwinArguments(
        dispatch.bindings, in: self, grid: grid.size, depth: grid.depth, variant: dispatch.variant)
      try run(dispatch.pipeline.function, arguments)
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
      unsafe memory(buffer)[range].initializeMemory(as: UInt8.self, repeating: value)
    case .copyBuffer(let copy): perform(copy)
    case .readBuffer(let buffer, let range, let readback): read(buffer, range, into: readback, result: &result)
    // The process and the twins work in the same memory.
    case .synchronize: break
    }
  }

  /// Runs the twin of several commands.
  func perform(_ joined: JoinedTwin) throws(SafelightError) {
    try checkLoss()
    if let error = joined.run({ memory($0) }) { throw error }
  }

  func flush() {}

  func finish(_ label: String) throws(SafelightError) { try checkLoss() }

  // MARK: Functions

  func prepare(_ pipeline: Pipeline, waits: Bool) throws(SafelightError) -> Bool {
    try pipeline.check(capabilities)
    switch pipeline {
    case .compute(let pipeline, let variant):
      try pipeline.function.checkOutline(variant)
      _ = try twin(of: pipeline.function)
    case .render(let pipeline):
      for function in [pipeline.vertexFunction, pipeline.fragment] {
        try function.checkOutline(nil)
        _ = try function.reflection(nil)
        _ = try twin(of: function)
      }
    }
    return true
  }

  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) -> Double? { nil }

  func run(_ function: ShaderFunction, _ arguments: TwinArguments) throws(SafelightError) {
    guard case .grid(let body) = try twin(of: function).body else {
      throw SafelightError(
        .usage, function.name, why: "its Swift twin is for a vertex or fragment function, so it cannot be dispatched",
        remedy: "use it in a render pipeline")
    }
    try guarding(function) { try body(arguments) }
  }

  /// Runs a twin's code; turns what it throws into an error that names the function.
  func guarding(_ function: ShaderFunction, _ body: () throws -> Void) throws(SafelightError) {
    do {
      try body()
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.driver, function.name, why: "its Swift twin failed: \(error)", remedy: "correct the twin")
    }
  }

  /// The grid of a dispatch, read from its buffer if it is indirect.
  private func grid(of dispatch: Command.Dispatch) throws(SafelightError) -> (size: Size, depth: Int) {
    guard let indirect = dispatch.indirect else { return (dispatch.threads, dispatch.depth) }
    let words = unsafe memory(indirect.buffer).from(indirect.offset).withWords { words in
      unsafe [Int(words[0]), Int(words[1]), Int(words[2])]
    }
    guard !words.contains(0) else { return (Size(0, 0), 0) }
    try ensure(
      words.allSatisfy({ $0 <= 65535 }), .limit, dispatch.pipeline.function.name,
      why:
        "'\(indirect.buffer.label)' asks for \(words) threadgroups; 65535 along each axis is the most that every "
        + "device takes",
      remedy: "write smaller counts into the buffer, or use larger threadgroups")
    // The buffer may hold any numbers: a twin would never finish more than this.
    try ensure(
      words.reduce(1, *) <= 1 << 24, .limit, dispatch.pipeline.function.name,
      why: "'\(indirect.buffer.label)' asks for \(words) threadgroups; the CPU takes at most 16777216 in all",
      remedy: "write smaller counts into the buffer, or use larger threadgroups")
    let group = dispatch.threadsPerThreadgroup
    return (Size(words[0] * group.width, words[1] * group.height), words[2])
  }

  func twin(of function: ShaderFunction) throws(SafelightError) -> ShaderTwin {
    guard let twin = function.twin else {
      throw SafelightError(
        .unsupported, function.name, why: "it has no Swift twin, so the CPU cannot run it",
        remedy: "give the function a twin, or use a GPU device")
    }
    return twin
  }

  // MARK: Resources

  /// The memory of a texture, or of the texture behind a view; made at the first use.
  func memory(_ texture: Texture) -> TextureMemory {
    let id = texture.lifetime.id
    if let memory = textures[id] { return memory }
    let made =
      if let parent = texture.parent {
        memory(parent).view(
          texture.descriptor, level: texture.parentLevels.lowerBound, slice: texture.parentSlices.lowerBound)
      } else {
        TextureMemory(texture.descriptor)
      }
    if let contents = texture.contents { made.bytes = contents }
    textures[id] = made
    texture.lifetime.settle(in: home)
    return made
  }

  func memory(_ texture: Texture, _ image: TextureImage) -> TextureMemory {
    memory(texture).image(level: image.level, slice: image.slice)
  }

  /// The memory of a buffer: that which the process shares, if this device made the buffer.
  func memory(_ buffer: Buffer) -> BufferMemory {
    let id = buffer.lifetime.id
    let isForeign = buffer.home !== home
    let memory: BufferMemory
    if let kept = buffers[id] {
      memory = kept
    } else {
      let host = isForeign ? nil : buffer.hostMemory
      memory = BufferMemory(host ?? HostMemory(length: buffer.length), range: 0..<buffer.length)
      buffers[id] = memory
      buffer.lifetime.settle(in: home)
    }
    // Copies what the process wrote into another device's buffer, as that device would.
    if isForeign, let host = buffer.hostMemory, refreshed.insert(id).inserted {
      unsafe memory.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: host.bytes[..<buffer.length]))
    }
    return memory
  }

  func share(_ buffer: Buffer) {
    if buffer.hostMemory == nil { buffer.adopt(memory(buffer).host) }
  }

  func copyReason(of texture: Texture) -> SafelightError? {
    SafelightError(
      .unsupported, "texture '\(texture.label)'",
      why: "the device 'cpu' works in its own memory and cannot use shared memory",
      remedy: "open a device whose driver imports dma-bufs")
  }

  func fill(_ texture: Texture, from rows: SharedRows) {
    let target = memory(texture)
    let before = unsafe target.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    unsafe target.bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      // Somebody holds what was read back, so the samples moved to new memory.
      if UInt(bitPattern: base) != before { transfer.allocations += 1 }
      unsafe rows.copy(to: base)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) {
    unsafe memory(texture).bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe rows.copy(from: base)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer { throw Self.noExport }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
  }

  func erase(_ id: ResourceID) {
    textures[id]?.erase()
    if let buffer = buffers[id] { unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  func close() {
    textures = [:]
    buffers = [:]
  }

  var statistics: DeviceStatistics {
    let bytes = textures.values.reduce(0) { $0 + $1.descriptor.byteCount }
    return DeviceStatistics(
      textures: textures.count, buffers: buffers.count,
      bytes: buffers.values.reduce(bytes) { unsafe $0 + $1.host.bytes.count },
      transferAllocations: transfer.allocations)
  }

  // MARK: Times

  func mark() -> TimeMark { TimeMark() }

  /// The host's times: commands are carried out as they are performed.
  func seconds(at marks: [TimeMark]) -> [Double]? { marks.map(\.hostTime) }

  func reuse(_ marks: [TimeMark]) {}

  // MARK: Loss

  private(set) var isLost = false

  func simulateLoss() { isLost = true }

  func rebuild() {
    close()
    isLost = false
  }

  private func checkLoss() throws(SafelightError) {
    try ensure(
      !isLost, .driver, info.name, why: "its memory counts as lost, because a loss was simulated", remedy: "run again")
  }
}

// MARK: Transfers

extension CPUBackend {
  func perform(_ upload: Command.Upload) {
    let target = memory(upload.texture, upload.image)
    let swaps = upload.pixelFormat == .bgra8Unorm
    let isWhole =
      upload.offset == 0 && upload.region == Region(size: target.size) && upload.bytes.count == target.bytes.count
      && upload.bytesPerRow == target.bytesPerRow
    if isWhole && !swaps {
      target.bytes = upload.bytes
      target.share()
    } else {
      copyRows(
        upload.region.size, bytesPerPixel: target.pixelFormat.bytesPerPixel, from: upload.bytes, upload.offset,
        upload.bytesPerRow, to: &target.bytes, target.offset(upload.region.x, upload.region.y), target.bytesPerRow,
        swapping: swaps)
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) {
    let source = memory(read.texture, read.image)
    let swaps = read.pixelFormat == .bgra8Unorm
    if read.isWhole && read.region == Region(size: source.size) && !swaps {
      result[read.readback] = source.bytes
      source.share()
      return
    }
    var bytes = result[read.readback].take() ?? transfer.bytes(for: read.readback, isOverwritten: false)
    copyRows(
      read.region.size, bytesPerPixel: source.pixelFormat.bytesPerPixel, from: source.bytes,
      source.offset(read.region.x, read.region.y), source.bytesPerRow, to: &bytes, read.offset, read.bytesPerRow,
      swapping: swaps)
    result[read.readback] = bytes
  }

  func perform(_ copy: Command.TextureCopy) {
    let source = memory(copy.source, copy.sourceImage)
    let target = memory(copy.destination, copy.destinationImage)
    let bytes = source.bytes
    copyRows(
      copy.region.size, bytesPerPixel: source.pixelFormat.bytesPerPixel, from: bytes,
      source.offset(copy.region.x, copy.region.y), source.bytesPerRow, to: &target.bytes,
      target.offset(copy.x, copy.y), target.bytesPerRow, swapping: false)
  }

  func upload(_ copy: Command.BufferTextureCopy) {
    let bytes = unsafe [UInt8](memory(copy.buffer).bytes)
    perform(
      Command.Upload(
        bytes: bytes, offset: copy.offset, bytesPerRow: copy.bytesPerRow, pixelFormat: copy.texture.pixelFormat,
        texture: copy.texture, image: copy.image, region: copy.region))
  }

  func download(_ copy: Command.BufferTextureCopy) {
    let row = copy.region.bytesPerRow(copy.texture.pixelFormat)
    let read = Command.TextureRead(texture: copy.texture, image: copy.image, region: copy.region)
    var result = ReplayResult()
    perform(read, result: &result)
    let bytes = result.contents(of: read.readback) ?? []
    let target = memory(copy.buffer)
    for y in 0..<copy.region.size.height {
      let at = copy.offset + y * copy.bytesPerRow
      unsafe target[at..<at + row].copyBytes(from: bytes[y * row..<(y + 1) * row])
    }
  }

  func perform(_ copy: Command.BufferCopy) {
    let target = unsafe memory(copy.destination)[copy.offset..<copy.offset + copy.range.count]
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(memory(copy.source)[copy.range]))
  }

  func write(_ bytes: some Collection<UInt8>, to buffer: Buffer, at offset: Int) {
    unsafe memory(buffer)[offset..<offset + bytes.count].copyBytes(from: bytes)
  }

  func read(_ buffer: Buffer, _ range: Range<Int>, into readback: Readback, result: inout ReplayResult) {
    var bytes = transfer.bytes(for: readback, isOverwritten: true)
    let source = unsafe UnsafeRawBufferPointer(memory(buffer)[range])
    unsafe bytes.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
    result[readback] = bytes
  }

  /// Makes each level by linear sampling of the one before at the center of each new pixel, as drivers do.
  func generateMipmaps(_ texture: Texture) {
    // Swizzles apply only to shaders that sample; levels are made from the stored channels.
    var descriptor = texture.descriptor
    descriptor.swizzle = [.red, .green, .blue, .alpha]
    let memory = memory(texture).view(descriptor, level: 0, slice: 0)
    var linear = SamplerDescriptor(filter: .linear)
    linear.mipFilter = .notMipmapped
    for slice in 0..<texture.descriptor.sliceCount() {
      for level in 1..<max(1, texture.descriptor.mipmapLevelCount) {
        let source = memory.image(level: level - 1, slice: slice)
        let target = memory.image(level: level, slice: slice)
        for y in 0..<target.size.height {
          for x in 0..<target.size.width {
            let (u, v) = ((Float(x) + 0.5) / Float(target.size.width), (Float(y) + 0.5) / Float(target.size.height))
            target.setTexel(source.sample(linear, u, v), x, y)
          }
        }
      }
    }
  }
}
