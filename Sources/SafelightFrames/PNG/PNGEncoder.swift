internal import CPNGRows
internal import CPNGShim
import SafelightImage

/// Turns a picture into the bytes of a PNG file.
public enum PNGEncoder {
  /// Encodes `file`: its channels and depth as they are, not interlaced, with its metadata. Where the picture's colours are said to mean
  /// something else than the metadata says, as after a filter that changed it, the chunks of colour are made anew. The bytes
  /// are a function of the arguments and of the installed libraries alone, and with ISA-L of the kind of processor; no time is written.
  /// `codec` lends its memory.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the picture is larger than PNG allows or memory runs out, and of kind `unsupported`
  /// where its colours are multiplied by alpha: PNG has straight alpha alone (PNG 13.16); or where what its colours mean now cannot be said
  /// beside what the metadata says, as the curve of sRGB beside primaries that have no code.
  public static func encode(
    _ file: PNGFile, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()
  ) throws -> [UInt8] {
    let image = file.image
    let frame = try PNGSurroundings(image.descriptor, file.metadata)
    let form = CPNGForm(image.descriptor, bits: grayBits(for: file))
    if let bytes = encodeWhole(image, form, frame, compression, codec) { return bytes }
    var rows = try PNGRowEncoder(image.descriptor, form, frame, compression)
    return try rows.encode(image.bytes)
  }

  /// The grey depth of the source, when it still holds every sample exactly: level k of n bits is k × 255 ÷ (2ⁿ − 1).
  private static func grayBits(for file: PNGFile) -> Int? {
    guard let bits = file.grayBits, [1, 2, 4].contains(bits), file.image.channels == .gray,
      file.image.depth == .bits8
    else { return nil }
    let step = UInt8(255 / ((1 << bits) - 1))
    return file.image.bytes.allSatisfy { $0 % step == 0 } ? bits : nil
  }
}

/// What stands around the header and the pixels of a file.
struct PNGSurroundings {
  /// Behind IHDR, where all metadata is allowed.
  let before: [PNGChunk]
  /// Before IEND.
  let behind: [PNGChunk]

  /// What stands around `picture`; throws what ``PNGEncoder/encode(_:compression:codec:)`` does where PNG cannot hold
  /// it.
  init(_ picture: ImageDescriptor, _ metadata: PNGMetadata) throws {
    guard picture.size.width <= Int(Int32.max), picture.size.height <= Int(Int32.max) else {
      throw SafelightError(
        .limit, "the picture", why: "it has \(picture.size) pixels; PNG allows 2147483647 in each direction",
        remedy: "cut it into parts")
    }
    guard picture.color.alpha != .premultiplied || !picture.channels.hasAlpha else {
      throw SafelightError(
        .unsupported, "the picture", why: "its colors are premultiplied, and a PNG has straight alpha alone",
        remedy: "end the chain with the filter unpremultiply")
    }
    let metadata = try metadata.describing(picture.color)
    before = metadata.chunks(forGray: picture.channels.isGray)
    behind = metadata.trailingChunks
  }
}

extension CPNGForm {
  /// How `picture` lies in a file, in `bits` where those hold every sample of it.
  init(_ picture: ImageDescriptor, bits: Int? = nil) {
    self.init(
      color_type: PNGHeader.ColorType(picture.channels).rawValue, bit_depth: UInt8(bits ?? picture.depth.rawValue))
  }
}

extension PNGHeader.ColorType {
  /// As a picture of `channels` is written.
  init(_ channels: Channels) {
    self =
      switch channels {
      case .gray: .gray
      case .grayAlpha: .grayAlpha
      case .rgb: .rgb
      case .rgba: .rgba
      }
  }
}

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

/// Encodes a picture from the top down by libpng, some rows at a time. The file does not depend on how many those are.
@safe struct PNGRowEncoder: ~Copyable {
  private let writer: OpaquePointer
  private let frame: PNGSurroundings
  private let bytesPerRow: Int
  private let height: Int
  private var row = 0

  /// Throws an error of kind `limit` where memory runs out.
  init(
    _ picture: ImageDescriptor, _ form: CPNGForm, _ frame: PNGSurroundings, _ compression: PNGCompression
  ) throws {
    var effort = compression.effortOfLibPNG
    effort.filter = form.filter(effort.filter)
    guard let writer = unsafe cpng_writer_create(CPNGLayout(picture.size, picture.pixelFormat), form, effort) else {
      throw PNGReport.noMemory(for: Self.name)
    }
    unsafe self.writer = writer
    self.frame = frame
    bytesPerRow = picture.size.width * picture.pixelFormat.bytesPerPixel
    height = picture.size.height
  }

  deinit { unsafe cpng_writer_release(writer) }

  /// Encodes the next rows, which lie in memory as those of an ``Image``, and returns what the file grows by: its
  /// beginning with the first, its end with the last, and perhaps nothing between. Throws an error of kind `limit`
  /// where libpng refuses.
  mutating func encode(_ rows: [UInt8]) throws -> [UInt8] {
    let count = rows.count / bytesPerRow
    let isFirst = row == 0
    row += count
    let isLast = row == height
    let (bytes, _) = try unsafe PNGReport.collect(name: Self.name, refusal: .limit) { report in
      var written = unsafe CPNGBuffer()
      let status = unsafe rows.withUnsafeBufferPointer {
        unsafe cpng_writer_rows(writer, $0.baseAddress, UInt32(count), &written, report)
      }
      let encoded = unsafe UnsafeBufferPointer(start: written.bytes, count: written.count)
      return unsafe (status == CPNG_DONE ? splice(encoded, isFirst: isFirst, isLast: isLast) : [], status)
    }
    return bytes
  }

  private static let name = "the picture"
  /// The signature and IHDR are as long in every file, and so is IEND.
  private static let headerByteCount = 33
  private static let endByteCount = 12

  /// Puts the metadata around the pixels.
  private func splice(_ encoded: UnsafeBufferPointer<UInt8>, isFirst: Bool, isLast: Bool) -> [UInt8] {
    let (before, behind) = (isFirst ? frame.before : [], isLast ? frame.behind : [])
    let start = isFirst ? Self.headerByteCount : 0
    let end = encoded.count - (isLast ? Self.endByteCount : 0)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count + (before + behind).reduce(0) { $0 + $1.data.count + 12 })
    unsafe bytes.append(contentsOf: encoded[..<start])
    for chunk in before { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[start..<end])
    for chunk in behind { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[end...])
    return bytes
  }
}
