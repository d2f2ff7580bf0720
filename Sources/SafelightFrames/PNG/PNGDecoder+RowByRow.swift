internal import CPNGRows
internal import CPNGShim
import SafelightImage

extension PNGDecoder {
  /// The pixels and libpng's remarks; throws what libpng refuses, of kind `input`.
  static func decodeRowByRow(
    _ bytes: [UInt8], _ contents: PNGContents, name: String
  ) throws -> (pixels: [UInt8], remarks: [String]) {
    let byteCount = contents.byteCount
    return try unsafe PNGReport.collect(name: name, refusal: .input) { report in
      var status = CPNG_DONE
      let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
        status = unsafe decode(bytes, contents.pixelRanges, contents.layout, into: buffer.baseAddress, report)
        // After a refusal the array is discarded: it claims nothing of the memory.
        initialized = status == CPNG_DONE ? byteCount : 0
      }
      return (pixels, status)
    }
  }

  private static func decode(
    _ bytes: [UInt8], _ ranges: [Range<Int>], _ layout: CPNGLayout, into pixels: UnsafeMutablePointer<UInt8>?,
    _ report: CPNGReport
  ) -> CPNGStatus {
    let ranges = ranges.map { CPNGRange(offset: $0.lowerBound, count: $0.count) }
    return unsafe bytes.withUnsafeBufferPointer { file in
      unsafe ranges.withUnsafeBufferPointer { ranges in
        let source = unsafe CPNGSource(
          bytes: file.baseAddress, count: file.count, descriptor: -1, ranges: ranges.baseAddress,
          range_count: ranges.count)
        return unsafe cpng_decode(source, layout, pixels, report)
      }
    }
  }
}
