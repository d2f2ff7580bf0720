import CKernelRows
import Testing

/// Rows laid over others, in C, against plain integers, for each set of instructions that the processor has.
@Suite struct BlendOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  private typealias Blend<Sample> = (
    UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Sample, UInt64, Int
  ) -> Void

  @Test(arguments: 0..<sets.count) func mixtures(set: Int) {
    let operations = Self.sets[set]
    func divided<Sample: FixedWidthInteger>(_ product: UInt64, _ type: Sample.Type) -> UInt64 {
      (2 * product + UInt64(Sample.max)) / (2 * UInt64(Sample.max))
    }
    check(UInt8.self, operations.lay_8) { $1 }
    check(UInt16.self, operations.lay_16) { $1 }
    check(UInt8.self, operations.multiply_8) { divided($0 * $1, UInt8.self) }
    check(UInt16.self, operations.multiply_16) { divided($0 * $1, UInt16.self) }
    check(UInt8.self, operations.screen_8) { $0 + $1 - divided($0 * $1, UInt8.self) }
    check(UInt16.self, operations.screen_16) { $0 + $1 - divided($0 * $1, UInt16.self) }
    func hardLight<Sample: FixedWidthInteger>(_ frame: UInt64, _ light: UInt64, _ type: Sample.Type) -> UInt64 {
      let maximum = UInt64(Sample.max)
      if 2 * light <= maximum { return divided(2 * frame * light, type) }
      return frame + (2 * light - maximum) - divided(frame * (2 * light - maximum), type)
    }
    check(UInt8.self, operations.overlay_8) { hardLight($1, $0, UInt8.self) }
    check(UInt16.self, operations.overlay_16) { hardLight($1, $0, UInt16.self) }
    check(UInt8.self, operations.hard_light_8) { hardLight($0, $1, UInt8.self) }
    check(UInt16.self, operations.hard_light_16) { hardLight($0, $1, UInt16.self) }
    check(UInt8.self, operations.darken_8) { min($0, $1) }
    check(UInt16.self, operations.darken_16) { min($0, $1) }
    check(UInt8.self, operations.lighten_8) { max($0, $1) }
    check(UInt16.self, operations.lighten_16) { max($0, $1) }
    check(UInt8.self, operations.difference_8) { max($0, $1) - min($0, $1) }
    check(UInt16.self, operations.difference_16) { max($0, $1) - min($0, $1) }
    check(UInt8.self, operations.exclusion_8) { divided($0 * (255 - $1) + $1 * (255 - $0), UInt8.self) }
    check(UInt16.self, operations.exclusion_16) { divided($0 * (65535 - $1) + $1 * (65535 - $0), UInt16.self) }
    check(UInt8.self, operations.add_8) { min($0 + $1, 255) }
    check(UInt16.self, operations.add_16) { min($0 + $1, 65535) }
    check(UInt8.self, operations.subtract_8) { $0 > $1 ? $0 - $1 : 0 }
    check(UInt16.self, operations.subtract_16) { $0 > $1 ? $0 - $1 : 0 }
    check(UInt8.self, operations.average_8) { ($0 + $1 + 1) / 2 }
    check(UInt16.self, operations.average_16) { ($0 + $1 + 1) / 2 }
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ type: Sample.Type, _ blend: Blend<Sample>, _ mixture: (UInt64, UInt64) -> UInt64
  ) {
    let maximum = UInt64(Sample.max)
    for count in RowOperationTests.lengths {
      let frames = RowOperationTests.samples(type, count, seed: count)
      let others = RowOperationTests.samples(type, count, seed: count + 1)
      for weight in [0, 1, maximum / 2, maximum - 1, maximum] {
        var made = [Sample](repeating: 3, count: count + 1)
        blend(&made, frames, others, Sample(weight), .max, count)
        let expected = zip(frames, others).map { frame, other in
          let sum = mixture(UInt64(frame), UInt64(other)) * weight + UInt64(frame) * (maximum - weight)
          return Sample((2 * sum + maximum) / (2 * maximum))
        }
        #expect(made == expected + [3], "\(type) \(count) \(weight)")
        // Without alpha, of pixels of four samples.
        guard count % 4 == 0 else { continue }
        blend(&made, frames, others, Sample(weight), Self.colors(type), count)
        let kept = expected.indices.map { $0 % 4 == 3 ? frames[$0] : expected[$0] }
        #expect(made == kept + [3], "\(type) \(count) \(weight) without alpha")
      }
    }
  }

  private static func colors<Sample: FixedWidthInteger>(_ type: Sample.Type) -> UInt64 {
    Sample.bitWidth == 8 ? 0x00FF_FFFF_00FF_FFFF : 0x0000_FFFF_FFFF_FFFF
  }

  /// All pairs of 8 bits, and those of 16 around quotients that are half or whole.
  @Test(arguments: 0..<sets.count) func quotients(set: Int) {
    let operations = Self.sets[set]
    checkQuotients((0..<256).flatMap { frame in (0..<256).map { (frame, $0) } }, operations.divide_8)
    var pairs: [(Int, Int)] = []
    for other in 0..<65536 {
      for quotient in [0, 1, 2, 30000, 65534, 65535] { pairs.append(((2 * quotient + 1) * other / 131070, other)) }
      pairs.append((other, 65535 - other))
    }
    checkQuotients(pairs, operations.divide_16)
  }

  private func checkQuotients<Sample: FixedWidthInteger & UnsignedInteger>(
    _ pairs: [(Int, Int)],
    _ divide: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, UInt64, Int) -> Void
  ) {
    let maximum = Int(Sample.max)
    let frames = pairs.map { Sample($0.0) }
    let expected = pairs.map { frame, other in
      other == 0 ? 0 : Sample(min((2 * frame * maximum + other) / (2 * other), maximum))
    }
    // Beginning at a whole pixel, few at a time and all at once.
    for (first, count) in [(0, pairs.count), (8, 4), (64, 12), (4, 20)] {
      var made = [Sample](repeating: 3, count: count + 1)
      let others = pairs[first..<first + count].map { Sample($0.1) }
      let some = Array(frames[first..<first + count])
      divide(&made, some, others, .max, count)
      #expect(made == expected[first..<first + count] + [3])
      divide(&made, some, others, Self.colors(Sample.self), count)
      #expect(made == some.indices.map { $0 % 4 == 3 ? some[$0] : expected[first + $0] } + [3])
    }
  }

  /// All products of 8 bits, and those of 16 bits around quotients that are half.
  @Test(arguments: 0..<sets.count) func productsAreRoundedToTheNearest(set: Int) {
    let operations = Self.sets[set]
    check((0..<256).flatMap { frame in (0..<256).map { (frame, $0) } }, operations.multiply_8)
    let halves = (0..<65536).flatMap { frame in
      [0, 1, 30000].map { (frame, min(65535, 32768 * (2 * $0 + 1) / max(1, frame))) }
    }
    check(halves, operations.multiply_16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ pairs: [(Int, Int)], _ multiply: Blend<Sample>
  ) {
    var made = [Sample](repeating: 0, count: pairs.count)
    multiply(&made, pairs.map { Sample($0.0) }, pairs.map { Sample($0.1) }, .max, .max, pairs.count)
    let maximum = Int(Sample.max)
    let expected = pairs.map { pair in
      let product = pair.0 * pair.1
      return Sample((2 * product + maximum) / (2 * maximum))
    }
    #expect(made == expected)
  }

  @Test(arguments: 0..<sets.count) func opacity(set: Int) {
    let operations = Self.sets[set]
    check(operations.opaque_8)
    check(operations.opaque_16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ isOpaque: (UnsafePointer<Sample>, Int) -> Int32
  ) {
    for count in [0, 1, 2, 3, 7, 8, 15, 16, 17, 40, 67] {
      var pixels = RowOperationTests.samples(Sample.self, 4 * count, seed: count)
      for pixel in 0..<count { pixels[4 * pixel + 3] = .max }
      #expect(isOpaque(pixels, count) != 0, "\(count)")
      for pixel in 0..<count {
        pixels[4 * pixel + 3] = .max - 1
        #expect(isOpaque(pixels, count) == 0, "\(pixel) of \(count)")
        pixels[4 * pixel + 3] = .max
      }
    }
  }
}
