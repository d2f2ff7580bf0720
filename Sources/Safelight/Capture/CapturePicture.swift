import Crypto
import SafelightFrames
import SafelightGPU
import SafelightImage

/// Pixels of a texture as a picture that a file can hold; there is none for floats, tables and pairs of samples.
struct CapturePicture {
  let image: Image

  init?(_ blob: Capture.Blob) {
    guard let size = blob.size, let format = blob.pixelFormat, let (channels, depth) = Self.kind(of: format),
      !size.isEmpty, blob.bytes.count == size.area * format.bytesPerPixel
    else { return nil }
    image = Image(
      size: size, channels: channels, depth: depth, bytes: Self.reordered(blob.bytes, size: size, format))
  }

  /// The pixels of a file, as a texture of `format` holds them; nil where the file has another kind.
  static func bytes(of image: Image, size: Size, _ format: PixelFormat) -> [UInt8]? {
    guard let (channels, depth) = kind(of: format), image.size == size, image.channels == channels,
      image.depth == depth
    else { return nil }
    return reordered(image.bytes, size: size, format)
  }

  private static func kind(of format: PixelFormat) -> (Channels, SampleDepth)? {
    switch format {
    case .r8Unorm: (.gray, .bits8)
    case .rgba8Unorm, .bgra8Unorm: (.rgba, .bits8)
    case .r16Uint, .r16Unorm: (.gray, .bits16)
    case .rgba16Uint, .rgba16Unorm: (.rgba, .bits16)
    case .rg8Unorm, .rg16Uint, .rg16Unorm, .r32Uint, .r16Float, .rg16Float, .rgba16Float, .r32Float, .rg32Float,
      .rgba32Float:
      nil
    case .depth16Unorm, .depth32Float, .stencil8, .depth32Float_stencil8: nil
    }
  }

  /// Pictures have red first.
  private static func reordered(_ bytes: [UInt8], size: Size, _ format: PixelFormat) -> [UInt8] {
    guard format == .bgra8Unorm else { return bytes }
    var bytes = bytes
    swapRedAndBlue(&bytes, offset: 0, size: size, bytesPerRow: size.width * 4)
    return bytes
  }
}

extension Image {
  /// SHA-256 over width, height, channels and bits, four little-endian 32-bit numbers, and the samples as a PNG file orders them.
  var pixelHash: String {
    var hash = SHA256()
    for number in [size.width, size.height, channels.count, depth.rawValue] {
      hash.update(data: (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
    hash.update(data: samplesInFileOrder)
    return "sha256:" + hash.finalize().hexadecimal
  }

  private var samplesInFileOrder: [UInt8] {
    let places =
      switch channels {
      case .gray: [0]
      case .grayAlpha: [0, 3]
      case .rgb: [0, 1, 2]
      case .rgba: [0, 1, 2, 3]
      }
    // In memory the low byte comes first, in a PNG file the high one.
    let offsets = depth == .bits8 ? places : places.flatMap { [2 * $0 + 1, 2 * $0] }
    let pixel = pixelFormat.bytesPerPixel
    if offsets == Array(0..<pixel) { return bytes }
    var samples: [UInt8] = []
    samples.reserveCapacity(size.area * offsets.count)
    for first in stride(from: 0, to: bytes.count, by: pixel) {
      for offset in offsets { samples.append(bytes[first + offset]) }
    }
    return samples
  }
}

extension Capture.Blob {
  /// What tells whether the bytes were changed: the hash of the pixels where they are a picture.
  var hash: String {
    CapturePicture(self)?.image.pixelHash ?? "sha256:" + SHA256.hash(data: bytes).hexadecimal
  }
}

extension Sequence<UInt8> {
  /// Two digits a byte.
  var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
