internal import CPNGRows
internal import CPNGShim
import SafelightImage

/// Decodes the bytes of a PNG file.
public enum PNGDecoder {
  /// Decodes `bytes`, which errors call `name`; `codec` lends its memory.
  ///
  /// Every color type, bit depth and interlace method of PNG is read without loss. No memory is allocated for the
  /// pixels before the limits are checked.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the bytes are not a PNG, are damaged or truncated, or exceed
  ///   `limits`.
  public static func decode(
    _ bytes: [UInt8], name: String, limits: PNGLimits = PNGLimits(), codec: PNGCodec = PNGCodec()
  ) throws -> PNGFile {
    let contents = try contents(of: .memory(bytes), name: name, limits: limits)
    // Libpng judges all files that are not perfectly sound: it explains why, and knows what may be tolerated.
    let (pixels, remarks) = try decodeWhole(bytes, contents, codec) ?? decodeRowByRow(bytes, contents, name: name)
    let bits = contents.header.bitDepth
    return PNGFile(
      image: Image(contents.picture, bytes: pixels), metadata: contents.metadata,
      grayBits: contents.channels == .gray && bits < 8 ? bits : nil, warnings: contents.warnings + remarks)
  }

  /// Returns the kind of the picture in the file at `path`, by what precedes its pixels; nil if it cannot be read, as
  /// its decoder will explain.
  static func kind(ofFileAt path: String, limits: PNGLimits) -> PictureKind? {
    guard let file = try? OpenedFile(path),
      let contents = try? PNGContents(scanning: .file(file), name: path, limits: limits, beforePixels: true)
    else { return nil }
    return PictureKind(contents.picture)
  }

  /// Throws what decoding the file at `path` would throw, but for damage in the pixels.
  package static func check(fileAt path: String, limits: PNGLimits) throws {
    _ = try contents(of: .file(OpenedFile(path)), name: path, limits: limits)
  }

  /// Returns the contents of a file except its pixels; throws if it is not a PNG, or exceeds `limits`.
  static func contents(of file: PNGBytes, name: String, limits: PNGLimits) throws -> PNGContents {
    let contents = try PNGContents(scanning: file, name: name, limits: limits)
    try limits.check(contents.header, compressed: contents.compressedByteCount, name: name)
    try ensure(
      contents.header.size.area <= Int.max / 8, .input, name,
      why: "it has \(contents.header.size) pixels; memory cannot hold them",
      remedy: "cut it into parts or scale it down")
    return contents
  }
}

extension PNGContents {
  var depth: SampleDepth { header.bitDepth == 16 ? .bits16 : .bits8 }

  /// The picture, without its samples.
  var picture: ImageDescriptor {
    var color = metadata.color
    // By definition, whatever its chunks say (PNG 6.1).
    if channels.hasAlpha { color.alpha = .straight }
    return ImageDescriptor(size: header.size, channels: channels, depth: depth, color: color)
  }

  var layout: CPNGLayout { CPNGLayout(header.size, picture.pixelFormat) }
  /// The size of the picture in bytes, which the limits keep representable.
  var byteCount: Int { header.size.area * picture.pixelFormat.bytesPerPixel }
}

extension CPNGLayout {
  init(_ size: Size, _ format: PixelFormat) {
    self.init(
      width: UInt32(size.width), height: UInt32(size.height), samples: UInt32(format.samplesPerPixel),
      sample_bytes: UInt32(format.bytesPerSample))
  }
}

extension PNGDecoder {
  /// Decodes with libpng; returns the pixels and libpng's warnings. Throws an error of kind `input` if libpng rejects
  /// the file.
  static func decodeRowByRow(
    _ bytes: [UInt8], _ contents: PNGContents, name: String
  ) throws -> (pixels: [UInt8], remarks: [String]) {
    let ranges = contents.pixelRanges.map { CPNGRange(offset: $0.lowerBound, count: $0.count) }
    return try unsafe PNGReport.decode(contents.byteCount, name: name) { pixels, report in
      unsafe bytes.withUnsafeBufferPointer { file in
        unsafe ranges.withUnsafeBufferPointer { ranges in
          let source = unsafe CPNGSource(
            bytes: file.baseAddress, count: file.count, descriptor: -1, ranges: ranges.baseAddress,
            range_count: ranges.count)
          return unsafe cpng_decode(source, contents.layout, pixels, report)
        }
      }
    }
  }
}

extension PNGDecoder {
  /// Decodes by decompressing all data at once; returns the pixels and warnings. Nil for files that are left to
  /// ``decodeRowByRow(_:_:name:)``: interlaced, huge, or not perfectly sound.
  package static func decodeWhole(
    _ bytes: [UInt8], _ contents: PNGContents, _ codec: PNGCodec
  ) -> (pixels: [UInt8], remarks: [String])? {
    let header = contents.header
    guard codec.backend != .libpng, !header.isInterlaced, let rowsByteCount = header.filteredByteCount,
      rowsByteCount <= codec.largestInflated, contents.compressedByteCount <= codec.largestInflated
    else { return nil }
    return codec.withWorkspace { workspace in
      unsafe bytes.withUnsafeBytes { file in
        let room = rowsByteCount + cpng_slack_bytes
        guard let scratch = unsafe workspace.scratch(room + contents.compressedByteCount) else { return nil }
        let rows = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[..<rowsByteCount])
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[room...])
        guard let parts = unsafe PNGPixelParts(file, contents, gatheringIn: rest),
          unsafe workspace.inflate(parts.compressed, into: rows)
        else { return nil }
        return unsafe unpack(rows, contents, parts.colors, level: workspace.level)
      }
    }
  }

  private static func unpack(
    _ rows: UnsafeMutableRawBufferPointer, _ contents: PNGContents, _ colors: CPNGColors, level: Int
  ) -> (pixels: [UInt8], remarks: [String])? {
    let header = contents.header
    let type = CPNGSampleType(color_type: header.colorType.rawValue, bit_depth: UInt8(header.bitDepth))
    let byteCount = contents.byteCount
    var status = CPNG_ROWS_UNUSUAL
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { pixels, initialized in
      guard let rows = unsafe rows.assumingMemoryBound(to: UInt8.self).baseAddress, let target = pixels.baseAddress,
        let level = unsafe cpng_level(level)
      else { return }
      status = unsafe cpng_unpack_rows(level, rows, type, colors, contents.layout, target)
      initialized = status == CPNG_ROWS_UNUSUAL ? 0 : byteCount
    }
    switch status {
    case CPNG_ROWS_DONE: return (pixels, [])
    case CPNG_ROWS_BEYOND_PALETTE: return (pixels, ["pixels without a color in the palette became black"])
    default: return nil
    }
  }
}

/// The chunks that make up the pixels, checked and joined. Points into the file and into the memory that it was given.
@unsafe private struct PNGPixelParts {
  /// The data of all IDAT chunks.
  private(set) var compressed = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// PLTE and tRNS.
  private(set) var colors = unsafe CPNGColors()

  /// Walks over the ranges of a scan; nil if a checksum is wrong, or libpng would have an objection. `memory` must have
  /// room for all compressed data; a single chunk is not copied.
  init?(_ file: UnsafeRawBufferPointer, _ contents: PNGContents, gatheringIn memory: UnsafeMutableRawBufferPointer) {
    var gathered = 0
    for range in contents.pixelRanges {
      var position = max(range.lowerBound, PNGSignature.bytes.count)
      while position < range.upperBound {
        let length = Int(unsafe file.number(at: position))
        let type = PNGChunkType(code: unsafe file.number(at: position + 4))
        let end = position + 8 + length
        let data = unsafe UnsafeRawBufferPointer(rebasing: file[position + 8..<end])
        let covered = unsafe UnsafeRawBufferPointer(rebasing: file[position + 4..<end])
        guard unsafe CRC32.checksum(covered) == file.number(at: end), type != "IEND" || length == 0 else { return nil }
        switch type {
        case "IDAT" where length == 0: break
        case "IDAT" where length == contents.compressedByteCount: unsafe compressed = data
        case "IDAT":
          unsafe UnsafeMutableRawBufferPointer(rebasing: memory[gathered...]).copyMemory(from: data)
          gathered += length
          unsafe compressed = UnsafeRawBufferPointer(rebasing: memory[..<gathered])
        case "PLTE":
          unsafe colors.palette = data.assumingMemoryBound(to: UInt8.self).baseAddress
          unsafe colors.palette_count = length
        case "tRNS":
          unsafe colors.transparency = data.assumingMemoryBound(to: UInt8.self).baseAddress
          unsafe colors.transparency_count = length
        default: break
        }
        position = end + 4
      }
    }
    if contents.header.colorType == .palette, unsafe colors.palette_count == 0 { return nil }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the 32-bit number at `offset`, the high byte first (PNG 7.1).
  fileprivate func number(at offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
