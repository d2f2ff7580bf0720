internal import SafelightImage
internal import SafelightKernels

/// Look-up tables in Adobe's and Iridas' text format, *Cube LUT Specification 1.0* (2013).
package enum CubeFile {
  /// What such a file holds.
  package enum Table: Hashable, Sendable {
    case channels(ChannelCurves)
    case cube(ColorCube)
  }

  /// Reads the file at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` that names the line, before anything is made of the size that a file claims.
  package static func read(_ path: String) throws -> Table {
    // 129³ lines of three numbers of 17 digits are 130 MB.
    let bytes = try InlineFile.read(path, limit: 1 << 28)
    var reader = CubeReader(name: InlineFile.name(path))
    // Line after line, and no list of them: a hostile file has as many as bytes.
    var rest = bytes[...]
    var number = 0
    repeat {
      number += 1
      let start = rest.prefix(CubeReader.longestLine + 1)
      let end = start.firstIndex(of: UInt8(ascii: "\n")) ?? start.endIndex
      try reader.take(rest[..<end], number: number)
      rest = rest[end...].dropFirst()
    } while !rest.isEmpty
    return try reader.finished()
  }
}
