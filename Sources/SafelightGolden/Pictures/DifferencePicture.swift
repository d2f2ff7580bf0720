public import SafelightImage

/// Where two pictures differ, as a picture: the differences of each channel, amplified until the greatest is white.
///
/// A difference in alpha shows in all channels. What a mask leaves out shows the expected picture in grey, at a quarter of its brightness.
public struct DifferencePicture: Hashable, Sendable {
  /// An opaque picture of 8 bits, grey where the pictures are.
  public let image: Image

  /// Paints `difference`.
  public init(_ difference: ImageDifference) {
    let (expected, mask) = (difference.expected, difference.mask)
    let format = expected.pixelFormat
    let samples = format.samplesPerPixel
    let steps = Self.steps(difference)
    let maximum = max(1, difference.maximum)
    var bytes = [UInt8](repeating: 255, count: steps.count)
    for pixel in 0..<expected.size.area {
      let first = pixel * samples
      let colors = first..<first + min(3, samples)
      if let mask, mask.isHidden[pixel] {
        let (x, y) = (pixel % expected.size.width, pixel / expected.size.width)
        let gray = expected[x: x, y: y, sample: min(1, samples - 1)] * 63 / format.maximum
        for index in colors { bytes[index] = UInt8(gray) }
      } else {
        let alpha = expected.channels.hasAlpha ? Int(steps[first + 3]) : 0
        for index in colors { bytes[index] = UInt8(max(Int(steps[index]), alpha) * 255 / maximum) }
      }
    }
    image = Image(size: expected.size, channels: samples == 1 ? .gray : .rgb, depth: .bits8, bytes: bytes)
  }

  /// |actual − expected| of every sample.
  private static func steps(_ difference: ImageDifference) -> [UInt16] {
    let (expected, actual) = (difference.expected.bytes, difference.actual.bytes)
    switch difference.depth {
    case .bits8: return zip(expected, actual).map { UInt16($0 < $1 ? $1 - $0 : $0 - $1) }
    case .bits16:
      return stride(from: 0, to: expected.count, by: 2).map { place in
        let a = UInt16(expected[place]) | UInt16(expected[place + 1]) << 8
        let b = UInt16(actual[place]) | UInt16(actual[place + 1]) << 8
        return a < b ? b - a : a - b
      }
    }
  }
}
