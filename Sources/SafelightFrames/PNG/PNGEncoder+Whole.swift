internal import CPNGRows
import SafelightImage

extension PNGEncoder {
  /// The file with all rows folded at once; nil where it is for
  /// ``PNGRowEncoder``: its effort is zlib's, it is huge, or memory is short.
  static func encodeWhole(
    _ image: Image, _ form: CPNGForm, _ frame: PNGSurroundings, _ compression: PNGCompression, _ codec: PNGCodec
  ) -> [UInt8]? {
    let rowByteCount = cpng_row_bytes(form, UInt32(image.size.width)) + 1
    let (byteCount, isTooLarge) = rowByteCount.multipliedReportingOverflow(by: image.size.height)
    guard codec.backend != .libpng, let effort = compression.effort, !isTooLarge, byteCount <= codec.largestUnfolded,
      image.bytes.count <= codec.largestWrittenWhole
    else { return nil }
    return codec.withWorkspace { workspace in
      guard let rows = unsafe workspace.scratch(byteCount),
        unsafe pack(image, form, form.filter(effort.filter), into: rows)
      else { return nil }
      return unsafe file(image.size, form, frame, capacity: Deflater.bound(byteCount)) { target in
        unsafe workspace.deflate(
          UnsafeRawBufferPointer(rows), into: target, level: effort.level,
          byISAL: effort.mayUseISAL && codec.backend == .auto)
      }
    }
  }

  private static func pack(
    _ image: Image, _ form: CPNGForm, _ filter: CPNGFilter, into rows: UnsafeMutableRawBufferPointer
  ) -> Bool {
    unsafe image.bytes.withUnsafeBufferPointer { pixels in
      unsafe cpng_pack_rows(
        pixels.baseAddress, CPNGLayout(image.size, image.pixelFormat), form, filter,
        rows.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
  }

  /// A file with one IDAT chunk, which `fold` writes into at most `capacity` bytes in place; nil where it cannot.
  private static func file(
    _ size: Size, _ form: CPNGForm, _ frame: PNGSurroundings, capacity: Int,
    fold: (UnsafeMutableRawBufferPointer) -> Int?
  ) -> [UInt8]? {
    var head = PNGSignature.bytes
    PNGChunk(type: "IHDR", data: PNGHeader.data(size, form)).append(to: &head)
    for chunk in frame.before { chunk.append(to: &head) }
    head += [0, 0, 0, 0] + PNGChunkType("IDAT").bytes
    var tail: [UInt8] = []
    for chunk in frame.behind { chunk.append(to: &tail) }
    PNGChunk(type: "IEND", data: []).append(to: &tail)

    var isWhole = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: head.count + capacity + 4 + tail.count) { buffer, used in
      let file = UnsafeMutableRawBufferPointer(buffer)
      unsafe file.copyBytes(from: head)
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: file[head.count..<head.count + capacity])
      guard let count = unsafe fold(room) else { return }
      let end = head.count + count
      let covered = unsafe UnsafeRawBufferPointer(rebasing: file[head.count - 4..<end])
      unsafe file.storeBytes(of: UInt32(count).bigEndian, toByteOffset: head.count - 8, as: UInt32.self)
      unsafe file.storeBytes(of: CRC32.checksum(covered).bigEndian, toByteOffset: end, as: UInt32.self)
      unsafe UnsafeMutableRawBufferPointer(rebasing: file[(end + 4)...]).copyBytes(from: tail)
      used = end + 4 + tail.count
      isWhole = true
    }
    return isWhole ? bytes : nil
  }
}

extension PNGHeader {
  /// The data of IHDR for a picture that is not interlaced.
  fileprivate static func data(_ size: Size, _ form: CPNGForm) -> [UInt8] {
    var data: [UInt8] = []
    data.append(bigEndian: UInt32(size.width))
    data.append(bigEndian: UInt32(size.height))
    return data + [form.bit_depth, form.color_type, 0, 0, 0]
  }
}
