internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
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
        why: "'\(indirect.buffer.label)' asks for \(words) threadgroups; the CPU executor takes 16777216 in all",
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
        .unsupported, function.name, why: "it has no Swift twin, so the CPU executor cannot run it",
        remedy: "give the function a twin, or use a GPU device")
    }
    return twin
  }
}
