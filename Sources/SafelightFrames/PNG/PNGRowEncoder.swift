internal import CPNGRows
internal import CPNGShim
import SafelightImage

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
