internal import SafelightFrames
package import SafelightImage
internal import SafelightKernels

/// Look-up tables for the frames of a sequence, in a file: the tables, 16 bits an entry, plane after plane, and behind
/// them the place of the first frame of each, 32 bits.
package struct SequenceTables: Sendable {
  package var path: String { file.path }
  let header: SequenceHeader
  /// The place of the first frame of each table, rising from 0.
  private let firsts: [UInt32]
  private let file: OpenedFile

  /// Opens the file at `path` and checks it; tables are read when they are asked for.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `input` if it is no such file or is
  ///   damaged.
  package init(reading path: String) throws(SafelightError) {
    file = try OpenedFile(path)
    header = try SequenceHeader(of: file, .tables)
    let kind = SequenceHeader.Kind.tables
    guard header.count > 0, file.byteCount == SequenceHeader.length + header.count * (4 + Self.length(header)) else {
      throw kind.refusal(of: file, "it has \(file.byteCount) bytes, too few or too many for \(header.count) tables")
    }
    let end = SequenceHeader.length + header.count * Self.length(header)
    var checksum: UInt32 = 0
    for start in stride(from: SequenceHeader.length, to: end, by: 1 << 20) {
      checksum = CRC32.checksum(try file.read(start..<min(start + 1 << 20, end))[...], continuing: checksum)
    }
    let places = try file.read(end..<file.byteCount)
    guard CRC32.checksum(places[...]) == header.sums, checksum == header.rest else { throw kind.damage(of: file) }
    firsts = [UInt32](littleEndian: places)
    let frames = header.frames
    guard firsts.first == 0, zip(firsts, firsts.dropFirst()).allSatisfy(<), firsts.allSatisfy({ $0 < frames }) else {
      throw kind.damage(of: file)
    }
  }

  /// The bytes of a table, all planes together.
  private static func length(_ header: SequenceHeader) -> Int { header.planes * header.entries * 2 }

  /// Returns the files of tables that `calls` name.
  package static func paths(of calls: [FilterCall]) -> [String] {
    calls.compactMap { call in
      guard call.name == EqualizeFilter.card.name, case .text(let path) = call["table"], !path.isEmpty else {
        return nil
      }
      return path
    }
  }

  /// Returns true if `calls` use tables.
  package static func areUsed(by calls: [FilterCall]) -> Bool { !paths(of: calls).isEmpty }

  /// Returns warnings of tables in `calls` that were made of another sequence than that whose frames have these
  /// `names`.
  ///
  /// - Throws: ``SafelightError`` if a file of tables cannot be read.
  package static func warnings(of calls: [FilterCall], for names: [String]) throws(SafelightError) -> [String] {
    let sequence = names.sequenceHash
    var warnings: [String] = []
    for path in paths(of: calls) where try SequenceHeader(of: OpenedFile(path), .tables).sequence != sequence {
      warnings.append("the tables of \(path) were made of frames with other names than these")
    }
    return warnings
  }

  /// The depth of the pictures that the tables are for.
  package var depth: SampleDepth { header.depth == 16 ? .bits16 : .bits8 }
  package var channels: SequenceChannels { header.channels }
  /// The number of tables a frame: 1 for gray and luma, 3 for colors.
  package var planes: Int { header.planes }
  /// The number of frames of the sequence.
  package var frames: Int { header.frames }
  /// The number of tables.
  package var count: Int { header.count }

  /// Reads the table of the frame at `place`, plane after plane.
  package func table(of place: Int) throws(SafelightError) -> [UInt16] {
    var (low, high) = (0, firsts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if firsts[middle] <= place { low = middle } else { high = middle }
    }
    let length = Self.length(header)
    let start = SequenceHeader.length + low * length
    return [UInt16](littleEndian: try file.read(start..<start + length))
  }
}

/// Writes look-up tables to a file that appears whole or not at all.
struct SequenceTablesWriter: ~Copyable {
  /// Nil once it has its name.
  private var file: AtomicFile?
  private var header: SequenceHeader
  private let maximum: Int

  /// The place of the first frame of each table.
  private var firsts: [UInt32] = []

  /// Begins the file at `path` for tables of the sequence that `counts` describes.
  init(path: String, _ counts: SequenceHeader) throws(SafelightError) {
    header = SequenceHeader(.tables, counts.channels, sequence: counts.sequence, frames: counts.frames)
    (header.depth, header.planes) = (counts.depth, counts.planes)
    maximum = max(1, counts.entries) - 1
    let file = try AtomicFile(path: path)
    try file.write([UInt8](repeating: 0, count: SequenceHeader.length))
    self.file = consume file
  }

  /// Appends the tables of `counts`, plane after plane, by the rule
  /// ``ImageHistogramEqualization/Rule/normalizedSum``, for the frames from place `first` on. Sums may exceed 32 bits
  /// here.
  mutating func add(_ counts: [UInt64], from first: Int) throws(SafelightError) {
    firsts.append(UInt32(truncatingIfNeeded: first))
    header.count += 1
    var table: [UInt16] = []
    table.reserveCapacity(counts.count)
    for plane in 0..<header.planes {
      let counts = counts[plane * header.entries..<(plane + 1) * header.entries]
      let total = counts.reduce(0, +)
      // Products of larger sums need more than 64 bits.
      if total < 1 << 46 {
        Self.append(counts, total, UInt64(maximum), to: &table)
      } else {
        Self.append(counts, UInt128(total), UInt128(maximum), to: &table)
      }
    }
    let bytes = table.littleEndianBytes
    try file?.write(bytes)
    header.rest = CRC32.checksum(bytes[...], continuing: header.rest)
  }

  /// Appends `floor((2 · maximum · C(i) + total) / (2 · total))` for each entry `i`, with `C` the sums of `counts`. The
  /// results rise with `i`, so they are counted up, which is several times as fast as dividing.
  private static func append<Number: FixedWidthInteger>(
    _ counts: ArraySlice<UInt64>, _ total: Number, _ maximum: Number, to table: inout [UInt16]
  ) {
    guard total > 0 else {
      table += (0..<counts.count).map { UInt16($0) }
      return
    }
    var (dividend, next, result) = (total, 2 * total, UInt16(0))
    for count in counts {
      dividend += 2 * maximum * Number(count)
      while dividend >= next {
        result += 1
        next += 2 * total
      }
      table.append(result)
    }
  }

  /// Writes the places and the first line, and gives the file its name; returns the number of tables.
  mutating func finish() throws -> Int {
    guard let file = file.take() else { return header.count }
    let places = firsts.littleEndianBytes
    header.sums = CRC32.checksum(places[...])
    try file.write(places)
    try file.overwrite(try header.bytes(), at: 0)
    try file.commit()
    return header.count
  }
}
