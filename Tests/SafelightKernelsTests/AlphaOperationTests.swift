import CKernelRows
import Testing

/// Products and quotients with alpha, in C, against plain lines, for each set of instructions that the processor has.
@Suite struct AlphaOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  @Test(arguments: 0..<sets.count) func productsWithAlpha(set: Int) {
    let operations = Self.sets[set]
    check(operations.multiply_alpha_8, of: Self.pixels(UInt8.self)) { color, alpha in
      UInt16((UInt64(color) * UInt64(alpha) * 257 + 127) / 255)
    } alpha: {
      UInt16($0) * 257
    }
    check(operations.premultiply_8, of: Self.pixels(UInt8.self)) { color, alpha in
      UInt8((UInt64(color) * UInt64(alpha) + 127) / 255)
    } alpha: {
      $0
    }
    check(operations.multiply_alpha_16, of: Self.pixels(UInt16.self)) { color, alpha in
      UInt16((UInt64(color) * UInt64(alpha) + 32767) / 65535)
    } alpha: {
      $0
    }
  }

  @Test(arguments: 0..<sets.count) func quotientsByAlpha(set: Int) {
    let operations = Self.sets[set]
    // Multiplied colors are no greater than alpha.
    let pixels = Self.pixels(UInt16.self).map { [min($0[0], $0[3]), min($0[1], $0[3]), min($0[2], $0[3]), $0[3]] }
    check(operations.divide_alpha_8, of: pixels) { color, alpha in
      UInt8((UInt64(color) * 255 + UInt64(alpha) / 2) / max(UInt64(alpha), 1))
    } alpha: {
      UInt8((UInt32($0) + 128) / 257)
    }
    check(operations.divide_alpha_16, of: pixels) { color, alpha in
      UInt16((UInt64(color) * 65535 + UInt64(alpha) / 2) / max(UInt64(alpha), 1))
    } alpha: {
      $0
    }
  }

  @Test(arguments: 0..<sets.count) func quotientsRoundedDown(set: Int) {
    func quotient<Sample: FixedWidthInteger>(_ color: Sample, _ alpha: Sample) -> Sample {
      alpha == 0 ? color : Sample(clamping: UInt64(color) * UInt64(Sample.max) / UInt64(alpha))
    }
    check(Self.sets[set].unpremultiply_8, of: Self.pixels(UInt8.self), quotient) { $0 }
    check(Self.sets[set].unpremultiply_16, of: Self.pixels(UInt16.self), quotient) { $0 }
  }

  /// Pixels by chance, then the least and the greatest alphas and colors.
  private static func pixels<Sample: FixedWidthInteger & UnsignedInteger>(_ type: Sample.Type) -> [[Sample]] {
    let samples = RowOperationTests.samples(type, 4 * 3000, seed: 7)
    let chance = (0..<3000).map { Array(samples[4 * $0..<4 * $0 + 4]) }
    let ends: [Sample] = [0, 1, 2, .max / 2, .max - 1, .max]
    return chance + ends.flatMap { color in ends.map { alpha in [color, alpha, .max - color, alpha] } }
  }

  private func check<
    Sample: FixedWidthInteger & UnsignedInteger, Made: FixedWidthInteger & UnsignedInteger
  >(
    _ make: (UnsafeMutablePointer<Made>, UnsafePointer<Sample>, Int) -> Void, of pixels: [[Sample]],
    _ color: (Sample, Sample) -> Made, alpha: (Sample) -> Made
  ) {
    for count in RowOperationTests.lengths + [pixels.count] {
      let pixels = pixels.suffix(count)
      // A sample behind the last shows that no more are written.
      var made = [Made](repeating: 3, count: 4 * count + 1)
      make(&made, pixels.flatMap { $0 }, count)
      let expected = pixels.flatMap { pixel in
        pixel[..<3].map { color($0, pixel[3]) } + [alpha(pixel[3])]
      }
      #expect(made == expected + [3], "\(Sample.self) to \(Made.self), \(count) pixels")
    }
  }
}
