internal import CPNGRows
internal import CPNGShim
package import SafelightImage

/// Encodes a picture to the bytes of a PNG file.
public enum PNGEncoder {
  /// Encodes `file` with its channels, depth and metadata, not interlaced; `codec` lends its memory.
  ///
  /// If the picture's color description contradicts the metadata, as after a filter that changed it, the color chunks
  /// are made anew. The bytes depend only on the arguments and on the installed libraries, those of
  /// ``PNGCompression/fast`` only on the arguments, unless libpng makes all; no time is written.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if the picture is larger than PNG allows or memory is exhausted, and
  ///   of kind `unsupported` if its colors are multiplied by alpha, since PNG has only straight alpha (PNG 13.16), or
  ///   if PNG cannot record its colors together with the metadata, for example the curve of sRGB with primaries that
  ///   have no code.
  public static func encode(
    _ file: PNGFile, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()
  ) throws -> [UInt8] {
    let image = file.image
    let frame = try PNGSurroundings(image.descriptor, file.metadata)
    let type = CPNGSampleType(image.descriptor, bits: grayBits(for: file))
    if let bytes = encodeWhole(image, type, frame, compression, codec) { return bytes }
    return try codec.withWorkspace { workspace in
      let rows = try PNGRowEncoder(
        image.descriptor, type, frame, compression, by: codec, in: workspace.blockMemory())
      return try rows.encode(image.bytes)
    }
  }

  /// Encodes a picture some rows at a time, in the processor's cache: the file of ``PNGCompression/fast`` that
  /// ``encode(_:compression:codec:)`` makes of all rows. Errors mention the output `name`. With `hashing`, also returns
  /// the ``SafelightImage/Image/pixelHash``.
  package static func encode(
    _ rows: ImageRows, metadata: PNGMetadata, for name: String, codec: PNGCodec, hashing: Bool
  ) throws -> (bytes: [UInt8], hash: String?) {
    do {
      let picture = rows.picture
      let frame = try PNGSurroundings(picture, metadata)
      return try codec.withWorkspace { workspace in
        let encoder = try PNGRowEncoder(
          picture, CPNGSampleType(picture), frame, .fast, by: codec, in: workspace.blockMemory())
        var hash = PixelHash(picture)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(PNGRowEncoder.mostBytes(for: picture.bytesPerRow * picture.size.height))
        try rows.forEachStrip(ofBytes: cpng_block_bytes) { strip in
          if hashing { hash.update(strip) }
          bytes += try encoder.encode(strip.bytes)
        }
        return (bytes, hashing ? hash.finalize() : nil)
      }
    } catch let error as SafelightError {
      throw error.during(name)
    }
  }

  /// Returns the gray depth of the source if it still holds every sample exactly: level k of n bits is k × 255 ÷
  /// (2ⁿ − 1).
  private static func grayBits(for file: PNGFile) -> Int? {
    guard let bits = file.grayBits, [1, 2, 4].contains(bits), file.image.channels == .gray, file.image.depth == .bits8
    else { return nil }
    let step = UInt8(255 / ((1 << bits) - 1))
    return file.image.bytes.allSatisfy { $0 % step == 0 } ? bits : nil
  }
}

/// The metadata chunks around the pixels of a file.
struct PNGSurroundings {
  /// The chunks after IHDR, where all metadata is allowed.
  let before: [PNGChunk]
  /// The chunks behind the pixels.
  let behind: [PNGChunk]

  /// Chooses the chunks for `picture`; throws the errors of ``PNGEncoder/encode(_:compression:codec:)`` if PNG cannot
  /// hold it.
  init(_ picture: ImageDescriptor, _ metadata: PNGMetadata) throws {
    try ensure(
      picture.size.width <= Int(Int32.max) && picture.size.height <= Int(Int32.max), .limit, "the picture",
      why: "it has \(picture.size) pixels; PNG allows 2147483647 in each direction", remedy: "cut it into parts")
    try ensure(
      picture.color.alpha != .premultiplied || !picture.channels.hasAlpha, .unsupported, "the picture",
      why: "its colors are premultiplied, but PNG allows only straight alpha",
      remedy: "end the chain with the filter unpremultiply")
    let metadata = try metadata.describing(picture.color)
    before = metadata.chunks(forGray: picture.channels.isGray)
    behind = metadata.trailingChunks
  }

  /// Returns what a file of `size` has before its pixels: the signature, IHDR and chunks.
  func head(_ size: Size, _ type: CPNGSampleType) -> [UInt8] {
    var head = PNGSignature.bytes
    let numbers = [UInt8](bigEndian: [UInt32(size.width), UInt32(size.height)])
    // Neither interlaced, nor of another method than 0 (PNG 11.2.1).
    PNGChunk(type: "IHDR", data: numbers + [type.bit_depth, type.color_type, 0, 0, 0]).append(to: &head)
    for chunk in before { chunk.append(to: &head) }
    return head
  }

  /// Returns what a file has behind its pixels: chunks and IEND.
  func tail() -> [UInt8] {
    var tail: [UInt8] = []
    for chunk in behind { chunk.append(to: &tail) }
    PNGChunk(type: "IEND", data: []).append(to: &tail)
    return tail
  }
}

extension CPNGSampleType {
  /// The type of the samples of `picture` in a file, with `bits` if those hold every sample of it.
  init(_ picture: ImageDescriptor, bits: Int? = nil) {
    // 2 stands for color, 4 for alpha (PNG 11.2.1).
    self.init(
      color_type: (picture.channels.isGray ? 0 : 2) | (picture.channels.hasAlpha ? 4 : 0),
      bit_depth: UInt8(bits ?? picture.depth.rawValue))
  }
}

extension PNGEncoder {
  /// Encodes by compressing all rows at once with libdeflate; nil for pictures that are left to ``PNGRowEncoder``: if
  /// another compressor makes the effort, the picture is huge, or memory is short.
  private static func encodeWhole(
    _ image: Image, _ type: CPNGSampleType, _ frame: PNGSurroundings, _ compression: PNGCompression, _ codec: PNGCodec
  ) -> [UInt8]? {
    let rowByteCount = cpng_row_bytes(type, UInt32(image.size.width)) + 1
    let (byteCount, isTooLarge) = rowByteCount.multipliedReportingOverflow(by: image.size.height)
    guard codec.backend != .libpng, let effort = compression.effort, !isTooLarge, byteCount <= codec.largestInflated,
      image.bytes.count <= codec.largestWrittenWhole
    else { return nil }
    return codec.withWorkspace { workspace in
      guard let rows = unsafe workspace.scratch(byteCount),
        unsafe pack(image, type, type.filter(effort.filter), into: rows, level: workspace.level)
      else { return nil }
      return unsafe file(image.size, type, frame, capacity: Deflater.bound(byteCount)) { target in
        unsafe workspace.deflate(UnsafeRawBufferPointer(rows), into: target, level: effort.level)
      }
    }
  }

  private static func pack(
    _ image: Image, _ type: CPNGSampleType, _ filter: CPNGFilter, into rows: UnsafeMutableRawBufferPointer, level: Int
  ) -> Bool {
    guard let level = unsafe cpng_level(level),
      let filter = unsafe cpng_row_filter_create(level, CPNGLayout(image.size, image.pixelFormat), type, filter)
    else { return false }
    defer { unsafe cpng_row_filter_release(filter) }
    unsafe image.bytes.withUnsafeBufferPointer { pixels in
      unsafe cpng_filter_rows(
        filter, pixels.baseAddress, image.size.height, rows.assumingMemoryBound(to: UInt8.self).baseAddress)
    }
    return true
  }

  /// Returns a file with one IDAT chunk, which `deflate` writes in place with at most `capacity` bytes; nil if it
  /// cannot.
  private static func file(
    _ size: Size, _ type: CPNGSampleType, _ frame: PNGSurroundings, capacity: Int,
    deflate: (UnsafeMutableRawBufferPointer) -> Int?
  ) -> [UInt8]? {
    let head = frame.head(size, type) + [0, 0, 0, 0] + PNGChunkType("IDAT").bytes
    let tail = frame.tail()
    var isWhole = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: head.count + capacity + 4 + tail.count) { buffer, used in
      let file = UnsafeMutableRawBufferPointer(buffer)
      unsafe file.copyBytes(from: head)
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: file[head.count..<head.count + capacity])
      guard let count = unsafe deflate(room) else { return }
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
