/// The ends of stills of kinds that ffmpeg takes for whole where they are cut off: it fills in the rest of the picture.
enum StillEnd {
  /// Returns what is wrong with the end of a still; nil if nothing is, and for other kinds.
  ///
  /// `fileExtension` tells kinds that have no signature.
  static func fault(of file: PNGBytes, _ fileExtension: String) -> String? {
    var bytes = BufferedBytes(file)
    guard let signature = bytes.take(4) else { return nil }
    let isWhole: Bool? =
      switch (signature[0], signature[1], signature[2], signature[3]) {
      case (0xFF, 0xD8, 0xFF, _): isWholeJPEG(file)
      case (0x71, 0x6F, 0x69, 0x66): isWholeQOI(file)
      case (0x53, 0x44, 0x50, 0x58): isWholeDPX(file) { $0.reduce(0) { $0 << 8 | Int($1) } }
      case (0x58, 0x50, 0x44, 0x53): isWholeDPX(file) { $0.reversed().reduce(0) { $0 << 8 | Int($1) } }
      case (0x01, 0xDA, 0...1, 1...2): isWholeSGI(file)
      case (0x59, 0xA6, 0x6A, 0x95): isWholeSunRaster(file)
      case (0x0A, 0...5, 1, 1...8): isWholePCX(file)
      default:
        switch fileExtension {
        case "tga", "icb", "vda", "vst": isWholeTGA(file)
        case "pix": isWholeAlias(file)
        default: nil
        }
      }
    return isWhole == false ? "the file is cut off in the middle of the picture" : nil
  }

  /// Walks the markers of one picture or several (ITU-T T.81, B.1.1; T.87, C.1): each begins with FFD8 and ends with
  /// FFD9. Other data may follow.
  private static func isWholeJPEG(_ file: PNGBytes) -> Bool {
    var bytes = BufferedBytes(file)
    while bytes.take(2) == [0xFF, 0xD8] {
      while true {
        guard bytes.skip(past: 0xFF), var code = bytes.take(1)?[0] else { return false }
        while code == 0xFF, let next = bytes.take(1)?[0] { code = next }
        if code == 0xD9 { break }
        // Within coded samples 00 follows FF, or in JPEG-LS a byte below 80; D0 to D7 restart the decoder.
        if code < 0x80 || code == 0xFF || (0xD0...0xD8).contains(code) { continue }
        guard let length = bytes.take(2).map({ Int($0[0]) << 8 | Int($0[1]) }), bytes.skip(max(0, length - 2)) else {
          return false
        }
      }
    }
    return true
  }

  /// The file ends with seven zeros and a one (QOI specification, version 1.0).
  private static func isWholeQOI(_ file: PNGBytes) -> Bool {
    file.count >= 22 && (try? file.read(file.count - 8..<file.count)) == [0, 0, 0, 0, 0, 0, 0, 1]
  }

  /// Rows of samples of 8 bits end at words, which ffmpeg does not count (SMPTE ST 268-1). A header may state a size
  /// that is less.
  private static func isWholeDPX(_ file: PNGBytes, _ number: (ArraySlice<UInt8>) -> Int) -> Bool? {
    guard let header = try? file.read(0..<min(file.count, 808)), header.count == 808, header[803] == 8 else {
      return nil
    }
    let samples = [50: 3, 51: 4, 52: 4][Int(header[800])] ?? 1
    let (width, height) = (number(header[772..<776]), number(header[776..<780]))
    guard width < 1 << 24, height < 1 << 24 else { return nil }
    let count = number(header[4..<8]) + height * ((width * samples + 3) / 4 * 4)
    return file.count >= min(count, number(header[16..<20]))
  }

  /// Rows of all samples, or a table says where each row lies and how long it is (Silicon Graphics Image File Format,
  /// draft 0.97).
  private static func isWholeSGI(_ file: PNGBytes) -> Bool? {
    guard let header = try? file.read(0..<min(file.count, 12)), header.count == 12 else { return nil }
    func half(_ place: Int) -> Int { Int(header[place]) << 8 | Int(header[place + 1]) }
    let rows = (half(4) > 1 ? half(8) : 1) * (half(4) > 2 ? half(10) : 1)
    if header[2] == 0 { return file.count >= 512 + half(6) * rows * Int(header[3]) }
    guard file.count >= 512 + 8 * rows, let table = try? file.read(512..<512 + 8 * rows) else { return false }
    return (0..<rows).allSatisfy { row in
      Int(table.bigEndian(at: 4 * row)) + Int(table.bigEndian(at: 4 * (rows + row))) <= file.count
    }
  }

  /// Rows that end at 16 bits; coded runs have a stated length (rasterfile(5) of SunOS).
  private static func isWholeSunRaster(_ file: PNGBytes) -> Bool? {
    guard let header = try? file.read(0..<min(file.count, 32)), header.count == 32 else { return nil }
    let numbers = (0..<8).map { Int(header.bigEndian(at: 4 * $0)) }
    let (width, height, depth, length, type, colors) = (
      numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[7]
    )
    guard width < 1 << 24, height < 1 << 24, depth <= 32 else { return nil }
    return file.count >= 32 + colors + (type == 2 ? length : (width * depth + 15) / 16 * 2 * height)
  }

  /// Runs of bytes: two high bits and the count before a byte that is repeated (ZSoft PCX File Format, revision 5).
  private static func isWholePCX(_ file: PNGBytes) -> Bool? {
    var bytes = BufferedBytes(file)
    guard let header = bytes.take(128) else { return nil }
    func half(_ place: Int) -> Int { Int(header[place]) | Int(header[place + 1]) << 8 }
    return bytes.hasRuns(of: half(66) * Int(header[65]) * (half(10) - half(6) + 1)) { code in
      code < 0xC0 ? (count: 1, bytes: 0) : (Int(code & 0x3F), 1)
    }
  }

  /// Runs of pixels: a bit and the count before a pixel that is repeated, or before as many pixels (Truevision TGA File
  /// Format, version 2.0).
  private static func isWholeTGA(_ file: PNGBytes) -> Bool? {
    var bytes = BufferedBytes(file)
    guard let header = bytes.take(18), header[1] < 2, (9...11).contains(header[2]) else { return nil }
    func half(_ place: Int) -> Int { Int(header[place]) | Int(header[place + 1]) << 8 }
    guard bytes.skip(Int(header[0]) + half(5) * ((Int(header[7]) + 7) / 8)) else { return false }
    let pixel = (Int(header[16]) + 7) / 8
    return bytes.hasRuns(of: half(12) * half(14)) { code in
      let count = Int(code & 0x7F) + 1
      return (count, code < 0x80 ? count * pixel : pixel)
    }
  }

  /// Runs of pixels: the count before a pixel (Alias/Wavefront image file).
  private static func isWholeAlias(_ file: PNGBytes) -> Bool? {
    var bytes = BufferedBytes(file)
    guard let header = bytes.take(10), header[8] == 0, [8, 24].contains(header[9]) else { return nil }
    func half(_ place: Int) -> Int { Int(header[place]) << 8 | Int(header[place + 1]) }
    return bytes.hasRuns(of: half(0) * half(2)) { (Int($0), Int(header[9]) / 8) }
  }
}

extension BufferedBytes {
  /// Passes over runs until they have `count` elements; returns false if the file ends before. `run` says how many
  /// elements a first byte announces, and how many bytes follow.
  fileprivate mutating func hasRuns(of count: Int, _ run: (UInt8) -> (count: Int, bytes: Int)) -> Bool {
    var missing = count
    while missing > 0 {
      guard let code = take(1)?[0], skip(run(code).bytes) else { return false }
      missing -= run(code).count
    }
    return true
  }
}
