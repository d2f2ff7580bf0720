internal import CPNGShim
import SafelightImage

/// Turns the bytes of a PNG file into a picture.
public enum PNGDecoder {
  /// Decodes `bytes`; `name` stands for them in errors.
  ///
  /// Every colour type, bit depth and interlace method of PNG is read without loss. Throws a ``SafelightError`` of
  /// kind `input` where the bytes are not a PNG, are damaged or truncated, or ask for more than `limits`; nothing is
  /// allocated for the pixels before that is checked.
  public static func decode(_ bytes: [UInt8], name: String, limits: PNGLimits = PNGLimits()) throws -> PNGFile {
    let contents = try PNGContents(scanning: bytes, name: name, limits: limits)
    try limits.check(contents.header, compressed: contents.compressedByteCount, name: name)

    let header = contents.header
    let depth: SampleDepth = header.bitDepth == 16 ? .bits16 : .bits8
    let format = PixelFormat(channels: contents.channels, depth: depth)
    let (byteCount, isTooLarge) = header.size.area.multipliedReportingOverflow(by: format.bytesPerPixel)
    guard !isTooLarge else { throw PNGLimits.exceeded(name, "\(header.size) pixels; memory cannot hold them") }

    let layout = CPNGLayout(
      width: UInt32(header.size.width), height: UInt32(header.size.height),
      samples: UInt32(format.samplesPerPixel), sample_bytes: UInt32(format.bytesPerSample))
    let (pixels, remarks) = try unsafe PNGReport.collect(name: name, refusal: .input) { report in
      var status = CPNG_DONE
      let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
        status = unsafe decode(bytes, contents.pixelRanges, layout, into: buffer.baseAddress, report)
        // After a refusal the array is discarded: it claims nothing of the memory.
        initialized = status == CPNG_DONE ? byteCount : 0
      }
      return (pixels, status)
    }
    var color = contents.metadata.color
    // By definition, whatever its chunks say (PNG 6.1).
    if contents.channels.hasAlpha { color.alpha = .straight }
    return PNGFile(
      image: Image(
        size: header.size, channels: contents.channels, depth: depth, bytes: pixels, color: color),
      metadata: contents.metadata,
      grayBits: contents.channels == .gray && header.bitDepth < 8 ? header.bitDepth : nil,
      warnings: contents.warnings + remarks)
  }

  private static func decode(
    _ bytes: [UInt8], _ ranges: [Range<Int>], _ layout: CPNGLayout, into pixels: UnsafeMutablePointer<UInt8>?,
    _ report: CPNGReport
  ) -> CPNGStatus {
    let ranges = ranges.map { CPNGRange(offset: $0.lowerBound, count: $0.count) }
    return unsafe bytes.withUnsafeBufferPointer { file in
      unsafe ranges.withUnsafeBufferPointer { ranges in
        let source = unsafe CPNGSource(
          bytes: file.baseAddress, count: file.count, ranges: ranges.baseAddress, range_count: ranges.count)
        return unsafe cpng_decode(source, layout, pixels, report)
      }
    }
  }
}

extension PNGLimits {
  /// Refuses a header that asks for more than is allowed, or than its compressed data can unfold to.
  func check(_ header: PNGHeader, compressed: Int, name: String) throws {
    let size = header.size
    guard size.width <= width else {
      throw Self.exceeded(name, "\(size.width) columns; the limit is \(width)")
    }
    guard size.height <= height else {
      throw Self.exceeded(name, "\(size.height) rows; the limit is \(height)")
    }
    guard size.area <= pixels else {
      throw Self.exceeded(name, "\(size) = \(size.area) pixels; the limit is \(pixels)")
    }
    // Deflate codes at most 258 bytes in 2 bits.
    let (reach, isBeyondAll) = compressed.multipliedReportingOverflow(by: 1032)
    guard let needed = header.filteredByteCount, isBeyondAll || needed <= reach else {
      throw SafelightError(
        .input, name,
        why: "the PNG is damaged or deceptive: \(compressed) bytes of compressed data cannot hold \(size) pixels",
        remedy: "write or copy the file again")
    }
  }

  static func exceeded(_ name: String, _ claim: String) -> SafelightError {
    SafelightError(
      .input, name, why: "it asks for \(claim)",
      remedy: "raise the limit (--max-pixels) if the file is to be trusted, or scale it down")
  }
}
