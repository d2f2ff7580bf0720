internal import CPNGRows
import SafelightImage

/// Turns the bytes of a PNG file into a picture.
public enum PNGDecoder {
  /// Decodes `bytes`; `name` stands for them in errors. `codec` lends its memory.
  ///
  /// Every colour type, bit depth and interlace method of PNG is read without loss. Throws a ``SafelightError`` of
  /// kind `input` where the bytes are not a PNG, are damaged or truncated, or ask for more than `limits`; nothing is
  /// allocated for the pixels before that is checked.
  public static func decode(
    _ bytes: [UInt8], name: String, limits: PNGLimits = PNGLimits(), codec: PNGCodec = PNGCodec()
  ) throws -> PNGFile {
    let contents = try contents(of: .memory(bytes), name: name, limits: limits)
    // What is not sound in every respect is libpng's to judge: it says why, and knows what may be tolerated.
    let (pixels, remarks) =
      try decodeWhole(bytes, contents, codec) ?? decodeRowByRow(bytes, contents, name: name)
    let bits = contents.header.bitDepth
    return PNGFile(
      image: Image(contents.picture, bytes: pixels), metadata: contents.metadata,
      grayBits: contents.channels == .gray && bits < 8 ? bits : nil, warnings: contents.warnings + remarks)
  }

  /// What is in a file beside its pixels; throws where it is no PNG, or asks for more than `limits`.
  static func contents(of file: PNGBytes, name: String, limits: PNGLimits) throws -> PNGContents {
    let contents = try PNGContents(scanning: file, name: name, limits: limits)
    try limits.check(contents.header, compressed: contents.compressedByteCount, name: name)
    guard contents.header.size.area <= Int.max / 8 else {
      throw PNGLimits.exceeded(
        name, "\(contents.header.size) pixels; memory cannot hold them",
        remedy: "cut it into parts or scale it down")
    }
    return contents
  }
}

extension PNGContents {
  /// Bits in a sample in memory.
  var depth: SampleDepth { header.bitDepth == 16 ? .bits16 : .bits8 }

  /// The picture, without its samples.
  var picture: ImageDescriptor {
    var color = metadata.color
    // By definition, whatever its chunks say (PNG 6.1).
    if channels.hasAlpha { color.alpha = .straight }
    return ImageDescriptor(size: header.size, channels: channels, depth: depth, color: color)
  }

  /// How the picture lies in memory.
  var layout: CPNGLayout { CPNGLayout(header.size, picture.pixelFormat) }

  /// The bytes of the picture, which limits keep within a number.
  var byteCount: Int { header.size.area * picture.pixelFormat.bytesPerPixel }
}

extension CPNGLayout {
  /// How a picture of `size` lies in memory.
  init(_ size: Size, _ format: PixelFormat) {
    self.init(
      width: UInt32(size.width), height: UInt32(size.height), samples: UInt32(format.samplesPerPixel),
      sample_bytes: UInt32(format.bytesPerSample))
  }
}
