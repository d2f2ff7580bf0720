internal import SafelightImage
package import SafelightKernels

/// Look-up tables in Adobe's and Iridas' text format, *Cube LUT Specification 1.0* (2013), and in Resolve's
/// (`Developer/LUT/README.txt` of DaVinci Resolve), which has two more things: a table of one dimension and a cube in
/// one file, and tables of video range.
package struct CubeFile {
  package enum Table: Hashable, Sendable {
    case channels(ChannelCurves)
    case cube(ColorCube)
  }

  /// Reads the file at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` that names the line, before memory is taken for the size it claims.
  package static func read(_ path: String) throws -> Table { try reader(of: path).finished() }

  /// Returns the number of entries of the cube at `path` that are cut to 0 to 1; 0 for a table.
  package static func cutEntries(of path: String) throws -> Int {
    let reader = try reader(of: path)
    let entries = reader.output(Array(reader.samples.dropFirst(3 * reader.line.count)))
    return stride(from: 0, to: entries.count, by: 3).count { place in
      entries[place..<min(place + 3, entries.count)].contains { !(0...1).contains($0) }
    }
  }

  /// Reads the lines of the file at `path`.
  private static func reader(of path: String) throws -> CubeFile {
    // 129³ lines of three numbers of 17 digits are 130 MB.
    let bytes = try InlineFile.read(path, limit: 1 << 28)
    var reader = Self(name: InlineFile.name(path))
    // One line at a time, without a list of lines: a hostile file may have as many lines as bytes.
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    repeat {
      let start = rest.prefix(longestLine + 1)
      let end = start.firstIndex(of: UInt8(ascii: "\n")) ?? start.endIndex
      try reader.take(rest[..<end])
      rest = rest[end...].dropFirst()
    } while !rest.isEmpty
    return reader
  }

  /// The place of a table: its size, and the colors of its first and last entry.
  private struct Shape {
    let dimensions: Int
    var size: Int?
    var domain: (min: SIMD3<Double>, max: SIMD3<Double>)?

    /// The number of entries; 0 if the file has no such table.
    var count: Int { size.map { dimensions == 1 ? $0 : $0 * $0 * $0 } ?? 0 }
    var text: String { "LUT_\(dimensions)D_SIZE \(size ?? 0)" }
  }

  private let name: String
  /// The table, or what shapes colors for the cube; its entries come first.
  private var line = Shape(dimensions: 1)
  private var cube = Shape(dimensions: 3)
  /// The domain in Adobe's words, which know one table.
  private var domainMin: SIMD3<Double>?
  private var domainMax: SIMD3<Double>?
  private var isInVideoRange = false
  private var isOutVideoRange = false
  private var samples: [Double] = []
  private var lineNumber = 0

  private init(name: String) { self.name = name }

  private var count: Int { line.count + cube.count }
  private var shapes: [Shape] { [line, cube].filter { $0.size != nil } }
  private var needed: String {
    "\(shapes.map(\.text).joined(separator: " and ")) \(shapes.count == 1 ? "needs" : "need") \(count)"
  }

  /// The largest number of bytes of a line; three numbers of 17 digits are 75.
  private static let longestLine = 4096

  /// Takes the next line.
  private mutating func take(_ bytes: ArraySlice<UInt8>) throws(SafelightError) {
    lineNumber += 1
    guard bytes.count <= Self.longestLine else {
      throw fault("the line is longer than \(Self.longestLine) bytes", "name a .cube file, whose lines are short")
    }
    guard let letter = bytes.first(where: { !Self.isBlank($0) }), letter != UInt8(ascii: "#") else { return }
    let words = bytes.split(whereSeparator: Self.isBlank)
    let keyword = String(decoding: words[0], as: UTF8.self)
    let isNoNumber = ["nan", "inf"].contains { keyword.lowercased().hasPrefix($0) }
    if isNoNumber || "+-.0123456789".utf8.contains(letter) { return try takeEntry(words) }
    // A title is a text in quotes and may contain anything.
    if keyword == "TITLE" { return }
    guard samples.isEmpty else { throw fault("'\(keyword)' comes after the first entry", "move it before the entries") }
    try takeKeyword(keyword, words.dropFirst().map { String(decoding: $0, as: UTF8.self) })
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private func finished() throws(SafelightError) -> Table {
    guard !shapes.isEmpty else {
      throw SafelightError(
        .input, name, why: "it has no LUT_1D_SIZE and no LUT_3D_SIZE", remedy: "name a .cube file that has one of them")
    }
    guard samples.count == 3 * count else {
      throw fault("the file ends after \(samples.count / 3) entries; \(needed)", "copy or export the file again")
    }
    let first = Array(samples[..<(3 * line.count)])
    guard let size = cube.size else {
      let (least, greatest) = domain(of: line, isFirst: true)
      return .channels(ChannelCurves(samples: output(first), domainMin: least, domainMax: greatest))
    }
    var shaper: ChannelCurves?
    if line.size != nil {
      let (least, greatest) = domain(of: line, isFirst: true)
      shaper = ChannelCurves(samples: first, domainMin: least, domainMax: greatest)
    }
    let (least, greatest) = domain(of: cube, isFirst: shaper == nil)
    let entries = output(Array(samples[(3 * line.count)...]))
    return .cube(ColorCube(size: size, samples: entries, domainMin: least, domainMax: greatest, shaper: shaper))
  }

  // MARK: Ranges

  /// Returns the domain of a table, in colors of full range if pictures are looked up in it `isFirst`.
  private func domain(of shape: Shape, isFirst: Bool) -> (min: SIMD3<Double>, max: SIMD3<Double>) {
    let least = shape.domain?.min ?? domainMin ?? SIMD3(repeating: 0)
    let greatest = shape.domain?.max ?? domainMax ?? SIMD3(repeating: 1)
    return isFirst && isInVideoRange ? (Self.full(least), Self.full(greatest)) : (least, greatest)
  }

  private func output(_ samples: [Double]) -> [Double] {
    guard isOutVideoRange else { return samples }
    let most = Double.greatestFiniteMagnitude
    return samples.map { min(max(Self.full(SIMD3(repeating: $0)).x, -most), most) }
  }

  /// Returns what has the place of `color` of video range, 64 to 940 of 1023 as Resolve says, in full range.
  private static func full(_ color: SIMD3<Double>) -> SIMD3<Double> { (color * 1023 - 64) / 876 }

  // MARK: Keywords

  private mutating func takeKeyword(_ keyword: String, _ words: [String]) throws(SafelightError) {
    switch keyword {
    case "LUT_1D_SIZE": line.size = try size(keyword, words, 2...65536, before: line)
    case "LUT_3D_SIZE": cube.size = try size(keyword, words, ColorCube.sizes, before: cube)
    case "DOMAIN_MIN": domainMin = SIMD3(try numbers(keyword, words, "three", "0 0 0"))
    case "DOMAIN_MAX": domainMax = SIMD3(try numbers(keyword, words, "three", "0 0 0"))
    case "LUT_1D_INPUT_RANGE": line.domain = try range(keyword, words)
    case "LUT_3D_INPUT_RANGE": cube.domain = try range(keyword, words)
    case "LUT_IN_VIDEO_RANGE": isInVideoRange = true
    case "LUT_OUT_VIDEO_RANGE": isOutVideoRange = true
    default:
      throw fault("'\(keyword.prefix(40))' is not a keyword of this format", "remove the line, or put # before it")
    }
  }

  private func size(
    _ keyword: String, _ words: [String], _ range: ClosedRange<Int>, before: Shape
  ) throws(SafelightError) -> Int {
    guard words.count == 1, let size = Int(words[0]), range.contains(size) else {
      throw fault(
        "\(keyword) is '\(words.joined(separator: " ").prefix(40))'; "
          + "it must be from \(range.lowerBound) to \(range.upperBound)",
        "export a table of a size in that range")
    }
    guard before.size == nil else { throw fault("\(before.text) was given before", "keep one of the two lines") }
    return size
  }

  private func range(
    _ keyword: String, _ words: [String]
  ) throws(SafelightError) -> (min: SIMD3<Double>, max: SIMD3<Double>) {
    let range = try numbers(keyword, words, "two", "0 1")
    return (SIMD3(repeating: range[0]), SIMD3(repeating: range[1]))
  }

  /// Reads as many numbers as `example` has, which `count` says in a word.
  private func numbers(
    _ keyword: String, _ words: [String], _ count: String, _ example: String
  ) throws(SafelightError) -> [Double] {
    let numbers = try words.map { (word) throws(SafelightError) in try number(word) }
    guard numbers.count == example.split(separator: " ").count else {
      throw fault("\(keyword) needs \(count) numbers", "write \(count) numbers, such as \(keyword) \(example)")
    }
    return numbers
  }

  // MARK: Entries

  private mutating func takeEntry(_ words: [ArraySlice<UInt8>]) throws(SafelightError) {
    guard !shapes.isEmpty else {
      throw fault("an entry comes before the size of the table", "write LUT_1D_SIZE or LUT_3D_SIZE before the entries")
    }
    guard words.count == 3 else {
      throw fault(
        "an entry has three numbers; this line has \(words.count)", "write a number each for red, green and blue")
    }
    guard samples.count < 3 * count else {
      throw fault(
        "\(needed) entries, and this entry is one too many", "remove this entry, or correct the size")
    }
    if samples.isEmpty {
      try checkDomains()
      samples.reserveCapacity(3 * count)
    }
    for word in words { samples.append(try number(String(decoding: word, as: UTF8.self))) }
  }

  private func checkDomains() throws(SafelightError) {
    if domainMin != nil || domainMax != nil, shapes.count == 2 {
      throw fault(
        "DOMAIN_MIN and DOMAIN_MAX do not say which of the two tables they mean",
        "write LUT_1D_INPUT_RANGE and LUT_3D_INPUT_RANGE instead")
    }
    for shape in [line, cube] where shape.size == nil {
      if let domain = shape.domain, domain.min != SIMD3(repeating: 0) || domain.max != SIMD3(repeating: 1) {
        throw fault(
          "LUT_\(shape.dimensions)D_INPUT_RANGE is given, and the file has no table of that kind",
          "remove the line, or write the range of the other kind")
      }
    }
    for (index, shape) in shapes.enumerated() {
      let (least, greatest) = domain(of: shape, isFirst: false)
      let used = domain(of: shape, isFirst: index == 0)
      for channel in 0..<3 {
        let isOrdered = least[channel] < greatest[channel] && used.min[channel] < used.max[channel]
        if isOrdered && (used.max[channel] - used.min[channel]).isFinite { continue }
        throw fault(
          "the domain of \(["red", "green", "blue"][channel]) runs from \(least[channel]) to \(greatest[channel])",
          "make DOMAIN_MIN less than DOMAIN_MAX" + (isOrdered ? ", and both smaller numbers" : ""))
      }
    }
  }

  private func number(_ word: String) throws(SafelightError) -> Double {
    if let number = DecimalText.number(word) { return number }
    throw fault("'\(word.prefix(40))' is not a number", "write numbers such as 0.5 or 1e-3")
  }

  private func fault(_ why: String, _ remedy: String) -> SafelightError {
    SafelightError(.input, "\(name), line \(lineNumber)", why: why, remedy: remedy)
  }
}
