import SafelightImage

/// The mark by which a run recognizes its own files: a hash of the operation, a hash of the input, and the input's
/// name.
///
/// It is stored in a private chunk, `saFE`, whose last letter means that it is not safe to copy (PNG 5.4): a program
/// that changes the picture and does not know the chunk drops it, so the file is no longer taken for the run's own.
public struct PNGProvenance: Hashable, Sendable {
  /// The SHA-256 hash of the operation, 32 bytes.
  public let recipe: [UInt8]
  /// The SHA-256 hash of the input, 32 bytes.
  public let inputs: [UInt8]
  /// The name of the input file or film, without its folder; empty if unknown.
  public let origin: String

  static let type: PNGChunkType = "saFE"
  private static let hashByteCount = 32

  /// Makes a seal from two hashes of 32 bytes each and a name.
  public init(recipe: [UInt8], inputs: [UInt8], origin: String) {
    trap(
      unless: recipe.count == Self.hashByteCount && inputs.count == Self.hashByteCount,
      "a seal has two hashes of 32 bytes; \(recipe.count) and \(inputs.count) were given: use SHA-256")
    self.recipe = recipe
    self.inputs = inputs
    self.origin = origin
  }

  /// Returns the SHA-256 hash of the length, the type and the checksum of each chunk of a PNG, to its end: the file's
  /// own checksums stand for the data. If `checking`, it throws where the data of a chunk on which pixels depend is not
  /// what its checksum says, as the decoder does in any case.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is no PNG, ends too early, or is damaged.
  package static func hash(of file: PNGBytes, name: String, checking: Bool) throws -> [UInt8] {
    var reader = try PNGChunkReader(file, name: name)
    var hash = SHA256()
    // The decoder ignores other chunks if their checksums are wrong.
    var checked: Set<PNGChunkType> = checking ? ["IHDR", "tRNS", "IDAT", "IEND"] : []
    while true {
      let chunk = try reader.next()
      // Only pixels of color type 3 need the palette (PNG 11.2.1).
      if checking, chunk.type == "IHDR", try reader.data(chunk).dropFirst(9).first == 3 { checked.insert("PLTE") }
      guard try !checked.contains(chunk.type) || reader.isIntact(chunk) else {
        throw reader.damaged("the checksum of its \(chunk.type) chunk is wrong")
      }
      hash.update(try file.read(chunk.range.lowerBound..<chunk.data.lowerBound))
      hash.update(try file.read(chunk.data.upperBound..<chunk.range.upperBound))
      if chunk.type == "IEND" { return hash.finalize() }
    }
  }

  /// Returns the same hash of the file at `path`, with its checksums compared, reading it in parts.
  package static func hash(ofFileAt path: String) throws -> [UInt8] {
    try hash(of: .file(OpenedFile(path)), name: path, checking: true)
  }

  /// The chunk to write before the pixels, and preferably before all others: ``atBeginning(ofFileAt:)`` reads only the
  /// beginning of a file.
  public var chunk: PNGChunk { PNGChunk(type: Self.type, data: recipe + inputs + Array(origin.utf8)) }

  /// Returns whether `other` has the same operation and input, whatever their names.
  public func agrees(with other: PNGProvenance) -> Bool { recipe == other.recipe && inputs == other.inputs }

  /// Returns the seal of the file at `path`; nil unless it is at its beginning. Checksums are not verified.
  public static func atBeginning(ofFileAt path: String) -> PNGProvenance? {
    // An unreadable file has no seal; writing to it will report why.
    guard FileStatus(path)?.kind == .file, let beginning = try? readBeginning(path, count: 4096),
      PNGSignature.begins(beginning)
    else { return nil }
    var place = PNGSignature.bytes.count
    while place + 8 <= beginning.count {
      let length = Int(beginning.bigEndian(at: place))
      let data = place + 8..<place + 8 + length
      if PNGChunkType(code: beginning.bigEndian(at: place + 4)) == type {
        return data.upperBound <= beginning.count ? PNGProvenance(Array(beginning[data])) : nil
      }
      place = data.upperBound + 4
    }
    return nil
  }

  /// Returns the seal of a file, which errors call `name`; nil if it has none.
  ///
  /// - Throws: ``SafelightError`` of kind `input` unless the file is a complete PNG with a signature, a header and
  ///   correct checksums, and without bytes after its end.
  public static func read(_ file: [UInt8], name: String) throws -> PNGProvenance? {
    try read(.memory(file), name: name)
  }

  /// Returns the seal of the file at `path`, reading it in parts.
  ///
  /// - Throws: ``SafelightError`` also of kind `missingInput` or `transfer` if it cannot be read.
  public static func read(fileAt path: String) throws -> PNGProvenance? {
    try read(.file(OpenedFile(path)), name: path)
  }

  private static func read(_ file: PNGBytes, name: String) throws -> PNGProvenance? {
    var reader = try PNGChunkReader(file, name: name)
    var seal: PNGProvenance?
    var place = try reader.next()
    guard place.type == "IHDR" else { throw reader.damaged("it begins with a \(place.type) chunk") }
    _ = try PNGHeader(reader.data(place), complaint: { reader.damaged($0) })
    var hasPixels = false
    while true {
      guard try reader.isIntact(place) else { throw reader.damaged("the checksum of its \(place.type) chunk is wrong") }
      if place.type == type { seal = PNGProvenance(try reader.data(place)) }
      if place.type == "IDAT" { hasPixels = true }
      if place.type == "IEND" { break }
      place = try reader.next()
    }
    guard hasPixels else { throw reader.damaged("it has no IDAT chunk, and so no pixels") }
    guard reader.position == file.count else {
      throw reader.damaged("\(file.count - reader.position) bytes follow its end")
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
