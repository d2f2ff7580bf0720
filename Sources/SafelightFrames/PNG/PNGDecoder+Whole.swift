internal import CPNGRows
import SafelightImage

extension PNGDecoder {
  /// The pixels and what is to say of them, with all compressed data unfolded at once; nil where the file is for
  /// ``decodeRowByRow(_:_:name:)``: interlaced, huge, or anything but sound.
  package static func decodeWhole(
    _ bytes: [UInt8], _ contents: PNGContents, _ codec: PNGCodec
  ) -> (pixels: [UInt8], remarks: [String])? {
    let header = contents.header
    guard codec.backend != .libpng, !header.isInterlaced, let rowsByteCount = header.filteredByteCount,
      rowsByteCount <= codec.largestUnfolded, contents.compressedByteCount <= codec.largestUnfolded
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
        return unsafe unpack(rows, contents, parts.colors)
      }
    }
  }

  private static func unpack(
    _ rows: UnsafeMutableRawBufferPointer, _ contents: PNGContents, _ colors: CPNGColors
  ) -> (pixels: [UInt8], remarks: [String])? {
    let header = contents.header
    let form = CPNGForm(color_type: header.colorType.rawValue, bit_depth: UInt8(header.bitDepth))
    let byteCount = contents.byteCount
    var status = CPNG_ROWS_UNUSUAL
    let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { pixels, initialized in
      guard let rows = unsafe rows.assumingMemoryBound(to: UInt8.self).baseAddress,
        let target = pixels.baseAddress
      else { return }
      status = unsafe cpng_unpack_rows(rows, form, colors, contents.layout, target)
      initialized = status == CPNG_ROWS_UNUSUAL ? 0 : byteCount
    }
    switch status {
    case CPNG_ROWS_DONE: return (pixels, [])
    case CPNG_ROWS_BEYOND_PALETTE: return (pixels, ["pixels without a colour in the palette became black"])
    default: return nil
    }
  }
}

/// The chunks that make up the pixels, checked and put together. Points into the file and into the memory that it was given.
@unsafe private struct PNGPixelParts {
  /// What all IDAT chunks hold.
  private(set) var compressed = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// PLTE and tRNS.
  private(set) var colors = unsafe CPNGColors()

  /// Walks over the ranges that a scan found; nil where a checksum is wrong, or where libpng would have something to say. `memory` has
  /// room for all compressed data; a single chunk stays where it is.
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
        case "IDAT" where length == contents.compressedByteCount:
          unsafe compressed = data
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
  /// The 32-bit number at `offset`, the high byte first (PNG 7.1).
  fileprivate func number(at offset: Int) -> UInt32 {
    UInt32(bigEndian: unsafe loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
