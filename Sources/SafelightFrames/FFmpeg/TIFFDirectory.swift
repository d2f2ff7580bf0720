import SafelightImage

/// The first directory of a TIFF file, or of Exif data (TIFF 6.0, section 2).
struct TIFFDirectory {
  /// The fields that are read.
  private enum Tag: Int, CaseIterable {
    case compression = 259
    case photometricInterpretation = 262
    case orientation = 274
    case tileWidth = 322
    case extraSamples = 338
    case sampleFormat = 339
    case yCbCrCoefficients = 529
    case referenceBlackWhite = 532
  }

  /// True if another directory follows, which is another page.
  let isFollowed: Bool
  /// The numbers of each field, at most those of four samples.
  private var fields: [Tag: [Double]] = [:]
  /// The bytes of the number that says how the picture is turned, if they lie in the file.
  private var orientationBytes: Range<Int>?
  private let isBigEndian: Bool

  /// Reads the directory; nil if there is none.
  init?(of file: PNGBytes) {
    var isBigEndian = false
    func number(_ count: Int, at place: Int) -> Int? {
      guard place + count <= file.count, let bytes = try? file.read(place..<place + count) else { return nil }
      return (isBigEndian ? bytes : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let order = number(2, at: 0), [0x4949, 0x4D4D].contains(order) else { return nil }
    isBigEndian = order == 0x4D4D
    self.isBigEndian = isBigEndian
    guard number(2, at: 2) == 42, let start = number(4, at: 4), let count = number(2, at: start),
      let next = number(4, at: start + 2 + 12 * count)
    else { return nil }
    isFollowed = next != 0
    for entry in (0..<count).map({ start + 2 + 12 * $0 }) {
      guard let tag = number(2, at: entry).flatMap(Tag.init), let type = number(2, at: entry + 2),
        let length = number(4, at: entry + 4)
      else { continue }
      // SHORT, RATIONAL, or LONG and the like; numbers that need no more than four bytes lie in the entry itself.
      let bytes = [3: 2, 5: 8][type] ?? 4
      guard let place = length * bytes <= 4 ? entry + 8 : number(4, at: entry + 8) else { continue }
      if tag == .orientation, length == 1, bytes <= 4 { orientationBytes = place..<place + bytes }
      fields[tag] = (0..<min(length, 4)).compactMap { index in
        let place = place + index * bytes
        guard bytes == 8 else { return number(bytes, at: place).map(Double.init) }
        guard let numerator = number(4, at: place), let denominator = number(4, at: place + 4) else { return nil }
        return Double(numerator) / Double(denominator)
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

  /// The number that says how the picture is turned; nil without it.
  var orientation: Int? { fields[.orientation]?.first.flatMap { Int(exactly: $0) } }

  /// The turn that the picture asks for, if it is one of Exif's eight and ``upright(_:)`` can take it back; else none.
  var turn: Orientation { orientationBytes == nil ? .up : orientation.flatMap(Orientation.init) ?? .up }

  /// Returns `exif`, whose directory this is, with a picture that is not turned.
  func upright(_ exif: [UInt8]) -> [UInt8] {
    guard let orientationBytes, let last = orientationBytes.last, last < exif.count else { return exif }
    var made = exif
    made.replaceSubrange(orientationBytes, with: repeatElement(0, count: orientationBytes.count))
    made[isBigEndian ? last : orientationBytes.lowerBound] = 1
    return made
  }

  /// Adds to `color` what the directory says of it: whether colors are multiplied by alpha (section 18), and the matrix
  /// and range of luma and chroma, which are those of BT.601 and full where nothing else is stated (section 21).
  func describe(_ color: inout ColorDescription) {
    if fields[.extraSamples]?.first == 1 { color.alpha = .premultiplied }
    guard fields[.photometricInterpretation]?.first == 6 else { return }
    if abs((fields[.yCbCrCoefficients]?.first ?? 0.299) - 0.299) < 1e-4 { color.matrix = .bt601 }
    color.range = [235, 235 * 256].contains(fields[.referenceBlackWhite]?.dropFirst().first) ? .limited : .full
  }

  /// Throws an error of kind `unsupported` for a TIFF whose pixels ffmpeg reads wrongly without a word.
  func checkPixels(of path: String) throws(SafelightError) {
    func refused(_ why: String, _ remedy: String) -> SafelightError {
      SafelightError(.unsupported, path, why: why, remedy: remedy)
    }
    if fields[.tileWidth] != nil {
      throw refused(
        "the pixels of this TIFF lie in tiles, which ffmpeg does not read",
        "store them in strips first: tiffcp -s '\(path)' OUTPUT.tiff")
    }
    // Sections 20 and 22.
    if let method = fields[.compression]?.first, [6, 7].contains(method) {
      throw refused(
        "this TIFF is compressed as JPEG, which ffmpeg reads wrongly",
        "store it without first: tiffcp -c none '\(path)' OUTPUT.tiff")
    }
    // 1 are unsigned integers, and 4 says nothing (section 19).
    if let format = fields[.sampleFormat]?.first(where: { ![1, 4].contains($0) }) {
      throw refused(
        "the samples of this TIFF are \(format == 2 ? "signed integers" : format == 3 ? "floats" : "complex numbers")",
        "map them to unsigned integers first, in a program that knows what they mean")
    }
  }
}
