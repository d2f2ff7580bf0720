internal import SafelightImage

/// What a picture or film states besides its samples, in words, and what is in its file besides.
package struct StatedFacts: Hashable, Sendable {
  /// The values by the names of the facts: `pixel aspect` and `2:1`. What every reader assumes is not stated.
  package private(set) var values: [String: String] = [:]
  /// The parts of the file that a comparison of pictures does not look at: `further pages`.
  package private(set) var unseen: [String] = []
}

extension StatedFacts {
  /// Describes the frames of a film; `companions` are the other parts of its file.
  package init(_ format: VideoFormat, besides companions: [String] = []) {
    let color = format.color
    values["transfer"] = color.transfer == .unspecified ? nil : color.transfer.rawValue
    values["primaries"] = color.primaries == .unspecified ? nil : color.primaries.rawValue
    if format.layout.isYCbCr {
      values["matrix"] = color.matrix.rawValue
      values["range"] = color.range.rawValue
    }
    values["pixel aspect"] = Self.text(format.pixelAspect)
    unseen = companions
  }

  /// Reads what the PNG file at `path` states, without its pixels; nil if it cannot be read, or is no file.
  package init?(pngAt path: String) {
    guard let file = try? OpenedFile(path),
      let contents = try? PNGContents(scanning: .file(file), name: path, limits: PNGLimits())
    else { return nil }
    for type: PNGChunkType in ["cICP", "mDCV", "cLLI", "iCCP", "sRGB", "cHRM", "oFFs", "pCAL", "sCAL", "sTER"] {
      values["\(type)"] = contents.metadata[type].map(Self.text)
    }
    values["gAMA"] = contents.metadata["gAMA"].map { gamma in
      gamma.count == 4 ? DecimalText.text(Double(gamma.bigEndian(at: 0)) / 100_000) : Self.text(gamma)
    }
    if let shape = contents.metadata["pHYs"], shape.count == 9, shape[8] == 1 {
      values["pHYs"] = "\(shape.bigEndian(at: 0))×\(shape.bigEndian(at: 4)) per meter"
    } else {
      values["pixel aspect"] = Self.text(contents.metadata.pixelAspect)
    }
    let orientation = contents.metadata["eXIf"].flatMap { TIFFDirectory(of: .memory($0))?.orientation }
    // 1 is upright, as without a tag.
    values["orientation"] = orientation.flatMap { $0 == 1 ? nil : "\($0)" }
    if contents.isAnimated { unseen.append("later frames of the animation") }
  }

  /// Returns a shape in lowest terms; nil for square pixels, which need no words.
  private static func text(_ aspect: PixelAspect?) -> String? {
    guard let aspect, aspect.width != aspect.height else { return nil }
    return PixelAspect(reducing: Int128(aspect.width), Int128(aspect.height)).description
  }

  /// Returns the numbers of a short chunk, and the length and checksum of a long one.
  private static func text(_ data: [UInt8]) -> String {
    if data.count <= 4 { return data.map(String.init).joined(separator: "/") }
    return "\(data.count) bytes, checksum \(String(CRC32.checksum(data[...]), radix: 16))"
  }
}

/// The first directory of a TIFF file, or of Exif data (TIFF 6.0, section 2).
struct TIFFDirectory {
  /// The number that says how the picture is turned; nil without it.
  private(set) var orientation: Int?
  /// True if another directory follows, which is another page.
  let isFollowed: Bool
  /// True if the pixels lie in tiles (section 15).
  private(set) var hasTiles = false

  /// Reads the directory; nil if there is none.
  init?(of file: PNGBytes) {
    var isBigEndian = false
    func number(_ count: Int, at place: Int) -> Int? {
      guard place + count <= file.count, let bytes = try? file.read(place..<place + count) else { return nil }
      return (isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let order = number(2, at: 0), [0x4949, 0x4D4D].contains(order) else { return nil }
    isBigEndian = order == 0x4D4D
    guard number(2, at: 2) == 42, let start = number(4, at: 4), let count = number(2, at: start),
      let next = number(4, at: start + 2 + 12 * count)
    else { return nil }
    isFollowed = next != 0
    for entry in (0..<count).map({ start + 2 + 12 * $0 }) {
      switch number(2, at: entry) {
      case 0x0112: orientation = number(2, at: entry + 8)
      case 0x0144: hasTiles = true
      default: break
      }
    }
  }

  /// Reads the directory of the Exif data in a WebP file (RFC 9649, section 2.7.1.5); nil if there is none.
  init?(ofWebP file: PNGBytes) {
    guard file.count >= 12, let header = try? file.read(0..<12), header.starts(with: Array("RIFF".utf8)),
      header[8...].elementsEqual("WEBP".utf8)
    else { return nil }
    var place = 12
    while place + 8 <= file.count, let chunk = try? file.read(place..<place + 8) {
      let length = chunk[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
      let data = place + 8..<min(place + 8 + length, file.count)
      if chunk.starts(with: Array("EXIF".utf8)) {
        guard var bytes = try? file.read(data) else { return nil }
        // Some programs write JPEG's mark before it.
        if bytes.starts(with: Array("Exif\0\0".utf8)) { bytes.removeFirst(6) }
        self.init(of: .memory(bytes))
        return
      }
      place = data.upperBound + length % 2
    }
    return nil
  }
}
