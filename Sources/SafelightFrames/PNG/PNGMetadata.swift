public import SafelightImage

/// What a PNG file says besides its pixels, chunk by chunk and byte for byte.
///
/// Chunks travel as they are, so an ICC profile or a compressed text is not unfolded and nothing is "corrected".
/// What only describes the old encoding of the pixels (PLTE, tRNS, sBIT, bKGD, hIST, sPLT), the time of the last
/// change (tIME), animation and unknown chunks that are not safe to copy are not here.
public struct PNGMetadata: Hashable, Sendable {
  /// Chunks that are written before the pixels: all that PNG defines, in the order of the file.
  public var chunks: [PNGChunk]
  /// Chunks of unknown meaning that stood behind the pixels and must stay there (PNG 14.2).
  public var trailingChunks: [PNGChunk]
  /// Whether the chunks describe grey samples; nil where that is unknown. An ICC profile of the other kind is not
  /// written (PNG 11.3.2.3 allows grey profiles only with grey, colour profiles only with colour).
  public var describesGray: Bool?

  /// Makes metadata of chunks.
  public init(chunks: [PNGChunk] = [], trailingChunks: [PNGChunk] = [], describesGray: Bool? = nil) {
    self.chunks = chunks
    self.trailingChunks = trailingChunks
    self.describesGray = describesGray
  }

  /// The data of the first chunk of `type`; nil where there is none.
  public subscript(type: PNGChunkType) -> [UInt8]? {
    chunks.first { $0.type == type }?.data
  }

  /// Where a chunk of a file goes.
  enum Fate {
    case kept
    case keptOnce
    /// Unknown but safe to copy: on the side of the pixels where it stood.
    case keptInPlace
    /// Dropped with the encoding that it describes, or by right unsafe to copy.
    case dropped
    case animation
  }

  /// Decides on an ancillary chunk.
  static func fate(of type: PNGChunkType) -> Fate {
    switch type {
    case "tEXt", "zTXt", "iTXt": .kept
    case "cICP", "mDCV", "cLLI", "gAMA", "cHRM", "sRGB", "iCCP": .keptOnce
    case "pHYs", "eXIf", "oFFs", "pCAL", "sCAL", "sTER": .keptOnce
    case "acTL": .animation
    case "fcTL", "fdAT": .dropped
    default: type.isSafeToCopy ? .keptInPlace : .dropped
    }
  }

  /// The chunks to write before the pixels of a picture: without what would contradict it or the other chunks.
  func chunks(forGray isGray: Bool) -> [PNGChunk] {
    var seen: Set<PNGChunkType> = []
    let profileFits = describesGray == nil || describesGray == isGray
    let hasProfile = profileFits && self["iCCP"] != nil
    return chunks.filter { chunk in
      if chunk.type.isCritical { return false }
      // Never both (PNG 11.3.2.3, 11.3.2.5); of the two the profile has precedence (PNG 4.3).
      if chunk.type == "sRGB" && hasProfile || chunk.type == "iCCP" && !profileFits { return false }
      return Self.fate(of: chunk.type) != .keptOnce || seen.insert(chunk.type).inserted
    }
  }
}

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
  /// them; others are replaced, and of what did not change the codes and numbers of the file are kept. What the file did not say and
  /// no chunk can say is left out.
  ///
  /// Throws a ``SafelightError`` of kind `unsupported` where the file said what no chunk can say beside the rest: primaries without a code
  /// along with a curve that is no power.
  func describing(_ color: ColorDescription) throws(SafelightError) -> PNGMetadata {
    let said = self.color
    guard color.transfer != .unspecified || color.primaries != .unspecified,
      color.transfer != said.transfer || color.primaries != said.primaries || color.range != said.range
    else { return self }
    var made = self
    made.chunks.removeAll { Self.colorChunks.contains($0.type) }
    made.chunks.insert(contentsOf: try chunks(saying: color), at: 0)
    return made
  }

  private static let colorChunks: Set<PNGChunkType> = ["cICP", "mDCV", "cLLI", "iCCP", "sRGB", "gAMA", "cHRM"]

  /// The first way of saying `color` that is read as `color`.
  private func chunks(saying color: ColorDescription) throws(SafelightError) -> [PNGChunk] {
    let said = self.color
    let (keepsTransfer, keepsPrimaries) = (color.transfer == said.transfer, color.primaries == said.primaries)
    let code = self["cICP"].flatMap { $0.count == 4 ? $0 : nil }
    // Beside a profile they are for programs that do not know profiles: not what the file says.
    let hasNumbers = code != nil || self["iCCP"] == nil
    let gamma = (keepsTransfer && hasNumbers ? self["gAMA"] : nil) ?? color.transfer.gamma
    let lights = (keepsPrimaries && hasNumbers ? self["cHRM"] : nil) ?? color.primaries.chromaticities.map(bytes)

    let primariesCode = (keepsPrimaries ? code?[0] : nil) ?? color.primaries.code
    let transferCode = (keepsTransfer ? code?[1] : nil) ?? color.transfer.code
    let coded = PNGChunk(type: "cICP", data: [primariesCode, transferCode, 0, color.range == .limited ? 0 : 1])
    // Rendering intent 0: perceptual.
    let named = PNGChunk(type: "sRGB", data: [0])
    // Alone, or for programs that know neither of the two (PNG 11.3.2.5).
    let numbers =
      (gamma.map { [PNGChunk(type: "gAMA", data: $0)] } ?? [])
      + (lights.map { [PNGChunk(type: "cHRM", data: $0)] } ?? [])

    let ways = [[named] + numbers, [coded] + numbers, numbers]
    if let way = ways.first(where: { PNGMetadata(chunks: $0).color.says(color) }) { return way }
    guard !(keepsTransfer && said.transfer == .other), !(keepsPrimaries && said.primaries == .other) else {
      throw SafelightError(
        .unsupported, "the picture",
        why:
          "it became transfer \(color.transfer), primaries \(color.primaries), and no chunk of PNG says that beside what its file said",
        remedy: "end the chain with the curve that the file had, or take the file's chunks of colour out first")
    }
    return primariesCode == 2 && transferCode == 2 ? numbers : [coded] + numbers
  }
}

extension ColorDescription {
  /// Whether samples of `other` are read the same; what is not said to be limited is full.
  fileprivate func says(_ other: ColorDescription) -> Bool {
    transfer == other.transfer && primaries == other.primaries && (range == .limited) == (other.range == .limited)
  }
}

/// Numbers as chunks have them.
private func bytes(_ numbers: [UInt32]) -> [UInt8] {
  var data: [UInt8] = []
  for number in numbers { data.append(bigEndian: number) }
  return data
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

  fileprivate var gamma: [UInt8]? {
    switch self {
    case .sRGB, .gamma22: bytes([45455])
    case .gamma28: bytes([35714])
    case .linear: bytes([100_000])
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

  /// Of a cHRM chunk: x and y of white, red, green and blue, in 1/100000. Programs store what their own arithmetic left of the four digits
  /// that standards have: half of the last one is no difference.
  fileprivate init(chromaticities data: [UInt8]) {
    let values = data.count == 32 ? (0..<8).map { data.bigEndian(at: 4 * $0) } : []
    let known = Self.allCases.first { primaries in
      guard let own = primaries.chromaticities, own.count == values.count else { return false }
      return zip(own, values).allSatisfy { max($0, $1) - min($0, $1) <= 5 }
    }
    self = known ?? .other
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
