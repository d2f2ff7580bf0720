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
