internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
  func run(
    _ function: ShaderFunction, _ bindings: Bindings, grid: Size, target: TextureMemory?
  ) throws(SafelightError) {
    let twin = try twin(of: function)
    let arguments = TwinArguments(
      grid: grid, colorAttachment: target, textures: bindings.textures.mapValues { memory($0) },
      buffers: bindings.buffers.mapValues { memory($0) }, bytes: bindings.bytes)
    do {
      try twin.body(arguments)
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.driver, function.name, why: "its Swift twin failed: \(error)", remedy: "correct the twin")
    }
  }

  func twin(of function: ShaderFunction) throws(SafelightError) -> ShaderTwin {
    guard let twin = function.twin else {
      throw SafelightError(
        .unsupported, function.name, why: "it has no Swift twin, so the CPU executor cannot run it",
        remedy: "give the function a twin, or use a GPU device")
    }
    return twin
  }
}
