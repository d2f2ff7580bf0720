internal import CPNGRows
internal import CPNGShim
import SafelightImage

/// Encodes a picture from the top down, some rows at a time. The file does not depend on their number.
final class PNGRowEncoder {
  private enum Coder {
    case blocks(PNGBlockEncoder, PNGSurroundings, CPNGSampleType)
    case library(LibraryEncoder)
  }

  private let coder: Coder
  private let picture: ImageDescriptor
  private var row = 0

  /// Begins a file. Where `codec` encodes blocks, they are made in the memory that `memory` returns. Throws an error of
  /// kind `limit` if memory is exhausted.
  init(
    _ picture: ImageDescriptor, _ type: CPNGSampleType, _ frame: PNGSurroundings, _ compression: PNGCompression,
    by codec: PNGCodec, in memory: @autoclosure () -> PNGBlockMemory?
  ) throws {
    self.picture = picture
    if codec.encodesBlocks(compression) {
      guard let memory = memory(),
        let blocks = PNGBlockEncoder(picture, type, type.filter(CPNG_FILTER_PAETH), in: memory)
      else { throw PNGReport.noMemory(for: "the picture") }
      coder = .blocks(blocks, frame, type)
    } else {
      coder = .library(try LibraryEncoder(picture, type, frame, compression))
    }
  }

  /// The bytes that blocks of `count` bytes of pixels may take; most of these are never used, and so take no memory.
  static func mostBytes(for count: Int) -> Int { count + count / 512 + 4096 }

  /// Encodes the next rows, laid out as in an ``Image``; returns the bytes to append to the file: its beginning with
  /// the first rows, its end with the last, perhaps nothing between. Throws an error of kind `limit` if there are more
  /// than the picture has, or libpng rejects them.
  func encode(_ rows: [UInt8]) throws -> [UInt8] {
    if rows.isEmpty { return [] }
    switch coder {
    case .library(let library): return try library.encode(rows)
    case .blocks(let blocks, let frame, let type):
      let count = rows.count / picture.bytesPerRow
      try ensure(
        row + count <= picture.size.height, .limit, "the picture", why: "it has \(picture.size) pixels: no such rows")
      var bytes = row == 0 ? frame.head(picture.size, type) : []
      bytes.reserveCapacity(bytes.count + Self.mostBytes(for: rows.count))
      unsafe rows.withUnsafeBytes { rows in unsafe blocks.encode(rows) { unsafe bytes.append(contentsOf: $0) } }
      row += count
      if row == picture.size.height { bytes += frame.tail() }
      return bytes
    }
  }
}

/// Encodes a picture from the top down with libpng, some rows at a time.
@safe private final class LibraryEncoder {
  private let writer: OpaquePointer
  private let frame: PNGSurroundings
  private let bytesPerRow: Int
  private let height: Int
  private var row = 0

  /// Begins a file; throws an error of kind `limit` if memory is exhausted.
  init(_ picture: ImageDescriptor, _ type: CPNGSampleType, _ frame: PNGSurroundings, _ compression: PNGCompression)
    throws
  {
    var effort = compression.effortOfLibPNG
    effort.filter = type.filter(effort.filter)
    guard let writer = unsafe cpng_writer_create(CPNGLayout(picture.size, picture.pixelFormat), type, effort) else {
      throw PNGReport.noMemory(for: Self.name)
    }
    unsafe self.writer = writer
    self.frame = frame
    bytesPerRow = picture.bytesPerRow
    height = picture.size.height
  }

  deinit { unsafe cpng_writer_release(writer) }

  /// Encodes the next rows, laid out as in an ``Image``; returns the bytes to append to the file: its beginning with
  /// the first rows, its end with the last, perhaps nothing between. Throws an error of kind `limit` if libpng rejects
  /// them.
  func encode(_ rows: [UInt8]) throws -> [UInt8] {
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
  /// The signature and IHDR have the same length in every file, and so has IEND.
  private static let headerByteCount = 33
  private static let endByteCount = 12

  /// Inserts the metadata around the pixels.
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
