internal import Logging
internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

extension GLESBackend {
  func program(_ pipeline: ComputePipelineState, _ variant: ComputeVariant) throws(SafelightError) -> ProgramObject {
    if let program = programs[ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: variant)] { return program }
    return try finish(start(.compute(pipeline, variant)))
  }

  func program(_ pipeline: RenderPipelineState) throws(SafelightError) -> ProgramObject {
    if let program = programs[ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: nil)] { return program }
    return try finish(start(.render(pipeline)))
  }

  func prepare(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let variant):
      try variant.check(pipeline.function, capabilities)
      _ = try program(pipeline, variant)
    case .render(let pipeline):
      try pipeline.check(capabilities)
      _ = try program(pipeline)
    }
  }

  /// Leaves the program to the driver's threads where it has some, else compiles it here and now.
  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    guard capabilities.compilesInParallel else {
      try prepare(pipeline)
      return nil
    }
    switch pipeline {
    case .compute(let pipeline, let variant): try variant.check(pipeline.function, capabilities)
    case .render(let pipeline): try pipeline.check(capabilities)
    }
    let request = try ProgramRequest(pipeline)
    if programs[request.key] != nil { return nil }
    return ProgramPreparation(self, try start(pipeline))
  }

  // MARK: Steps

  /// A program that was asked for: at hand, or on its way.
  struct StartedProgram {
    let request: ProgramRequest
    let state: State

    enum State {
      case known(ProgramObject)
      case compiling(ProgramCompilation)
    }
  }

  /// Finds the program among those with the same texts and in the archive, else hands it to the compiler.
  func start(_ pipeline: Pipeline) throws(SafelightError) -> StartedProgram {
    let request = try ProgramRequest(pipeline)
    if let known = programsByText[request.texts] ?? restored(request) {
      return StartedProgram(request: request, state: .known(known))
    }
    return StartedProgram(
      request: request,
      state: .compiling(
        try ProgramCompilation(
          context, stages: request.stages, label: request.label, isRetrievable: keepsPrograms)))
  }

  /// Waits for the program, checks it against its text, and keeps it.
  func finish(_ started: StartedProgram) throws(SafelightError) -> ProgramObject {
    let request = started.request
    let program: ProgramObject
    switch started.state {
    case .known(let known): program = known
    case .compiling(let compilation):
      program = try compilation.finish()
      archive(program, request)
    }
    // Also of programs from the archive: it may have been filled by another version.
    try request.reflection.check(against: program.resources, of: request.label)
    programs[request.key] = program
    programsByText[request.texts] = program
    keptPipelines[request.key.pipeline] = request.pipeline
    return program
  }
}

/// A program as it is asked of the driver.
struct ProgramRequest {
  let key: GLESBackend.ProgramKey
  let pipeline: AnyObject
  let label: String
  let stages: [StageSource]
  let reflection: FunctionReflection

  /// The stages' kinds and texts: what makes two programs the same.
  var texts: [String] { stages.flatMap { [$0.stage.rawValue, $0.shader.text] } }

  init(_ pipeline: Pipeline) throws(SafelightError) {
    switch pipeline {
    case .compute(let pipeline, let variant):
      let function = pipeline.function
      key = GLESBackend.ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: variant)
      self.pipeline = pipeline
      label = function.name
      reflection = try function.reflection(variant)
      stages = [
        StageSource(stage: .compute, name: label, shader: try function.assembly.shader(variant.constants))
      ]
    case .render(let pipeline):
      let function = pipeline.fragment
      key = GLESBackend.ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: nil)
      self.pipeline = pipeline
      label = function.name
      reflection = try function.reflection(nil).joined(with: pipeline.vertexFunction.reflection(nil))
      stages = [
        StageSource(stage: .vertex, name: pipeline.vertexFunction.name, shader: try pipeline.vertex.shader()),
        StageSource(stage: .fragment, name: label, shader: try function.assembly.shader()),
      ]
    }
  }
}

/// A program on the driver's threads.
final class ProgramPreparation: PipelinePreparation {
  private unowned let backend: GLESBackend
  private let started: GLESBackend.StartedProgram

  init(_ backend: GLESBackend, _ started: GLESBackend.StartedProgram) {
    self.backend = backend
    self.started = started
  }

  func advance() throws(SafelightError) -> Bool {
    if case .compiling(let compilation) = started.state, !compilation.isComplete { return false }
    _ = try backend.finish(started)
    return true
  }
}

extension GLESBackend {
  /// Whether programs go to an archive: there is one, and the driver gives them out.
  var keepsPrograms: Bool { archive != nil && capabilities.programBinaryFormats > 0 }

  /// The program from the archive; nil where it is not there, or the driver takes it no more.
  func restored(_ request: ProgramRequest) -> ProgramObject? {
    guard let archive else { return nil }
    guard keepsPrograms else {
      archive.noteUnsupported()
      return nil
    }
    let key = archiveKey(request)
    guard let binary = archive.binary(for: key) else { return nil }
    guard let program = ProgramObject(context, restoring: binary, label: request.label) else {
      archive.refuse(key)
      return nil
    }
    do throws(SafelightError) {
      try request.reflection.check(against: program.resources, of: request.label)
    } catch {
      // Another program under this one's name: compiled anew, the text itself shows whether anything is wrong with it.
      archive.refuse(key)
      return nil
    }
    archive.noteRestored(key)
    return program
  }

  /// Keeps the program for the next time. What cannot be kept is compiled again then: that is no error of the work at hand.
  func archive(_ program: ProgramObject, _ request: ProgramRequest) {
    guard let archive, keepsPrograms, let binary = program.binary() else { return }
    if let failure = archive.keep(binary, for: archiveKey(request)) {
      logger.warning("\(failure)")
    }
  }

  private func archiveKey(_ request: ProgramRequest) -> BinaryArchive.Key {
    BinaryArchive.Key([info.vendor, info.name, info.driver] + request.texts)
  }
}
