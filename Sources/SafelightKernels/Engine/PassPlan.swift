internal import SafelightGPU
internal import SafelightImage

/// The passes that a kernel makes of pictures of one kind, checked and joined, and the regions that each needs.
package struct PassPlan: Sendable {
  /// The size and the format of a picture.
  struct Shape: Hashable, Sendable {
    let size: Size
    let pixelFormat: PixelFormat
  }

  /// A pass, or several joined, with the shapes of the pictures.
  struct Node: Sendable {
    let group: PassGroup
    /// The picture that is made.
    let made: Shape
    /// The pictures and tables that are read, as the group lists them.
    let read: [Shape]
    /// The function where every texture holds a whole picture, and where a texture holds a part.
    let whole, parts: PassProgram
  }

  /// The kernel's name.
  let name: String
  let source: PassPicture
  let results: [PassPicture]
  let nodes: [Node]
  /// The shapes of the pictures that passes read but do not make, and of the results.
  let shapes: [Pass.Resource: Shape]
  /// The numbers of the passes that make each result; none if the picture stays as it is.
  private let steps: [Range<Int>]

  /// Checks the passes that the kernel `name` makes of `source`, and of a second picture, of the same shape unless
  /// `second` is another, to get `results`.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if a pixel needs more of a picture than a texture of `edge` columns
  ///   and rows can hold.
  init(
    _ passes: [Pass], of name: String, from source: PassPicture, second: Shape? = nil, to results: [PassPicture],
    edge: Int
  ) throws(SafelightError) {
    self.name = name
    self.source = source
    self.results = results
    var kept: [Pass.Resource: Shape] = [.picture: Shape(source), .second: second ?? Shape(source)]
    var (nodes, steps): ([Node], [Range<Int>]) = ([], [])
    // With the temporaries of the passes for one result.
    var shapes = kept
    for group in PassGroup.groups(of: passes, makingResults: results.map(\.pixelFormat)) {
      let subject = "\(name): pass \(nodes.count)"
      trap(unless: steps.count < results.count, "\(subject) comes after the last result")
      let made = Shape(results[steps.count])
      let node = Node(group, subject, reading: shapes, making: made, depth: source.image.depth)
      nodes.append(node)
      switch group.output {
      case .temporary(let number, _):
        trap(
          unless: shapes.updateValue(node.made, forKey: .temporary(number)) == nil,
          "\(name): two passes make temporary \(number)")
      case .result(let number):
        trap(unless: number == steps.count, "\(subject) makes result \(number) instead of \(steps.count)")
        kept[.result(number)] = made
        shapes = kept
        steps.append((steps.last?.upperBound ?? 0)..<nodes.count)
      }
    }
    // Without passes samples stay, whatever they mean from there on.
    let isUnchanged = passes.isEmpty && results.count == 1 && Shape(results[0]) == Shape(source)
    trap(
      unless: isUnchanged || steps.count == results.count && steps.last?.upperBound == nodes.count,
      "\(name): the last pass does not make the last result")
    (self.nodes, self.steps, self.shapes) = (nodes, steps, kept)
    for number in results.indices { try checkNeeds(of: number, edge) }
  }

  /// Returns the shape of a picture that passes read but do not make, or of a table; nil if the kernel has none.
  func shape(of resource: Pass.Resource) -> Shape? {
    if case .table(let table) = resource { Shape(table) } else { shapes[resource] }
  }

  /// The first result, the only one of most kernels.
  var result: PassPicture { results[0] }

  /// The passes that make a result, with their numbers.
  func steps(making result: Int) -> [(number: Int, node: Node)] {
    (steps.isEmpty ? 0..<0 : steps[result]).map { ($0, nodes[$0]) }
  }

  /// Throws if what a single pixel in the middle of a result needs does not fit a texture.
  private func checkNeeds(of number: Int, _ edge: Int) throws(SafelightError) {
    let size = results[number].size
    let pixel = Region(x: size.width / 2, y: size.height / 2, width: 1, height: 1)
    let largest = needs(of: pixel, in: number).values.map(\.size).reduce(Size(1, 1)) {
      Size(max($0.width, $1.width), max($0.height, $1.height))
    }
    let readsAnywhere = steps(making: number).contains { _, node in
      node.group.inputs.contains { $0.footprint == .whole && !$0.resource.isTable }
    }
    try ensure(
      largest.width <= edge && largest.height <= edge, .limit, "filter '\(name)'",
      why: "a pixel \(readsAnywhere ? "may depend on all of" : "depends on") \(largest) pixels, and a texture of this "
        + "device has at most \(edge) columns and rows",
      remedy: readsAnywhere
        ? "scale the picture down, or cut it into parts" : "choose a smaller setting, or another device")
  }

  /// Compiles the functions for textures that hold whole pictures; throws the compiler's error.
  func compile(on device: Device, form: KernelForm) throws(SafelightError) {
    for node in nodes { try node.whole.forms.compile(on: device, form: node.form(form)) }
  }

  /// True if rows of the source are columns of the result.
  var exchangesAxes: Bool { nodes.reduce(false) { $0 != $1.group.first.inputs[0].footprint.exchangesAxes } }

  /// The pixels of each picture that a region of a result needs, by walking its passes backwards.
  func needs(of region: Region, in result: Int) -> [Pass.Resource: Region] {
    var needs: [Pass.Resource: Region] = [:]
    for (_, node) in steps(making: result).reversed() {
      guard let made = node.region(making: region, needs) else { continue }
      for (input, shape) in zip(node.group.inputs, node.read) where !input.resource.isTable {
        let needed = input.footprint.needed(for: made, in: shape.size)
        needs[input.resource] = needs[input.resource].map { $0.union(needed) } ?? needed
      }
    }
    return needs
  }
}

extension PassPlan.Shape {
  fileprivate init(_ picture: PassPicture) { self.init(size: picture.size, pixelFormat: picture.pixelFormat) }
  init(_ table: Pass.Table) { self.init(size: table.value.size, pixelFormat: .rgba16Uint) }
}

extension PassPlan.Node {
  /// Checks `group`, which `subject` names, among pictures of the given shapes.
  fileprivate init(
    _ group: PassGroup, _ subject: String, reading shapes: [Pass.Resource: PassPlan.Shape],
    making result: PassPlan.Shape,
    depth: SampleDepth
  ) {
    let read = group.inputs.map { input in
      if case .table(let table) = input.resource { return PassPlan.Shape(table) }
      guard let shape = shapes[input.resource] else {
        trap("\(subject) reads \(input.resource) before another pass makes it")
      }
      return shape
    }
    trap(unless: !read.isEmpty, "\(subject) reads nothing")
    let made =
      switch group.output {
      case .result: result
      case .temporary(_, let format): PassPlan.Shape(size: read[0].size, pixelFormat: format)
      }
    for (input, shape) in zip(group.inputs, read) {
      trap(
        unless: input.footprint.makes(made.size, of: shape.size),
        "\(subject) makes \(made.size) of '\(input.name)' of \(shape.size), which its footprint does not")
    }
    trap(
      unless: group.first.function.kind == .pixels || made.pixelFormat.isStorable,
      "\(subject) stores \(made.pixelFormat.rawValue), which OpenGL ES cannot")
    func program(hasRegions: Bool) -> PassProgram {
      PassProgram(
        group: group.withoutResources, inputs: read.map(\.pixelFormat), output: made.pixelFormat, depth: depth,
        hasRegions: hasRegions)
    }
    self.init(
      group: group, made: made, read: read, whole: program(hasRegions: false), parts: program(hasRegions: true))
  }

  /// Returns the form to run: OpenGL ES 3.1 cannot store to some formats of one channel, which are drawn.
  func form(_ wanted: KernelForm) -> KernelForm { made.pixelFormat.isStorable ? wanted : .render }

  /// The pixels that the pass makes for a region of the result, given what later passes need; nil if none of them reads
  /// the pass's output.
  func region(making region: Region, _ needs: [Pass.Resource: Region]) -> Region? {
    switch group.output {
    case .result: region
    case .temporary(let number, _): needs[.temporary(number)]
    }
  }
}
