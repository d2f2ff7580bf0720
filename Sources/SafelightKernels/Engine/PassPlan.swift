internal import SafelightGPU
internal import SafelightImage

/// The passes that a kernel makes of pictures of one kind, checked and joined, and the regions that each needs.
package struct PassPlan: Sendable {
  /// The size and the format of a picture.
  package struct Shape: Hashable, Sendable {
    let size: Size
    let pixelFormat: PixelFormat
  }

  /// A pass, or several joined, with the shapes of the pictures.
  struct Node: Sendable {
    let group: PassGroup
    /// The shape of the picture or table that the pass makes; numbers are a picture of one row, a word each.
    let made: Shape
    /// The pictures, tables and numbers that are read, as the group lists them.
    let read: [Shape]
    /// The function where every texture holds a whole picture, and where a texture holds a part.
    let whole, parts: PassProgram
  }

  /// A result, a table or numbers, which stay through all tiles, and the passes that make it.
  struct Target: Sendable {
    let resource: Pass.Resource
    let shape: Shape
    /// The pixels of a result that are made, if not all.
    let area: Region?
    fileprivate let steps: Range<Int>
  }

  /// The kernel's name.
  let name: String
  let source: PassPicture
  let results: [PassPicture]
  /// True if the last of two results is a mixture of the first with the picture, so that the first is for no one else.
  let isMixed: Bool
  /// The pixels of the kernel's picture of which numbers are made; nil for all.
  let counted: Region?
  let nodes: [Node]
  /// The results, tables and numbers in the order in which passes make them; no result if the picture stays as it is.
  let targets: [Target]
  /// The shapes of all but temporaries and tables that the CPU works out.
  private let shapes: [Pass.Resource: Shape]

  /// Checks the passes that the kernel `name` makes of `source` to get `results`, besides tables and numbers. `given`
  /// are the shapes of other resources that no pass makes; further pictures have by default the source's format.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if a pixel needs more of a picture than a texture of `edge` columns
  ///   and rows can hold.
  init(
    _ passes: [Pass], of name: String, from source: PassPicture, given: [Pass.Resource: Shape] = [:],
    to results: [PassPicture], isMixed: Bool = false, counting counted: Region? = nil, edge: Int
  ) throws(SafelightError) {
    self.name = name
    self.source = source
    self.results = results
    (self.isMixed, self.counted) = (isMixed, counted)
    var kept: [Pass.Resource: Shape] = [.picture: Shape(source), .mask: Shape(source)]
    for resource in passes.flatMap(\.inputs).map(\.resource) {
      guard case .further(let number) = resource else { continue }
      kept[resource] = Shape(size: source.secondSize(number), pixelFormat: source.pixelFormat)
    }
    kept.merge(given) { $1 }
    for resource in passes.flatMap(\.inputs).map(\.resource) {
      guard case .earlier(let number, _) = resource else { continue }
      kept[resource] =
        given[.numbers(number)] ?? passes.lazy.compactMap { $0.output.words(number) }.first.map { Shape(words: $0) }
    }
    for pass in passes where pass.function.builtIn == nil { try pass.checkForeign(of: name, source, results) }
    let formats = results.map(\.pixelFormat)
    let read = Set(passes.flatMap(\.inputs).map(\.resource))
    for resource in passes.map(\.output.resource) {
      if case .temporary = resource {
        try PassPlan.require(read.contains(resource), "no pass reads the \(resource) that another makes", of: name)
      }
    }
    var (nodes, targets): ([Node], [Target]) = ([], [])
    // With the temporaries of the passes for one target.
    var shapes = kept
    let groups = PassGroup.groups(of: passes.tablingNumbers(forResults: formats), makingResults: formats)
    for group in groups {
      let subject = "pass '\(group.name)' that makes \(group.output.resource)"
      let node = try Node(group, subject, of: name, reading: shapes, making: results, depth: source.image.depth)
      let resource = group.output.resource
      try PassPlan.require(
        shapes.updateValue(node.made, forKey: resource) == nil || group.area != nil,
        "two passes make \(resource)", of: name)
      nodes.append(node)
      if case .temporary = resource { continue }
      let steps = (targets.last?.steps.upperBound ?? 0)..<nodes.count
      if case .result(let number) = resource, group.area == nil {
        let place = Set(targets.filter(\.isResult).map(\.resource)).count
        try PassPlan.require(number == place, "\(subject) makes result \(number) instead of \(place)", of: name)
      }
      try PassPlan.require(
        steps.count == 1 || !nodes[steps].contains(where: \.group.isComputed),
        "\(subject) makes or reads numbers, and there are temporaries, which lie in parts", of: name)
      kept[resource] = node.made
      shapes = kept
      targets.append(Target(resource: resource, shape: node.made, area: group.area, steps: steps))
    }
    try PassPlan.require(
      (targets.last?.steps.upperBound ?? 0) == nodes.count, "the last pass makes only a temporary", of: name)
    // Without a pass that makes a result, samples stay, whatever they mean from there on.
    let isUnchanged = results.count == 1 && Shape(results[0]) == Shape(source)
    // A result of which passes make only a part is given with the rest.
    let made = Set(targets.filter(\.isResult).map(\.resource)).count
    try PassPlan.require(
      made == results.count || made == 0 && (isUnchanged || results.isEmpty),
      "its passes make \(made) of \(results.count) results", of: name)
    (self.nodes, self.targets, self.shapes) = (nodes, targets, kept)
    for target in targets { try checkNeeds(of: target, edge) }
  }

  /// Checks passes for textures of any size.
  package init(
    unlimited passes: [Pass], of name: String, from source: PassPicture, given: [Pass.Resource: Shape] = [:],
    to results: [PassPicture]
  ) {
    do throws(SafelightError) {
      try self.init(passes, of: name, from: source, given: given, to: results, edge: .max)
    } catch {
      trap("\(name) does not take pictures of \(source.size) \(source.pixelFormat.rawValue): \(error.why)")
    }
  }

  /// The bytes of temporaries, and of tables and numbers that passes make.
  var byteCounts: StageByteCounts {
    var counts = StageByteCounts()
    for node in nodes {
      let byteCount = node.made.size.area * node.made.pixelFormat.bytesPerPixel
      switch node.group.output.target {
      case .temporary: counts.temporaries += byteCount
      case .table, .numbers: counts.fixed += byteCount
      case .result: break
      }
    }
    if isMixed { counts.temporaries += results[0].size.area * results[0].pixelFormat.bytesPerPixel }
    return counts
  }

  /// Returns the shape of what passes read or make; nil for what the kernel lacks, and for temporaries.
  func shape(of resource: Pass.Resource) -> Shape? {
    switch resource {
    case .table(let table): Shape(table)
    case .constant(let constant): Shape(constant)
    default: shapes[resource]
    }
  }

  /// The first result, the only one of most kernels.
  var result: PassPicture { results[0] }

  /// The passes that make a target, with their numbers.
  func steps(making target: Target) -> [(number: Int, node: Node)] { target.steps.map { ($0, nodes[$0]) } }

  /// The targets up to the last result; none for a picture that stays as it is.
  var targetsForResults: ArraySlice<Target> {
    targets.prefix((targets.lastIndex(where: \.isResult) ?? -1) + 1)
  }

  /// The pixels for which the passes of a target are run: those of the first input for numbers.
  func region(of target: Target) -> Region {
    guard case .numbers = target.resource, let node = steps(making: target).first?.node else {
      return target.area ?? Region(size: target.shape.size)
    }
    return counted(by: node) ?? Region(size: node.read[0].size)
  }

  /// The pixels of which a pass makes numbers, if it does so of the kernel's picture, and not of all of it.
  func counted(by node: Node) -> Region? { node.group.inputs[0].resource == .picture ? counted : nil }

  /// Throws if what a single pixel in the middle of a target needs does not fit a texture.
  private func checkNeeds(of target: Target, _ edge: Int) throws(SafelightError) {
    let region = region(of: target)
    let pixel = Region(
      x: region.x + region.size.width / 2, y: region.y + region.size.height / 2, width: 1, height: 1)
    let largest = needs(of: pixel, in: target).values.map(\.size).reduce(Size(1, 1)) {
      Size(max($0.width, $1.width), max($0.height, $1.height))
    }
    let readsAnywhere = steps(making: target).contains { _, node in
      node.group.inputs.contains { $0.footprint == .whole && !$0.resource.isHeldWhole }
    }
    try ensure(
      largest.width <= edge && largest.height <= edge, .limit, "filter '\(name)'",
      why: "a pixel \(readsAnywhere ? "may depend on all of" : "depends on") \(largest) pixels, and a texture of this "
        + "device has at most \(edge) columns and rows",
      remedy: readsAnywhere
        ? "scale the picture down, or cut it into parts" : "choose a smaller setting, or another device")
  }

  /// Returns whether a pass reads `resource`.
  func reads(_ resource: Pass.Resource) -> Bool {
    nodes.contains { $0.group.inputs.contains { $0.resource == resource } }
  }

  /// Compiles the functions for textures that hold whole pictures; throws the compiler's error.
  func compile(on device: Device, pipeline: PipelineKind) throws(SafelightError) {
    for node in nodes where node.group.first.kind != .copy {
      try node.whole.variant(on: device).pipelines.compile(on: device, pipeline: node.pipeline(pipeline))
    }
  }

  /// True if rows of the source are columns of the result.
  var exchangesAxes: Bool { nodes.reduce(false) { $0 != $1.group.first.inputs[0].footprint.exchangesAxes } }

  /// The pixels of each picture that a region of a target needs, by walking its passes backwards.
  func needs(of region: Region, in target: Target) -> [Pass.Resource: Region] {
    var needs: [Pass.Resource: Region] = [:]
    for (_, node) in steps(making: target).reversed() {
      guard let made = node.region(making: region, needs) else { continue }
      for (input, shape) in zip(node.group.inputs, node.read) where !input.resource.isHeldWhole {
        let needed = input.footprint.needed(for: made, in: shape.size)
        needs[input.resource] = needs[input.resource].map { $0.union(needed) } ?? needed
      }
    }
    return needs
  }
}

extension PassPlan {
  /// Returns the error of a kernel whose passes contradict each other.
  static func contradiction(_ why: String, of kernel: String) -> SafelightError {
    SafelightError(.kernel, "filter '\(kernel)'", why: why, remedy: "correct the passes that the kernel makes")
  }

  static func require(
    _ condition: Bool, _ why: @autoclosure () -> String, of kernel: String
  ) throws(SafelightError) {
    if !condition { throw contradiction(why(), of: kernel) }
  }
}

extension PassPlan.Shape {
  init(_ picture: PassPicture) { self.init(size: picture.size, pixelFormat: picture.pixelFormat) }
  init(_ table: Pass.Table) { self.init(table: table.value.size) }
  init(_ constant: Pass.Constant) { self.init(size: constant.image.size, pixelFormat: constant.image.pixelFormat) }
  /// The shape of a table.
  init(table size: Size) { self.init(size: size, pixelFormat: .rgba16Uint) }
  /// The shape of words.
  package init(words count: Int) { self.init(size: Size(count, 1), pixelFormat: .r32Uint) }
}

extension PassPlan.Target {
  var isResult: Bool { resource.isResult }
}

extension Pass.Output {
  var isTable: Bool { if case .table = target { true } else { false } }

  /// The words of the numbers that are made; nil for other numbers, and all else.
  fileprivate func words(_ number: Int) -> Int? {
    if case .numbers(number, let numbers) = target { numbers.map(\.words).reduce(0, +) } else { nil }
  }

  /// The resource by which later passes read this output.
  package var resource: Pass.Resource {
    switch target {
    case .result(let number): .result(number)
    case .temporary(let number, _, _): .temporary(number)
    case .table(let number, _): .madeTable(number)
    case .numbers(let number, _): .numbers(number)
    }
  }
}

extension Pass.Resource {
  var isResult: Bool { if case .result = self { true } else { false } }

  /// True for pictures besides the kernel's own that no pass makes.
  var isGiven: Bool {
    switch self {
    case .further, .mask, .constant: true
    case .picture, .result, .temporary, .table, .madeTable, .numbers, .earlier: false
    }
  }

  /// True for a table that the CPU works out.
  var isTable: Bool { if case .table = self { true } else { false } }

  var isNumbers: Bool {
    switch self {
    case .numbers, .earlier: true
    case .picture, .further, .mask, .constant, .result, .temporary, .table, .madeTable: false
    }
  }

  /// True for tables and numbers, which never lie in parts.
  var isHeldWhole: Bool {
    switch self {
    case .table, .madeTable, .numbers, .earlier: true
    case .picture, .further, .mask, .constant, .result, .temporary: false
    }
  }
}

extension PassPlan.Node {
  /// Checks `group`, which `subject` names, among pictures of the given shapes.
  fileprivate init(
    _ group: PassGroup, _ subject: String, of name: String, reading shapes: [Pass.Resource: PassPlan.Shape],
    making results: [PassPicture], depth: SampleDepth
  ) throws(SafelightError) {
    let read = try group.inputs.map { (input) throws(SafelightError) in
      switch input.resource {
      case .table(let table): return PassPlan.Shape(table)
      case .constant(let constant): return PassPlan.Shape(constant)
      default: break
      }
      guard let shape = shapes[input.resource] else {
        throw PassPlan.contradiction("\(subject) reads \(input.resource) before another pass makes it", of: name)
      }
      return shape
    }
    try PassPlan.require(!read.isEmpty, "\(subject) reads nothing", of: name)
    try PassPlan.require(
      !group.inputs.contains { $0.resource == group.output.resource },
      "\(subject) reads the \(group.output.resource) that it makes", of: name)
    let made: PassPlan.Shape
    switch group.output.target {
    case .result(let number):
      try PassPlan.require(
        results.indices.contains(number), "\(subject) makes result \(number) of \(results.count)", of: name)
      made = PassPlan.Shape(results[number])
    case .temporary(_, let format, let size): made = PassPlan.Shape(size: size ?? read[0].size, pixelFormat: format)
    case .table(_, let size): made = PassPlan.Shape(table: size)
    case .numbers(_, let numbers): made = PassPlan.Shape(words: numbers.map(\.words).reduce(0, +))
    }
    let isNumbers = group.output.resource.isNumbers
    let area = group.area ?? Region(size: made.size)
    try PassPlan.require(
      group.area == nil || group.output.resource.isResult && area.isInside(made.size),
      "\(subject) makes \(area) of \(made.size), or of a picture that is no result", of: name)
    for (input, shape) in zip(group.inputs, read) {
      try PassPlan.require(
        isNumbers || input.footprint.makes(area, of: made.size, from: shape.size),
        "\(subject) makes \(made.size) of '\(input.name)' of \(shape.size), which its footprint does not", of: name)
    }
    try PassPlan.require(
      [.pixels, .copy].contains(group.first.kind) || made.pixelFormat.isStorable,
      "\(subject) stores \(made.pixelFormat.rawValue), which OpenGL ES cannot", of: name)
    try PassPlan.require(
      made.pixelFormat.isStorable || !group.inputs.contains(where: \.resource.isNumbers),
      "\(subject) makes a picture of numbers, which only compute functions read; make a table of them first", of: name)
    func program(hasRegions: Bool) -> PassProgram {
      PassProgram(
        group: group.withoutPlaces,
        inputs: zip(group.inputs, read).map { .init($1, isNumbers: $0.resource.isNumbers) },
        output: .init(made, isNumbers: isNumbers), depth: depth, hasRegions: hasRegions)
    }
    self.init(
      group: group, made: made, read: read, whole: program(hasRegions: false), parts: program(hasRegions: true))
  }

  /// Returns the pipeline to run: OpenGL ES 3.1 cannot store to some formats of one channel, which are drawn. A
  /// dispatch visits only the pixels that are made, a draw all of the texture, of which they may be a part.
  func pipeline(_ wanted: PipelineKind, isPart: Bool = false) -> PipelineKind {
    if group.isComputed || wanted == .automatic && isPart && made.pixelFormat.isStorable { return .compute }
    return made.pixelFormat.isStorable ? wanted : .render
  }

  /// The pixels that the pass makes for a region of the target, given what later passes need; nil if none of them reads
  /// the pass's output.
  func region(making region: Region, _ needs: [Pass.Resource: Region]) -> Region? {
    if case .temporary(let number, _, _) = group.output.target { needs[.temporary(number)] } else { region }
  }
}

extension Pass.Numbers {
  /// The words of 32 bits.
  var words: Int { rule == .wideSum ? 2 * count : count }
}
