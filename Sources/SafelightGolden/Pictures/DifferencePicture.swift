public import SafelightImage

/// Where two pictures differ, as a picture: the expected one in grey, at a quarter of its brightness, and on it what differs.
///
/// A difference is grown by a pixel to every side, so that a single one is seen. Each channel is lit where it differs, from half its brightness
/// to all of it where it differs most; a difference in alpha lights all. What a mask leaves out has an eighth of its brightness.
public struct DifferencePicture: Hashable, Sendable {
  /// An opaque picture of 8 bits, grey where the pictures are.
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

  /// Each sample becomes the greatest of its own and the same of the pixels before and behind it, which are `stride` samples away: in a row, or
  /// where that is a row of samples, in a column.
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

extension Image {
  /// The same picture with alpha that is opaque everywhere; the picture itself if it has alpha.
  var withAlpha: Image {
    if channels.hasAlpha { return self }
    let bytesPerSample = pixelFormat.bytesPerSample
    let kind = ImageDescriptor(size: size, channels: channels.isGray ? .grayAlpha : .rgba, depth: depth, color: color)
    var bytes = [UInt8](repeating: 0xFF, count: size.area * kind.pixelFormat.bytesPerPixel)
    for pixel in 0..<size.area {
      let (from, to) = (pixel * pixelFormat.bytesPerPixel, pixel * kind.pixelFormat.bytesPerPixel)
      for sample in 0..<3 {
        for byte in 0..<bytesPerSample {
          bytes[to + sample * bytesPerSample + byte] =
            self.bytes[from + (channels.isGray ? 0 : sample * bytesPerSample) + byte]
        }
      }
    }
    return Image(kind, bytes: bytes)
  }
}

extension Image {
  /// The same samples, of which nobody says what they mean as colours: comparisons look at samples, and a PNG cannot say everything, such as
  /// that colours are multiplied by alpha.
  package var samplesAlone: Image { replacing(bytes: bytes, color: .unspecified) }
}
