import SafelightGPU
import SafelightImage
import TestSupport

/// Noise in any format of integers or normalised samples, also those that no image has.
struct RawPicture: CustomStringConvertible {
  let size: Size
  let format: PixelFormat
  /// Pixel after pixel, red first.
  let samples: [Int]

  var description: String { "\(size) \(format.rawValue)" }

  /// Noise from `least` on, `span` values.
  init(_ size: Size, _ format: PixelFormat, from least: Int = 0, span: Int? = nil) {
    self.size = size
    self.format = format
    let depth: SampleDepth = format.bytesPerSample == 1 ? .bits8 : .bits16
    let noise = Picture(SyntheticImage.noise.image(size, channels: .rgba, depth: depth), "noise").samples
    let span = span ?? format.maximum + 1
    samples = stride(from: 0, to: noise.count, by: 4).flatMap { pixel in
      noise[pixel..<pixel + format.samplesPerPixel].map { least + $0 % span }
    }
  }

  /// The formats that point kernels take, as far as `device` has them.
  static func formats(on device: Device) -> [PixelFormat] {
    let all: [PixelFormat] = [.r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint]
    let normalized: [PixelFormat] = [.r16Unorm, .rg16Unorm, .rgba16Unorm]
    return device.capabilities.features.contains(.normalized16) ? all + normalized : all
  }

  func channel(_ number: Int) -> [Int] {
    stride(from: number, to: samples.count, by: format.samplesPerPixel).map { samples[$0] }
  }

  /// BT.601's luma by its documented formula.
  var luma: [Int] {
    zip(zip(channel(0), channel(1)), channel(2)).map { (19595 * $0.0 + 38470 * $0.1 + 7471 * $1 + 32768) / 65536 }
  }

  func source(_ batch: Batch) throws -> Texture {
    let texture = try batch.device.makeTexture(size, format)
    batch.blit { $0.write(Self.bytes(samples, format), to: texture) }
    return texture
  }

  /// Samples as `format` has them in memory.
  static func bytes(_ samples: [Int], _ format: PixelFormat) -> [UInt8] {
    guard format == .bgra8Unorm else { return format.bytes(samples) }
    return swapped(format.bytes(samples))
  }

  /// The samples of bytes as `format` has them in memory.
  static func samples(_ bytes: [UInt8], _ format: PixelFormat) -> [Int] {
    format.samples(format == .bgra8Unorm ? swapped(bytes) : bytes)
  }

  private static func swapped(_ bytes: [UInt8]) -> [UInt8] {
    var swapped = bytes
    for pixel in stride(from: 0, to: bytes.count, by: 4) { swapped.swapAt(pixel, pixel + 2) }
    return swapped
  }

  /// The histogram of planes of values, each with its range and the least value that counts.
  static func counts(
    _ planes: [[Int]], entries: Int, low: [Int], high: [Int], threshold: [Int] = [0, 0, 0, 0]
  ) -> [Int] {
    planes.enumerated().flatMap { plane, values in
      var counts = [Int](repeating: 0, count: entries)
      for value in values where value >= threshold[plane] {
        counts[binOf(value, low[plane], high[plane], entries)] += 1
      }
      return counts
    }
  }
}
