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

extension Capture.Blob {
  /// What tells whether the bytes were changed: the hash of the pixels where they are a picture.
  var hash: String {
    CapturePicture(self)?.image.pixelHash ?? "sha256:" + SHA256.hash(bytes).hexadecimal
  }
}
