internal import SafelightGPU
internal import SafelightImage

/// Records the passes of a plan, for pictures that fit a texture and for larger ones.
struct PassRecorder {
  let plan: PassPlan
  let form: KernelForm
  /// The kernel's call, by which a capture finds the twins.
  let call: String
  let buffer: CommandBuffer
  /// The textures of tables, made at first use.
  var tables = Memo<Texture>()

  /// The kernel's pictures: its source, the second one if its passes read one, and its results.
  typealias Pictures = [Pass.Resource: TiledTexture]

  /// Records the making of `destinations`, the results, from `source`, and from `second` if the passes read it, tile by
  /// tile.
  func encode(_ source: TiledTexture, _ second: TiledTexture? = nil, to destinations: [TiledTexture]) {
    var pictures: Pictures = [.picture: source]
    pictures[.second] = second
    trap(
      unless: destinations.count == plan.results.count,
      "\(plan.name) makes \(plan.results.count) pictures; it was given \(destinations.count)")
    for (number, destination) in destinations.enumerated() { pictures[.result(number)] = destination }
    for resource in [.picture, .second] + destinations.indices.map({ Pass.Resource.result($0) }) {
      guard let picture = pictures[resource], let shape = plan.shapes[resource] else { continue }
      trap(
        unless: picture.size == shape.size && picture.pixelFormat == shape.pixelFormat,
        """
        \(plan.name) was given a \(resource) of \(picture.size) \(picture.pixelFormat.rawValue); give it one of \
        \(shape.size) \(shape.pixelFormat.rawValue)
        """)
    }
    for (number, destination) in destinations.enumerated() {
      for tile in destination.tiles {
        if plan.nodes.isEmpty {
          source.encodeCopy(of: tile.region, to: tile.texture, in: buffer)
        } else {
          encode(number, tile.region, of: pictures, edge: source.edge, to: tile)
        }
      }
    }
  }

  /// Records `passes` of a kernel without a card, whose result has the size and format of its picture. A capture finds
  /// no twins of it.
  static func record(
    _ passes: [Pass], of name: String, from source: Texture, to destination: Texture, in buffer: CommandBuffer,
    form: KernelForm, tables: Memo<Texture>
  ) {
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    do throws(SafelightError) {
      let plan = try PassPlan(passes, of: name, from: picture, to: [picture], edge: .max)
      PassRecorder(plan: plan, form: form, call: name, buffer: buffer, tables: tables)
        .encode(TiledTexture(source), to: [TiledTexture(destination)])
    } catch {
      trap("\(name) does not take '\(source.label)': \(error.why)")
    }
  }

  /// Records the making of a region of a tile; halves the region until all that it needs fits a texture.
  private func encode(
    _ number: Int, _ region: Region, of pictures: Pictures, edge: Int, to tile: TiledTexture.Tile
  ) {
    let needs = plan.needs(of: region, in: number)
    let sizes = needs.values.map(\.size)
    guard sizes.contains(where: { $0.width > edge || $0.height > edge }) else {
      return encode(number, region, needs, of: pictures, to: tile)
    }
    trap(
      unless: region.size.area > 1,
      "\(plan.name): a pixel needs more of its picture than tiles of \(edge) columns and rows hold")
    for half in region.halves { encode(number, half, of: pictures, edge: edge, to: tile) }
  }

  private func encode(
    _ number: Int, _ region: Region, _ needs: [Pass.Resource: Region], of pictures: Pictures,
    to tile: TiledTexture.Tile
  ) {
    var held: [Pass.Resource: TiledTexture.Tile] = [:]
    for (resource, needed) in needs { held[resource] = pictures[resource]?.tile(holding: needed, in: buffer) }
    for input in plan.steps(making: number).flatMap(\.node.group.inputs) {
      if case .table(let table) = input.resource { held[input.resource] = self.tile(holding: table) }
    }
    let result =
      region == tile.region
      ? tile
      : TiledTexture.Tile(
        region: region, texture: Texture(size: region.size, pixelFormat: tile.texture.pixelFormat, label: plan.name))
    let strips = PassStrips(plan: plan, number: number, pictures: held, result: result)
    if plan.steps(making: number).count > 1 {
      buffer.recordJoined({ strips.make($0) }) { encode(number, from: held, needs, to: result) }
    } else {
      encode(number, from: held, needs, to: result)
    }
    if result.texture !== tile.texture {
      buffer.blit("part that was made") { encoder in
        encoder.copy(
          from: result.texture, region: result.texture.bounds, to: tile.texture, x: region.x - tile.region.x,
          y: region.y - tile.region.y)
      }
    }
  }

  private func tile(holding table: Pass.Table) -> TiledTexture.Tile {
    let shape = PassPlan.Shape(table)
    let texture = tables.value(table) {
      let entries = table.value.entries()
      trap(
        unless: entries.count == 4 * shape.size.area,
        "\(plan.name): a table of \(shape.size) has \(entries.count) samples; it needs four for each entry")
      return Texture(
        size: shape.size, pixelFormat: shape.pixelFormat, contents: unsafe entries.withUnsafeBytes { unsafe Array($0) },
        label: "table of \(plan.name)")
    }
    return TiledTexture.Tile(region: texture.bounds, texture: texture)
  }

  /// Records the passes that make `result`; a temporary that no later pass needs is not made.
  private func encode(
    _ number: Int, from pictures: [Pass.Resource: TiledTexture.Tile], _ needs: [Pass.Resource: Region],
    to result: TiledTexture.Tile
  ) {
    var held = pictures
    for (pass, node) in plan.steps(making: number) {
      guard let region = node.region(making: result.region, needs) else { continue }
      var made = result
      if case .temporary(let temporary, let format) = node.group.output {
        let label = "\(plan.name), temporary \(temporary)"
        made = TiledTexture.Tile(
          region: region, texture: Texture(size: region.size, pixelFormat: format, label: label))
        held[.temporary(temporary)] = made
      }
      let inputs = node.group.inputs.map { input in
        guard let tile = held[input.resource] else {
          trap("\(plan.name) was given no \(input.resource) picture; encode it with one")
        }
        return tile
      }
      encode(node, pass, inputs, to: made)
    }
  }

  private func encode(
    _ node: PassPlan.Node, _ number: Int, _ inputs: [TiledTexture.Tile], to made: TiledTexture.Tile
  ) {
    let places = zip([made] + inputs, [node.made] + node.read).map { (region: $0.region, size: $1.size) }
    let isWhole = places.allSatisfy { $0.region == Region(size: $0.size) }
    var bindings = Bindings()
    for (index, input) in inputs.enumerated() {
      bindings.textures[PassProgram.index(ofInput: index)] = input.texture
    }
    for block in node.group.blocks { bindings.bytes[block.binding] = block.bytes }
    if !isWhole {
      bindings.bytes[3] = .words(places.flatMap { [$0.region.x, $0.region.y, $0.size.width, $0.size.height] })
    }
    (isWhole ? node.whole : node.parts).forms.encode(
      to: buffer, destination: made.texture, bindings: bindings, form: node.form(form), label: plan.name,
      threads: node.group.first.function.kind.threads(making: made.texture.size),
      origin: PassOrigin(call: call, source: plan.source, pass: number).description)
  }
}

extension Pass.Kind {
  /// The threads of a dispatch that makes `size` pixels.
  fileprivate func threads(making size: Size) -> Size {
    switch self {
    case .pixels: size
    case .runs(.row, let length): Size((size.width + length - 1) / length, size.height)
    case .runs(.column, let length): Size(size.width, (size.height + length - 1) / length)
    }
  }
}

extension Region {
  /// Both halves, across the longer side.
  fileprivate var halves: [Region] {
    size.width > size.height
      ? tiles(width: (size.width + 1) / 2, height: size.height)
      : tiles(width: size.width, height: (size.height + 1) / 2)
  }
}

extension [UInt8] {
  /// The bytes of a std140 block, whole vectors.
  static func block<Block: BitwiseCopyable>(_ block: Block) -> [UInt8] {
    if Block.self == NoUniforms.self { return [] }
    let bytes = unsafe Swift.withUnsafeBytes(of: block) { unsafe Array($0) }
    return bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16)
  }

  /// The bytes of 32-bit words, for a std140 block.
  static func words(_ words: [Int]) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
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
