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
  let file: [UInt8]
  let name: String
  private(set) var position = PNGSignature.bytes.count

  init(_ file: [UInt8], name: String) throws {
    guard PNGSignature.begins(file) else { throw PNGSignature.mismatch(file, name: name) }
    self.file = file
    self.name = name
  }

  /// The next chunk; throws where the file ends before it does.
  mutating func next() throws -> PNGChunkPlace {
    let left = file.count - position
    guard left >= 12 else {
      throw truncated("it ends after \(file.count) bytes without an IEND chunk")
    }
    let length = Int(file.bigEndian(at: position))
    let type = PNGChunkType(code: file.bigEndian(at: position + 4))
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

  func data(_ place: PNGChunkPlace) -> [UInt8] { Array(file[place.data]) }

  /// True when the checksum of the chunk is right.
  func isIntact(_ place: PNGChunkPlace) -> Bool {
    CRC32.checksum(file[place.range.lowerBound + 4..<place.data.upperBound])
      == file.bigEndian(at: place.data.upperBound)
  }

  func damaged(_ why: String) -> SafelightError {
    SafelightError(.input, name, why: "the PNG is damaged: \(why)", remedy: "write or copy the file again")
  }

  private func truncated(_ why: String) -> SafelightError {
    SafelightError(.input, name, why: "the PNG is truncated: \(why)", remedy: "write or copy the file again")
  }
}
