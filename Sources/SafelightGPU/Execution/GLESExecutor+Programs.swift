internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

extension GLESExecutor {
  func program(_ pipeline: ComputePipelineState, _ size: Size) throws(SafelightError) -> ProgramObject {
    let key = ProgramKey(pipeline: ObjectIdentifier(pipeline), threadsPerThreadgroup: size)
    if let program = programs[key] { return program }
    let name = pipeline.function.name
    let text = pipeline.function.assembly.text([
      ShaderAssembly.Constant("THREADGROUP_WIDTH", size.width),
      ShaderAssembly.Constant("THREADGROUP_HEIGHT", size.height),
    ])
    return try keep(pipeline, key, [StageSource(stage: .compute, name: name, text: text)], label: name)
  }

  func program(_ pipeline: RenderPipelineState) throws(SafelightError) -> ProgramObject {
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

  func keep(
    _ pipeline: AnyObject, _ key: ProgramKey, _ stages: [StageSource], label: String
  ) throws(SafelightError) -> ProgramObject {
    let program = try ProgramObject(context, stages: stages, label: label)
    programs[key] = program
    keptPipelines[key.pipeline] = pipeline
    return program
  }
}
