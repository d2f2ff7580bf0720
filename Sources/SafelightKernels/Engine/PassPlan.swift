internal import SafelightGPU
internal import SafelightImage

/// The passes that a kernel makes of pictures of one kind, checked, and the regions that each needs.
package struct PassPlan: Sendable {
  /// A pass with the shape of its output.
  struct Node: Sendable {
    let pass: Pass
    /// The columns and rows of the picture that is made.
    let size: Size
    let pixelFormat: PixelFormat
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
    var shapes: [Pass.Resource: (size: Size, format: PixelFormat)] = [.picture: (source.size, source.pixelFormat)]
    var nodes: [Node] = []
    for pass in passes {
      let read = pass.inputs.map { input in
        guard let shape = shapes[input.resource] else {
          trap("\(name): pass \(nodes.count) reads \(input.resource) before another pass makes it")
        }
        return shape
      }
      trap(unless: !read.isEmpty, "\(name): pass \(nodes.count) reads nothing")
      let made: (size: Size, format: PixelFormat)
      switch pass.output {
      case .result: made = (result.size, result.pixelFormat)
      case .temporary(let number, let format):
        made = (read[0].size, format)
        trap(
          unless: shapes.updateValue(made, forKey: .temporary(number)) == nil,
          "\(name): two passes make temporary \(number)")
      }
      for (input, shape) in zip(pass.inputs, read) {
        trap(
          unless: shape.size == made.size,
          "\(name): pass \(nodes.count) makes \(made.size) of '\(input.name)' of \(shape.size), pixel by pixel")
      }
      func program(hasRegions: Bool) -> PassProgram {
        PassProgram(
          pass: pass, inputs: read.map(\.format), output: made.format, depth: source.image.depth, hasRegions: hasRegions
        )
      }
      nodes.append(
        Node(
          pass: pass, size: made.size, pixelFormat: made.format, whole: program(hasRegions: false),
          parts: program(hasRegions: true)))
    }
    trap(
      unless: nodes.last.map { $0.pass.output == .result } ?? (source == result),
      "\(name): the last pass does not make the result")
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

  /// The pixels of each picture that a region of the result needs, by walking the passes backwards.
  func needs(of region: Region) -> [Pass.Resource: Region] {
    var needs: [Pass.Resource: Region] = [:]
    for node in nodes.reversed() {
      let made: Region
      switch node.pass.output {
      case .result: made = region
      case .temporary(let number, _):
        guard let needed = needs[.temporary(number)] else { continue }
        made = needed
      }
      for input in node.pass.inputs {
        // All pictures of a pass have the size of its output.
        let needed = input.footprint.needed(for: made, in: node.size)
        needs[input.resource] = needs[input.resource].map { $0.union(needed) } ?? needed
      }
    }
    return needs
  }
}
