/// Finds facts in the boxes of an AVIF or HEIF file that ffmpeg does not report: that alpha is a picture of its own,
/// and that the picture must be turned.
enum AVIFBoxes {
  /// Returns whether the alpha of the file at `path` is a picture of its own (ISO/IEC 23008-12, 6.6.2.1).
  static func haveAlpha(_ path: String) -> Bool {
    let text = String(decoding: beginning(path), as: UTF8.self)
    return ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"].contains { text.contains($0) }
  }

  /// Returns whether the file at `path` says that its picture is to be turned or mirrored (ISO/IEC 23008-12, 6.5.10 and
  /// 6.5.12).
  static func areTurned(_ path: String) -> Bool {
    let bytes = beginning(path)
    let kinds = ["ftypavif", "ftypavis", "ftypmif1", "ftypheic", "ftypheix"]
    guard kinds.contains(String(decoding: bytes.prefix(12).dropFirst(4), as: UTF8.self)) else { return false }
    // Boxes of nine bytes, the last of which says how.
    return ["irot", "imir"].contains { type in
      let box = [0, 0, 0, 9] + Array(type.utf8)
      return bytes.indices.dropLast(box.count).contains { place in
        bytes[place] == 0 && bytes[place...].starts(with: box)
          && (type == "imir" || bytes[place + box.count] & 3 != 0)
      }
    }
  }

  private static func beginning(_ path: String) -> [UInt8] { (try? readBeginning(path, count: 1 << 16)) ?? [] }
}
