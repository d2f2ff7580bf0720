internal import CPNGRows
public import SafelightImage

extension Image {
  /// SHA-256 over width, height, channels and bits, four little-endian 32-bit numbers, and the samples as a PNG file orders them.
  ///
  /// Equal pixels have equal hashes, however their files were compressed; what the samples mean as colours is not in it.
  public var pixelHash: String {
    var hash = SHA256()
    for number in [size.width, size.height, channels.count, depth.rawValue] {
      hash.update((0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }
    updateWithSamplesInFileOrder(&hash)
    return "sha256:" + hash.finalize().hexadecimal
  }

  private func updateWithSamplesInFileOrder(_ hash: inout SHA256) {
    // Pixels that a file stores as they lie in memory are one row.
    let isStoredAsItLies = depth == .bits8 && channels.count == pixelFormat.samplesPerPixel
    if isStoredAsItLies { return hash.update(bytes) }
    let layout = CPNGLayout(Size(size.width, 1), pixelFormat)
    let form = CPNGForm(color_type: PNGHeader.ColorType(channels).rawValue, bit_depth: UInt8(depth.rawValue))
    let stored = cpng_row_bytes(form, layout.width)
    var row = [UInt8](repeating: 0, count: stored)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe row.withUnsafeMutableBufferPointer { row in
        guard let source = bytes.baseAddress, let target = row.baseAddress else { return }
        for y in 0..<size.height {
          let packed = unsafe cpng_pack_row(source + y * bytesPerRow, layout, form, target)
          unsafe hash.update(UnsafeRawBufferPointer(start: packed, count: stored))
        }
      }
    }
  }
}
