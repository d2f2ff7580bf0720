internal import Crypto
public import SafelightImage

extension Image {
  /// SHA-256 over width, height, channels and bits, four little-endian 32-bit numbers, and the samples as a PNG file orders them.
  ///
  /// Equal pixels have equal hashes, however their files were compressed; what the samples mean as colours is not in it.
  public var pixelHash: String {
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

extension Sequence<UInt8> {
  /// Two digits a byte.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
