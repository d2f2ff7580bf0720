package import SafelightGPU
package import SafelightImage

/// A part of a picture that is larger than a texture, with a border of what lies about it.
package struct PicturePart: Hashable, Sendable {
  /// The pixels that are kept of what is made.
  package let kept: Region
  /// Those and their border.
  package let whole: Region

  /// Cuts a picture into parts that fit a texture of `edge` with their borders, and begin at even places: pixels that
  /// share chroma stay together. One part where the picture fits.
  package static func parts(of size: Size, edge: Int, border: Int) -> [PicturePart] {
    let all = Region(size: size)
    if size.width <= edge && size.height <= edge { return [PicturePart(kept: all, whole: all)] }
    let border = border + border % 2
    return all.tiles(edge: (edge - 2 * border) & ~1).map { kept in
      let around = Region(
        x: kept.x - border, y: kept.y - border, width: kept.size.width + 2 * border,
        height: kept.size.height + 2 * border)
      return PicturePart(kept: kept, whole: around.intersection(all))
    }
  }
}

extension TiledTexture {
  /// Records what makes `destination` of this picture, of which each pixel depends on none that is more than `border`
  /// columns or rows away: `record` gets one texture after the other, and one for what it makes of that.
  package func encodeParts(
    border: Int, to destination: TiledTexture, in buffer: CommandBuffer,
    _ record: (_ source: Texture, _ destination: Texture) -> Void
  ) {
    if tiles.count == 1 || border == 0 {
      for (from, to) in zip(tiles, destination.tiles) { record(from.texture, to.texture) }
      return
    }
    for part in PicturePart.parts(of: size, edge: edge, border: border) {
      let size = part.whole.size
      let picture = Texture(size: size, pixelFormat: pixelFormat, label: "part of the picture")
      let made = Texture(size: size, pixelFormat: pixelFormat, label: "part that was made")
      encodeCopy(of: part.whole, to: picture, in: buffer)
      record(picture, made)
      destination.encodeCopy(of: part.kept, from: made, lying: part.whole, in: buffer)
    }
  }

  /// Records the copy of a region of the picture to all of `part`.
  package func encodeCopy(of region: Region, to part: Texture, in buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "part of the picture")
    for tile in tiles {
      let common = tile.region.intersection(region)
      guard !common.size.isEmpty else { continue }
      encoder.copy(
        from: tile.texture, region: common.translated(x: -tile.region.x, y: -tile.region.y), to: part,
        x: common.x - region.x, y: common.y - region.y)
    }
    encoder.endEncoding()
  }

  /// Records the copy of a region of the picture from `part`, which lies at `place` of it.
  package func encodeCopy(of region: Region, from part: Texture, lying place: Region, in buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "part that was made")
    for tile in tiles {
      let common = tile.region.intersection(region)
      guard !common.size.isEmpty else { continue }
      encoder.copy(
        from: part, region: common.translated(x: -place.x, y: -place.y), to: tile.texture,
        x: common.x - tile.region.x, y: common.y - tile.region.y)
    }
    encoder.endEncoding()
  }
}
