internal import SafelightImage
internal import SafelightKernels

/// Takes a `.cube` file line by line.
struct CubeReader {
  private enum Shape {
    case line(Int)
    case cube(Int)

    var count: Int {
      switch self {
      case .line(let size): size
      case .cube(let size): size * size * size
      }
    }

    var text: String {
      switch self {
      case .line(let size): "LUT_1D_SIZE \(size)"
      case .cube(let size): "LUT_3D_SIZE \(size)"
      }
    }
  }

  private let name: String
  private var shape: Shape?
  private var samples: [Double] = []
  private var domainMin = SIMD3<Double>(repeating: 0)
  private var domainMax = SIMD3<Double>(repeating: 1)
  private var line = 0

  /// The bytes that a line may have; three numbers of 17 digits are 75.
  static let longestLine = 4096

  /// `name` is that of the file in errors.
  init(name: String) { self.name = name }

  /// Takes the next line.
  mutating func take(_ bytes: ArraySlice<UInt8>, number: Int) throws(SafelightError) {
    line = number
    guard bytes.count <= Self.longestLine else {
      throw fault("the line is longer than \(Self.longestLine) bytes", "name a .cube file, whose lines are short")
    }
    guard let letter = bytes.first(where: { !Self.isBlank($0) }), letter != UInt8(ascii: "#") else { return }
    let words = bytes.split(whereSeparator: Self.isBlank)
    if "+-.0123456789".utf8.contains(letter) { return try takeEntry(words) }
    let keyword = String(decoding: words[0], as: UTF8.self)
    // A title is a text in quotes, and may hold anything.
    if keyword == "TITLE" { return }
    guard samples.isEmpty else {
      throw fault("'\(keyword)' stands behind the first entry", "move it before the entries")
    }
    try takeKeyword(keyword, words.dropFirst().map { String(decoding: $0, as: UTF8.self) })
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  /// What all lines made.
  func finished() throws(SafelightError) -> CubeFile.Table {
    guard let shape else {
      throw SafelightError(
        .input, name, why: "it has no LUT_1D_SIZE and no LUT_3D_SIZE", remedy: "name a .cube file that has one")
    }
    guard samples.count == 3 * shape.count else {
      throw fault(
        "the file ends after \(samples.count / 3) entries; \(shape.text) needs \(shape.count)",
        "copy or export the file anew")
    }
    switch shape {
    case .line: return .channels(ChannelCurves(samples: samples, domainMin: domainMin, domainMax: domainMax))
    case .cube(let size):
      return .cube(ColorCube(size: size, samples: samples, domainMin: domainMin, domainMax: domainMax))
    }
  }

  // MARK: Keywords

  private mutating func takeKeyword(_ keyword: String, _ words: [String]) throws(SafelightError) {
    switch keyword {
    case "LUT_1D_SIZE": try takeShape(.line(size(keyword, words, 2...65536)))
    case "LUT_3D_SIZE": try takeShape(.cube(size(keyword, words, ColorCube.sizes)))
    case "DOMAIN_MIN": domainMin = try vector(keyword, words)
    case "DOMAIN_MAX": domainMax = try vector(keyword, words)
    case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
      let range = try words.map { (word) throws(SafelightError) in try number(word) }
      guard range.count == 2 else { throw fault("\(keyword) needs two numbers", "write \(keyword) 0 1") }
      (domainMin, domainMax) = (SIMD3(repeating: range[0]), SIMD3(repeating: range[1]))
    default:
      throw fault(
        "'\(String(keyword.prefix(40)))' is no keyword of this format",
        "remove the line, or put # before it, where it says nothing that matters")
    }
  }

  private mutating func takeShape(_ new: Shape) throws(SafelightError) {
    if let shape {
      throw fault(
        "\(shape.text) was given before", "keep one size; a file holds one table, of one or of three dimensions")
    }
    shape = new
  }

  private func size(
    _ keyword: String, _ words: [String], _ range: ClosedRange<Int>
  ) throws(SafelightError) -> Int {
    guard words.count == 1, let size = Int(words[0]), range.contains(size) else {
      throw fault(
        "\(keyword) is '\(words.joined(separator: " ").prefix(40))'; it must be from \(range.lowerBound) to \(range.upperBound)",
        "export a table of such a size")
    }
    return size
  }

  private func vector(_ keyword: String, _ words: [String]) throws(SafelightError) -> SIMD3<Double> {
    let numbers = try words.map { (word) throws(SafelightError) in try number(word) }
    guard numbers.count == 3 else { throw fault("\(keyword) needs three numbers", "write \(keyword) 0 0 0") }
    return SIMD3(numbers)
  }

  // MARK: Entries

  private mutating func takeEntry(_ words: [ArraySlice<UInt8>]) throws(SafelightError) {
    guard let shape else {
      throw fault("an entry stands before the size of the table", "write LUT_1D_SIZE or LUT_3D_SIZE before the entries")
    }
    guard words.count == 3 else {
      throw fault("an entry has three numbers; here are \(words.count)", "write red, green and blue")
    }
    guard samples.count < 3 * shape.count else {
      throw fault("\(shape.text) needs \(shape.count) entries; this is one more", "remove it, or correct the size")
    }
    if samples.isEmpty {
      try checkDomain()
      samples.reserveCapacity(3 * shape.count)
    }
    for word in words { samples.append(try number(String(decoding: word, as: UTF8.self))) }
  }

  private func checkDomain() throws(SafelightError) {
    for channel in 0..<3 where domainMin[channel] >= domainMax[channel] {
      throw fault(
        "the domain of \(["red", "green", "blue"][channel]) runs from \(domainMin[channel]) to \(domainMax[channel])",
        "let DOMAIN_MIN lie below DOMAIN_MAX")
    }
  }

  private func number(_ word: String) throws(SafelightError) -> Double {
    guard let number = DecimalText.number(word) else {
      throw fault("'\(word.prefix(40))' is no number", "write numbers such as 0.5 or 1e-3")
    }
    return number
  }

  private func fault(_ why: String, _ remedy: String) -> SafelightError {
    SafelightError(.input, "\(name), line \(line)", why: why, remedy: remedy)
  }
}

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
