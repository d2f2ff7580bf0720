/// A test picture computed from integers only, identical on every machine; for tests, conformance and benchmarks.
public enum SyntheticImage: String, Sendable, CaseIterable {
  /// A gradient from 0 to the maximum along each row, steeper or flatter in each channel.
  case ramp
  /// One value in each channel.
  case flat
  /// Alternating pixels of 0 and the maximum.
  case checker
  /// One pixel at the maximum on black.
  case hotPixel
  /// An independent pseudorandom value in each sample.
  case noise

  /// Returns the picture. Alpha, if any, is noise, so that tests notice a kernel that changes it.
  public func image(_ size: Size, channels: Channels, depth: SampleDepth) -> Image {
    let format = PixelFormat(channels: channels, depth: depth)
    let maximum = UInt64(format.maximum)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * format.bytesPerPixel)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in 0..<format.samplesPerPixel {
          // Gray-and-alpha pictures hold the gray value in three samples.
          let source = channels == .grayAlpha ? 0 : sample
          let value =
            if sample == 3 {
              channels.hasAlpha ? Self.hash(x, y, 3) % (maximum + 1) : maximum
            } else {
              color(x: x, y: y, sample: source, size: size, maximum: maximum)
            }
          bytes.append(UInt8(truncatingIfNeeded: value))
          if depth == .bits16 { bytes.append(UInt8(truncatingIfNeeded: value >> 8)) }
        }
      }
    }
    return Image(size: size, channels: channels, depth: depth, bytes: bytes)
  }

  private func color(x: Int, y: Int, sample: Int, size: Size, maximum: UInt64) -> UInt64 {
    switch self {
    case .ramp: UInt64(x) * maximum / UInt64(max(1, size.width - 1)) * UInt64(sample + 2) / 4
    case .flat: maximum / UInt64(sample + 3)
    case .checker: (x + y) & 1 == 0 ? 0 : maximum
    case .hotPixel: x == size.width / 2 && y == size.height / 3 ? maximum : 0
    case .noise: Self.hash(x, y, sample) % (maximum + 1)
    }
  }

  /// Hashes a position with SplitMix64's finalizer (Steele, Lea, Flood 2014).
  private static func hash(_ x: Int, _ y: Int, _ sample: Int) -> UInt64 {
    var z = (UInt64(y) << 34 | UInt64(x) << 4 | UInt64(sample)) &* 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return (z ^ (z >> 31)) >> 20
  }
}
