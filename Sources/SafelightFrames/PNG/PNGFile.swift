public import SafelightImage

/// A PNG file in memory: the picture, what else the file says of it, and what was odd in it.
public struct PNGFile: Hashable, Sendable {
  /// The picture. Palettes are resolved to red, green and blue, transparent colours to alpha, and grey of 1, 2 or 4
  /// bits is widened to 8; samples are otherwise those of the file, encoded as the metadata says.
  public var image: Image
  /// Colour description, physical size, Exif, texts.
  public var metadata: PNGMetadata
  /// 1, 2 or 4 where the file stored its grey so; nil otherwise. The encoder goes back to it when every sample
  /// is one of its levels still, and keeps 8 bits when one is not: it never rounds.
  public var grayBits: Int?
  /// What was tolerated or left behind, one sentence each without a full stop. Empty for a sound, still picture.
  public var warnings: [String]

  /// Makes a file of a picture.
  public init(image: Image, metadata: PNGMetadata = PNGMetadata(), grayBits: Int? = nil, warnings: [String] = []) {
    self.image = image
    self.metadata = metadata
    self.grayBits = grayBits
    self.warnings = warnings
  }

  /// Reads the file at `path`; `codec` lends its memory.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` (no such file, or unreadable), `transfer` (reading failed
  /// half-way) or `input` (not a PNG, damaged, or beyond `limits`).
  public init(reading path: String, limits: PNGLimits = PNGLimits(), codec: PNGCodec = PNGCodec()) throws {
    self = try PNGDecoder.decode(readFile(path), name: path, limits: limits, codec: codec)
  }

  /// Writes the file at `path`, whole or not at all; `codec` lends its memory.
  ///
  /// Throws a ``SafelightError`` of kind `output` (cannot be created), `transfer` (writing failed half-way) or
  /// `limit` (larger than PNG allows).
  public func write(
    to path: String, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()
  ) throws {
    let file = try AtomicFile(path: path)
    try file.write(encoded(for: path, compression, codec))
    try file.commit()
  }

  /// Writes the bytes of a file to a stream.
  ///
  /// Throws what ``write(to:compression:codec:)-(String,_,_)`` does.
  public func write(
    to stream: FilmPlace, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()
  ) throws {
    var output = try ByteOutput(stream)
    try output.write(encoded(for: stream.name, compression, codec))
    try output.finish()
  }

  /// The bytes of the file; errors say that they are of what would be written to `name`.
  private func encoded(for name: String, _ compression: PNGCompression, _ codec: PNGCodec) throws -> [UInt8] {
    do {
      return try PNGEncoder.encode(self, compression: compression, codec: codec)
    } catch let error as SafelightError {
      throw error.during(name)
    }
  }
}
