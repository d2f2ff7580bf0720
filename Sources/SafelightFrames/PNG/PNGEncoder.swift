internal import CPNGShim
import SafelightImage

/// Turns a picture into the bytes of a PNG file.
public enum PNGEncoder {
  /// Encodes `file`: its channels and depth as they are, not interlaced, with its metadata. Where the picture's colours are said to mean
  /// something else than the metadata says, as after a filter that changed it, the chunks of colour are made anew. The bytes
  /// are a function of the arguments and of the installed zlib alone; no time is written.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the picture is larger than PNG allows or memory runs out, and of kind `unsupported`
  /// where its colours are multiplied by alpha: PNG has straight alpha alone (PNG 13.16); or where what its colours mean now cannot be said
  /// beside what the metadata says, as the curve of sRGB beside primaries that have no code.
  public static func encode(_ file: PNGFile, compression: PNGCompression = .fast) throws -> [UInt8] {
    let image = file.image
    guard image.size.width <= Int(Int32.max), image.size.height <= Int(Int32.max) else {
      throw SafelightError(
        .limit, "the picture", why: "it has \(image.size) pixels; PNG allows 2147483647 in each direction",
        remedy: "cut it into parts")
    }
    guard image.color.alpha != .premultiplied || !image.channels.hasAlpha else {
      throw SafelightError(
        .unsupported, "the picture", why: "its colours are premultiplied, and a PNG has straight alpha alone",
        remedy: "end the chain with the filter unpremultiply")
    }
    let metadata = try file.metadata.describing(image.color)
    let bitDepth = grayBits(for: file) ?? image.depth.rawValue
    let form = CPNGForm(
      color_type: colorType(image.channels).rawValue, bit_depth: UInt8(bitDepth), level: compression.level,
      filter: compression.filter(bitDepth: bitDepth))
    let layout = CPNGLayout(
      width: UInt32(image.size.width), height: UInt32(image.size.height),
      samples: UInt32(image.pixelFormat.samplesPerPixel), sample_bytes: UInt32(image.pixelFormat.bytesPerSample))
    let isGray = image.channels.isGray
    let (bytes, _) = try unsafe PNGReport.collect(name: "the picture", refusal: .limit) { report in
      var encoded = unsafe CPNGBuffer()
      let status = unsafe image.bytes.withUnsafeBufferPointer {
        unsafe cpng_encode($0.baseAddress, layout, form, &encoded, report)
      }
      defer { unsafe cpng_release(&encoded) }
      let pixels = unsafe UnsafeBufferPointer(start: encoded.bytes, count: encoded.count)
      return unsafe (splice(metadata, into: pixels, isGray: isGray), status)
    }
    return bytes
  }

  /// The signature and IHDR are as long in every file, and so is IEND.
  private static let headerByteCount = 33
  private static let endByteCount = 12

  /// Puts the metadata around the pixels: behind IHDR, where all of it is allowed, and before IEND.
  private static func splice(
    _ metadata: PNGMetadata, into encoded: UnsafeBufferPointer<UInt8>, isGray: Bool
  ) -> [UInt8] {
    guard encoded.count >= headerByteCount + endByteCount else { return [] }
    let before = metadata.chunks(forGray: isGray)
    let added = (before + metadata.trailingChunks).reduce(0) { $0 + $1.data.count + 12 }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count + added)
    unsafe bytes.append(contentsOf: encoded[..<headerByteCount])
    for chunk in before { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[headerByteCount..<encoded.count - endByteCount])
    for chunk in metadata.trailingChunks { chunk.append(to: &bytes) }
    unsafe bytes.append(contentsOf: encoded[(encoded.count - endByteCount)...])
    return bytes
  }

  private static func colorType(_ channels: Channels) -> PNGHeader.ColorType {
    switch channels {
    case .gray: .gray
    case .grayAlpha: .grayAlpha
    case .rgb: .rgb
    case .rgba: .rgba
    }
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
