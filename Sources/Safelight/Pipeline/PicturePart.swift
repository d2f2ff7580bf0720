internal import SafelightGPU
internal import SafelightImage

/// A part of a picture that is larger than a texture, with what lies about it: pixels that share chroma stay together, and a pixel depends
/// on none that is more than two away.
struct PicturePart: Hashable, Sendable {
  /// The pixels that are kept of what is made.
  let kept: Region
  /// Those and their surroundings.
  let whole: Region

  /// Cuts a picture into parts that fit a texture of `edge`; they begin at even places. One part where the picture fits.
  static func parts(of size: Size, edge: Int) -> [PicturePart] {
    let all = Region(size: size)
    if size.width <= edge && size.height <= edge { return [PicturePart(kept: all, whole: all)] }
    return all.tiles(edge: (edge - 4) & ~1).map { kept in
      let around = Region(x: kept.x - 2, y: kept.y - 2, width: kept.size.width + 4, height: kept.size.height + 4)
      return PicturePart(kept: kept, whole: around.intersection(all))
    }
  }
}

extension TiledTexture {
  /// Records the copy of a region of the picture to all of `part`.
  func encodeCopy(of region: Region, to part: Texture, in buffer: CommandBuffer) {
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
  func encodeCopy(of region: Region, from part: Texture, lying place: Region, in buffer: CommandBuffer) {
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
