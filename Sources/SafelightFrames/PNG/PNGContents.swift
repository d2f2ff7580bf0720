import SafelightImage

/// The result of one walk over a file's chunks: the header, where the pixels are, and the metadata to keep.
package struct PNGContents {
  let header: PNGHeader
  /// The signature and the chunks that make up the pixels, as ranges of the file; neighbours are joined.
  var pixelRanges: [Range<Int>] = []
  /// The compressed data: what all IDAT chunks hold together.
  var compressedByteCount = 0
  /// True when a tRNS chunk makes a colour or palette entries transparent.
  var hasTransparency = false
  var metadata: PNGMetadata
  var warnings: [String] = []

  /// What the picture becomes in memory.
  var channels: Channels { header.channels(hasTransparency: hasTransparency) }

  init(header: PNGHeader) {
    self.header = header
    self.metadata = PNGMetadata(describesGray: header.colorType == .gray || header.colorType == .grayAlpha)
  }

  mutating func appendPixels(_ range: Range<Int>) {
    if let last = pixelRanges.last, last.upperBound == range.lowerBound {
      pixelRanges[pixelRanges.count - 1] = last.lowerBound..<range.upperBound
    } else {
      pixelRanges.append(range)
    }
  }
}
