package import SafelightGPU
package import SafelightImage

/// Records the passes of a plan, for pictures that fit a texture and for larger ones.
package struct PassRecorder {
  let plan: PassPlan
  let pipeline: PipelineKind
  /// The kernel's call, by which a capture finds the twins.
  let call: String
  let buffer: CommandBuffer
  /// The textures of tables and constant pictures, made at first use.
  let constants: Memo<TiledTexture>
  /// The memory of tables, numbers and temporaries that a stage's passes make, used again for each picture; nil to make
  /// new memory.
  let kept: Memo<PassStorage>?

  package init(
    plan: PassPlan, pipeline: PipelineKind = .automatic, call: String, buffer: CommandBuffer,
    constants: Memo<TiledTexture> = Memo(), kept: Memo<PassStorage>? = nil
  ) {
    self.plan = plan
    self.pipeline = pipeline
    self.call = call
    self.buffer = buffer
    self.constants = constants
    self.kept = kept
  }

  /// The memory of each resource of the passes.
  package typealias Resources = [Pass.Resource: PassStorage]

  /// Records the making of `destinations`, the results, tile by tile: from `source`, from the `further` pictures that
  /// passes read, and a `mask`, and from `earlier` numbers.
  package func encode(
    _ source: TiledTexture, _ further: [TiledTexture] = [], mask: TiledTexture? = nil,
    to destinations: [TiledTexture], earlier: Resources = [:]
  ) {
    let made = destinations.count + (plan.isMixed ? 1 : 0)
    trap(
      unless: made == plan.results.count,
      "\(plan.name) makes \(plan.results.count) pictures; it was given \(destinations.count)")
    var resources = earlier.merging(given(further, mask)) { $1 }
    if let destination = destinations.first, destinations.count == 1 {
      resources.merge(results(in: destination)) { $1 }
    } else {
      for (number, destination) in destinations.enumerated() { resources[.result(number)] = .picture(destination) }
    }
    guard plan.targetsForResults.isEmpty else {
      encode(plan.targetsForResults, of: source, earlier: resources)
      return
    }
    resources[.picture] = .picture(source)
    check(resources)
    for tile in destinations.flatMap(\.tiles) { source.encodeCopy(of: tile.region, to: tile.texture, in: buffer) }
  }

  /// The pictures that come with the kernel's own.
  func given(_ further: [TiledTexture], _ mask: TiledTexture?) -> Resources {
    var resources: Resources = [:]
    for (number, picture) in further.enumerated() { resources[.further(number)] = .picture(picture) }
    if let mask { resources[.mask] = .picture(mask) }
    return resources
  }

  /// The only result for others, and the one that passes mix, if they do, in memory of its own.
  func results(in destination: TiledTexture) -> Resources {
    guard plan.isMixed else { return [.result(0): .picture(destination)] }
    let key = MixedKey(shape: PassPlan.Shape(plan.result), region: destination.region)
    func make() -> PassStorage { .picture(TiledTexture(like: destination, label: "result of \(plan.name)")) }
    return [.result(0): kept?.value(key, make: make) ?? make(), .result(1): .picture(destination)]
  }

  private struct MixedKey: Hashable {
    let shape: PassPlan.Shape
    let region: Region
  }

  /// Records the making of `targets` from `source` and other `resources`, of which numbers for later pictures begin
  /// anew. Returns all resources.
  @discardableResult
  func encode(
    _ targets: some Collection<PassPlan.Target>, of source: TiledTexture, earlier resources: Resources
  ) -> Resources {
    for target in plan.targets {
      if case .words(let words, let offset) = resources[target.resource] { begin(target, in: words, offset: offset) }
    }
    return encode(targets, resources.merging([.picture: .picture(source)]) { $1 })
  }

  /// Records the making of some of the tables, numbers and results, from `resources`; numbers over the pixels of `area`
  /// alone, if given.
  package func encode(_ made: [Pass.Resource], _ resources: Resources, in area: Region? = nil) {
    encode(plan.targets.filter { made.contains($0.resource) }, resources, in: area)
  }

  /// Records the making of `targets`. Tables and numbers that `resources` lacks are made for them; of numbers that it
  /// has, all words must have the value with which their rule begins. Returns all resources.
  @discardableResult
  func encode(
    _ targets: some Collection<PassPlan.Target>, _ resources: Resources, in area: Region? = nil
  ) -> Resources {
    check(resources)
    var resources = resources
    for target in targets {
      let made = resources[target.resource] ?? memory(for: target)
      resources[target.resource] = made
      switch made {
      case .picture(let picture):
        for tile in picture.tiles {
          let region = target.area.map { $0.intersection(tile.region) } ?? tile.region
          if !region.size.isEmpty { encode(target, region, of: resources, to: .texture(tile)) }
        }
      case .words(let buffer, let offset):
        for region in regions(visitedFor: target, resources, in: area) {
          if !region.size.isEmpty { encode(target, region, of: resources, to: .words(buffer, offset: offset)) }
        }
      }
    }
    return resources
  }

  /// Traps if something in `resources` has another shape than the plan's.
  private func check(_ resources: Resources) {
    for (resource, place) in resources {
      guard let shape = plan.shape(of: resource) else { continue }
      trap(
        unless: place.fits(shape),
        """
        \(plan.name) was given a \(resource) of \(place); give it one of \(shape.size) \
        \(shape.pixelFormat.rawValue)
        """)
    }
  }

  /// Returns memory for a table, or for numbers, which begin.
  private func memory(for target: PassPlan.Target) -> PassStorage {
    let place = place(for: target.resource, target.shape)
    if case .words(let words, let offset) = place { begin(target, in: words, offset: offset) }
    return place
  }

  /// Returns memory of a shape for what passes make.
  private func place(for resource: Pass.Resource, _ shape: PassPlan.Shape, keeps: Bool = true) -> PassStorage {
    guard keeps, let kept else { return plan.memory(for: resource, shape) }
    return kept.value(KeptKey(resource: resource, shape: shape)) { plan.memory(for: resource, shape) }
  }

  private struct ConstantKey: Hashable {
    let constant: Pass.Constant
    let edge: Int
  }

  private struct KeptKey: Hashable {
    let resource: Pass.Resource
    let shape: PassPlan.Shape
  }

  /// Records the values with which numbers begin.
  func begin(_ target: PassPlan.Target, in words: Buffer, offset: Int) {
    let numbers = plan.steps(making: target).first?.node.whole.numbers ?? []
    let least = numbers.wordsOfLeast.map { (words: $0, value: UInt8.max) }
    for fill in [(0..<target.shape.size.width, 0)] + least {
      let range = 4 * fill.words.lowerBound + offset..<4 * fill.words.upperBound + offset
      buffer.blit("begin of \(plan.name)") { $0.fill(words, range: range, value: fill.value) }
    }
  }

  /// The parts of the first input, which lies in tiles, over which numbers are made.
  private func regions(
    visitedFor target: PassPlan.Target, _ resources: Resources, in area: Region?
  ) -> [Region] {
    guard let first = plan.steps(making: target).first?.node.group.inputs.first?.resource,
      case .picture(let picture) = resources[first]
    else { return [plan.region(of: target)] }
    let counted = area.map { $0.intersection(plan.region(of: target)) } ?? plan.region(of: target)
    return picture.tiles.map { counted.intersection($0.region) }
  }

  /// Records `passes` of a kernel without a card, whose result has the size and format of its picture. A capture finds
  /// no twins of it.
  static func record(
    _ passes: [Pass], of name: String, from source: Texture, to destination: Texture, in buffer: CommandBuffer,
    pipeline: PipelineKind, constants: Memo<TiledTexture>
  ) {
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    let plan = PassPlan(unlimited: passes, of: name, from: picture, to: [picture])
    PassRecorder(plan: plan, pipeline: pipeline, call: name, buffer: buffer, constants: constants)
      .encode(TiledTexture(source), to: [TiledTexture(destination)])
  }

  /// Records the making of a region of a target; halves the region until all that it needs fits a texture.
  private func encode(_ target: PassPlan.Target, _ region: Region, of resources: Resources, to made: PassBinding) {
    let needs = plan.needs(of: region, in: target)
    let (sizes, edge) = (needs.values.map(\.size), edge(of: resources))
    guard sizes.contains(where: { $0.width > edge || $0.height > edge }) else {
      return encode(target, region, needs, of: resources, to: made)
    }
    trap(
      unless: region.size.area > 1,
      "\(plan.name): a pixel needs more of its picture than tiles of \(edge) columns and rows hold")
    if let tile = made.tile, region == tile.region, target.area == nil {
      // All parts together replace the contents, which nobody needs then.
      var discarding = RenderPassDescriptor(texture: tile.texture, loadAction: .dontCare)
      discarding.colorAttachments[0].storeAction = .dontCare
      buffer.makeRenderCommandEncoder(discarding, label: plan.name).endEncoding()
    }
    for half in region.halves { encode(target, half, of: resources, to: made) }
  }

  /// The columns and rows that a texture may have.
  private func edge(of resources: Resources) -> Int {
    if case .picture(let source) = resources[.picture] { source.edge } else { .max }
  }

  private func encode(
    _ target: PassPlan.Target, _ region: Region, _ needs: [Pass.Resource: Region], of resources: Resources,
    to made: PassBinding
  ) {
    let steps = plan.steps(making: target)
    var held: [Pass.Resource: PassBinding] = [:]
    for (resource, needed) in needs {
      let picture: TiledTexture
      if case .constant(let constant) = resource {
        picture = texture(of: constant, edge: edge(of: resources))
      } else if case .picture(let given) = resources[resource] {
        picture = given
      } else {
        continue
      }
      held[resource] = .texture(picture.tile(holding: needed, in: buffer))
    }
    for input in steps.flatMap(\.node.group.inputs) where input.resource.isHeldWhole {
      if case .table(let table) = input.resource {
        held[input.resource] = texture(of: table).tiles.first.map { .texture($0) }
      } else {
        held[input.resource] = resources[input.resource]?.binding
      }
    }
    guard case .texture(let tile) = made else { return encode(target, region, from: held, needs, to: made) }
    // A draw visits all of a texture, so a part that is drawn has one of its own.
    let isDrawn = steps.last?.node.pipeline(pipeline, isPart: true) == .render
    let isDrawnPart = isDrawn && region != tile.region && target.area == nil
    let result =
      isDrawnPart
      ? TiledTexture.Tile(
        region: region, texture: Texture(size: region.size, pixelFormat: tile.texture.pixelFormat, label: plan.name))
      : tile
    if steps.count > 1 {
      let strips = PassStrips(
        plan: plan, target: target, region: region, result: result, pictures: held.compactMapValues(\.tile))
      buffer.recordJoined({ strips.make($0) }) { encode(target, region, from: held, needs, to: .texture(result)) }
    } else {
      encode(target, region, from: held, needs, to: .texture(result))
    }
    guard isDrawnPart else { return }
    buffer.blit("part that was made") { encoder in
      encoder.copy(
        from: result.texture, region: result.texture.bounds, to: tile.texture, x: region.x - tile.region.x,
        y: region.y - tile.region.y)
    }
  }

  /// The texture of a table that the CPU works out.
  func texture(of table: Pass.Table) -> TiledTexture {
    constants.value(table) {
      let (shape, entries) = (PassPlan.Shape(table), table.value.entries())
      trap(
        unless: entries.count == 4 * shape.size.area,
        "\(plan.name): a table of \(shape.size) has \(entries.count) samples; it needs four for each entry")
      return TiledTexture(
        Texture(
          size: shape.size, pixelFormat: shape.pixelFormat,
          contents: unsafe entries.withUnsafeBytes { unsafe Array($0) }, label: "table of \(plan.name)"))
    }
  }

  private func texture(of constant: Pass.Constant, edge: Int) -> TiledTexture {
    constants.value(ConstantKey(constant: constant, edge: edge)) {
      TiledTexture(constant.image, edge: edge, label: "picture of \(plan.name)")
    }
  }

  /// Records the passes that make `result`; a temporary that no later pass needs is not made.
  private func encode(
    _ target: PassPlan.Target, _ region: Region, from pictures: [Pass.Resource: PassBinding],
    _ needs: [Pass.Resource: Region], to result: PassBinding
  ) {
    var held = pictures
    for (pass, node) in plan.steps(making: target) {
      guard let region = node.region(making: region, needs) else { continue }
      var made = result
      if case .temporary(let temporary, let format, _) = node.group.output.target {
        let shape = PassPlan.Shape(size: region.size, pixelFormat: format)
        // Parts of pictures larger than a texture have many sizes.
        let place = place(for: .temporary(temporary), shape, keeps: region.size == node.made.size)
        if case .texture(let tile) = place.binding {
          made = .texture(TiledTexture.Tile(region: region, texture: tile.texture))
        }
        held[.temporary(temporary)] = made
      }
      let inputs = node.group.inputs.map { input in
        guard let input = held[input.resource] else {
          trap("\(plan.name) was given no \(input.resource) picture; encode it with one")
        }
        return input
      }
      encode(node, pass, region, inputs, to: made)
    }
  }

  /// Records a pass over `region`, of what is made or, for numbers, of the first input.
  private func encode(
    _ node: PassPlan.Node, _ number: Int, _ region: Region, _ inputs: [PassBinding], to made: PassBinding
  ) {
    if node.group.first.kind == .copy { return encodeCopy(node, region, inputs, to: made) }
    // The pixels that are made, or of which numbers are made, then the part and the size of each picture.
    let whole = (made.tile == nil ? node.read[0] : node.made).size
    var (isWhole, regions) = (region.size == whole, [region.x, region.y] + region.size.sides)
    for (binding, shape) in zip([made] + inputs, [node.made] + node.read) {
      let held = binding.tile?.region ?? Region(size: shape.size)
      isWhole = isWhole && held.size == shape.size
      regions += [held.x, held.y] + shape.size.sides
    }
    // OpenGL ES has images of textures that it laid out itself (ES 3.1 §8.22), without their swizzle.
    let haveImages = inputs.compactMap(\.tile?.texture).allSatisfy { $0.sharedPlane == nil && !$0.isSwizzled }
    let program = (isWhole ? node.whole : node.parts).variant(on: buffer.device, haveImages: haveImages)
    var bindings = Bindings()
    for (index, input) in inputs.enumerated() {
      switch input {
      case .texture(let tile): bindings.textures[PassProgram.index(ofInput: index)] = tile.texture
      case .words(let words, let offset):
        bindings.setBuffer(words, offset: offset, index: program.index(ofWords: index))
      }
    }
    for block in node.group.blocks { bindings.bytes[block.binding] = block.bytes }
    if !isWhole { bindings.bytes[3] = .words(regions) }
    if case .words(let words, let offset) = made { bindings.setBuffer(words, offset: offset, index: 1) }
    let isPart = made.tile.map { $0.region != region } ?? false
    program.pipelines.encode(
      to: buffer, destination: made.tile?.texture, bindings: bindings,
      pipeline: node.pipeline(pipeline, isPart: isPart),
      label: plan.name, grid: program.grid(making: region.size, threadgroups: node.group.first.threadgroups),
      loadAction: isPart ? .load : .dontCare,
      origin: PassOrigin(call: call, source: plan.source, pass: number).description)
  }
}

extension PassPlan {
  /// Makes memory of a shape for what passes make.
  func memory(for resource: Pass.Resource, _ shape: Shape) -> PassStorage {
    let label = "\(resource) of \(name)"
    return resource.isNumbers
      ? .words(Buffer(length: 4 * shape.size.width, label: label), offset: 0)
      : .picture(TiledTexture(Texture(size: shape.size, pixelFormat: shape.pixelFormat, label: label)))
  }
}

extension PassRecorder {
  private func encodeCopy(_ node: PassPlan.Node, _ region: Region, _ inputs: [PassBinding], to made: PassBinding) {
    guard case .texture(let from) = inputs.first, case .texture(let to) = made else { return }
    let needed = node.group.first.inputs[0].footprint.needed(for: region, in: node.read[0].size)
    buffer.blit(plan.name) { encoder in
      encoder.copy(
        from: from.texture, region: needed.translated(x: -from.region.x, y: -from.region.y), to: to.texture,
        x: region.x - to.region.x, y: region.y - to.region.y)
    }
  }
}

extension Size {
  fileprivate var sides: [Int] { [width, height] }
}

extension Region {
  /// Both halves, across the longer side.
  fileprivate var halves: [Region] {
    size.width > size.height
      ? tiles(width: (size.width + 1) / 2, height: size.height)
      : tiles(width: size.width, height: (size.height + 1) / 2)
  }
}

extension TiledTexture {
  /// Returns a texture that holds a region of the picture: a tile, or a copy, which is recorded.
  fileprivate func tile(holding region: Region, in buffer: CommandBuffer) -> Tile {
    if let tile = tiles.first(where: { $0.region.contains(region) }) { return tile }
    let part = Texture(size: region.size, pixelFormat: pixelFormat, label: "part of the picture")
    encodeCopy(of: region, to: part, in: buffer)
    return Tile(region: region, texture: part)
  }
}
