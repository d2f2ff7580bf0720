internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
  func perform(_ draw: Command.Draw) throws(SafelightError) {
    guard draw.vertexStart == 0, draw.vertexCount == 4 else {
      throw SafelightError(
        .unsupported, draw.pipeline.fragment.name,
        why: "a twin paints the whole target, a draw of part of the strip does not",
        remedy: "draw vertices 0 to 3 on the CPU executor")
    }
    try draw.pipeline.fragment.reflection(nil).check(draw.bindings, of: draw.pipeline.fragment.name)
    let target = memory(draw.pass.texture)
    try run(draw.pipeline.fragment, draw.bindings, grid: target.size, target: target)
  }

  /// Integer samples are cut off, normalised ones rounded, as the other executor and OpenGL ES do (ES 3.2 §2.3.4.2).
  func clear(_ target: TextureMemory, to value: [Float]) {
    let format = target.pixelFormat
    let pixel = value.prefix(format.samplesPerPixel).flatMap(format.bytes(ofSample:))
    target.bytes = (0..<target.size.area).flatMap { _ in pixel }
  }
}
