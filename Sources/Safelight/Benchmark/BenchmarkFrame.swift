internal import SafelightImage

/// Frames of any size that a codec finds as hard as those of a camera: a film's frame, enlarged, under grain.
package enum BenchmarkFrame {
  /// Frame `number`, 8 bits, red, green, blue; the grain is another one in each, and always the same.
  package static func image(_ size: Size, number: Int) -> Image {
    let film = ConformanceFrame.image
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * 4)
    var grain = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
    for y in 0..<size.height {
      let row = y * film.size.height / size.height * film.size.width
      for x in 0..<size.width {
        // Marsaglia's xorshift.
        grain ^= grain << 13
        grain ^= grain >> 7
        grain ^= grain << 17
        let pixel = (row + x * film.size.width / size.width) * 4
        for sample in 0..<3 {
          let noise = UInt8(truncatingIfNeeded: grain >> UInt64(sample * 8)) & 15
          bytes.append(min(240, film.bytes[pixel + sample]) + noise)
        }
        bytes.append(255)
      }
    }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }
}
