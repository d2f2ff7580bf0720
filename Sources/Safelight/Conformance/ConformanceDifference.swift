internal import SafelightImage
internal import SafelightKernels

/// A sample that a device makes otherwise than the twin.
public struct ConformanceDifference: Sendable, CustomStringConvertible {
  /// The place of a sample in a kernel's output.
  public enum Position: Hashable, Sendable {
    /// The column and the row of the pixel, and its channel: `red`, or `gray`.
    case pixel(x: Int, y: Int, channel: String)
    /// The number of the word in a buffer, such as a histogram.
    case word(Int)
  }

  /// The sample's place.
  public let place: Position
  /// The twin's value.
  public let expected: Double
  /// The device's.
  public let actual: Double

  /// `at x 16, y 3, red: 17 instead of 20`.
  public var description: String {
    let place =
      switch place {
      case .pixel(let x, let y, let channel): "at x \(x), y \(y), \(channel)"
      case .word(let word): "in word \(word)"
      }
    return "\(place): \(Self.text(actual)) instead of \(Self.text(expected))"
  }

  private static func text(_ value: Double) -> String {
    Int(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}

/// The meaning of the samples of an output.
struct ConformanceLayout {
  /// The size and the format of a picture, and the corners of its tiles; nil for words of 32 bits.
  private let picture: (size: Size, format: PixelFormat, seams: (columns: Set<Int>, rows: Set<Int>))?

  /// The layout of words.
  static let words = Self(picture: nil)

  private init(picture: (size: Size, format: PixelFormat, seams: (columns: Set<Int>, rows: Set<Int>))?) {
    self.picture = picture
  }

  init(_ texture: TiledTexture) {
    let corners = texture.tiles.map(\.region)
    picture = (
      texture.size, texture.pixelFormat,
      (Set(corners.map(\.x)).subtracting([0]), Set(corners.map(\.y)).subtracting([0]))
    )
  }

  /// The number of bytes that are compared at a time.
  var sampleBytes: Int { picture?.format.bytesPerSample ?? 4 }

  func place(of sample: Int) -> ConformanceDifference.Position {
    guard let (size, format, _) = picture else { return .word(sample) }
    let (pixel, channel) = sample.quotientAndRemainder(dividingBy: format.samplesPerPixel)
    let names =
      format.samplesPerPixel == 1
      ? ["gray"] : format == .bgra8Unorm ? ["blue", "green", "red", "alpha"] : ["red", "green", "blue", "alpha"]
    return .pixel(x: pixel % size.width, y: pixel / size.width, channel: names[channel])
  }

  /// Returns the number that a sample's bits stand for.
  func number(_ bits: Int) -> Double {
    guard let format = picture?.format, format.sampleKind == .float else { return Double(bits) }
    return format.bytesPerSample == 2
      ? Double(PixelFormat.float(halfBits: UInt16(truncatingIfNeeded: bits)))
      : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  /// Returns a phrase for the edges or seams at which all of some samples lie; nil if there are others.
  func pattern(of samples: [Int]) -> String? {
    guard let (size, format, seams) = picture, !samples.isEmpty else { return nil }
    let pixels = samples.map { sample in
      let pixel = sample / format.samplesPerPixel
      return (x: pixel % size.width, y: pixel / size.width)
    }
    // In a picture of one column, every pixel is in the last.
    let (lastColumn, lastRow) = (size.width > 2 ? size.width - 1 : -1, size.height > 2 ? size.height - 1 : -1)
    if pixels.allSatisfy({ $0.x == lastColumn }) { return "all in the last column" }
    if pixels.allSatisfy({ $0.y == lastRow }) { return "all in the last row" }
    if pixels.allSatisfy({ $0.x == lastColumn || $0.y == lastRow }) { return "all in the last column or row" }
    let isAtEdge = { (pixel: (x: Int, y: Int)) in
      pixel.x == lastColumn || pixel.y == lastRow || (pixel.x == 0 && lastColumn > 0) || (pixel.y == 0 && lastRow > 0)
    }
    if pixels.allSatisfy(isAtEdge) { return "all at the edges" }
    let isAtSeam = { (pixel: (x: Int, y: Int)) in
      seams.columns.contains { abs(2 * (pixel.x - $0) + 1) < 16 }
        || seams.rows.contains { abs(2 * (pixel.y - $0) + 1) < 16 }
    }
    return pixels.allSatisfy(isAtSeam) ? "all within 8 pixels of a seam between tiles" : nil
  }
}
