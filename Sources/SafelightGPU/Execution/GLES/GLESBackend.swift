internal import SafelightGLES
internal import SafelightImage

final class GLESBackend: Backend {
  let info: DeviceInfo
  let capabilities: Capabilities
  let worksInHostMemory = false
  let transfer = TransferMemory()

  private let candidate: DeviceCandidate
  private let options: ContextOptions
  private let archive: ProgramArchive?
  private unowned let home: DeviceThread
  private var objects: Objects
  /// The device's own clock; nil if the driver has none.
  private var clock: DeviceClock?
  private var retired: [RetiredContext] = []

  /// A context and everything made in it; replaced as a whole when the context is lost.
  private struct Objects {
    let context: Context
    let order: CommandOrder
    let programs: ProgramCache
    let textures: TextureObjects
    let buffers: BufferObjects
    let drawing: DrawingObjects

    init(_ context: Context, _ archive: ProgramArchive?, _ transfer: TransferMemory, home: DeviceThread) {
      self.context = context
      order = CommandOrder(context)
      programs = ProgramCache(context, archive)
      textures = TextureObjects(context, order, transfer, home: home)
      buffers = BufferObjects(context, order, home: home)
      drawing = DrawingObjects(context)
    }
  }

  /// A lost context whose buffers are mapped: the process may access them as long as the device is open.
  private struct RetiredContext {
    let context: Context
    var buffers: [BufferObject]
  }

  var context: Context { objects.context }
  var order: CommandOrder { objects.order }
  var programs: ProgramCache { objects.programs }
  var textures: TextureObjects { objects.textures }
  var buffers: BufferObjects { objects.buffers }
  var drawing: DrawingObjects { objects.drawing }

  /// Opens `candidate`; call on the device's thread.
  init(_ candidate: DeviceCandidate, options: DeviceOptions, home: DeviceThread) throws(SafelightError) {
    let contextOptions = ContextOptions(
      isDebugging: options.isDebugging, priority: options.priority, logger: options.logger)
    let context = try Context(candidate, options: contextOptions)
    self.candidate = candidate
    self.options = contextOptions
    self.home = home
    clock = DeviceClock(context)
    capabilities = options.limits.map { context.capabilities.clamped(to: $0) } ?? context.capabilities
    context.features = capabilities.features
    info = DeviceInfo(
      name: context.renderer, driver: context.version, vendor: context.vendor, platform: candidate.platform,
      index: candidate.index, node: candidate.node, registryID: candidate.registryID,
      isSoftware: context.isSoftware, isCPU: false, priority: context.priority)
    archive = ProgramArchive(options, info, capabilities)
    objects = Objects(context, archive, transfer, home: home)
  }

  // MARK: Commands

  func begin() { buffers.begin() }

  func refresh(except newer: [Buffer]) { buffers.refresh(except: newer) }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    try order.barrier(before: command.touches.lazy.map(\.use))
    switch command {
    case .pushDebugGroup(let name): context.pushDebugGroup(name)
    case .popDebugGroup: context.popDebugGroup()
    case .insertDebugSignpost(let text): context.insertDebugSignpost(text)
    // DeviceThread carries these out.
    case .signalEvent, .waitForEvent, .sampleCounters: break
    case .dispatch(let dispatch): try perform(dispatch)
    case .draw(let draw): try perform(draw)
    case .clear(let pass): try clear(pass)
    case .store(let pass): try store(pass)
    case .upload(let upload): try perform(upload)
    case .readTexture(let read): try perform(read, result: &result)
    case .copyTexture(let copy): try perform(copy)
    case .copyBufferToTexture(let copy): try upload(copy)
    case .copyTextureToBuffer(let copy): try download(copy)
    case .generateMipmaps(let texture): try generateMipmaps(texture)
    case .writeBuffer(let buffer, let offset, let bytes): try buffers.write(bytes, to: buffer, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      try buffers.write([UInt8](repeating: value, count: range.count), to: buffer, at: range.lowerBound)
    case .copyBuffer(let copy): try perform(copy)
    case .readBuffer(let buffer, let range, let readback): try read(buffer, range, into: readback, result: &result)
    case .synchronize(let buffer):
      _ = try buffers.object(buffer)
      buffers.willWrite(buffer, synchronizes: true)
    }
    try context.check(label)
  }

  func flush() throws(SafelightError) { try context.flush() }

  func finish(_ label: String) throws(SafelightError) {
    try buffers.orderCopyBack()
    try order.wait(label)
    // The contents of a lost context must not reach the process.
    try context.checkReset()
    try buffers.copyBack()
  }

  // MARK: Programs

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    try pipeline.check(capabilities)
    _ = try programs.program(pipeline)
  }

  /// Leaves the program to the driver's threads if it has any, else compiles it now.
  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    guard capabilities.compilesInParallel else {
      try prepare(pipeline)
      return nil
    }
    try pipeline.check(capabilities)
    return try programs.beginCompiling(pipeline)
  }

  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    let program = try programs.program(.compute(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1))))
    try finish("bare dispatches")
    let start = ThreadClock.now
    for _ in 0..<count {
      try program.use()
      try program.setThreadsPerGrid(Size(1, 1))
      try context.dispatch(threadgroups: Size(1, 1))
    }
    try context.flush()
    let seconds = ThreadClock.now - start
    try finish("bare dispatches")
    return seconds
  }

  // MARK: Resources

  func share(_ buffer: Buffer) throws(SafelightError) { try buffers.share(buffer) }

  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    try textures.copyReason(of: texture)
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) { try textures.fill(texture, from: rows) }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try textures.drain(texture, into: rows)
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer { try textures.export(texture) }

  func release(_ id: ResourceID) {
    if let texture = textures.release(id) { drawing.forget(texture) }
    buffers.release(id)
    order.forget(id)
  }

  func erase(_ id: ResourceID) {
    do throws(SafelightError) {
      try textures.erase(id)
      try buffers.erase(id)
      try context.check("erasing a resource")
    } catch {
      // Its next use makes new storage, and reports whatever prevents that.
      release(id)
    }
  }

  var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.textures = textures.count
    statistics.buffers = buffers.count
    statistics.bytes = textures.byteCount + buffers.byteCount
    statistics.programs = programs.count
    statistics.samplers = textures.samplerCount
    statistics.queries = clock?.queryCount ?? 0
    statistics.transferAllocations = transfer.allocations
    return statistics
  }

  // MARK: Times

  func mark() throws(SafelightError) -> TimeMark { try clock?.mark() ?? TimeMark() }
  func seconds(at marks: [TimeMark]) -> [Double]? { clock?.seconds(at: marks) }
  func reuse(_ marks: [TimeMark]) { clock?.reuse(marks) }

  // MARK: Loss

  var isLost: Bool { context.lossReason != nil }

  func simulateLoss() { context.simulateLoss() }

  func rebuild() throws(SafelightError) {
    let old = context
    let mapped = buffers.mapped
    freeObjects()
    if !mapped.isEmpty { retired.append(RetiredContext(context: old, buffers: mapped)) }
    let made = try Context(candidate, options: options)
    made.features = capabilities.features
    objects = Objects(made, archive, transfer, home: home)
    clock = DeviceClock(made)
    guard !isRetired(old) else { return }
    old.makeCurrent()
    old.close()
    made.makeCurrent()
  }

  func close() {
    freeObjects()
    if !isRetired(context) { context.close() }
    for index in retired.indices {
      retired[index].context.makeCurrent()
      retired[index].buffers = []
      retired[index].context.close()
    }
    retired = []
  }

  /// Frees everything made in the context, which stays open.
  private func freeObjects() {
    clock = nil
    objects = Objects(context, archive, transfer, home: home)
  }

  private func isRetired(_ context: Context) -> Bool { retired.contains { $0.context === context } }
}

// MARK: Transfers

extension GLESBackend {
  func perform(_ upload: Command.Upload) throws(SafelightError) {
    let object = try textures.object(upload.texture)
    let (size, row) = (upload.region.size, upload.region.size.width * 4)
    func send(_ bytes: [UInt8], offset: Int, rowLength: Int) throws(SafelightError) {
      unsafe try bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
        guard let base = bytes.baseAddress else { return }
        unsafe try object.upload(upload.image, upload.region, from: base + offset, rowLength: rowLength)
      }
    }
    guard upload.pixelFormat == .bgra8Unorm else {
      let rowLength = upload.bytesPerRow / upload.pixelFormat.bytesPerPixel
      return try send(upload.bytes, offset: upload.offset, rowLength: rowLength)
    }
    // Storage has one order of channels: the other one is swapped on the way.
    try transfer.withStaging(size.height * row) { staged throws(SafelightError) in
      copyRowsSwappingRedAndBlue(
        size, from: upload.bytes, offset: upload.offset, bytesPerRow: upload.bytesPerRow, to: &staged, offset: 0,
        bytesPerRow: row)
      try send(staged, offset: 0, rowLength: size.width)
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    let object = try textures.object(read.texture)
    try order.wait("readback")
    // Taken out of the dictionary meanwhile, so that writing to it copies nothing.
    var bytes =
      result.readbacks.removeValue(forKey: ObjectIdentifier(read.readback))
      ?? transfer.bytes(for: read.readback, isOverwritten: read.isWhole)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(
        read.image, read.region, into: base + read.offset, rowLength: read.bytesPerRow / read.pixelFormat.bytesPerPixel)
    }
    if read.pixelFormat == .bgra8Unorm {
      swapRedAndBlue(&bytes, offset: read.offset, size: read.region.size, bytesPerRow: read.bytesPerRow)
    }
    result.readbacks[ObjectIdentifier(read.readback)] = bytes
  }

  func perform(_ copy: Command.TextureCopy) throws(SafelightError) {
    let source = try textures.object(copy.source)
    try source.copy(
      copy.sourceImage, copy.region, to: textures.object(copy.destination), copy.destinationImage, x: copy.x, y: copy.y)
  }

  func generateMipmaps(_ texture: Texture) throws(SafelightError) {
    let object = try textures.object(texture)
    try SamplerObject.unbind(context, unit: 0)
    try object.generateMipmaps()
  }

  func upload(_ copy: Command.BufferTextureCopy) throws(SafelightError) {
    let source = try buffers.object(copy.buffer)
    let target = try textures.object(copy.texture)
    guard copy.texture.pixelFormat != .bgra8Unorm else {
      let row = copy.region.size.width * 4
      let length = (copy.region.size.height - 1) * copy.bytesPerRow + row
      let bytes = try source.read(copy.offset..<copy.offset + length)
      return try perform(
        Command.Upload(
          bytes: bytes, bytesPerRow: copy.bytesPerRow, pixelFormat: .bgra8Unorm, texture: copy.texture,
          image: copy.image, region: copy.region))
    }
    let rowLength = copy.bytesPerRow / copy.texture.pixelFormat.bytesPerPixel
    try source.asUploadSource { () throws(SafelightError) in
      unsafe try target.upload(
        copy.image, copy.region, from: UnsafeRawPointer(bitPattern: copy.offset), rowLength: rowLength)
    }
  }

  func download(_ copy: Command.BufferTextureCopy) throws(SafelightError) {
    let source = try textures.object(copy.texture)
    let target = try buffers.object(copy.buffer)
    buffers.willWrite(copy.buffer)
    let pixelFormat = copy.texture.pixelFormat
    let rowLength = copy.bytesPerRow / pixelFormat.bytesPerPixel
    if pixelFormat != .bgra8Unorm,
      try source.read(copy.image, copy.region, into: target, offset: copy.offset, rowLength: rowLength)
    {
      return
    }
    // Through host memory, row by row: the bytes between rows of the buffer stay.
    let row = copy.region.bytesPerRow(pixelFormat)
    let read = Command.TextureRead(texture: copy.texture, image: copy.image, region: copy.region)
    var result = ReplayResult()
    try perform(read, result: &result)
    let bytes = result.contents(of: read.readback) ?? []
    guard copy.bytesPerRow != row else { return try target.write(bytes, at: copy.offset) }
    for y in 0..<copy.region.size.height {
      try target.write(Array(bytes[y * row..<(y + 1) * row]), at: copy.offset + y * copy.bytesPerRow)
    }
  }

  func perform(_ copy: Command.BufferCopy) throws(SafelightError) {
    let source = try buffers.object(copy.source)
    buffers.willWrite(copy.destination)
    try source.copy(copy.range, to: buffers.object(copy.destination), at: copy.offset)
  }

  func read(_ buffer: Buffer, _ range: Range<Int>, into readback: Readback, result: inout ReplayResult)
    throws(SafelightError)
  {
    let object = try buffers.object(buffer)
    try order.wait("readback")
    var bytes = transfer.bytes(for: readback, isOverwritten: true)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      unsafe try object.read(range, into: UnsafeMutableRawBufferPointer(bytes))
    }
    result.readbacks[ObjectIdentifier(readback)] = bytes
  }
}
