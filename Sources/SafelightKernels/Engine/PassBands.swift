internal import SafelightGPU
internal import SafelightImage

/// The way of one picture through the passes of a plan in bands of rows.
struct PassBands: StageBands {
  /// The targets of which each survey makes a band's part, and those that are made of numbers and tables alone before
  /// it. The last is for the results.
  private struct Step {
    var before: [PassPlan.Target] = []
    var visiting: [PassPlan.Target] = []
  }

  private let plan: PassPlan
  private let pipeline: PipelineKind
  private let call: String
  private let constants: Memo<TiledTexture>
  private let planBeside: @Sendable (TiledTexture, StageInput?) -> PassPlan?
  private let steps: [Step]
  /// The tables and numbers of the picture.
  private let made: PassRecorder.Resources
  let measured: Buffer?

  /// Nil if a pass needs more than a band of the kernel's picture, or rows that came before, or other pictures for its
  /// numbers. `planBeside` returns the plan for a picture and what comes with it, of which every plan needs the same
  /// rows; nil if it is `plan` whatever comes.
  init?(
    plan: PassPlan, pipeline: PipelineKind, call: String, constants: Memo<TiledTexture>, isMeasured: Bool,
    planBeside: @escaping @Sendable (TiledTexture, StageInput?) -> PassPlan?
  ) {
    guard !plan.nodes.contains(where: \.goesBack) else { return nil }
    let results = plan.targetsForResults
    var (steps, made) = ([Step()], PassRecorder.Resources())
    // The number of surveys after which each table and each number is known.
    var known: [Pass.Resource: Int] = [:]
    for target in results.isEmpty ? plan.targets[...] : results where !target.isResult {
      let inputs = plan.steps(making: target).flatMap(\.node.group.inputs)
      let after = inputs.compactMap { known[$0.resource] }.max() ?? 0
      if steps.count < after + 2 { steps.append(Step()) }
      if inputs.allSatisfy(\.resource.isHeldWhole) {
        steps[after].before.append(target)
        known[target.resource] = after
      } else {
        guard target.resource.isNumbers, inputs[0].resource == .picture,
          inputs.allSatisfy({ $0.resource == .picture || $0.resource.isHeldWhole })
        else { return nil }
        steps[after].visiting.append(target)
        known[target.resource] = after + 1
      }
    }
    steps = Array(steps.prefix((known.values.max() ?? 0) + 1))
    for result in results where result.isResult {
      let inputs = plan.steps(making: result).flatMap(\.node.group.inputs)
      guard plan.isMixed || !inputs.contains(where: \.resource.isResult) else { return nil }
      steps[steps.count - 1].visiting.append(result)
    }
    for target in steps.flatMap({ $0.before + $0.visiting }) where !target.isResult {
      made[target.resource] = plan.memory(for: target.resource, target.shape)
    }
    (self.plan, self.pipeline, self.call, self.constants) = (plan, pipeline, call, constants)
    self.planBeside = planBeside
    (self.steps, self.made) = (steps, made)
    if isMeasured, let last = plan.targets.last, case .words(let words, _) = made[last.resource] {
      measured = words
    } else {
      measured = nil
    }
  }

  var surveys: Int { steps.count - 1 }

  private func step(_ survey: Int?) -> Step { steps[survey ?? surveys] }

  func rows(for rows: Range<Int>, survey: Int?) -> Range<Int> {
    let width = (survey == nil ? plan.result.size : plan.source.size).width
    let band = Region(x: 0, y: rows.lowerBound, width: width, height: rows.count)
    let needed = step(survey).visiting.compactMap { target -> Region? in
      let region = plan.region(of: target)
      // Rows outside a part that is made, whose pixels need fewer, must not be asked for before those around it.
      let hasWindows = plan.steps(making: target).contains {
        $0.node.group.inputs.contains(where: \.footprint.isWindow)
      }
      let part =
        hasWindows
        ? Region(x: region.x, y: band.y, width: region.size.width, height: band.size.height)
        : region.intersection(band)
      return part.size.isEmpty ? nil : plan.needs(of: part, in: target)[.picture]
    }
    // No pass reads the picture for this band: a stage without passes copies the same rows.
    guard let first = needed.first else { return rows.clamped(to: 0..<plan.source.size.height) }
    let all = needed.dropFirst().reduce(first) { $0.union($1) }
    return all.y..<all.y + all.size.height
  }

  func begin(survey: Int?, in buffer: CommandBuffer) {
    let recorder = recorder(buffer)
    if survey ?? surveys == 0 {
      for target in plan.targets {
        if case .words(let words, let offset) = made[target.resource] {
          recorder.begin(target, in: words, offset: offset)
        }
      }
    }
    recorder.encode(step(survey).before, made)
  }

  func encode(survey: Int, of rows: Range<Int>, source: TiledTexture, to buffer: CommandBuffer) {
    let area = Region(x: 0, y: rows.lowerBound, width: plan.source.size.width, height: rows.count)
    recorder(buffer).encode(steps[survey].visiting, made.merging([.picture: .picture(source)]) { $1 }, in: area)
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    var (recorder, visiting) = (recorder(buffer), step(nil).visiting)
    if let beside = planBeside(source, input), beside.source != plan.source {
      recorder = PassRecorder(plan: beside, pipeline: pipeline, call: call, buffer: buffer, constants: constants)
      visiting = beside.targetsForResults.filter(\.isResult)
    }
    var resources = made.merging(recorder.given(input?.pictures ?? [], input?.mask)) { $1 }
    resources[.picture] = .picture(source)
    resources.merge(recorder.results(in: destination)) { $1 }
    if visiting.isEmpty {
      for tile in destination.tiles { source.encodeCopy(of: tile.region, to: tile.texture, in: buffer) }
    } else {
      recorder.encode(visiting, resources)
    }
  }

  private func recorder(_ buffer: CommandBuffer) -> PassRecorder {
    PassRecorder(plan: plan, pipeline: pipeline, call: call, buffer: buffer, constants: constants)
  }
}

extension PassPlan.Node {
  /// True if the pass needs rows again when it has gone on from them.
  fileprivate var goesBack: Bool {
    zip(group.inputs, read).contains { input, shape in
      if case .padded(let padding) = input.footprint.extent { padding.repeatsRows(of: shape.size) } else { false }
    }
  }
}
