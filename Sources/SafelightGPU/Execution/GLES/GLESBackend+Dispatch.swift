internal import SafelightGLES
internal import SafelightImage

extension GLESBackend {
  func perform(_ dispatch: Command.Dispatch) throws(SafelightError) {
    let size = dispatch.threadsPerThreadgroup
    let program = try program(dispatch.pipeline, dispatch.variant)
    let function = dispatch.pipeline.function
    if let indirect = dispatch.indirect { _ = try object(indirect.buffer) }
    try program.use()
    try bind([BoundFunction(function: function, bindings: dispatch.bindings)], to: program)
    if let indirect = dispatch.indirect {
      // Whole threadgroups: no thread lies outside the grid.
      try program.setThreadsPerGrid(Size(Int(UInt32.max), Int(UInt32.max)))
      try object(indirect.buffer).bindIndirect()
      try context.dispatchIndirect(offset: indirect.offset)
    } else {
      try program.setThreadsPerGrid(dispatch.threads)
      try context.dispatch(threadgroups: dispatch.threads.dividedCovering(size), depth: dispatch.depth)
    }
  }

  /// Binds what the functions of one command are bound to.
  func bind(_ functions: [BoundFunction], to program: ProgramObject) throws(SafelightError) {
    // Making a texture binds it to the unit in use, and so does storing to a level: both come before the first is bound for sampling.
    for texture in functions.flatMap({ $0.sampled + $0.stored }) { _ = try object(texture) }
    for bound in functions {
      for index in bound.function.arguments.compactMap(\.storedTexture) {
        if let texture = bound.bindings.textures[index] { try object(texture).bindStorage(unit: index) }
      }
    }
    for bound in functions { try bind(bound, program) }
  }

  private func bind(_ bound: BoundFunction, _ program: ProgramObject) throws(SafelightError) {
    let (function, bindings) = (bound.function, bound.bindings)
    for argument in function.arguments {
      switch argument {
      case .sampledTexture(let index):
        guard let texture = bindings.textures[index] else { continue }
        try object(texture).bindSampled(unit: index)
        if let sampler = bindings.samplers[index] {
          try object(sampler).bind(unit: index)
        } else {
          try SamplerObject.unbind(context, unit: index)
        }
      case .storageTexture, .readWriteTexture: break
      case .readBuffer(let index), .storageBuffer(let index):
        guard let buffer = bindings.buffers[index] else { continue }
        if case .storageBuffer = argument { willWrite(buffer) }
        try bindStorage(buffer, offset: bindings.bufferOffsets[index] ?? 0, index: index, function, program)
      case .bytes(let index): try bindUniform(bindings, index: index)
      }
    }
  }

  /// Binds as much of the offset as the driver takes, and hands the function the rest.
  private func bindStorage(
    _ buffer: Buffer, offset: Int, index: Int, _ function: ShaderFunction, _ program: ProgramObject
  ) throws(SafelightError) {
    let alignment = capabilities.bufferOffsetAlignment
    let rest = offset % alignment
    try object(buffer).bindStorage(index: index, offset: offset - rest)
    guard try program.setBufferOffset(words: rest / 4, index: index) || rest == 0 else {
      throw SafelightError(
        .unsupported, function.name,
        why:
          "it does not read safelight_bufferOffsets[\(index)], and offset \(offset) of buffer '\(buffer.label)' is no "
          + "multiple of this device's \(alignment)",
        remedy: "add safelight_bufferOffsets[\(index)] to its indices, or begin at a multiple of 256")
    }
  }

  /// Binds bytes, or a buffer in their place: where it lies, or copied where the driver cannot begin there.
  private func bindUniform(_ bindings: Bindings, index: Int) throws(SafelightError) {
    if let bytes = bindings.bytes[index] { return try uniform(bytes, index: index).bindUniform(index: index) }
    guard let buffer = bindings.buffers[index] else { return }
    let offset = bindings.bufferOffsets[index] ?? 0
    let range = offset..<min(buffer.length, offset + capabilities.maximumUniformLength)
    let source = try object(buffer)
    // Blocks are counted in 16 bytes: a range that ends within them may be too short for the driver, the copy's is not.
    if offset % context.uniformBufferAlignment == 0 && range.count % 16 == 0 {
      return try source.bindUniform(index: index, range: range)
    }
    let copy = try uniform(length: range.count, index: index)
    try source.copy(range, to: copy, at: 0)
    try copy.bindUniform(index: index)
  }
}
