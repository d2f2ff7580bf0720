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
  /// Programs that the driver's threads compile.
  private var compilations: [ProgramKey: (ProgramCompilation, ProgramRequest)] = [:]

  init(_ context: Context, _ archive: ProgramArchive?) {
    self.context = context
    self.archive = archive
  }

  var count: Int { programsByText.count }

  func program(_ pipeline: Pipeline) throws(SafelightError) -> ProgramObject {
    if let known = programs[pipeline.key] { return known.program }
    let request = try ProgramRequest(pipeline)
    if let found = try find(request) { return found }
    return try finish(compile(request), request)
  }

  /// Leaves a program to the driver's threads, or takes it from them; returns whether it is at hand.
  func advance(_ pipeline: Pipeline) throws(SafelightError) -> Bool {
    if let (compilation, request) = compilations[pipeline.key] {
      guard compilation.isComplete else { return false }
      compilations[pipeline.key] = nil
      _ = try finish(compilation, request)
      return true
    }
    if programs[pipeline.key] != nil { return true }
    let request = try ProgramRequest(pipeline)
    if try find(request) != nil { return true }
    compilations[pipeline.key] = (try compile(request), request)
    return try advance(pipeline)
  }

  // MARK: Steps

  /// Finds a program among those of the same texts and in the archive.
  private func find(_ request: ProgramRequest) throws(SafelightError) -> ProgramObject? {
    guard let known = programsByText[request.texts] ?? archive?.restore(request, context) else { return nil }
    return try keep(known, request)
  }

  private func compile(_ request: ProgramRequest) throws(SafelightError) -> ProgramCompilation {
    try ProgramCompilation(
      context, stages: request.stages, label: request.label, isRetrievable: archive?.isSupported ?? false)
  }

  /// Waits for a program and archives it.
  private func finish(
    _ compilation: ProgramCompilation, _ request: ProgramRequest
  ) throws(SafelightError) -> ProgramObject {
    let program = try compilation.finish()
    archive?.keep(program, request)
    return try keep(program, request)
  }

  /// Checks a program against its text, and keeps it.
  private func keep(_ program: ProgramObject, _ request: ProgramRequest) throws(SafelightError) -> ProgramObject {
    // This includes archived programs: another version may have filled the archive.
    try request.reflection.check(against: program.resources, of: request.label)
    programs[request.pipeline.key] = (program, request.pipeline)
    programsByText[request.texts] = program
    return program
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
