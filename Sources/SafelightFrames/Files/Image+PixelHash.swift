internal import CPNGRows
public import SafelightImage

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
