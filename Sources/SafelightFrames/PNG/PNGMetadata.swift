public import SafelightImage

/// The metadata of a PNG file, chunk by chunk and byte for byte.
///
/// Chunks are copied unchanged, so an ICC profile or a compressed text is not decompressed and nothing is "corrected".
/// Chunks are left out if they describe only the old encoding of the pixels (PLTE, tRNS, sBIT, bKGD, hIST, sPLT), the
/// time of the last change (tIME) or an animation, or if they are unknown and not safe to copy.
public struct PNGMetadata: Hashable, Sendable {
  /// The chunks written before the pixels: all that PNG defines, in the order of the file.
  public var chunks: [PNGChunk]
  /// The chunks of unknown meaning that followed the pixels and must stay there (PNG 14.2).
  public var trailingChunks: [PNGChunk]
  /// True if the chunks describe gray samples; nil if unknown. An ICC profile of the other kind is not written (PNG
  /// 11.3.2.3 allows gray profiles only with gray, color profiles only with color).
  public var describesGray: Bool?

  /// Makes metadata from chunks.
  public init(chunks: [PNGChunk] = [], trailingChunks: [PNGChunk] = [], describesGray: Bool? = nil) {
    self.chunks = chunks
    self.trailingChunks = trailingChunks
    self.describesGray = describesGray
  }

  /// The data of the first chunk of `type`; nil if there is none.
  public subscript(type: PNGChunkType) -> [UInt8]? { chunks.first { $0.type == type }?.data }

  /// The treatment of a chunk of a file.
  enum Fate {
    case kept
    case keptOnce
    /// Unknown but safe to copy: it stays before or after the pixels.
    case keptInPlace
    /// Dropped with the encoding that it describes, or because it is not safe to copy.
    case dropped
    case animation
  }

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

  /// Returns the chunks to write before the pixels of a picture, without those that would contradict it or other
  /// chunks.
  func chunks(forGray isGray: Bool) -> [PNGChunk] {
    var seen: Set<PNGChunkType> = []
    let profileFits = describesGray == nil || describesGray == isGray
    let hasProfile = profileFits && self["iCCP"] != nil
    return chunks.filter { chunk in
      if chunk.type.isCritical { return false }
      // Never both (PNG 11.3.2.3, 11.3.2.5); the profile takes precedence (PNG 4.3).
      if chunk.type == "sRGB" && hasProfile || chunk.type == "iCCP" && !profileFits { return false }
      return Self.fate(of: chunk.type) != .keptOnce || seen.insert(chunk.type).inserted
    }
  }
}

/// Color chunks (PNG, third edition, 11.3.2). cICP takes precedence, then iCCP, sRGB, and gAMA with cHRM (PNG 4.3).
extension PNGMetadata {
  /// The meaning of the samples according to the chunks; a profile is `other`.
  public var color: ColorDescription {
    if let code = self["cICP"], code.count == 4 {
      return ColorDescription(
        matrix: .identity, range: code[3] == 0 ? .limited : .full, transfer: transferCodes[code[1]],
        primaries: primariesCodes[code[0]])
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

  /// Returns the metadata for samples that mean `color`.
  ///
  /// Chunks stay unchanged if they already record `color`, or if it is unspecified; otherwise they are replaced, except
  /// that unchanged properties keep the file's codes and numbers. New properties that no chunk can record are left out.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if a property kept from the file cannot be recorded with the
  ///   rest: primaries without a code together with a curve that is not a power.
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

  /// Returns the first set of chunks that is read as `color`.
  private func chunks(saying color: ColorDescription) throws(SafelightError) -> [PNGChunk] {
    let said = self.color
    let (keepsTransfer, keepsPrimaries) = (color.transfer == said.transfer, color.primaries == said.primaries)
    let code = self["cICP"].flatMap { $0.count == 4 ? $0 : nil }
    // Beside a profile they are a fallback for programs that do not support profiles.
    let hasNumbers = code != nil || self["iCCP"] == nil
    let gamma = (keepsTransfer && hasNumbers ? self["gAMA"] : nil) ?? color.transfer.gamma
    let lights =
      (keepsPrimaries && hasNumbers ? self["cHRM"] : nil)
      ?? color.primaries.chromaticities.map { [UInt8](bigEndian: $0) }

    let primariesCode = (keepsPrimaries ? code?[0] : nil) ?? primariesCodes.code(of: color.primaries) ?? 2
    let transferCode = (keepsTransfer ? code?[1] : nil) ?? transferCodes.code(of: color.transfer) ?? 2
    let coded = PNGChunk(type: "cICP", data: [primariesCode, transferCode, 0, color.range == .limited ? 0 : 1])
    // Rendering intent 0: perceptual.
    let named = PNGChunk(type: "sRGB", data: [0])
    // Alone, or as a fallback for programs that support neither of the two (PNG 11.3.2.5).
    let numbers =
      (gamma.map { [PNGChunk(type: "gAMA", data: $0)] } ?? [])
      + (lights.map { [PNGChunk(type: "cHRM", data: $0)] } ?? [])

    let ways = [[named] + numbers, [coded] + numbers, numbers]
    if let way = ways.first(where: { PNGMetadata(chunks: $0).color.says(color) }) { return way }
    try ensure(
      !(keepsTransfer && said.transfer == .other) && !(keepsPrimaries && said.primaries == .other), .unsupported,
      "the picture",
      why: "a PNG cannot hold both its new colors (transfer \(color.transfer), primaries \(color.primaries)) and the "
        + "color chunks kept from its file",
      remedy: "end the chain with the file's own transfer curve, or remove the file's color chunks first")
    return primariesCode == 2 && transferCode == 2 ? numbers : [coded] + numbers
  }
}

extension ColorDescription {
  /// True if samples of `other` have the same meaning; a range that is not limited is full.
  fileprivate func says(_ other: ColorDescription) -> Bool {
    transfer == other.transfer && primaries == other.primaries && (range == .limited) == (other.range == .limited)
  }
}

/// The codes of the values of a color property in some format; the first code of a value is the one to write.
struct ColorCodes<Code: Equatable & Sendable, Value: Equatable & Sendable>: Sendable {
  let codes: [(code: Code, value: Value)]
  let unspecified: Value
  let other: Value

  /// Returns the value of a code: `unspecified` for nil, `other` for codes that are not listed.
  subscript(_ code: Code?) -> Value {
    guard let code else { return unspecified }
    return codes.first { $0.code == code }?.value ?? other
  }

  /// Returns the code to write; nil if the format has none.
  func code(of value: Value) -> Code? { codes.first { $0.value == value }?.code }
}

/// H.273 table 3.
private let transferCodes = ColorCodes<UInt8, ColorTransfer>(
  codes: [
    (1, .bt709), (6, .bt709), (14, .bt709), (15, .bt709), (2, .unspecified), (4, .gamma22), (5, .gamma28),
    (8, .linear), (13, .sRGB), (16, .pq), (18, .hlg),
  ], unspecified: .unspecified, other: .other)

/// H.273 table 2.
private let primariesCodes = ColorCodes<UInt8, ColorPrimaries>(
  codes: [
    (1, .bt709), (2, .unspecified), (5, .bt601Lines625), (6, .bt601Lines525), (7, .bt601Lines525), (9, .bt2020),
    (12, .displayP3),
  ], unspecified: .unspecified, other: .other)

extension ColorTransfer {
  /// The transfer of a gAMA chunk: 1/100000 of the exponent from light to samples. With the primaries of sRGB, 45455
  /// represents sRGB for programs that do not support it (PNG 11.3.2.5).
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
    case .sRGB, .gamma22: [UInt8](bigEndian: [45455])
    case .gamma28: [UInt8](bigEndian: [35714])
    case .linear: [UInt8](bigEndian: [100_000])
    default: nil
    }
  }
}

extension ColorPrimaries {
  /// The primaries of a cHRM chunk: x and y of white, red, green and blue, in 1/100000. Programs round the four digits
  /// of standards in their own ways, so half of the last digit is tolerated.
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
    // All have the white point D65.
    return [31270, 32900] + colors
  }
}

extension PNGMetadata {
  /// The pixels in a unit of length along each axis, by which the pHYs chunk states their shape (PNG 11.3.4.3).
  private var density: (x: UInt32, y: UInt32, isMetric: Bool)? {
    guard let data = self["pHYs"], data.count == 9, data[8] <= 1 else { return nil }
    let (x, y) = (data.bigEndian(at: 0), data.bigEndian(at: 4))
    return x > 0 && y > 0 ? (x, y, data[8] == 1) : nil
  }

  /// The shape of a pixel; nil if it is not stated. A resolution with equal axes states a size on paper.
  package var pixelAspect: PixelAspect? {
    guard let density, density.x != density.y || !density.isMetric else { return nil }
    return PixelAspect(reducing: Int128(density.y), Int128(density.x))
  }

  /// Returns the metadata of a picture whose pixels have the shape `aspect`; unchanged if that is nil or stated
  /// already.
  ///
  /// A resolution keeps its pixels per meter from left to right, unless it is too coarse to state the shape.
  package func shaped(_ aspect: PixelAspect?) -> PNGMetadata {
    guard let aspect, !PixelAspect.areEqual(aspect, pixelAspect) else { return self }
    let ratio = Double(aspect.width) / Double(aspect.height)
    let density = density.flatMap { density in
      let y = Double(density.x) * ratio
      return density.isMetric && abs(y.rounded() - y) <= y / 1000 ? density : nil
    }
    let (x, y) =
      density.map { (Double($0.x), (Double($0.x) * ratio).rounded()) } ?? (Double(aspect.height), Double(aspect.width))
    var made = self
    let numbers = [x, y].map { UInt32(min(max($0, 1), Double(Int32.max))) }
    made.chunks.removeAll { $0.type == "pHYs" }
    made.chunks.append(PNGChunk(type: "pHYs", data: [UInt8](bigEndian: numbers) + [density == nil ? 0 : 1]))
    return made
  }
}

extension PNGMetadata {
  /// The turn that Exif data asks for; none for numbers that are no turn.
  package var orientation: Orientation { self["eXIf"].flatMap { TIFFDirectory(of: .memory($0))?.turn } ?? .up }

  /// Returns the metadata of a picture that is upright as it is stored: Exif data does not ask to turn it.
  package func upright() -> PNGMetadata {
    guard let place = chunks.firstIndex(where: { $0.type == "eXIf" }),
      let exif = TIFFDirectory(of: .memory(chunks[place].data))
    else { return self }
    var made = self
    made.chunks[place] = PNGChunk(type: "eXIf", data: exif.upright(chunks[place].data))
    return made
  }
}
