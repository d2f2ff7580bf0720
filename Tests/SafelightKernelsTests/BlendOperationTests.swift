import CKernelRows
import Testing

/// Rows laid over others, in C, against plain integers, for each set of instructions that the processor has.
@Suite struct BlendOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  private typealias Blend<Sample> = (
    UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Sample, Int
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
        blend(&made, frames, others, Sample(weight), count)
        let expected = zip(frames, others).map { frame, other in
          let sum = mixture(UInt64(frame), UInt64(other)) * weight + UInt64(frame) * (maximum - weight)
          return Sample((2 * sum + maximum) / (2 * maximum))
        }
        #expect(made == expected + [3], "\(type) \(count) \(weight)")
      }
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
    multiply(&made, pairs.map { Sample($0.0) }, pairs.map { Sample($0.1) }, .max, pairs.count)
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
