internal import Logging
internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders

final class ProgramCache {
  private let context: Context
  private let archive: ProgramArchive?
  /// With their pipelines, kept alive so that an identifier never names two of them.
  private var programs: [ProgramKey: (program: ProgramObject, pipeline: Pipeline)] = [:]
  /// The same programs by their texts: pipelines of equal functions share one.
  private var programsByText: [[String]: ProgramObject] = [:]

  init(_ context: Context, _ archive: ProgramArchive?) {
    self.context = context
    self.archive = archive
  }

  var count: Int { programsByText.count }

  func program(_ pipeline: Pipeline) throws(SafelightError) -> ProgramObject {
    if let known = programs[pipeline.key] { return known.program }
    return try finish(start(ProgramRequest(pipeline)))
  }

  /// Leaves a program to the driver's threads; nil if it is compiled already.
  func beginCompiling(_ pipeline: Pipeline) throws(SafelightError) -> (any PipelinePreparation)? {
    let request = try ProgramRequest(pipeline)
    return programs[pipeline.key] == nil ? ProgramPreparation(self, try start(request)) : nil
  }

  // MARK: Steps

  /// A requested program: at hand, or being compiled.
  fileprivate struct StartedProgram {
    let request: ProgramRequest
    let state: State

    enum State {
      case known(ProgramObject)
      case compiling(ProgramCompilation)
    }
  }

  /// Finds the program among those of the same texts and in the archive, else hands it to the compiler.
  private func start(_ request: ProgramRequest) throws(SafelightError) -> StartedProgram {
    if let known = programsByText[request.texts] ?? archive?.restore(request, context) {
      return StartedProgram(request: request, state: .known(known))
    }
    let compilation = try ProgramCompilation(
      context, stages: request.stages, label: request.label, isRetrievable: archive?.isSupported ?? false)
    return StartedProgram(request: request, state: .compiling(compilation))
  }

  /// Waits for the program, checks it against its text, and keeps it.
  fileprivate func finish(_ started: StartedProgram) throws(SafelightError) -> ProgramObject {
    let request = started.request
    let program: ProgramObject
    switch started.state {
    case .known(let known): program = known
    case .compiling(let compilation):
      program = try compilation.finish()
      archive?.keep(program, request)
    }
    // This includes archived programs: another version may have filled the archive.
    try request.reflection.check(against: program.resources, of: request.label)
    programs[request.pipeline.key] = (program, request.pipeline)
    programsByText[request.texts] = program
    return program
  }
}

private final class ProgramPreparation: PipelinePreparation {
  private let cache: ProgramCache
  private let started: ProgramCache.StartedProgram

  init(_ cache: ProgramCache, _ started: ProgramCache.StartedProgram) {
    self.cache = cache
    self.started = started
  }

  func advance() throws(SafelightError) -> Bool {
    if case .compiling(let compilation) = started.state, !compilation.isComplete { return false }
    _ = try cache.finish(started)
    return true
  }
}

private struct ProgramKey: Hashable {
  var pipeline: ObjectIdentifier
  var variant: ComputeVariant?
}

extension Pipeline {
  fileprivate var key: ProgramKey {
    switch self {
    case .compute(let pipeline, let variant): ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: variant)
    case .render(let pipeline): ProgramKey(pipeline: ObjectIdentifier(pipeline), variant: nil)
    }
  }
}

/// The sources of a program and what must be true of it.
private struct ProgramRequest {
  let pipeline: Pipeline
  let label: String
  let stages: [StageSource]
  let reflection: FunctionReflection

  /// The stages' kinds and texts: programs with equal ones are the same.
  var texts: [String] { stages.flatMap { [$0.stage.rawValue, $0.shader.text] } }

  init(_ pipeline: Pipeline) throws(SafelightError) {
    self.pipeline = pipeline
    switch pipeline {
    case .compute(let pipeline, let variant):
      let function = pipeline.function
      label = function.name
      reflection = try function.reflection(variant)
      stages = [StageSource(stage: .compute, name: label, shader: try function.assembly.shader(variant.constants))]
    case .render(let pipeline):
      let function = pipeline.fragment
      label = function.name
      reflection = try function.reflection(nil).joined(with: pipeline.vertexFunction.reflection(nil))
      stages = [
        StageSource(stage: .vertex, name: pipeline.vertexFunction.name, shader: try pipeline.vertex.shader()),
        StageSource(stage: .fragment, name: label, shader: try function.assembly.shader()),
      ]
    }
  }
}

/// The programs of one driver that are kept from one run to the next.
struct ProgramArchive {
  private let archive: BinaryArchive
  /// The driver's names: it takes only programs of its own.
  private let driver: [String]
  private let logger: Logger
  /// True if the driver hands programs out.
  let isSupported: Bool

  /// Opens the archive of `options` for a driver; nil if there is none.
  init?(_ options: DeviceOptions, _ info: DeviceInfo, _ capabilities: Capabilities) {
    guard let archive = options.archive else { return nil }
    self.archive = archive
    driver = [info.vendor, info.name, info.driver]
    logger = options.logger
    isSupported = capabilities.programBinaryFormats > 0
  }

  /// The archived program; nil if the archive has none or the driver refuses it.
  fileprivate func restore(_ request: ProgramRequest, _ context: Context) -> ProgramObject? {
    guard isSupported else {
      archive.noteUnsupported()
      return nil
    }
    let key = key(request)
    guard let binary = archive.binary(for: key) else { return nil }
    guard let program = ProgramObject(context, restoring: binary, label: request.label) else {
      archive.refuse(key)
      return nil
    }
    do throws(SafelightError) {
      try request.reflection.check(against: program.resources, of: request.label)
    } catch {
      // Another program under this one's name. Compiling the text anew shows whether the text itself is wrong.
      archive.refuse(key)
      return nil
    }
    archive.noteRestored(key)
    return program
  }

  /// Keeps the program for the next run. Failing to keep it is only logged: the next run compiles it again.
  fileprivate func keep(_ program: ProgramObject, _ request: ProgramRequest) {
    guard isSupported, let binary = program.binary() else { return }
    if let failure = archive.keep(binary, for: key(request)) { logger.warning("\(failure)") }
  }

  private func key(_ request: ProgramRequest) -> BinaryArchive.Key { BinaryArchive.Key(driver + request.texts) }
}
