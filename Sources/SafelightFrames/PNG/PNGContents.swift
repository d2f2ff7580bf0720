import SafelightImage

/// The result of scanning a file's chunks: the header, the place of the pixels, and the metadata to keep.
package struct PNGContents {
  let header: PNGHeader
  /// The ranges of the signature and the chunks that make up the pixels; neighbors are joined.
  var pixelRanges: [Range<Int>] = []
  /// The bytes of compressed data in all IDAT chunks.
  var compressedByteCount = 0
  /// True if a tRNS chunk makes a color or palette entries transparent.
  var hasTransparency = false
  var metadata: PNGMetadata
  var warnings: [String] = []
  var channels: Channels { header.colorType.channels(hasTransparency: hasTransparency) }

  init(header: PNGHeader) {
    self.header = header
    self.metadata = PNGMetadata(describesGray: header.colorType == .gray || header.colorType == .grayAlpha)
  }

  mutating func appendPixels(_ range: Range<Int>) {
    if let last = pixelRanges.last, last.upperBound == range.lowerBound {
      pixelRanges[pixelRanges.count - 1] = last.lowerBound..<range.upperBound
    } else {
      pixelRanges.append(range)
    }
  }
}

extension PNGContents {
  /// Scans the chunks of `file`; checks their order, and the checksums of those that libpng will not see.
  package init(scanning file: PNGBytes, name: String, limits: PNGLimits) throws {
    var scan = try PNGScan(file, name: name, limits: limits)
    while try scan.step() {}
    self = scan.contents
  }
}

/// The state of a scan of the chunks of a file.
private struct PNGScan {
  enum Stage {
    case before
    case inside
    case behind
  }

  var contents: PNGContents
  private var reader: PNGChunkReader
  private let limits: PNGLimits
  private var stage = Stage.before
  private var paletteEntries: Int?
  private var metadataCount = 0
  private var metadataBytes = 0
  private var seen: Set<PNGChunkType> = []

  init(_ file: PNGBytes, name: String, limits: PNGLimits) throws {
    var reader = try PNGChunkReader(file, name: name)
    let first = try reader.next()
    try ensure(
      first.type != "CgBI", .input, name,
      why: "it is in Apple's private variant of PNG (CgBI), which no standard reader opens",
      remedy: "convert it back with `pngcrush -revert-iphone-optimizations`")
    guard first.type == "IHDR" else {
      throw reader.damaged("it begins with a \(first.type) chunk; a PNG begins with IHDR")
    }
    guard try reader.isIntact(first) else { throw reader.damaged("the checksum of its IHDR chunk is wrong") }
    self.contents = PNGContents(header: try PNGHeader(reader.data(first), complaint: { reader.damaged($0) }))
    self.reader = reader
    self.limits = limits
    contents.appendPixels(0..<first.range.upperBound)
  }

  /// Processes one chunk; returns false after the last.
  mutating func step() throws -> Bool {
    let chunk = try reader.next()
    if stage == .inside && chunk.type != "IDAT" { stage = .behind }
    switch chunk.type {
    case "IDAT":
      guard stage != .behind else { throw reader.damaged("its IDAT chunks do not follow one another") }
      stage = .inside
      contents.compressedByteCount += chunk.data.count
      contents.appendPixels(chunk.range)
    case "PLTE": try takePalette(chunk)
    case "tRNS": try takeTransparency(chunk)
    case "IEND":
      guard stage == .behind else { throw reader.damaged("it has no IDAT chunk, and so no pixels") }
      contents.appendPixels(chunk.range)
      let rest = reader.file.count - chunk.range.upperBound
      let behind = try reader.file.read(chunk.range.upperBound..<chunk.range.upperBound + min(rest, 8))
      try ensure(
        !PNGSignature.begins(behind), .input, reader.name, why: "another PNG follows it, but only one can be read",
        remedy: "give each a file of its own, or send Y4M: ffmpeg … -f yuv4mpegpipe -")
      if rest > 0 { contents.warnings.append("\(rest) bytes after the end of the PNG were ignored") }
      return false
    case let type where type.isCritical:
      throw reader.damaged("its critical chunk \(type) at byte \(chunk.range.lowerBound) is unknown or out of place")
    default: try takeMetadata(chunk)
    }
    return true
  }

  /// Checks a palette, which matters only in a palette picture; elsewhere it is a mere suggestion for old screens (PNG
  /// 11.2.2).
  private mutating func takePalette(_ chunk: PNGChunkPlace) throws {
    guard contents.header.colorType == .palette else { return }
    guard paletteEntries == nil, stage == .before else { throw reader.damaged("its PLTE chunk is out of place") }
    let entries = chunk.data.count / 3
    guard chunk.data.count % 3 == 0, (1...1 << contents.header.bitDepth).contains(entries) else {
      throw reader.damaged(
        "its palette has \(chunk.data.count) bytes; 1 to \(1 << contents.header.bitDepth) colors take 3 bytes each")
    }
    paletteEntries = entries
    contents.appendPixels(chunk.range)
  }

  /// Checks transparency. It affects pixels, so a chunk that libpng would ignore with a warning is rejected here (PNG
  /// 11.3.1.1).
  private mutating func takeTransparency(_ chunk: PNGChunkPlace) throws {
    let length = chunk.data.count
    let fits: Bool
    switch contents.header.colorType {
    case .gray: fits = length == 2
    case .rgb: fits = length == 6
    case .palette: fits = (1...max(1, paletteEntries ?? 0)).contains(length) && paletteEntries != nil
    case .grayAlpha, .rgba:
      contents.warnings.append("a tRNS chunk was ignored: the picture has an alpha channel")
      return
    }
    guard fits, stage == .before, !contents.hasTransparency else {
      throw reader.damaged("its tRNS chunk of \(length) bytes is out of place or does not fit the picture")
    }
    contents.hasTransparency = true
    contents.appendPixels(chunk.range)
  }

  private mutating func takeMetadata(_ chunk: PNGChunkPlace) throws {
    func exceeded(_ limit: String) -> SafelightError {
      SafelightError(
        .input, reader.name, why: "it has more metadata than the limit of \(limit)", remedy: "remove its metadata")
    }
    metadataCount += 1
    guard metadataCount <= limits.metadataChunks else { throw exceeded("\(limits.metadataChunks) chunks") }
    metadataBytes += chunk.data.count
    guard metadataBytes <= limits.metadataBytes else { throw exceeded("\(limits.metadataBytes) bytes") }
    // Also for a chunk to be dropped: it may have been a tRNS chunk before its name was damaged.
    guard try reader.isIntact(chunk) else {
      contents.warnings.append("a \(chunk.type) chunk was ignored: its checksum is wrong")
      return
    }
    let fate = PNGMetadata.fate(of: chunk.type)
    if fate == .dropped { return }
    let copy = PNGChunk(type: chunk.type, data: try reader.data(chunk))
    switch fate {
    case .animation:
      let frames = copy.data.count >= 4 ? "\(copy.data.bigEndian(at: 0))" : "unknown number of"
      contents.warnings.append("an animation (\(frames) frames): only its default image is used")
    case .keptOnce where !seen.insert(chunk.type).inserted:
      contents.warnings.append("a second \(chunk.type) chunk was ignored: PNG allows one")
    case .keptInPlace where stage == .behind: contents.metadata.trailingChunks.append(copy)
    case .kept, .keptOnce, .keptInPlace: contents.metadata.chunks.append(copy)
    case .dropped: break
    }
  }
}
