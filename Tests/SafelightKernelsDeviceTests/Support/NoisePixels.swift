import SafelightGPU
import SafelightImage

/// Noise in any format that point kernels take, alpha included, with its samples as plain integers in the order red, green, blue, alpha.
struct NoisePixels: CustomStringConvertible {
  let size: Size
  let format: PixelFormat
  let samples: [Int]

  init(_ size: Size, _ format: PixelFormat) {
    self.size = size
    self.format = format
    let noise = Picture(.noise, size, format.bytesPerSample == 1 ? .rgba8Unorm : .rgba16Uint).samples
    samples = noise.indices.filter { $0 % 4 < format.samplesPerPixel }.map { noise[$0] }
  }

  /// Chosen samples in the place of noise.
  init(_ size: Size, _ format: PixelFormat, samples: [Int]) {
    self.size = size
    self.format = format
    self.samples = samples
  }

  var description: String { "\(size) \(format.rawValue)" }

  /// The samples as they lie in a texture's memory, and back.
  static func ordered(_ samples: [Int], _ format: PixelFormat) -> [Int] {
    guard format == .bgra8Unorm else { return samples }
    return samples.indices.map { samples[$0 % 4 == 0 ? $0 + 2 : $0 % 4 == 2 ? $0 - 2 : $0] }
  }

  /// The samples that came back.
  func samples(_ readback: Readback) throws -> [Int] {
    Self.ordered(format.samples(try readback.contents()), format)
  }

  static let sizes = [Size(1, 1), Size(1, 9), Size(17, 31), Size(65, 63), Size(2047, 3)]

  /// The formats of point kernels, written out.
  static let formats: [PixelFormat] = [
    .r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint, .r16Unorm, .rg16Unorm, .rgba16Unorm,
  ]
}

extension Batch {
  /// Whether the device has textures of `format`.
  func has(_ format: PixelFormat) -> Bool {
    format.sampleKind != .normalized || format.bytesPerSample == 1
      || device.capabilities.features.contains(.normalized16)
  }

  /// A texture that holds `pixels`.
  func source(_ pixels: NoisePixels) throws -> Texture {
    let texture = try device.makeTexture(pixels.size, pixels.format)
    let bytes = pixels.format.bytes(NoisePixels.ordered(pixels.samples, pixels.format))
    blit { $0.write(bytes, to: texture) }
    return texture
  }
}
