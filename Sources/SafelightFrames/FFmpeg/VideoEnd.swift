/// The ends of films of kinds that ffmpeg takes for whole wherever they are cut off.
enum VideoEnd {
  /// Returns what is wrong with the end of a GIF or Ogg file; nil if nothing is, and for other kinds.
  static func fault(of file: PNGBytes) -> String? {
    var bytes = BufferedBytes(file)
    switch bytes.take(4).map({ String(decoding: $0, as: UTF8.self) }) {
    case "GIF8": return isCutGIF(&bytes) ? "the file is cut off in the middle of a picture" : nil
    case "OggS": return isCutOgg(&bytes) ? "the file is cut off in the middle of a page" : nil
    default: return nil
    }
  }

  /// Walks the blocks (GIF89a specification, appendix A). A file without a trailer, but with whole blocks, is whole.
  private static func isCutGIF(_ bytes: inout BufferedBytes) -> Bool {
    func colors(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    guard bytes.take(2) != nil, let screen = bytes.take(7), bytes.skip(colors(screen[4])) else { return true }
    while let block = bytes.take(1)?[0] {
      switch block {
      case 0x21: if !bytes.skip(1) { return true }
      case 0x2C:
        guard let image = bytes.take(9), bytes.skip(colors(image[8]) + 1) else { return true }
      // The trailer, or what is no block, at which a reader stops too.
      default: return false
      }
      while true {
        guard let length = bytes.take(1)?[0], bytes.skip(Int(length)) else { return true }
        if length == 0 { break }
      }
    }
    return false
  }

  /// Walks the pages (RFC 3533, section 6). A stream without a last page, but with whole pages, is whole.
  private static func isCutOgg(_ bytes: inout BufferedBytes) -> Bool {
    repeat {
      guard let header = bytes.take(23), let lengths = bytes.take(Int(header[22])),
        bytes.skip(lengths.reduce(0) { $0 + Int($1) })
      else { return true }
    } while bytes.take(4)?.elementsEqual("OggS".utf8) == true
    return false
  }
}

/// Bytes of a file in order, read a part at a time.
struct BufferedBytes {
  private let file: PNGBytes
  private var place = 0
  private var part: ArraySlice<UInt8> = []

  init(_ file: PNGBytes) { self.file = file }

  /// Returns the next bytes; nil if the file has fewer, or cannot be read.
  mutating func take(_ count: Int) -> [UInt8]? {
    guard place + count <= file.count else { return nil }
    if part.count < count {
      guard let read = try? file.read(place..<min(file.count, place + max(count, 1 << 16))) else { return nil }
      part = read[...]
    }
    defer { skipHeld(count) }
    return Array(part.prefix(count))
  }

  /// Passes over bytes; returns false if the file has fewer.
  mutating func skip(_ count: Int) -> Bool {
    guard place + count <= file.count else { return false }
    skipHeld(count)
    return true
  }

  /// Passes over all bytes up to the next `byte`, and over that; returns false if there is none.
  mutating func skip(past byte: UInt8) -> Bool {
    while place < file.count {
      if part.isEmpty {
        guard let read = try? file.read(place..<min(file.count, place + 1 << 16)) else { return false }
        part = read[...]
      }
      if let found = part.firstIndex(of: byte) {
        skipHeld(found + 1 - part.startIndex)
        return true
      }
      skipHeld(part.count)
    }
    return false
  }

  private mutating func skipHeld(_ count: Int) {
    part = part.dropFirst(count)
    place += count
  }
}
