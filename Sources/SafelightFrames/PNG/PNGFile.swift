internal import CPNGRows
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
  package func encoded(for name: String, _ compression: PNGCompression, _ codec: PNGCodec) throws -> [UInt8] {
    do {
      return try PNGEncoder.encode(self, compression: compression, codec: codec)
    } catch let error as SafelightError {
      throw error.during(name)
    }
  }
}

extension Image {
  /// SHA-256 over width, height, channels and bits, four little-endian 32-bit numbers, and the samples as a PNG file orders them.
  ///
  /// Equal pixels have equal hashes, however their files were compressed; what the samples mean as colours is not in it.
  public var pixelHash: String {
    var hash = PixelHash(descriptor)
    hash.update(self)
    return hash.finalize()
  }
}

/// The ``SafelightImage/Image/pixelHash`` of a picture whose rows come some at a time.
struct PixelHash: ~Copyable {
  private var hash = SHA256()

  /// A hash of no rows yet.
  init(_ picture: ImageDescriptor) {
    let (size, channels) = (picture.size, picture.channels)
    for number in [size.width, size.height, channels.count, picture.depth.rawValue] {
      hash.update((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
  }

  /// Appends the next rows.
  mutating func update(_ rows: Image) {
    // Pixels that a file stores as they lie in memory are one row.
    let isStoredAsItLies = rows.depth == .bits8 && rows.channels.count == rows.pixelFormat.samplesPerPixel
    if isStoredAsItLies { return hash.update(rows.bytes) }
    let layout = CPNGLayout(Size(rows.size.width, 1), rows.pixelFormat)
    let form = CPNGForm(rows.descriptor)
    let stored = cpng_row_bytes(form, layout.width)
    var row = [UInt8](repeating: 0, count: stored)
    unsafe rows.bytes.withUnsafeBufferPointer { bytes in
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let source = bytes.baseAddress, let target = row.baseAddress else { return }
        for y in 0..<rows.size.height {
          let packed = unsafe cpng_pack_row(source + y * rows.bytesPerRow, layout, form, target)
          unsafe hash.update(UnsafeRawBufferPointer(start: packed, count: stored))
        }
      }
    }
  }

  /// The hash as text, with its name.
  consuming func finalize() -> String { "sha256:" + hash.finalize().hexadecimal }
}
