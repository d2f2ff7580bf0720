internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `lut`: a table or a cube from a .cube file.
struct LookupFilter: ImageKernel {
  var file = ""

  static let card = KernelCard<Self>(
    "lut", "looks colors up in a table from a .cube file",
    discussion: """
      LUT_1D_SIZE has a table for each channel, 2 to 65536 entries with straight lines between them, computed once for
      all values: out = floor(y * maximum + 1/2).

      LUT_3D_SIZE has a cube of colors, 2 to 129 along each axis, kept in 16 bits. Per channel p = v * (size - 1), the
      cell is floor(p / maximum), its part f = p mod maximum. With f1 >= f2 >= f3 the parts in falling order and
      e0 ... e3 the corners of the cell from its least to its greatest, first along the axis of f1 (tetrahedral
      interpolation):

          out = floor(((maximum - f1)*e0 + (f1 - f2)*e1 + (f2 - f3)*e2 + f3*e3 + 32767) / 65535)

      With DOMAIN_MIN and DOMAIN_MAX positions come from a table:
      floor(clamp((x - min) / (max - min), 0, 1) * s + 1/2), s = 65535, in 8 bits 65280. Values outside the domain are
      clamped to it, and entries to 0 to 1. Alpha stays. Gray pictures refuse tables that differ between channels.

      file may be a data: address, data:,LUT_1D_SIZE 2%0A0 0 0%0A1 1 0.8, so that a chain needs no file.
      """,
    [.file("file", "the table", \.file, form: "a .cube file")],
    examples: [curves, cube, "lut=file='data:,DOMAIN_MIN 0.1 0 -0.2%0ADOMAIN_MAX 0.9 1.3 1%0A\(twist)'"],
    defects: .ofLookup(curves) + [
      KernelDefect(.coefficient, cube, "(shape.x - 1u);\n#endif", "shape.x;\n#endif"),
      KernelDefect(.coefficient, cube, "(middle - least) *", "(middle - least + 1u) *"),
      KernelDefect(.rounding, cube, "+ DIVISOR / 2u", ""),
      KernelDefect(.channel, cube, "greenBlue ? uvec3(0u, 1u, 0u) : uvec3(0u, 0u, 1u)", "uvec3(0u, 0u, 1u)"),
      KernelDefect(.channel, cube, "redGreen ? uvec3(0u, 1u, 0u) : uvec3(1u, 0u, 0u)", "uvec3(0u, 1u, 0u)"),
      KernelDefect(
        .channel, "lut=file='data:,DOMAIN_MIN 0.1 0 -0.2%0A\(twist)'", "positionsOf(pixel.g).g",
        "positionsOf(pixel.g).r"),
    ])

  private static let curves = "lut=file='data:,LUT_1D_SIZE 3%0A0 0.1 0%0A0.3 0.6 0.5%0A1 0.9 1'"
  private static let cube = "lut=file='data:,\(twist)'"

  /// Eight corners that move every axis differently, so that swapped axes are noticed.
  private static let twist =
    "LUT_3D_SIZE 2%0A"
    + [
      "0.02 0.05 0", "0.9 0.1 0.3", "0.2 0.8 0.1", "0.7 1 0.4", "0.1 0 0.6", "0.8 0.2 1", "0.3 0.7 0.9", "1 0.94 0.97",
    ].joined(separator: "%0A")

  static let formats = PixelFormat.pictureFormats

  func makeStage(on device: Device, form: KernelForm) throws -> any ImageStage {
    switch try CubeFile.read(file) {
    case .channels(let curves):
      return KernelStage.lookUp(in: curves.tables, on: device, form: form) { (image) throws(SafelightError) in
        try image.refusingGray(Self.card.name, if: curves.makesColors)
      }
    case .cube(let cube):
      let kernel = ImageColorCube(device: device, cube: cube)
      return KernelStage.tiles(
        output: { (image) throws(SafelightError) in
          try ensure(
            !image.channels.isGray, .unsupported, "filter 'lut'",
            why: "its cube needs a picture in color, and this one is gray",
            remedy: "use a table of one dimension, or a picture in color")
          return image
        },
        record: { kernel.encode(to: $0, source: $1, destination: $2, form: form) })
    }
  }
}

/// Look-up tables in Adobe's and Iridas' text format, *Cube LUT Specification 1.0* (2013).
package struct CubeFile {
  package enum Table: Hashable, Sendable {
    case channels(ChannelCurves)
    case cube(ColorCube)
  }

  /// Reads the file at `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` that names the line, before memory is taken for the size it claims.
  package static func read(_ path: String) throws -> Table {
    // 129³ lines of three numbers of 17 digits are 130 MB.
    let bytes = try InlineFile.read(path, limit: 1 << 28)
    var reader = Self(name: InlineFile.name(path))
    // One line at a time, without a list of lines: a hostile file may have as many lines as bytes.
    var rest = bytes[...]
    repeat {
      let start = rest.prefix(longestLine + 1)
      let end = start.firstIndex(of: UInt8(ascii: "\n")) ?? start.endIndex
      try reader.take(rest[..<end])
      rest = rest[end...].dropFirst()
    } while !rest.isEmpty
    return try reader.finished()
  }

  private struct Shape {
    let dimensions: Int
    let size: Int

    var count: Int { dimensions == 1 ? size : size * size * size }
    var text: String { "LUT_\(dimensions)D_SIZE \(size)" }
  }

  private let name: String
  private var shape: Shape?
  private var samples: [Double] = []
  private var domainMin = SIMD3<Double>(repeating: 0)
  private var domainMax = SIMD3<Double>(repeating: 1)
  private var line = 0

  /// The largest number of bytes of a line; three numbers of 17 digits are 75.
  private static let longestLine = 4096

  /// Takes the next line.
  private mutating func take(_ bytes: ArraySlice<UInt8>) throws(SafelightError) {
    line += 1
    guard bytes.count <= Self.longestLine else {
      throw fault("the line is longer than \(Self.longestLine) bytes", "name a .cube file, whose lines are short")
    }
    guard let letter = bytes.first(where: { !Self.isBlank($0) }), letter != UInt8(ascii: "#") else { return }
    let words = bytes.split(whereSeparator: Self.isBlank)
    if "+-.0123456789".utf8.contains(letter) { return try takeEntry(words) }
    let keyword = String(decoding: words[0], as: UTF8.self)
    // A title is a text in quotes and may contain anything.
    if keyword == "TITLE" { return }
    guard samples.isEmpty else { throw fault("'\(keyword)' comes after the first entry", "move it before the entries") }
    try takeKeyword(keyword, words.dropFirst().map { String(decoding: $0, as: UTF8.self) })
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private func finished() throws(SafelightError) -> Table {
    guard let shape else {
      throw SafelightError(
        .input, name, why: "it has no LUT_1D_SIZE and no LUT_3D_SIZE", remedy: "name a .cube file that has one of them")
    }
    guard samples.count == 3 * shape.count else {
      throw fault(
        "the file ends after \(samples.count / 3) entries; \(shape.text) needs \(shape.count)",
        "copy or export the file again")
    }
    if shape.dimensions == 1 {
      return .channels(ChannelCurves(samples: samples, domainMin: domainMin, domainMax: domainMax))
    }
    return .cube(ColorCube(size: shape.size, samples: samples, domainMin: domainMin, domainMax: domainMax))
  }

  // MARK: Keywords

  private mutating func takeKeyword(_ keyword: String, _ words: [String]) throws(SafelightError) {
    switch keyword {
    case "LUT_1D_SIZE": try takeShape(1, keyword, words, 2...65536)
    case "LUT_3D_SIZE": try takeShape(3, keyword, words, ColorCube.sizes)
    case "DOMAIN_MIN": domainMin = SIMD3(try numbers(keyword, words, "three", "0 0 0"))
    case "DOMAIN_MAX": domainMax = SIMD3(try numbers(keyword, words, "three", "0 0 0"))
    case "LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE":
      let range = try numbers(keyword, words, "two", "0 1")
      (domainMin, domainMax) = (SIMD3(repeating: range[0]), SIMD3(repeating: range[1]))
    default:
      throw fault("'\(keyword.prefix(40))' is not a keyword of this format", "remove the line, or put # before it")
    }
  }

  private mutating func takeShape(
    _ dimensions: Int, _ keyword: String, _ words: [String], _ range: ClosedRange<Int>
  ) throws(SafelightError) {
    guard words.count == 1, let size = Int(words[0]), range.contains(size) else {
      throw fault(
        "\(keyword) is '\(words.joined(separator: " ").prefix(40))'; "
          + "it must be from \(range.lowerBound) to \(range.upperBound)",
        "export a table of a size in that range")
    }
    if let shape {
      throw fault(
        "\(shape.text) was given before", "keep one size; a file holds one table, of one or of three dimensions")
    }
    shape = Shape(dimensions: dimensions, size: size)
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
    guard let shape else {
      throw fault("an entry comes before the size of the table", "write LUT_1D_SIZE or LUT_3D_SIZE before the entries")
    }
    guard words.count == 3 else {
      throw fault(
        "an entry has three numbers; this line has \(words.count)", "write a number each for red, green and blue")
    }
    guard samples.count < 3 * shape.count else {
      throw fault(
        "\(shape.text) needs \(shape.count) entries, and this entry is one too many",
        "remove this entry, or correct the size")
    }
    if samples.isEmpty {
      for channel in 0..<3 where domainMin[channel] >= domainMax[channel] {
        throw fault(
          "the domain of \(["red", "green", "blue"][channel]) runs from \(domainMin[channel]) to \(domainMax[channel])",
          "make DOMAIN_MIN less than DOMAIN_MAX")
      }
      samples.reserveCapacity(3 * shape.count)
    }
    for word in words { samples.append(try number(String(decoding: word, as: UTF8.self))) }
  }

  private func number(_ word: String) throws(SafelightError) -> Double {
    if let number = DecimalText.number(word) { return number }
    throw fault("'\(word.prefix(40))' is not a number", "write numbers such as 0.5 or 1e-3")
  }

  private func fault(_ why: String, _ remedy: String) -> SafelightError {
    SafelightError(.input, "\(name), line \(line)", why: why, remedy: remedy)
  }
}
