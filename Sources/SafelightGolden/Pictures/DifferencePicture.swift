public import SafelightImage

/// A picture of where two pictures differ: the expected one in gray at a quarter of its brightness, with the
/// differences on top.
///
/// Differences grow by a pixel to each side, so that a single one is visible. Each channel is lit where it differs,
/// from half brightness to full brightness at the greatest difference; a difference in alpha lights all channels.
/// Masked pixels have an eighth of their brightness.
public struct DifferencePicture: Hashable, Sendable {
  /// An opaque 8-bit picture, gray if the pictures are.
  public let image: Image

  /// Paints `difference`.
  public init(_ difference: ImageDifference) {
    let (expected, mask) = (difference.expected, difference.mask)
    let (size, samples) = (expected.size, expected.pixelFormat.samplesPerPixel)
    var steps = Self.steps(difference)
    if let mask {
      for pixel in 0..<size.area where mask.isHidden[pixel] {
        for index in pixel * samples..<(pixel + 1) * samples { steps[index] = 0 }
      }
    }
    steps = Self.grown(Self.grown(steps, size, by: samples), size, by: samples * size.width)
    let maximum = max(1, difference.maximum)
    var bytes = [UInt8](repeating: 255, count: steps.count)
    for pixel in 0..<size.area {
      let first = pixel * samples
      let alpha = expected.channels.hasAlpha ? Int(steps[first + 3]) : 0
      let colors = first..<first + min(3, samples)
      guard alpha > 0 || colors.contains(where: { steps[$0] > 0 }) else {
        let sample = expected[x: pixel % size.width, y: pixel / size.width, sample: min(1, samples - 1)]
        let gray = sample * (mask?.isHidden[pixel] == true ? 31 : 63) / expected.pixelFormat.maximum
        for index in colors { bytes[index] = UInt8(gray) }
        continue
      }
      for index in colors {
        let step = max(Int(steps[index]), alpha)
        bytes[index] = step == 0 ? 0 : UInt8(128 + 127 * step / maximum)
      }
    }
    image = Image(size: size, channels: samples == 1 ? .gray : .rgb, depth: .bits8, bytes: bytes)
  }

  /// Replaces each sample by the maximum of itself and the same sample of the pixels before and after it, which are
  /// `stride` samples away: in a row, or in a column if that is a row of samples.
  private static func grown(_ steps: [UInt16], _ size: Size, by stride: Int) -> [UInt16] {
    let row = steps.count / size.height
    let isColumn = stride == row
    return steps.indices.map { index in
      let place = isColumn ? index : index % row
      let end = isColumn ? steps.count : row
      let before = place >= stride ? steps[index - stride] : 0
      let behind = place + stride < end ? steps[index + stride] : 0
      return max(steps[index], before, behind)
    }
  }

  /// Returns |actual − expected| of every sample.
  private static func steps(_ difference: ImageDifference) -> [UInt16] {
    let (expected, actual) = (difference.expected, difference.actual)
    let count = difference.size.area * expected.pixelFormat.samplesPerPixel
    return (0..<count).map { UInt16(abs(expected.value(at: $0) - actual.value(at: $0))) }
  }
}
