/// What a file that is not what it should be may be instead, for messages.
enum FileFormat {
  private static let beginnings: [(magic: [UInt8], name: String)] = [
    (PNGSignature.bytes, "a PNG picture"),
    ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
    (Array("GIF8".utf8), "a GIF picture"),
    (Array("BM".utf8), "a BMP picture"),
    ([0x49, 0x49, 0x2A, 0x00], "a TIFF picture"),
    ([0x4D, 0x4D, 0x00, 0x2A], "a TIFF picture"),
    (Array("RIFF".utf8), "a RIFF container (WebP, AVI)"),
    (Array("YUV4MPEG2".utf8), "Y4M video"),
    (Array("nut/multimedia".utf8), "a NUT film"),
    ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska film (MKV, WebM)"),
    ([0x76, 0x2F, 0x31, 0x01], "an OpenEXR picture"),
    ([0x8A, 0x4D, 0x4E, 0x47], "an MNG animation"),
    ([0x8B, 0x4A, 0x4E, 0x47], "a JNG picture"),
    ([0x1F, 0x8B], "gzip-compressed data"),
    (Array("%PDF".utf8), "a PDF document"),
  ]

  /// `a JPEG picture`, `text`; nil where the beginning tells nothing.
  static func name(of file: [UInt8]) -> String? {
    if let known = beginnings.first(where: { file.starts(with: $0.magic) }) { return known.name }
    // ISO/IEC 14496-12: the length of a box stands before its name.
    if file.dropFirst(4).starts(with: "ftyp".utf8) { return "an MP4 or QuickTime film" }
    let beginning = file.prefix(512)
    let isText = beginning.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    return isText ? "text" : nil
  }
}
