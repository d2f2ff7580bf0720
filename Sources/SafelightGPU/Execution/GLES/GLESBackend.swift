internal import Dispatch
internal import SafelightGLES
internal import SafelightImage

final class GLESBackend: Backend {
  let info: DeviceInfo
  let capabilities: Capabilities
  let transfer = TransferMemory()

  private let candidate: DeviceCandidate
  private let options: ContextOptions
  private let archive: ProgramArchive?
  private unowned let home: DeviceThread
  private(set) var objects: Objects
  /// The device's own clock; nil if the driver has none.
  private var clock: DeviceClock?
  /// Lost contexts whose buffers are mapped: the process may access them as long as the device is open.
  private var retired: [(context: Context, buffers: [BufferObject])] = []
  /// The turn that contexts of its driver take; nil if they need none.
  ///
  /// It is not recursive: methods that take it call only those that do not, such as ``complete(_:)``.
  private let turn: DispatchSemaphore?

  /// A context and everything made in it, what draws share at its first use; replaced as a whole when the context is
  /// lost.
  final class Objects {
    fileprivate let context: Context
    fileprivate let order: CommandOrder
    fileprivate let programs: ProgramCache
    fileprivate let textures: TextureObjects
    fileprivate let buffers: BufferObjects
    private var madeTarget: RenderTarget?
    private(set) lazy var input = VertexInput(context)
    private(set) lazy var visibility = VisibilityQuery(context)

    init(_ context: Context, _ archive: ProgramArchive?, _ transfer: TransferMemory, home: DeviceThread) {
      self.context = context
      order = CommandOrder(context)
      programs = ProgramCache(context, archive)
      textures = TextureObjects(context, order, transfer, home: home)
      buffers = BufferObjects(context, order, home: home)
    }

    var target: RenderTarget {
      if let madeTarget { return madeTarget }
      let target = RenderTarget(context)
      madeTarget = target
      return target
    }

    fileprivate func forget(_ texture: TextureObject) { madeTarget?.forget(texture) }
  }

  var context: Context { objects.context }
  var order: CommandOrder { objects.order }
  var programs: ProgramCache { objects.programs }
  var textures: TextureObjects { objects.textures }
  var buffers: BufferObjects { objects.buffers }

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
    turn = info.isLlvmpipe ? ContextTurn.ofThisProcess : nil
    objects = Objects(context, archive, transfer, home: home)
  }

  private func inTurn<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    turn?.wait()
    defer { turn?.signal() }
    return try body()
  }

  private func inTurn<Value>(
    _ value: @autoclosure () throws(SafelightError) -> Value
  ) throws(SafelightError) -> Value { try inTurn(value) }

  // MARK: Commands

  func begin() { buffers.begin() }
  func refresh(except newer: [Buffer]) { buffers.refresh(except: newer) }

  func perform(
    _ command: Command, _ accesses: [ResourceAccess], label: String, result: inout ReplayResult
  ) throws(SafelightError) {
    turn?.wait()
    defer { turn?.signal() }
    try order.barrier(before: accesses.lazy.map(\.use))
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

  func flush() throws(SafelightError) { try inTurn(context.flush()) }
  func finish(_ label: String) throws(SafelightError) { try inTurn(complete(label)) }

  private func complete(_ label: String) throws(SafelightError) {
    try buffers.orderCopyBack()
    try order.wait(label)
    // The contents of a lost context must not reach the process.
    try context.checkReset()
    try buffers.copyBack()
  }

  // MARK: Programs

  func prepare(_ pipeline: Pipeline, waits: Bool) throws(SafelightError) -> Bool {
    try pipeline.check(capabilities)
    if !waits && capabilities.compilesInParallel { return try inTurn(programs.advance(pipeline)) }
    _ = try inTurn(programs.program(pipeline))
    return true
  }

  func bareDispatches(_ pipeline: ComputePipelineState, count: Int) throws(SafelightError) -> Double? {
    turn?.wait()
    defer { turn?.signal() }
    let program = try programs.program(.compute(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1))))
    try complete("bare dispatches")
    let start = ThreadClock.now
    for _ in 0..<count {
      try program.use()
      try program.setThreadsPerGrid(Size(1, 1))
      try context.dispatch(threadgroups: Size(1, 1))
    }
    try context.flush()
    let seconds = ThreadClock.now - start
    try complete("bare dispatches")
    return seconds
  }

  // MARK: Resources

  func share(_ buffer: Buffer) throws(SafelightError) { try inTurn(buffers.share(buffer)) }

  func copyReason(of texture: Texture) throws(SafelightError) -> SafelightError? {
    try inTurn(textures.copyReason(of: texture))
  }

  func fill(_ texture: Texture, from rows: SharedRows) throws(SafelightError) {
    try inTurn(textures.fill(texture, from: rows))
  }

  func drain(_ texture: Texture, into rows: SharedRows) throws(SafelightError) {
    try inTurn(textures.drain(texture, into: rows))
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer {
    guard capabilities.features.contains(.dmaBufferExport) else { throw Self.noExport }
    return try inTurn(textures.export(texture))
  }

  func release(_ id: ResourceID) { inTurn { free(id) } }

  private func free(_ id: ResourceID) {
    if let texture = textures.release(id) { objects.forget(texture) }
    buffers.release(id)
    order.forget(id)
  }

  func erase(_ id: ResourceID) {
    turn?.wait()
    defer { turn?.signal() }
    do throws(SafelightError) {
      try textures.erase(id)
      try buffers.erase(id)
      try context.check("erasing a resource")
    } catch {
      // Its next use makes new storage, and reports whatever prevents that.
      free(id)
    }
  }

  var statistics: DeviceStatistics {
    DeviceStatistics(
      textures: textures.count, buffers: buffers.count, bytes: textures.byteCount + buffers.byteCount,
      programs: programs.count, samplers: textures.samplerCount, queries: clock?.queryCount ?? 0,
      transferAllocations: transfer.allocations)
  }

  // MARK: Times

  func mark() throws(SafelightError) -> TimeMark {
    guard let clock else { return TimeMark() }
    return try inTurn(clock.mark())
  }

  func seconds(at marks: [TimeMark]) -> [Double]? { inTurn { clock?.seconds(at: marks) } }
  func reuse(_ marks: [TimeMark]) { inTurn { clock?.reuse(marks) } }

  // MARK: Loss

  var isLost: Bool { context.lossReason != nil }

  func simulateLoss() { context.simulateLoss() }

  func rebuild() throws(SafelightError) {
    turn?.wait()
    defer { turn?.signal() }
    let old = context
    let mapped = buffers.mapped
    freeObjects()
    if !mapped.isEmpty { retired.append((old, mapped)) }
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
    turn?.wait()
    defer { turn?.signal() }
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
    let (image, region) = (upload.image, upload.region)
    unsafe try upload.bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      guard upload.pixelFormat == .bgra8Unorm else {
        let rowLength = upload.bytesPerRow / upload.pixelFormat.bytesPerPixel
        return unsafe try object.upload(image, region, from: base + upload.offset, rowLength: rowLength)
      }
      // Storage has one order of channels: the other one is swapped on the way.
      unsafe try transfer.withStaging(region.size.area * 4) { staged throws(SafelightError) in
        unsafe copyRows(
          region.size, bytesPerPixel: 4, from: base + upload.offset, upload.bytesPerRow, to: staged,
          region.size.width * 4, swapping: true)
        unsafe try object.upload(image, region, from: staged, rowLength: region.size.width)
      }
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    let object = try textures.object(read.texture)
    try order.wait("readback")
    // Taken out of the result meanwhile, so that writing to it copies nothing.
    var bytes = result[read.readback].take() ?? transfer.bytes(for: read.readback, isOverwritten: read.isWhole)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(
        read.image, read.region, into: base + read.offset, rowLength: read.bytesPerRow / read.pixelFormat.bytesPerPixel)
    }
    if read.pixelFormat == .bgra8Unorm {
      swapRedAndBlue(&bytes, offset: read.offset, size: read.region.size, bytesPerRow: read.bytesPerRow)
    }
    result[read.readback] = bytes
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
    result[readback] = bytes
  }
}
