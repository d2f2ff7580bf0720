internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func perform(_ dispatch: Command.Dispatch) throws(SafelightError) {
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

  func bind(_ bindings: Bindings, to function: ShaderFunction) throws(SafelightError) {
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
}
