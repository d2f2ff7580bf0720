import SafelightImage

/// The result of scanning a file's chunks: the header, the place of the pixels, and the metadata to keep.
package struct PNGContents {
  let header: PNGHeader
  /// The ranges of the signature and the chunks that make up the pixels, without those that libpng would ignore;
  /// neighbors are joined.
  var pixelRanges: [Range<Int>] = []
  /// The bytes of compressed data in all IDAT chunks.
  var compressedByteCount = 0
  /// True if a tRNS chunk makes a color or palette entries transparent.
  fileprivate(set) var hasTransparency = false
  var metadata: PNGMetadata
  var warnings: [String] = []
  /// True if further frames of an animation follow.
  var isAnimated = false
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
  /// Scans the chunks of `file`, or those `beforePixels`; checks their order, and the checksums of those that libpng
  /// will not see.
  package init(scanning file: PNGBytes, name: String, limits: PNGLimits, beforePixels: Bool = false) throws {
    var scan = try PNGScan(file, name: name, limits: limits)
    while try scan.step(), !beforePixels || scan.stage == .before {}
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
  private(set) var stage = Stage.before
  private var paletteEntries: Int?
  /// The tRNS chunk, until the first IDAT chunk: a palette may follow that cancels it.
  private var transparency: PNGChunkRange?
  private var hasSeenTransparency = false
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
      guard stage != .behind else {
        ignore("an IDAT chunk", "it does not follow the others")
        return true
      }
      if let transparency = transparency.take() {
        contents.hasTransparency = true
        contents.appendPixels(transparency.range)
      }
      stage = .inside
      contents.compressedByteCount += chunk.data.count
      contents.appendPixels(chunk.range)
    case "PLTE": try takePalette(chunk)
    case "tRNS": takeTransparency(chunk)
    case "IEND":
      guard stage == .behind else { throw reader.damaged("it has no IDAT chunk, and so no pixels") }
      contents.appendPixels(chunk.range)
      try takeRest(from: chunk.range.upperBound)
      return false
    case let type where type.isCritical:
      throw reader.damaged("its critical chunk \(type) at byte \(chunk.range.lowerBound) is unknown or out of place")
    default: try takeMetadata(chunk)
    }
    return true
  }

  /// Warns of a part that libpng ignores too.
  private mutating func ignore(_ part: String, _ why: String) {
    contents.warnings.append("\(part) was ignored: \(why)")
  }

  /// Warns of bytes after the end, as after the first picture of a stream. Standard input is refused then: the other
  /// pictures were meant too.
  private mutating func takeRest(from end: Int) throws {
    let count = reader.file.count - end
    guard count > 0 else { return }
    let isPicture = PNGSignature.begins(try reader.file.read(end..<end + min(count, 8)))
    try ensure(
      !isPicture || reader.name != StandardInput.picturePath, .input, reader.name,
      why: "another PNG follows it, but only one can be read",
      remedy: "give each a file of its own, or send Y4M: ffmpeg … -f yuv4mpegpipe -")
    let rest = isPicture ? ", which begin with another PNG," : ""
    contents.warnings.append("\(count) bytes after the end of the PNG\(rest) were ignored")
  }

  /// Checks a palette, which matters only in a palette picture; elsewhere it is a mere suggestion for old screens (PNG
  /// 11.2.2).
  private mutating func takePalette(_ chunk: PNGChunkRange) throws {
    let entries = chunk.data.count / 3
    let isPossible = chunk.data.count % 3 == 0 && (1...256).contains(entries)
    guard contents.header.colorType == .palette else {
      // libpng's png_handle_PLTE cancels the transparent color then, but not in gray, which has no palettes.
      if isPossible, stage == .before, contents.header.colorType == .rgb, transparency.take() != nil {
        ignore("a tRNS chunk", "a palette follows it")
      }
      return
    }
    guard paletteEntries == nil, stage == .before else { throw reader.damaged("its PLTE chunk is out of place") }
    guard isPossible else {
      throw reader.damaged("its palette has \(chunk.data.count) bytes; 1 to 256 colors take 3 bytes each")
    }
    // No index reaches the entries beyond the depth.
    paletteEntries = min(entries, 1 << contents.header.bitDepth)
    contents.appendPixels(chunk.range)
  }

  /// Checks transparency, and ignores it with a warning where libpng does (png_handle_tRNS). With a wrong checksum it
  /// is damage to the pixels, and refused when they are read, although libpng would ignore that too unless told
  /// otherwise.
  private mutating func takeTransparency(_ chunk: PNGChunkRange) {
    let length = chunk.data.count
    let fits: Bool
    switch contents.header.colorType {
    case .gray: fits = length == 2
    case .rgb: fits = length == 6
    case .palette: fits = paletteEntries.map { (1...$0).contains(length) } ?? false
    case .grayAlpha, .rgba: return ignore("a tRNS chunk", "the picture has an alpha channel")
    }
    guard stage == .before, !hasSeenTransparency, fits else {
      return ignore("a tRNS chunk of \(length) bytes", "it is out of place or does not fit the picture")
    }
    hasSeenTransparency = true
    transparency = chunk
  }

  private mutating func takeMetadata(_ chunk: PNGChunkRange) throws {
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
      return ignore("a \(chunk.type) chunk", "its checksum is wrong")
    }
    let fate = PNGMetadata.fate(of: chunk.type)
    if fate == .dropped { return }
    let copy = PNGChunk(type: chunk.type, data: try reader.data(chunk))
    switch fate {
    case .animation:
      let frames = copy.data.count >= 4 ? "\(copy.data.bigEndian(at: 0))" : "unknown number of"
      contents.isAnimated = true
      contents.warnings.append("an animation (\(frames) frames): only its default image is used")
    case .keptOnce where !seen.insert(chunk.type).inserted:
      ignore("a second \(chunk.type) chunk", "PNG allows one")
    case .keptInPlace where stage == .behind: contents.metadata.trailingChunks.append(copy)
    case .kept, .keptOnce, .keptInPlace: contents.metadata.chunks.append(copy)
    case .dropped: break
    }
  }
}
