internal import SafelightGPU
internal import SafelightImage

/// Records the passes of a plan, for pictures that fit a texture and for larger ones.
struct PassRecorder {
  let plan: PassPlan
  let form: KernelForm
  /// The kernel's call, by which a capture finds the twins.
  let call: String
  let buffer: CommandBuffer

  /// Records the making of `destination` from `source`, tile by tile.
  func encode(_ source: TiledTexture, to destination: TiledTexture) {
    let result = plan.result
    trap(
      unless: source.size == plan.source.size && source.pixelFormat == plan.source.pixelFormat
        && destination.size == result.size && destination.pixelFormat == result.pixelFormat,
      """
      \(plan.name) makes \(result.size) \(result.pixelFormat.rawValue) of \(plan.source.size) \
      \(plan.source.pixelFormat.rawValue); it was given \(destination.size) \(destination.pixelFormat.rawValue) and \
      \(source.size) \(source.pixelFormat.rawValue)
      """)
    for tile in destination.tiles {
      if plan.nodes.isEmpty {
        source.encodeCopy(of: tile.region, to: tile.texture, in: buffer)
      } else {
        encode(tile.region, of: source, to: tile)
      }
    }
  }

  /// Records the making of a region of a tile; halves the region until all that it needs fits a texture.
  private func encode(_ region: Region, of source: TiledTexture, to tile: TiledTexture.Tile) {
    let needs = plan.needs(of: region)
    let sizes = needs.values.map(\.size)
    guard sizes.contains(where: { $0.width > source.edge || $0.height > source.edge }) else {
      return encode(region, needs, of: source, to: tile)
    }
    trap(
      unless: region.size.area > 1,
      "\(plan.name): a pixel needs more of its picture than tiles of \(source.edge) columns and rows hold")
    for half in region.halves { encode(half, of: source, to: tile) }
  }

  private func encode(
    _ region: Region, _ needs: [Pass.Resource: Region], of source: TiledTexture, to tile: TiledTexture.Tile
  ) {
    let picture = source.tile(holding: needs[.picture] ?? Region(x: 0, y: 0, width: 1, height: 1), in: buffer)
    let result =
      region == tile.region
      ? tile
      : TiledTexture.Tile(
        region: region, texture: Texture(size: region.size, pixelFormat: tile.texture.pixelFormat, label: plan.name))
    let strips = PassStrips(plan: plan, source: picture, result: result)
    if plan.nodes.count > 1 {
      buffer.recordJoined({ strips.make($0) }) { encode(from: picture, needs, to: result) }
    } else {
      encode(from: picture, needs, to: result)
    }
    if result.texture !== tile.texture {
      buffer.blit("part that was made") { encoder in
        encoder.copy(
          from: result.texture, region: result.texture.bounds, to: tile.texture, x: region.x - tile.region.x,
          y: region.y - tile.region.y)
      }
    }
  }

  /// Records the passes that make `result`; a temporary that no later pass needs is not made.
  private func encode(
    from picture: TiledTexture.Tile, _ needs: [Pass.Resource: Region], to result: TiledTexture.Tile
  ) {
    var held: [Pass.Resource: TiledTexture.Tile] = [.picture: picture]
    for (number, node) in plan.nodes.enumerated() {
      guard let region = node.region(making: result.region, needs) else { continue }
      var made = result
      if case .temporary(let temporary, let format) = node.pass.output {
        let label = "\(plan.name), temporary \(temporary)"
        made = TiledTexture.Tile(
          region: region, texture: Texture(size: region.size, pixelFormat: format, label: label))
        held[.temporary(temporary)] = made
      }
      encode(node, number, node.pass.inputs.compactMap { held[$0.resource] }, to: made)
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
    if !node.pass.uniforms.isEmpty { bindings.bytes[2] = node.pass.uniforms }
    if !isWhole {
      bindings.bytes[3] = .words(places.flatMap { [$0.region.x, $0.region.y, $0.size.width, $0.size.height] })
    }
    // OpenGL ES 3.1 cannot store to some formats of one channel.
    let isDrawn = node.pass.output != .result && !node.made.pixelFormat.isStorable
    (isWhole ? node.whole : node.parts).forms.encode(
      to: buffer, destination: made.texture, bindings: bindings, form: isDrawn ? .render : form, label: plan.name,
      threads: node.pass.function.kind.threads(making: made.texture.size),
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
