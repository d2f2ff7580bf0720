internal import CPNGRows
public import SafelightImage

/// A PNG file in memory: the picture, its metadata, and warnings.
public struct PNGFile: Hashable, Sendable {
  /// The picture. Palettes become red, green and blue, transparent colors become alpha, and gray of 1, 2 or 4 bits is
  /// widened to 8; otherwise samples are those of the file, with the meaning that the metadata gives them.
  public var image: Image
  /// The color description, physical size, Exif data and texts.
  public var metadata: PNGMetadata
  /// The bits of the file's gray if they are 1, 2 or 4; nil otherwise. The encoder restores this depth if it still
  /// holds every sample, and otherwise keeps 8 bits: it never rounds.
  public var grayBits: Int?
  /// The faults that were tolerated and the parts that were ignored, one sentence each without a period. Empty for a
  /// sound, still picture.
  public var warnings: [String]

  /// Makes a file from a picture.
  public init(image: Image, metadata: PNGMetadata = PNGMetadata(), grayBits: Int? = nil, warnings: [String] = []) {
    self.image = image
    self.metadata = metadata
    self.grayBits = grayBits
    self.warnings = warnings
  }

  /// Reads the file at `path`; `codec` lends its memory.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` (no such file, or unreadable), `transfer` (reading failed
  ///   halfway) or `input` (not a PNG, damaged, or beyond `limits`).
  public init(reading path: String, limits: PNGLimits = PNGLimits(), codec: PNGCodec = PNGCodec()) throws {
    self = try PNGDecoder.decode(readFile(path), name: path, limits: limits, codec: codec)
  }

  /// Writes the file at `path`, whole or not at all; `codec` lends its memory.
  ///
  /// - Throws: ``SafelightError`` of kind `output` (cannot be created), `transfer` (writing failed halfway) or `limit`
  ///   (larger than PNG allows).
  public func write(to path: String, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()) throws {
    let file = try AtomicFile(path: path)
    try file.write(encoded(for: path, compression, codec))
    try file.commit()
  }

  /// Writes the bytes of the file to a stream.
  ///
  /// - Throws: The errors of ``write(to:compression:codec:)-(String,_,_)``.
  public func write(to stream: VideoLocation, compression: PNGCompression = .fast, codec: PNGCodec = PNGCodec()) throws
  {
    try stream.write(encoded(for: stream.name, compression, codec))
  }

  /// Returns the bytes of the file; errors mention the output `name`.
  package func encoded(for name: String, _ compression: PNGCompression, _ codec: PNGCodec) throws -> [UInt8] {
    do {
      return try PNGEncoder.encode(self, compression: compression, codec: codec)
    } catch let error as SafelightError {
      throw error.during(name)
    }
  }
}

extension Image {
  /// The SHA-256 hash of width, height, channels and bits, as four little-endian 32-bit numbers, and the samples in the
  /// order of a PNG file.
  ///
  /// Equal pixels have equal hashes, however their files were compressed; the color description is not included.
  public var pixelHash: String {
    var hash = PixelHash(descriptor)
    hash.update(self)
    return hash.finalize()
  }
}

/// The ``SafelightImage/Image/pixelHash`` of a picture whose rows arrive some at a time.
struct PixelHash: ~Copyable {
  private var hash = SHA256()

  init(_ picture: ImageDescriptor) {
    let (size, channels) = (picture.size, picture.channels)
    for number in [size.width, size.height, channels.count, picture.depth.rawValue] {
      hash.update((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
  }

  mutating func update(_ rows: Image) {
    // Pixels that a file stores as memory does need no packing.
    let isStoredAsItLies = rows.depth == .bits8 && rows.channels.count == rows.pixelFormat.samplesPerPixel
    if isStoredAsItLies { return hash.update(rows.bytes) }
    let layout = CPNGLayout(Size(rows.size.width, 1), rows.pixelFormat)
    let type = CPNGSampleType(rows.descriptor)
    let stored = cpng_row_bytes(type, layout.width)
    var row = [UInt8](repeating: 0, count: stored)
    unsafe rows.bytes.withUnsafeBufferPointer { bytes in
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let source = bytes.baseAddress, let target = row.baseAddress else { return }
        for y in 0..<rows.size.height {
          let packed = unsafe cpng_pack_row(source + y * rows.bytesPerRow, layout, type, target)
          unsafe hash.update(UnsafeRawBufferPointer(start: packed, count: stored))
        }
      }
    }
  }

  /// Returns the hash as text, with the name of its algorithm.
  consuming func finalize() -> String { "sha256:" + hash.finalize().hexadecimal }
}
