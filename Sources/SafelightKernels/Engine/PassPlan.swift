internal import SafelightGPU
internal import SafelightImage

/// The passes that a kernel makes of pictures of one kind, checked, and the regions that each needs.
package struct PassPlan: Sendable {
  /// The size and the format of a picture.
  struct Shape: Hashable, Sendable {
    let size: Size
    let pixelFormat: PixelFormat
  }

  /// A pass with the shapes of its pictures.
  struct Node: Sendable {
    let pass: Pass
    /// The picture that is made.
    let made: Shape
    /// The pictures that are read, as the pass lists them.
    let read: [Shape]
    /// The function where every texture holds a whole picture, and where a texture holds a part.
    let whole, parts: PassProgram
  }

  /// The kernel's name.
  let name: String
  let source: PassPicture
  let result: PassPicture
  let nodes: [Node]

  /// Checks the passes that the kernel `name` makes of `source`, to get `result`.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if a pixel needs more of a picture than a texture of `edge` columns
  ///   and rows can hold.
  init(
    _ passes: [Pass], of name: String, from source: PassPicture, to result: PassPicture, edge: Int
  ) throws(SafelightError) {
    self.name = name
    self.source = source
    self.result = result
    let shape = Shape(size: source.size, pixelFormat: source.pixelFormat)
    var shapes: [Pass.Resource: Shape] = [.picture: shape, .second: shape]
    var nodes: [Node] = []
    for pass in passes {
      let node = Node(pass, "\(name): pass \(nodes.count)", reading: shapes, result: result, depth: source.image.depth)
      if case .temporary(let number, _) = pass.output {
        trap(
          unless: shapes.updateValue(node.made, forKey: .temporary(number)) == nil,
          "\(name): two passes make temporary \(number)")
      }
      nodes.append(node)
    }
    // Without passes samples stay, whatever they mean from there on.
    let isResult =
      nodes.last.map { $0.pass.output == .result }
      ?? (shape == Shape(size: result.size, pixelFormat: result.pixelFormat))
    trap(unless: isResult, "\(name): the last pass does not make the result")
    self.nodes = nodes
    try checkNeeds(edge)
  }

  /// Throws if what a single pixel in the middle of the result needs does not fit a texture.
  private func checkNeeds(_ edge: Int) throws(SafelightError) {
    let pixel = Region(x: result.size.width / 2, y: result.size.height / 2, width: 1, height: 1)
    let largest = needs(of: pixel).values.map(\.size).reduce(Size(1, 1)) {
      Size(max($0.width, $1.width), max($0.height, $1.height))
    }
    try ensure(
      largest.width <= edge && largest.height <= edge, .limit, "filter '\(name)'",
      why: "a pixel depends on \(largest) pixels, and a texture of this device has at most \(edge) columns and rows",
      remedy: "choose a smaller setting, or another device")
  }

  /// True if rows of the source are columns of the result.
  var exchangesAxes: Bool { nodes.reduce(false) { $0 != $1.pass.inputs[0].footprint.exchangesAxes } }

  /// The pixels of each picture that a region of the result needs, by walking the passes backwards.
  func needs(of region: Region) -> [Pass.Resource: Region] {
    var needs: [Pass.Resource: Region] = [:]
    for node in nodes.reversed() {
      guard let made = node.region(making: region, needs) else { continue }
      for (input, shape) in zip(node.pass.inputs, node.read) {
        let needed = input.footprint.needed(for: made, in: shape.size)
        needs[input.resource] = needs[input.resource].map { $0.union(needed) } ?? needed
      }
    }
    return needs
  }
}

extension PassPlan.Node {
  /// Checks `pass`, which `subject` names, among pictures of the given shapes.
  fileprivate init(
    _ pass: Pass, _ subject: String, reading shapes: [Pass.Resource: PassPlan.Shape], result: PassPicture,
    depth: SampleDepth
  ) {
    let read = pass.inputs.map { input in
      guard let shape = shapes[input.resource] else {
        trap("\(subject) reads \(input.resource) before another pass makes it")
      }
      return shape
    }
    trap(unless: !read.isEmpty, "\(subject) reads nothing")
    let made =
      switch pass.output {
      case .result: PassPlan.Shape(size: result.size, pixelFormat: result.pixelFormat)
      case .temporary(_, let format): PassPlan.Shape(size: read[0].size, pixelFormat: format)
      }
    for (input, shape) in zip(pass.inputs, read) {
      let whole = Region(size: shape.size)
      trap(
        unless: input.footprint.isInPlace
          ? shape.size == made.size
          : whole.contains(input.footprint.needed(for: Region(size: made.size), in: shape.size)),
        "\(subject) makes \(made.size) of '\(input.name)' of \(shape.size), which its footprint does not")
    }
    trap(
      unless: pass.function.kind == .pixels || made.pixelFormat.isStorable,
      "\(subject) stores \(made.pixelFormat.rawValue), which OpenGL ES cannot")
    func program(hasRegions: Bool) -> PassProgram {
      PassProgram(
        pass: pass, inputs: read.map(\.pixelFormat), output: made.pixelFormat, depth: depth, hasRegions: hasRegions)
    }
    self.init(
      pass: pass, made: made, read: read, whole: program(hasRegions: false), parts: program(hasRegions: true))
  }

  /// The pixels that the pass makes for a region of the result, given what later passes need; nil if none of them reads
  /// the pass's output.
  func region(making region: Region, _ needs: [Pass.Resource: Region]) -> Region? {
    switch pass.output {
    case .result: region
    case .temporary(let number, _): needs[.temporary(number)]
    }
  }
}
