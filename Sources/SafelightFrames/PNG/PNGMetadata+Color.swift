public import SafelightImage

/// What the chunks say of colours, and how they say it (PNG, third edition, 11.3.2).
///
/// Of several that speak, cICP is believed first, then iCCP, sRGB, and gAMA with cHRM (PNG 4.3).
extension PNGMetadata {
  /// What the samples mean, as far as the chunks say it; a profile is `other`.
  public var color: ColorDescription {
    if let code = self["cICP"], code.count == 4 {
      return ColorDescription(
        matrix: .identity, range: code[3] == 0 ? .limited : .full, transfer: ColorTransfer(code: code[1]),
        primaries: ColorPrimaries(code: code[0]))
    }
    if self["iCCP"] != nil {
      return ColorDescription(matrix: .identity, range: .full, transfer: .other, primaries: .other)
    }
    if self["sRGB"] != nil { return .sRGB }
    let primaries = self["cHRM"].map { ColorPrimaries(chromaticities: $0) } ?? .unspecified
    let transfer = self["gAMA"].map { ColorTransfer(gamma: $0, primaries: primaries) } ?? .unspecified
    guard transfer != .unspecified || primaries != .unspecified else { return .unspecified }
    return ColorDescription(matrix: .identity, range: .full, transfer: transfer, primaries: primaries)
  }

  /// The same metadata for samples that mean `color`: chunks stay byte for byte where they say it already, or where nothing is said to
  /// them; others are replaced. What no chunk can say is left out.
  func describing(_ color: ColorDescription) -> PNGMetadata {
    let said = self.color
    guard color.transfer != .unspecified || color.primaries != .unspecified,
      color.transfer != said.transfer || color.primaries != said.primaries || color.range != said.range
    else { return self }
    var made = self
    made.chunks.removeAll { Self.colorChunks.contains($0.type) }
    made.chunks.insert(contentsOf: Self.chunks(color), at: 0)
    return made
  }

  private static let colorChunks: Set<PNGChunkType> = ["cICP", "mDCV", "cLLI", "iCCP", "sRGB", "gAMA", "cHRM"]

  private static func chunks(_ color: ColorDescription) -> [PNGChunk] {
    var chunks: [PNGChunk] = []
    let isFull = color.range != .limited
    if color.transfer == .sRGB && color.primaries == .bt709 && isFull {
      // Rendering intent 0: perceptual. The two that follow are for programs that do not know sRGB (PNG 11.3.2.5).
      chunks.append(PNGChunk(type: "sRGB", data: [0]))
    } else if color.transfer.code != 2 || color.primaries.code != 2 {
      chunks.append(
        PNGChunk(type: "cICP", data: [color.primaries.code, color.transfer.code, 0, isFull ? 1 : 0]))
    }
    if let gamma = color.transfer.gamma { chunks.append(PNGChunk(type: "gAMA", numbers: [gamma])) }
    if let values = color.primaries.chromaticities { chunks.append(PNGChunk(type: "cHRM", numbers: values)) }
    return chunks
  }
}

extension PNGChunk {
  fileprivate init(type: PNGChunkType, numbers: [UInt32]) {
    var data: [UInt8] = []
    for number in numbers { data.append(bigEndian: number) }
    self.init(type: type, data: data)
  }
}

extension ColorTransfer {
  /// By H.273 table 3.
  fileprivate init(code: UInt8) {
    switch code {
    case 1, 6, 14, 15: self = .bt709
    case 2: self = .unspecified
    case 4: self = .gamma22
    case 5: self = .gamma28
    case 8: self = .linear
    case 13: self = .sRGB
    case 16: self = .pq
    case 18: self = .hlg
    default: self = .other
    }
  }

  /// Its number in that table; 2 where it has none.
  fileprivate var code: UInt8 {
    switch self {
    case .bt709: 1
    case .gamma22: 4
    case .gamma28: 5
    case .linear: 8
    case .sRGB: 13
    case .pq: 16
    case .hlg: 18
    case .unspecified, .other: 2
    }
  }

  /// Of a gAMA chunk: 1/100000 of the exponent from light to samples. With the primaries of sRGB, 45455 is how sRGB is told to programs
  /// that do not know it (PNG 11.3.2.5).
  fileprivate init(gamma data: [UInt8], primaries: ColorPrimaries) {
    guard data.count == 4 else {
      self = .other
      return
    }
    self =
      switch data.bigEndian(at: 0) {
      case 45455 where primaries == .bt709: .sRGB
      case 45455: .gamma22
      case 35714: .gamma28
      case 100_000: .linear
      default: .other
      }
  }

  fileprivate var gamma: UInt32? {
    switch self {
    case .sRGB, .gamma22: 45455
    case .gamma28: 35714
    case .linear: 100_000
    default: nil
    }
  }
}

extension ColorPrimaries {
  /// By H.273 table 2.
  fileprivate init(code: UInt8) {
    switch code {
    case 1: self = .bt709
    case 2: self = .unspecified
    case 5: self = .bt601Lines625
    case 6, 7: self = .bt601Lines525
    case 9: self = .bt2020
    case 12: self = .displayP3
    default: self = .other
    }
  }

  fileprivate var code: UInt8 {
    switch self {
    case .bt709: 1
    case .bt601Lines625: 5
    case .bt601Lines525: 6
    case .bt2020: 9
    case .displayP3: 12
    case .unspecified, .other: 2
    }
  }

  /// Of a cHRM chunk: x and y of white, red, green and blue, in 1/100000.
  fileprivate init(chromaticities data: [UInt8]) {
    let values = data.count == 32 ? (0..<8).map { data.bigEndian(at: 4 * $0) } : []
    self = Self.allCases.first { $0.chromaticities == values } ?? .other
  }

  fileprivate var chromaticities: [UInt32]? {
    let colors: [UInt32]
    switch self {
    case .bt709: colors = [64000, 33000, 30000, 60000, 15000, 6000]
    case .bt601Lines525: colors = [63000, 34000, 31000, 59500, 15500, 7000]
    case .bt601Lines625: colors = [64000, 33000, 29000, 60000, 15000, 6000]
    case .bt2020: colors = [70800, 29200, 17000, 79700, 13100, 4600]
    case .displayP3: colors = [68000, 32000, 26500, 69000, 15000, 6000]
    case .unspecified, .other: return nil
    }
    // All have the white of daylight, D65.
    return [31270, 32900] + colors
  }
}
