internal import CPNGRows
internal import CPNGShim
import SafelightImage

extension PNGEncoder {
  /// The file by libpng; throws an error of kind `limit` where it refuses.
  static func encodeRowByRow(
    _ image: Image, _ form: CPNGForm, _ frame: PNGSurroundings, _ compression: PNGCompression
  ) throws -> [UInt8] {
    let layout = CPNGLayout(image.size, image.pixelFormat)
    var effort = compression.effortOfLibPNG
    effort.filter = form.filter(effort.filter)
    let (bytes, _) = try unsafe PNGReport.collect(name: "the picture", refusal: .limit) { report in
      var encoded = unsafe CPNGBuffer()
      let status = unsafe image.bytes.withUnsafeBufferPointer {
        unsafe cpng_encode($0.baseAddress, layout, form, effort, &encoded, report)
      }
      defer { unsafe cpng_release(&encoded) }
      let pixels = unsafe UnsafeBufferPointer(start: encoded.bytes, count: encoded.count)
      return unsafe (splice(frame, into: pixels), status)
    }
    return bytes
  }

  /// The signature and IHDR are as long in every file, and so is IEND.
  private static let headerByteCount = 33
  private static let endByteCount = 12

  /// Puts the metadata around the pixels.
  private static func splice(_ frame: PNGSurroundings, into encoded: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard encoded.count >= headerByteCount + endByteCount else { return [] }
    let added = (frame.before + frame.behind).reduce(0) { $0 + $1.data.count + 12 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count + added)
    unsafe bytes.append(contentsOf: encoded[..<headerByteCount])
    for chunk in frame.before { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[headerByteCount..<encoded.count - endByteCount])
    for chunk in frame.behind { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[(encoded.count - endByteCount)...])
    return bytes
  }
}
