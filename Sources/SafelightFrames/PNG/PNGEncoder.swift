internal import CPNGRows
import SafelightImage

/// Turns a picture into the bytes of a PNG file.
public enum PNGEncoder {
  /// Encodes `file`: its channels and depth as they are, not interlaced, with its metadata. Where the picture's colours are said to mean
  /// something else than the metadata says, as after a filter that changed it, the chunks of colour are made anew. The bytes
  /// are a function of the arguments and of the installed libraries alone, and with ISA-L of the kind of processor; no time is written.
  /// `codec` lends its memory.
  ///
  /// Throws a ``SafelightError`` of kind `limit` where the picture is larger than PNG allows or memory runs out, and of kind `unsupported`
  /// where its colours are multiplied by alpha: PNG has straight alpha alone (PNG 13.16); or where what its colours mean now cannot be said
  /// beside what the metadata says, as the curve of sRGB beside primaries that have no code.
  public static func encode(
    _ file: PNGFile, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()
  ) throws -> [UInt8] {
    let image = file.image
    let frame = try PNGSurroundings(image.descriptor, file.metadata)
    let form = CPNGForm(image.descriptor, bits: grayBits(for: file))
    if let bytes = encodeWhole(image, form, frame, compression, codec) { return bytes }
    var rows = try PNGRowEncoder(image.descriptor, form, frame, compression)
    return try rows.encode(image.bytes)
  }

  /// The grey depth of the source, when it still holds every sample exactly: level k of n bits is k × 255 ÷ (2ⁿ − 1).
  private static func grayBits(for file: PNGFile) -> Int? {
    guard let bits = file.grayBits, [1, 2, 4].contains(bits), file.image.channels == .gray,
      file.image.depth == .bits8
    else { return nil }
    let step = UInt8(255 / ((1 << bits) - 1))
    return file.image.bytes.allSatisfy { $0 % step == 0 } ? bits : nil
  }
}

/// What stands around the header and the pixels of a file.
struct PNGSurroundings {
  /// Behind IHDR, where all metadata is allowed.
  let before: [PNGChunk]
  /// Before IEND.
  let behind: [PNGChunk]

  /// What stands around `picture`; throws what ``PNGEncoder/encode(_:compression:codec:)`` does where PNG cannot hold
  /// it.
  init(_ picture: ImageDescriptor, _ metadata: PNGMetadata) throws {
    guard picture.size.width <= Int(Int32.max), picture.size.height <= Int(Int32.max) else {
      throw SafelightError(
        .limit, "the picture", why: "it has \(picture.size) pixels; PNG allows 2147483647 in each direction",
        remedy: "cut it into parts")
    }
    guard picture.color.alpha != .premultiplied || !picture.channels.hasAlpha else {
      throw SafelightError(
        .unsupported, "the picture", why: "its colors are premultiplied, and a PNG has straight alpha alone",
        remedy: "end the chain with the filter unpremultiply")
    }
    let metadata = try metadata.describing(picture.color)
    before = metadata.chunks(forGray: picture.channels.isGray)
    behind = metadata.trailingChunks
  }
}

extension CPNGForm {
  /// How `picture` lies in a file, in `bits` where those hold every sample of it.
  init(_ picture: ImageDescriptor, bits: Int? = nil) {
    self.init(
      color_type: PNGHeader.ColorType(picture.channels).rawValue, bit_depth: UInt8(bits ?? picture.depth.rawValue))
  }
}

extension PNGHeader.ColorType {
  /// As a picture of `channels` is written.
  init(_ channels: Channels) {
    self =
      switch channels {
      case .gray: .gray
      case .grayAlpha: .grayAlpha
      case .rgb: .rgb
      case .rgba: .rgba
      }
  }
}
