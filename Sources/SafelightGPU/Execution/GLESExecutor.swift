internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

/// Carries commands out on an OpenGL ES context.
final class GLESExecutor: CommandExecutor {
  let info: DeviceInfo
  let capabilities: Capabilities

  private let context: Context
  private unowned let home: Executor
  private var textures: [ResourceID: TextureObject] = [:]
  private var buffers: [ResourceID: BufferObject] = [:]
  private var programs: [ProgramKey: ProgramObject] = [:]
  /// The buffers behind `setBytes`, by index; rewritten for each command.
  private var uniforms: [Int: BufferObject] = [:]
  private var barriers = BarrierPlan()

  /// A pipeline with the size that it was compiled for. Pipelines are kept alive by ``keptPipelines``, so that an
  /// identifier never means two of them.
  private struct ProgramKey: Hashable {
    var pipeline: ObjectIdentifier
    var threadsPerThreadgroup: Size
  }

  private var keptPipelines: [ObjectIdentifier: AnyObject] = [:]

  /// Opens `candidate`; call on the executor's thread.
  init(_ candidate: DeviceCandidate, options: DeviceOptions, home: Executor) throws(SafelightError) {
    let context = try Context(
      candidate, options: ContextOptions(isDebugging: options.isDebugging, logger: options.logger))
    self.context = context
    self.home = home
    capabilities = options.limits.map { context.capabilities.clamped(to: $0) } ?? context.capabilities
    info = DeviceInfo(
      name: context.renderer, driver: context.version, vendor: context.vendor, platform: candidate.platform,
      index: candidate.index, node: candidate.node, isSoftware: context.isSoftware, isCPU: false)
  }

  func close() {
    textures = [:]
    buffers = [:]
    programs = [:]
    uniforms = [:]
    keptPipelines = [:]
    context.close()
  }

  func finish(_ label: String) throws(SafelightError) {
    try wait(label)
    try context.checkReset()
  }

  /// Waits with a limit; reads that wait by themselves come after it, as they would wait for a hung GPU for ever.
  private func wait(_ label: String) throws(SafelightError) {
    try Fence.wait(context, seconds: 30, during: label)
  }

  func release(_ id: ResourceID) {
    textures[id] = nil
    buffers[id] = nil
    barriers.forget(id)
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let size):
      try pipeline.check(size, capabilities)
      _ = try program(pipeline, size)
    case .render(let pipeline): _ = try program(pipeline)
    }
  }

  func perform(_ command: Command, label: String, result: inout ReplayResult) throws(SafelightError) {
    switch command {
    case .pushDebugGroup(let name): context.pushDebugGroup(name)
    case .popDebugGroup: context.popDebugGroup()
    case .dispatch(let dispatch): try perform(dispatch)
    case .draw(let draw): try perform(draw)
    case .clear(let pass):
      try order([BarrierPlan.Use(resource: pass.texture.lifetime.id, access: .renderTarget)])
      try begin(pass, try object(pass.texture))
    case .upload(let upload): try perform(upload)
    case .readTexture(let read): try perform(read, result: &result)
    case .writeBuffer(let buffer, let offset, let bytes):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferUpdate)])
      try object(buffer).write(bytes, at: offset)
    case .fillBuffer(let buffer, let range, let value):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferUpdate)])
      try object(buffer).write([UInt8](repeating: value, count: range.count), at: range.lowerBound)
    case .readBuffer(let buffer, let range, let readback):
      try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferRead)])
      try wait("readback")
      result.readbacks[ObjectIdentifier(readback)] = try object(buffer).read(range)
    }
    try context.check(label)
  }

  // MARK: Commands

  private func perform(_ dispatch: Command.Dispatch) throws(SafelightError) {
    try dispatch.check(capabilities)
    let size = dispatch.threadsPerThreadgroup
    let program = try program(dispatch.pipeline, size)
    let function = dispatch.pipeline.function
    try order(BarrierPlan.uses(of: function, dispatch.bindings))
    try program.use()
    try bind(dispatch.bindings, to: function)
    try program.setThreadsPerGrid(dispatch.threads)
    try context.dispatch(threadgroups: dispatch.threads.dividedCovering(size))
  }

  private func perform(_ draw: Command.Draw) throws(SafelightError) {
    let program = try program(draw.pipeline)
    let target = try object(draw.pass.texture)
    let targetUse = BarrierPlan.Use(resource: draw.pass.texture.lifetime.id, access: .renderTarget)
    try order(BarrierPlan.uses(of: draw.pipeline.fragment, draw.bindings) + [targetUse])
    try program.use()
    try bind(draw.bindings, to: draw.pipeline.fragment)
    try begin(draw.pass, target)
    try context.drawTriangleStrip(vertexStart: draw.vertexStart, vertexCount: draw.vertexCount)
  }

  private func begin(_ pass: RenderPassDescriptor, _ target: TextureObject) throws(SafelightError) {
    switch pass.loadAction {
    case .dontCare, .load: try target.bindRenderTarget()
    case .clear(let red, let green, let blue, let alpha): try target.clear(to: (red, green, blue, alpha))
    }
  }

  private func perform(_ upload: Command.Upload) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: upload.texture.lifetime.id, access: .textureUpdate)])
    let object = try object(upload.texture)
    let first = upload.source.y * upload.image.bytesPerRow + upload.source.x * upload.image.pixelFormat.bytesPerPixel
    unsafe try upload.image.bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.upload(upload.destination, from: base + first, rowLength: upload.image.size.width)
    }
  }

  private func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: read.texture.lifetime.id, access: .textureRead)])
    try wait("readback")
    let object = try object(read.texture)
    let key = ObjectIdentifier(read.readback)
    let first =
      (read.destination.y * read.readbackSize.width + read.destination.x) * read.texture.pixelFormat.bytesPerPixel
    if read.destination == Region(size: read.readbackSize) {
      result.readbacks[key] = try wholePicture(object, read)
      return
    }
    // Taken out of the dictionary while written to, so that it is not copied.
    var bytes = result.readbacks.removeValue(forKey: key) ?? [UInt8](repeating: 0, count: read.readback.length)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(read.region, into: base + first, rowLength: read.readbackSize.width, context: context)
    }
    result.readbacks[key] = bytes
  }

  /// Reads into memory that nobody had to clear before.
  private func wholePicture(_ object: TextureObject, _ read: Command.TextureRead) throws(SafelightError) -> [UInt8] {
    var failure: SafelightError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: read.readback.length) { bytes, initialized in
      guard let base = bytes.baseAddress else { return }
      do throws(SafelightError) {
        unsafe try object.read(read.region, into: base, rowLength: read.readbackSize.width, context: context)
        initialized = read.readback.length
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Puts the barrier in front of a command that its uses need.
  private func order(_ uses: [BarrierPlan.Use]) throws(SafelightError) {
    let mask = barriers.barrier(before: uses)
    if !mask.isEmpty { try context.memoryBarrier(mask) }
  }

  private func bind(_ bindings: Bindings, to function: ShaderFunction) throws(SafelightError) {
    // Making a texture binds it to the unit in use: all are made before the first is bound for the function.
    for texture in bindings.textures.values { _ = try object(texture) }
    for argument in function.arguments {
      switch argument {
      case .sampledTexture(let index):
        if let texture = bindings.textures[index] { try object(texture).bindSampled(unit: index) }
      case .storageTexture(let index):
        if let texture = bindings.textures[index] { try object(texture).bindStorage(unit: index) }
      case .readBuffer(let index), .storageBuffer(let index):
        if let buffer = bindings.buffers[index] { try object(buffer).bindStorage(index: index) }
      case .bytes(let index):
        if let bytes = bindings.bytes[index] { try uniform(bytes, index: index).bindUniform(index: index) }
      }
    }
  }

  // MARK: Storage

  private func object(_ texture: Texture) throws(SafelightError) -> TextureObject {
    let id = texture.lifetime.id
    if let object = textures[id] { return object }
    let object = try TextureObject(
      context, size: texture.size, pixelFormat: texture.pixelFormat, label: texture.label)
    textures[id] = object
    texture.lifetime.settle(in: home)
    return object
  }

  private func object(_ buffer: Buffer) throws(SafelightError) -> BufferObject {
    let id = buffer.lifetime.id
    if let object = buffers[id] { return object }
    let object = try BufferObject(context, length: buffer.length, label: buffer.label)
    buffers[id] = object
    buffer.lifetime.settle(in: home)
    return object
  }

  private func uniform(_ bytes: [UInt8], index: Int) throws(SafelightError) -> BufferObject {
    let object: BufferObject
    if let kept = uniforms[index], kept.length >= bytes.count {
      object = kept
    } else {
      object = try BufferObject(context, length: max(256, bytes.count), label: "bytes \(index)")
      uniforms[index] = object
    }
    try object.write(bytes, at: 0)
    return object
  }

  private func program(_ pipeline: ComputePipelineState, _ size: Size) throws(SafelightError) -> ProgramObject {
    let key = ProgramKey(pipeline: ObjectIdentifier(pipeline), threadsPerThreadgroup: size)
    if let program = programs[key] { return program }
    let name = pipeline.function.name
    let text = pipeline.function.assembly.text([
      ShaderAssembly.Constant("THREADGROUP_WIDTH", size.width),
      ShaderAssembly.Constant("THREADGROUP_HEIGHT", size.height),
    ])
    return try keep(pipeline, key, [StageSource(stage: .compute, name: name, text: text)], label: name)
  }

  private func program(_ pipeline: RenderPipelineState) throws(SafelightError) -> ProgramObject {
    let key = ProgramKey(pipeline: ObjectIdentifier(pipeline), threadsPerThreadgroup: Size(0, 0))
    if let program = programs[key] { return program }
    let name = pipeline.fragment.name
    return try keep(
      pipeline, key,
      [
        StageSource(stage: .vertex, name: name, text: pipeline.vertex.text()),
        StageSource(stage: .fragment, name: name, text: pipeline.fragment.assembly.text()),
      ], label: name)
  }

  private func keep(
    _ pipeline: AnyObject, _ key: ProgramKey, _ stages: [StageSource], label: String
  ) throws(SafelightError) -> ProgramObject {
    let program = try ProgramObject(context, stages: stages, label: label)
    programs[key] = program
    keptPipelines[key.pipeline] = pipeline
    return program
  }
}
