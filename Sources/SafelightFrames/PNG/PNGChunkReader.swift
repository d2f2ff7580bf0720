import SafelightImage

/// Where a chunk stands in its file.
struct PNGChunkPlace {
  let type: PNGChunkType
  /// Length, type, data and checksum.
  let range: Range<Int>

  var data: Range<Int> { range.lowerBound + 8..<range.upperBound - 4 }
}

/// Hands out the chunks of a file one after the other, without looking into them (PNG 5.3).
struct PNGChunkReader {
  let file: PNGBytes
  let name: String
  private(set) var position = PNGSignature.bytes.count

  init(_ file: PNGBytes, name: String) throws {
    // Enough to know other formats by.
    let beginning = try file.read(0..<min(file.count, 1 << 16))
    guard PNGSignature.begins(beginning) else { throw PNGSignature.mismatch(beginning, name: name) }
    self.file = file
    self.name = name
  }

  /// The next chunk; throws where the file ends before it does.
  mutating func next() throws -> PNGChunkPlace {
    let left = file.count - position
    guard left >= 12 else {
      throw truncated("it ends after \(file.count) bytes without an IEND chunk")
    }
    let beginning = try file.read(position..<position + 8)
    let length = Int(beginning.bigEndian(at: 0))
    let type = PNGChunkType(code: beginning.bigEndian(at: 4))
    guard type.isWellFormed, length <= Int(Int32.max) else {
      throw damaged("what stands at byte \(position) is no chunk: length \(length), type \(type)")
    }
    guard length <= left - 12 else {
      throw truncated("its \(type) chunk at byte \(position) holds \(length) bytes, and \(max(0, left - 12)) are there")
    }
    let place = PNGChunkPlace(type: type, range: position..<position + length + 12)
    position = place.range.upperBound
    return place
  }

  func data(_ place: PNGChunkPlace) throws -> [UInt8] { try file.read(place.data) }

  /// True when the checksum of the chunk is right.
  func isIntact(_ place: PNGChunkPlace) throws -> Bool {
    let stored = try file.read(place.data.upperBound..<place.range.upperBound).bigEndian(at: 0)
    return try file.checksum(place.range.lowerBound + 4..<place.data.upperBound) == stored
  }

  func damaged(_ why: String) -> SafelightError {
    SafelightError(.input, name, why: "the PNG is damaged: \(why)", remedy: "write or copy the file again")
  }

  private func truncated(_ why: String) -> SafelightError {
    SafelightError(.input, name, why: "the PNG is truncated: \(why)", remedy: "write or copy the file again")
  }
}
