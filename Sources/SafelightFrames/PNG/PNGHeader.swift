import SafelightImage

/// The IHDR chunk, which describes the picture (PNG 11.2.1).
struct PNGHeader: Hashable {
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

    /// The channels of the picture, in which a tRNS chunk makes a color or palette entries transparent.
    func channels(hasTransparency: Bool) -> Channels {
      switch self {
      case .gray: hasTransparency ? .grayAlpha : .gray
      case .rgb, .palette: hasTransparency ? .rgba : .rgb
      case .grayAlpha: .grayAlpha
      case .rgba: .rgba
      }
    }

    var samplesPerPixel: Int { self == .palette ? 1 : channels(hasTransparency: false).count }
  }

  static let byteCount = 13

  let size: Size
  let colorType: ColorType
  /// The bits of a sample, or of a palette index: 1, 2, 4, 8 or 16.
  let bitDepth: Int
  let isInterlaced: Bool

  /// Reads the chunk's data; `complaint` makes an error of the reason for rejecting it.
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
      throw complaint("it claims color type \(data[9]); PNG has 0, 2, 3, 4 and 6")
    }
    guard colorType.depths.contains(Int(data[8])) else {
      throw complaint("it claims \(data[8]) bits a sample, which PNG does not allow for color type \(data[9])")
    }
    guard data[10] == 0, data[11] == 0 else {
      throw complaint("it claims compression method \(data[10]) and filter method \(data[11]); PNG has only method 0")
    }
    guard data[12] <= 1 else { throw complaint("it claims interlace method \(data[12]); PNG has 0 and 1") }
    self.size = Size(Int(width), Int(height))
    self.colorType = colorType
    self.bitDepth = Int(data[8])
    self.isInterlaced = data[12] == 1
  }

  /// The size of the decompressed data: each row, of each pass if interlaced, and its filter byte (PNG 7.2). Nil if it
  /// overflows 64 bits.
  var filteredByteCount: Int? {
    let passes = isInterlaced ? Self.adam7 : [(x: 0, y: 0, dx: 1, dy: 1)]
    var total: Int128 = 0
    for pass in passes {
      let columns = (size.width - pass.x + pass.dx - 1) / pass.dx
      let rows = (size.height - pass.y + pass.dy - 1) / pass.dy
      guard columns > 0, rows > 0 else { continue }
      total += Int128((columns * colorType.samplesPerPixel * bitDepth + 7) / 8 + 1) * Int128(rows)
    }
    return Int(exactly: total)
  }

  /// The seven passes: first column and row, distance between columns and rows (PNG 8.2).
  private static let adam7: [(x: Int, y: Int, dx: Int, dy: Int)] = [
    (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
  ]
}

/// The limits on a file's size, checked before memory is allocated for its pixels.
public struct PNGLimits: Hashable, Sendable {
  /// The most columns; the default is a million.
  public var width: Int
  /// The most rows; the default is a million.
  public var height: Int
  /// The most columns × rows; the default is 2²⁹, for example 32768×16384. A pixel takes 1 to 8 bytes in memory.
  public var pixels: Int
  /// The most chunks other than the pixels; the default is 1000.
  public var metadataChunks: Int
  /// The most bytes of all these chunks together; the default is 16 MiB.
  public var metadataBytes: Int

  /// Makes limits.
  public init(
    width: Int = 1_000_000, height: Int = 1_000_000, pixels: Int = 1 << 29, metadataChunks: Int = 1000,
    metadataBytes: Int = 1 << 24
  ) {
    self.width = width
    self.height = height
    self.pixels = pixels
    self.metadataChunks = metadataChunks
    self.metadataBytes = metadataBytes
  }
}

extension PNGLimits {
  /// Returns whether a picture of `size` is within the limits, whose bytes can be counted then.
  func admits(_ size: Size) -> Bool {
    size.width <= width && size.height <= height && size.area <= min(pixels, 1 << 48)
  }

  /// Rejects a header that exceeds the limits, or claims more than its compressed data can hold.
  func check(_ header: PNGHeader, compressed: Int, name: String) throws {
    let size = header.size
    let side = "cut it into parts or scale it down; programs raise the limit with PNGLimits"
    try ensure(
      size.width <= width, .input, name, why: "it has \(size.width) columns; the limit is \(width)", remedy: side)
    try ensure(
      size.height <= height, .input, name, why: "it has \(size.height) rows; the limit is \(height)", remedy: side)
    try ensure(
      size.area <= pixels, .input, name, why: "it has \(size) = \(size.area) pixels; the limit is \(pixels)",
      remedy: "scale it down, or if you trust the file, raise the limit", setting: .pixelLimit)
    // Deflate codes at most 258 bytes in 2 bits.
    let (reach, isBeyondAll) = compressed.multipliedReportingOverflow(by: 1032)
    guard let needed = header.filteredByteCount, isBeyondAll || needed <= reach else {
      throw SafelightError(
        .input, name,
        why: "the PNG is damaged or deceptive: \(compressed) bytes of compressed data cannot hold \(size) pixels",
        remedy: "write or copy the file again")
    }
  }
}
