package import SafelightGPU
internal import SafelightImage

/// The memory of a picture, a table or numbers, which passes read or make.
package enum PassStorage: Sendable, CustomStringConvertible {
  /// A picture, or a table, which is one tile.
  case picture(TiledTexture)
  /// Numbers, from a byte of a buffer on.
  case words(Buffer, offset: Int)

  /// Returns whether the place has a shape, or room for its words.
  func fits(_ shape: PassPlan.Shape) -> Bool {
    switch self {
    case .picture(let picture): picture.size == shape.size && picture.pixelFormat == shape.pixelFormat
    case .words(let buffer, let offset):
      shape.pixelFormat == .r32Uint && offset >= 0 && offset + 4 * shape.size.width <= buffer.length
    }
  }

  /// The whole table or all numbers, for a dispatch; of a picture in tiles, the first tile.
  var binding: PassBinding? {
    switch self {
    case .picture(let picture): picture.tiles.first.map { .texture($0) }
    case .words(let buffer, let offset): .words(buffer, offset: offset)
    }
  }

  package var description: String {
    switch self {
    case .picture(let picture): "\(picture.size) \(picture.pixelFormat.rawValue)"
    case .words(let buffer, let offset): "\(buffer.length - offset) bytes"
    }
  }
}

/// A texture with a part of a picture, or numbers, that one dispatch reads or makes.
enum PassBinding: Sendable {
  case texture(TiledTexture.Tile)
  case words(Buffer, offset: Int)

  var tile: TiledTexture.Tile? { if case .texture(let tile) = self { tile } else { nil } }
}
