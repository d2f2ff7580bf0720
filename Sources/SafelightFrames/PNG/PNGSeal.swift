import SafelightImage

/// What a run keeps in each of its files to know them again: a hash of how they were made, and one of what from.
///
/// It travels in a private chunk, `saFE`, whose last letter says that it is not safe to copy (PNG 5.4): a program that changes the picture and
/// does not know the chunk leaves it out, and so the file is not taken for the run's own any more.
public struct PNGSeal: Hashable, Sendable {
  /// SHA-256 of what was done, 32 bytes.
  public let recipe: [UInt8]
  /// SHA-256 of what it was done to, 32 bytes.
  public let inputs: [UInt8]

  static let type: PNGChunkType = "saFE"
  private static let hashByteCount = 32

  /// Makes a seal of two hashes of 32 bytes each.
  public init(recipe: [UInt8], inputs: [UInt8]) {
    trap(
      unless: recipe.count == Self.hashByteCount && inputs.count == Self.hashByteCount,
      "a seal has two hashes of 32 bytes; \(recipe.count) and \(inputs.count) were given: use SHA-256")
    self.recipe = recipe
    self.inputs = inputs
  }

  /// The chunk to write before the pixels.
  public var chunk: PNGChunk { PNGChunk(type: Self.type, data: recipe + inputs) }

  /// The seal of the file whose bytes these are; nil where it has none. `name` stands for the file in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `input` unless the file is a whole PNG: its signature, its header, every checksum, and nothing
  ///   missing at the end or behind it.
  public static func read(_ file: [UInt8], name: String) throws -> PNGSeal? {
    var reader = try PNGChunkReader(file, name: name)
    var seal: PNGSeal?
    var place = try reader.next()
    guard place.type == "IHDR" else { throw reader.damaged("it begins with a \(place.type) chunk") }
    _ = try PNGHeader(reader.data(place), complaint: reader.damaged)
    var hasPixels = false
    while true {
      guard reader.isIntact(place) else { throw reader.damaged("the checksum of its \(place.type) chunk is wrong") }
      if place.type == type { seal = PNGSeal(reader.data(place)) }
      if place.type == "IDAT" { hasPixels = true }
      if place.type == "IEND" { break }
      place = try reader.next()
    }
    guard hasPixels else { throw reader.damaged("it has no IDAT chunk, and so no pixels") }
    guard reader.position == file.count else {
      throw reader.damaged("\(file.count - reader.position) bytes stand behind its end")
    }
    return seal
  }

  private init?(_ data: [UInt8]) {
    guard data.count == 2 * Self.hashByteCount else { return nil }
    self.init(recipe: Array(data[..<Self.hashByteCount]), inputs: Array(data[Self.hashByteCount...]))
  }
}
