import SafelightImage

/// The IHDR chunk: what a file says of its picture (PNG 11.2.1).
struct PNGHeader: Hashable {
  /// The colour types of PNG, by their numbers.
  enum ColorType: UInt8 {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    /// The bit depths that PNG allows (table 12 of PNG 11.2.1).
    var depths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgba: [8, 16]
      }
    }

    var samplesPerPixel: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    }
  }

  static let byteCount = 13

  let size: Size
  let colorType: ColorType
  /// Bits in a sample, or in a palette index: 1, 2, 4, 8 or 16.
  let bitDepth: Int
  let isInterlaced: Bool

  /// Reads the chunk's data; `complaint` receives why it is refused.
  init(_ data: [UInt8], complaint: (String) -> SafelightError) throws {
    guard data.count == Self.byteCount else {
      throw complaint("its IHDR chunk has \(data.count) bytes; a PNG header has \(Self.byteCount)")
    }
    let width = data.bigEndian(at: 0)
    let height = data.bigEndian(at: 4)
    let largest = UInt32(Int32.max)
    guard (1...largest).contains(width), (1...largest).contains(height) else {
      throw complaint("it claims \(width)×\(height) pixels; PNG allows 1 to 2147483647 in each direction")
    }
    guard let colorType = ColorType(rawValue: data[9]) else {
      throw complaint("it claims colour type \(data[9]); PNG has 0, 2, 3, 4 and 6")
    }
    guard colorType.depths.contains(Int(data[8])) else {
      throw complaint("it claims \(data[8]) bits a sample, which PNG does not allow for colour type \(data[9])")
    }
    guard data[10] == 0, data[11] == 0 else {
      throw complaint("it claims compression method \(data[10]) and filter method \(data[11]); PNG has only method 0")
    }
    guard data[12] <= 1 else {
      throw complaint("it claims interlace method \(data[12]); PNG has 0 and 1")
    }
    self.size = Size(Int(width), Int(height))
    self.colorType = colorType
    self.bitDepth = Int(data[8])
    self.isInterlaced = data[12] == 1
  }

  /// What the picture becomes in memory.
  func channels(hasTransparency: Bool) -> Channels {
    switch colorType {
    case .gray: hasTransparency ? .grayAlpha : .gray
    case .rgb, .palette: hasTransparency ? .rgba : .rgb
    case .grayAlpha: .grayAlpha
    case .rgba: .rgba
    }
  }

  /// The bytes that the compressed data must unfold to: each row, of each pass if interlaced, and its filter byte
  /// (PNG 7.2). Nil where a 64-bit number cannot hold it.
  var filteredByteCount: Int? {
    let passes = isInterlaced ? Self.adam7 : [Pass(x: 0, y: 0, dx: 1, dy: 1)]
    var total = 0
    for pass in passes {
      let columns = (size.width - pass.x + pass.dx - 1) / pass.dx
      let rows = (size.height - pass.y + pass.dy - 1) / pass.dy
      guard columns > 0, rows > 0 else { continue }
      let rowBytes = (columns * colorType.samplesPerPixel * bitDepth + 7) / 8 + 1
      let (bytes, tooMany) = rowBytes.multipliedReportingOverflow(by: rows)
      let (sum, tooLarge) = total.addingReportingOverflow(bytes)
      if tooMany || tooLarge { return nil }
      total = sum
    }
    return total
  }

  private struct Pass {
    let x: Int
    let y: Int
    let dx: Int
    let dy: Int
  }

  /// The seven passes: first column and row, distance between columns and rows (PNG 8.2).
  private static let adam7 = [
    Pass(x: 0, y: 0, dx: 8, dy: 8), Pass(x: 4, y: 0, dx: 8, dy: 8), Pass(x: 0, y: 4, dx: 4, dy: 8),
    Pass(x: 2, y: 0, dx: 4, dy: 4), Pass(x: 0, y: 2, dx: 2, dy: 4), Pass(x: 1, y: 0, dx: 2, dy: 2),
    Pass(x: 0, y: 1, dx: 1, dy: 2),
  ]
}
