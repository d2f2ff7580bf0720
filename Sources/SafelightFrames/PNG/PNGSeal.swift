import SafelightImage

/// What a run keeps in each of its files to know them again: a hash of how it made the file, one of what it made it of, and the name of that.
///
/// It travels in a private chunk, `saFE`, whose last letter says that it is not safe to copy (PNG 5.4): a program that changes the picture and
/// does not know the chunk leaves it out, and so the file is not taken for the run's own any more.
public struct PNGSeal: Hashable, Sendable {
  /// SHA-256 of what was done, 32 bytes.
  public let recipe: [UInt8]
  /// SHA-256 of what it was done to, 32 bytes.
  public let inputs: [UInt8]
  /// The name of the file or film that it was done to, without its folder; empty where nothing says it.
  public let origin: String

  static let type: PNGChunkType = "saFE"
  private static let hashByteCount = 32

  /// Makes a seal of two hashes of 32 bytes each and a name.
  public init(recipe: [UInt8], inputs: [UInt8], origin: String) {
    trap(
      unless: recipe.count == Self.hashByteCount && inputs.count == Self.hashByteCount,
      "a seal has two hashes of 32 bytes; \(recipe.count) and \(inputs.count) were given: use SHA-256")
    self.recipe = recipe
    self.inputs = inputs
    self.origin = origin
  }

  /// The chunk to write before the pixels, and best before all others: ``atBeginning(ofFileAt:)`` looks at the beginning of a file alone.
  public var chunk: PNGChunk { PNGChunk(type: Self.type, data: recipe + inputs + Array(origin.utf8)) }

  /// True where `other` tells of the same work on the same bytes, whatever their names.
  public func agrees(with other: PNGSeal) -> Bool { recipe == other.recipe && inputs == other.inputs }

  /// The seal of the file at `path`; nil unless one stands at its beginning. No checksum is looked at.
  public static func atBeginning(ofFileAt path: String) -> PNGSeal? {
    // What cannot be read is nobody's, and writing there says why.
    guard FileStatus(path)?.kind == .file, let beginning = try? readBeginning(path, count: 4096),
      PNGSignature.begins(beginning)
    else { return nil }
    var place = PNGSignature.bytes.count
    while place + 8 <= beginning.count {
      let length = Int(beginning.bigEndian(at: place))
      let data = place + 8..<place + 8 + length
      if PNGChunkType(code: beginning.bigEndian(at: place + 4)) == type {
        return data.upperBound <= beginning.count ? PNGSeal(Array(beginning[data])) : nil
      }
      place = data.upperBound + 4
    }
    return nil
  }

  /// The seal of the file whose bytes these are; nil where it has none. `name` stands for the file in errors.
  ///
  /// - Throws: ``SafelightError`` of kind `input` unless the file is a whole PNG: its signature, its header, every checksum, and nothing
  ///   missing at the end or behind it.
  public static func read(_ file: [UInt8], name: String) throws -> PNGSeal? {
    try read(.memory(file), name: name)
  }

  /// The same of the file at `path`, of which only a part is in memory at a time.
  ///
  /// - Throws: ``SafelightError`` also of kind `missingInput` or `transfer` where it cannot be read.
  public static func read(fileAt path: String) throws -> PNGSeal? {
    try read(.file(OpenedFile(path)), name: path)
  }

  private static func read(_ file: PNGBytes, name: String) throws -> PNGSeal? {
    var reader = try PNGChunkReader(file, name: name)
    var seal: PNGSeal?
    var place = try reader.next()
    guard place.type == "IHDR" else { throw reader.damaged("it begins with a \(place.type) chunk") }
    _ = try PNGHeader(reader.data(place), complaint: reader.damaged)
    var hasPixels = false
    while true {
      guard try reader.isIntact(place) else { throw reader.damaged("the checksum of its \(place.type) chunk is wrong") }
      if place.type == type { seal = PNGSeal(try reader.data(place)) }
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
    let hashes = 2 * Self.hashByteCount
    guard data.count >= hashes, let origin = String(validating: data[hashes...], as: UTF8.self) else { return nil }
    self.init(
      recipe: Array(data[..<Self.hashByteCount]), inputs: Array(data[Self.hashByteCount..<hashes]), origin: origin)
  }
}
