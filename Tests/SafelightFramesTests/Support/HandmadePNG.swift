import SafelightImage
import Testing

/// A PNG writer that shares nothing with libpng or the module under test: chunks, checksums, row filters, passes and
/// stored deflate blocks, straight from the specification. Every sample that it writes is known.
struct HandmadePNG {
  var width: Int
  var height: Int
  var colorType: Int
  var bitDepth: Int
  var isInterlaced = false
  /// PLTE, in entries of three.
  var palette: [[Int]] = []
  /// tRNS data.
  var transparency: [UInt8]?
  /// Written between IHDR and PLTE.
  var chunks: [(String, [UInt8])] = []
  /// Written between IDAT and IEND.
  var chunksBehind: [(String, [UInt8])] = []
  /// The row filters, in turn.
  var filters = [0, 1, 2, 3, 4]
  /// Bytes in an IDAT chunk.
  var partSize = Int.max
  /// The stored value at a position: a sample of the bit depth, or a palette index.
  var sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int = { x, y, channel in (x &* 7 &+ y &* 13 &+ channel &* 5) }

  var samplesPerPixel: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 0 }
  var maximum: Int { (1 << bitDepth) - 1 }

  /// The sample as it is stored.
  func stored(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    let value = sample(x, y, channel)
    return colorType == 3 && !palette.isEmpty ? value % palette.count : value & maximum
  }

  /// The file.
  var bytes: [UInt8] {
    var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
    let header =
      Self.number(width) + Self.number(height) + [UInt8(bitDepth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
    file += Self.chunk("IHDR", header)
    for (type, data) in chunks { file += Self.chunk(type, data) }
    if !palette.isEmpty { file += Self.chunk("PLTE", palette.flatMap { $0.map { UInt8($0) } }) }
    if let transparency { file += Self.chunk("tRNS", transparency) }
    let compressed = Self.zlib(filteredRows)
    var start = 0
    while start < compressed.count {
      let end = partSize < compressed.count - start ? start + partSize : compressed.count
      file += Self.chunk("IDAT", Array(compressed[start..<end]))
      start = end
    }
    for (type, data) in chunksBehind { file += Self.chunk(type, data) }
    return file + Self.chunk("IEND", [])
  }

  private var filteredRows: [UInt8] {
    guard isInterlaced else { return rows(firstX: 0, firstY: 0, stepX: 1, stepY: 1) }
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return passes.flatMap { rows(firstX: $0.0, firstY: $0.1, stepX: $0.2, stepY: $0.3) }
  }

  /// One pass.
  private func rows(firstX: Int, firstY: Int, stepX: Int, stepY: Int) -> [UInt8] {
    let columns = Array(stride(from: firstX, to: width, by: stepX))
    guard !columns.isEmpty else { return [] }
    let distance = max(1, samplesPerPixel * bitDepth / 8)
    var result: [UInt8] = []
    var above: [UInt8] = []
    for (count, y) in stride(from: firstY, to: height, by: stepY).enumerated() {
      let row = packed(columns.flatMap { x in (0..<samplesPerPixel).map { stored(x, y, $0) } })
      if above.isEmpty { above = [UInt8](repeating: 0, count: row.count) }
      let filter = filters[count % filters.count]
      result.append(UInt8(filter))
      for i in 0..<row.count {
        let left = i >= distance ? Int(row[i - distance]) : 0
        let up = Int(above[i])
        let corner = i >= distance ? Int(above[i - distance]) : 0
        let prediction =
          switch filter {
          case 1: left
          case 2: up
          case 3: (left + up) / 2
          case 4: Self.paeth(left, up, corner)
          default: 0
          }
        result.append(UInt8(truncatingIfNeeded: Int(row[i]) - prediction))
      }
      above = row
    }
    return result
  }

  private func packed(_ samples: [Int]) -> [UInt8] {
    if bitDepth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } }
    let perByte = 8 / bitDepth
    return stride(from: 0, to: samples.count, by: perByte).map { start in
      var byte = 0
      for i in 0..<perByte { byte = byte << bitDepth | (start + i < samples.count ? samples[start + i] : 0) }
      return UInt8(byte)
    }
  }

  private static func paeth(_ a: Int, _ b: Int, _ c: Int) -> Int {
    let p = a + b - c
    let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
    if pa <= pb && pa <= pc { return a }
    return pb <= pc ? b : c
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return number(data.count) + body + number(crc(body))
  }

  static func number(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
  }

  /// Computed bit by bit, following the definition.
  static func crc(_ bytes: [UInt8]) -> Int {
    var remainder = 0xFFFF_FFFF
    for byte in bytes {
      remainder ^= Int(byte)
      for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
    }
    return remainder ^ 0xFFFF_FFFF
  }

  /// A zlib stream of stored blocks.
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let end = min(start + 65535, bytes.count)
      let count = end - start
      stream += [end == bytes.count ? 1 : 0, UInt8(count & 255), UInt8(count >> 8)]
      stream += [UInt8(~count & 255), UInt8(~count >> 8 & 255)]
      stream += bytes[start..<end]
      start = end
    } while start < bytes.count
    var a = 1
    var b = 0
    for byte in bytes {
      a = (a + Int(byte)) % 65521
      b = (b + a) % 65521
    }
    return stream + number(b << 16 | a)
  }
}

extension [UInt8] {
  /// Calls `body` with each bit at `places` flipped in turn, and with the name of that bit.
  func forEachFlippedBit(at places: Range<Int>, _ body: ([UInt8], _ bit: Comment) throws -> Void) rethrows {
    for index in places {
      for bit in 0..<8 {
        var bytes = self
        bytes[index] ^= 1 << bit
        try body(bytes, "byte \(index) bit \(bit)")
      }
    }
  }
}

extension HandmadePNG {
  /// Two colors, the first of them transparent.
  static var transparentPalette: HandmadePNG {
    HandmadePNG(
      width: 4, height: 4, colorType: 3, bitDepth: 8, palette: [[1, 2, 3], [4, 5, 6]], transparency: [0, 1])
  }

  /// The data of tRNS that makes the color of a pixel transparent.
  func key(_ x: Int, _ y: Int) -> [UInt8] {
    (0..<samplesPerPixel).map { stored(x, y, $0) }.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
  }

  /// The range of a file's first chunk of `type`, with its length and checksum.
  static func place(of type: String, in file: [UInt8]) throws -> Range<Int> {
    let start = try #require(file.firstRange(of: Array(type.utf8))).lowerBound - 4
    return start..<start + 12 + file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension HandmadePNG {
  /// The picture that a reader must find in the file.
  var expected: Image {
    let hasKey = transparency != nil && colorType != 4 && colorType != 6
    let channels: Channels =
      switch colorType {
      case 0: hasKey ? .grayAlpha : .gray
      case 2, 3: hasKey ? .rgba : .rgb
      case 4: .grayAlpha
      default: .rgba
      }
    let depth: SampleDepth = bitDepth == 16 ? .bits16 : .bits8
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = expectedPixel(x, y)
        for value in channels == .gray ? [pixel[0]] : pixel {
          bytes += depth == .bits16 ? [UInt8(value & 255), UInt8(value >> 8)] : [UInt8(value)]
        }
      }
    }
    return Image(
      size: Size(width, height), channels: channels, depth: depth, bytes: bytes,
      color: ColorDescription(alpha: channels.hasAlpha ? .straight : .unspecified))
  }

  /// Red, green, blue, alpha.
  private func expectedPixel(_ x: Int, _ y: Int) -> [Int] {
    let samples = (0..<samplesPerPixel).map { stored(x, y, $0) }
    let opaque = bitDepth == 16 ? 65535 : 255
    // A key is compared in the file's own depth.
    let key = transparency.map { data in
      stride(from: 0, to: data.count & ~1, by: 2).map { Int(data[$0]) << 8 | Int(data[$0 + 1]) }
    }
    let keyed = key == samples ? 0 : opaque
    switch colorType {
    case 0:
      let gray = bitDepth < 8 ? samples[0] * 255 / maximum : samples[0]
      return [gray, gray, gray, keyed]
    case 2: return samples + [keyed]
    case 3:
      let alpha = transparency.map { samples[0] < $0.count ? Int($0[samples[0]]) : 255 } ?? 255
      return palette[samples[0]] + [alpha]
    case 4: return [samples[0], samples[0], samples[0], samples[1]]
    default: return samples
    }
  }
}
