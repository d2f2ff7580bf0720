import SafelightGPU
import SafelightImage
import Testing

/// An input of the device suites, with its samples as plain integers for the brute force of expectations.
struct Picture: Sendable, CustomStringConvertible {
  let image: Image
  /// Pixel after pixel, 1 or 4 samples each.
  let samples: [Int]
  let description: String

  /// Alpha is noise, so that a kernel that touches it is seen.
  init(_ input: SyntheticImage, _ size: Size, _ format: PixelFormat) {
    let depth: SampleDepth = format.bytesPerSample == 1 ? .bits8 : .bits16
    self.init(
      input.image(size, channels: format.samplesPerPixel == 1 ? .gray : .rgba, depth: depth),
      "\(input) \(size) \(format)")
  }

  init(_ image: Image, _ description: String) {
    self.image = image
    self.description = description
    samples = image.pixelFormat.samples(image.bytes)
  }

  var format: PixelFormat { image.pixelFormat }
  var size: Size { image.size }

  /// The samples of one channel.
  func channel(_ number: Int) -> [Int] {
    stride(from: number, to: samples.count, by: format.samplesPerPixel).map { samples[$0] }
  }

  /// Luma by its documented formula; that of a grey picture is its only channel.
  var luma: [Int] {
    if format.samplesPerPixel == 1 { return samples }
    return stride(from: 0, to: samples.count, by: 4).map {
      (19595 * samples[$0] + 38470 * samples[$0 + 1] + 7471 * samples[$0 + 2] + 32768) / 65536
    }
  }

  /// The formats that pictures have.
  static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint]

  /// Every size against every input, in one format.
  static func all(_ format: PixelFormat) -> [Picture] { made[format] ?? [] }

  /// Those for one device: the widest is wider than the 2048 that each device has, where this one allows.
  static func all(_ format: PixelFormat, on device: Device) -> [Picture] {
    let isWide = device.capabilities.maximumTextureSize >= 4097
    return all(format).filter { $0.size.width != (isWide ? 2047 : 4097) }
  }

  private static let sizes = [
    Size(1, 1), Size(1, 9), Size(17, 31), Size(64, 64), Size(65, 63), Size(130, 5), Size(4097, 3), Size(2047, 3),
  ]

  private static let made = Dictionary(
    uniqueKeysWithValues: formats.map { format in
      (format, sizes.flatMap { size in SyntheticImage.allCases.map { Picture($0, size, format) } })
    })
}

extension PixelFormat {
  /// The bytes of pixels as samples.
  func samples(_ bytes: [UInt8]) -> [Int] {
    if bytesPerSample == 1 { return bytes.map { Int($0) } }
    return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  /// Samples as the bytes of pixels.
  func bytes(_ samples: [Int]) -> [UInt8] {
    if bytesPerSample == 1 { return samples.map { UInt8($0) } }
    return samples.map { UInt16($0) }.withUnsafeBytes { Array($0) }
  }
}

/// Fails with the first difference alone: a full listing of two pictures helps nobody.
func expectEqual(
  _ actual: [Int], _ expected: [Int], _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if actual == expected { return }
  let first = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }
  let place = first.map { "first at \($0.offset): \($0.element.0), not \($0.element.1)" } ?? "another length"
  Issue.record("\(what()): \(place)", sourceLocation: sourceLocation)
}

/// The same for the bytes of pixels, told as samples.
func expectEqual(
  _ actual: [UInt8], _ expected: [UInt8], _ format: PixelFormat, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  if actual == expected { return }
  expectEqual(format.samples(actual), format.samples(expected), what(), sourceLocation: sourceLocation)
}
