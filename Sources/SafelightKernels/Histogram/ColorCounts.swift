internal import SafelightGPU
internal import SafelightImage

/// Counts red, green and blue of pixels of four samples, an entry for every value: the case that equalization is made of.
///
/// Bands of rows count for themselves. Neighbours of one value would wait for each other's store, so every second pixel counts in a
/// table of its own.
enum ColorCounts {
  static func add<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ source: TextureMemory, _ area: Region, to counts: UnsafeMutableBufferPointer<UInt32>
  ) {
    let entries = Int(Sample.max) + 1
    let length = 6 * entries
    // Tables of 16 bits are 1.5 MiB a band.
    let bands = RowBands(area.y..<area.y + area.size.height, width: area.size.width, most: Sample.max == 255 ? 64 : 4)
    let width = source.size.width
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: bands.count * length) { tables in
      unsafe tables.initialize(repeating: 0)
      unsafe source.withSamples(of: type) { pixels in
        bands.concurrently { number, rows in
          let even = unsafe tables.baseAddress.unsafelyUnwrapped + number * length
          let odd = unsafe even + 3 * entries
          for y in rows {
            var pixel = unsafe pixels.baseAddress.unsafelyUnwrapped + (y * width + area.x) * 4
            for _ in 0..<area.size.width / 2 {
              unsafe even[Int(pixel[0])] &+= 1
              unsafe even[entries + Int(pixel[1])] &+= 1
              unsafe even[2 * entries + Int(pixel[2])] &+= 1
              unsafe odd[Int(pixel[4])] &+= 1
              unsafe odd[entries + Int(pixel[5])] &+= 1
              unsafe odd[2 * entries + Int(pixel[6])] &+= 1
              unsafe pixel += 8
            }
            if area.size.width % 2 == 1 {
              for channel in 0..<3 { unsafe even[channel * entries + Int(pixel[channel])] &+= 1 }
            }
          }
        }
      }
      for table in 0..<2 * bands.count {
        for entry in 0..<3 * entries { unsafe counts[entry] &+= tables[table * 3 * entries + entry] }
      }
    }
  }
}
