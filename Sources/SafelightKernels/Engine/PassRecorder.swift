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
    let wide = needs.values.contains { $0.size.width > source.edge }
    let high = needs.values.contains { $0.size.height > source.edge }
    guard wide || high else { return encode(region, needs, of: source, to: tile) }
    let halves = region.tiles(
      width: wide ? (region.size.width + 1) / 2 : region.size.width,
      height: high ? (region.size.height + 1) / 2 : region.size.height)
    for half in halves { encode(half, of: source, to: tile) }
  }

  private func encode(
    _ region: Region, _ needs: [Pass.Resource: Region], of source: TiledTexture, to tile: TiledTexture.Tile
  ) {
    var held: [Pass.Resource: TiledTexture.Tile] = [:]
    held[.picture] = needs[.picture].map { source.tile(holding: $0, in: buffer) }
    let result =
      region == tile.region
      ? tile
      : TiledTexture.Tile(
        region: region, texture: Texture(size: region.size, pixelFormat: tile.texture.pixelFormat, label: plan.name))
    for (number, node) in plan.nodes.enumerated() {
      let made: TiledTexture.Tile
      switch node.pass.output {
      case .result: made = result
      case .temporary(let temporary, let format):
        // A temporary that no later pass needs is not made.
        guard let needed = needs[.temporary(temporary)] else { continue }
        made = TiledTexture.Tile(
          region: needed,
          texture: Texture(size: needed.size, pixelFormat: format, label: "\(plan.name), temporary \(temporary)"))
        held[.temporary(temporary)] = made
      }
      encode(node, number, node.pass.inputs.compactMap { held[$0.resource] }, to: made)
    }
    if result.texture !== tile.texture {
      buffer.blit("part that was made") { encoder in
        encoder.copy(
          from: result.texture, region: result.texture.bounds, to: tile.texture, x: region.x - tile.region.x,
          y: region.y - tile.region.y)
      }
    }
  }

  private func encode(
    _ node: PassPlan.Node, _ number: Int, _ inputs: [TiledTexture.Tile], to made: TiledTexture.Tile
  ) {
    let parts = [made] + inputs
    let isWhole = parts.allSatisfy { $0.region == Region(size: node.size) }
    var bindings = Bindings()
    for (index, input) in inputs.enumerated() {
      bindings.textures[PassProgram.index(ofInput: index)] = input.texture
    }
    if !node.pass.uniforms.isEmpty { bindings.bytes[2] = node.pass.uniforms }
    if !isWhole {
      let words = parts.flatMap { [$0.region.x, $0.region.y, node.size.width, node.size.height] }
      bindings.bytes[3] = words.flatMap { word in unsafe withUnsafeBytes(of: Int32(word)) { unsafe Array($0) } }
    }
    // OpenGL ES 3.1 cannot store to some formats of one channel.
    let isDrawn = node.pass.output != .result && !node.pixelFormat.isStorable
    (isWhole ? node.whole : node.parts).forms.encode(
      to: buffer, destination: made.texture, bindings: bindings, form: isDrawn ? .render : form, label: plan.name,
      threads: made.texture.size, origin: PassOrigin(call: call, source: plan.source, pass: number).description)
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
