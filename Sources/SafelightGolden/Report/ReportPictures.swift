internal import SafelightFrames
internal import SafelightImage

/// The pictures of a case, as PNG files: compact, and still every sample as it was.
struct ReportPictures: Sendable {
  /// In the order of the page: `expected`, `actual`, `flip`, `mask`.
  let files: [(role: String, bytes: [UInt8])]

  init(expected: Image?, actual: Image?, flip: Image?, mask: Image?) throws {
    let pictures = [("expected", expected), ("actual", actual), ("flip", flip), ("mask", mask)]
    files = try pictures.compactMap { role, picture in
      guard let picture else { return nil }
      return (role, try PNGEncoder.encode(PNGFile(image: picture.samplesAlone), compression: .balanced))
    }
  }

  var byteCount: Int { files.reduce(0) { $0 + $1.bytes.count } }
}

extension ImageMask {
  /// White where pixels are left out.
  var picture: Image {
    Image(size: size, channels: .gray, depth: .bits8, bytes: isHidden.map { $0 ? 255 : 0 })
  }
}
