import CKernelRows
import Testing

/// Resampling in C against plain integers, for each set of instructions that the processor has.
@Suite struct ResamplingOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  /// A sum of samples with weights in 2²² for one, halves rounded up.
  private static func weighed<Sample: FixedWidthInteger>(_ samples: [Sample], _ weights: [Int32]) -> Sample {
    let sum = zip(samples, weights).reduce(1 << 21) { $0 + Int($1.0) * Int($1.1) }
    return Sample(clamping: sum >> 22)
  }

  /// Weights that together are one, some below 0.
  private static func weights(_ count: Int) -> [Int32] {
    let others = (1..<max(count, 1)).map { Int32(($0 * 987_654) % 700_000 - 300_000) }
    return [Int32(1 << 22) - others.reduce(0, +)] + others
  }

  @Test(arguments: 0..<sets.count, [1, 2, 5, 7, 24]) func weightsDownColumns(set: Int, taps: Int) {
    check(Self.sets[set].weigh_rows_8, taps)
    check(Self.sets[set].weigh_rows_16, taps)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ weigh: (
      UnsafeMutablePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<Int32>, Int, Int
    ) -> Void,
    _ taps: Int
  ) {
    let weights = Self.weights(taps)
    for count in RowOperationTests.lengths {
      let rows = (0..<taps).map { RowOperationTests.samples(Sample.self, count, seed: $0 + count) }
      var made = [Sample](repeating: 3, count: count + 1)
      RowOperationTests.withPointers(rows, 0) { weigh(&made, $0, weights, taps, count) }
      let expected = (0..<count).map { at in Self.weighed(rows.map { $0[at] }, weights) }
      #expect(made == expected + [3], "\(Sample.self) \(taps) \(count)")
    }
  }

  @Test(arguments: 0..<sets.count) func weightsAlongRows(set: Int) {
    let operations = Self.sets[set]
    check(operations.weigh_row_8, step: 4)
    check(operations.weigh_row_16, step: 4)
    check(operations.weigh_row_gray_8, step: 1)
    check(operations.weigh_row_gray_16, step: 1)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ weigh: (
      UnsafePointer<UnsafeMutablePointer<Sample>>, UnsafePointer<UnsafePointer<Sample>>, UnsafeMutablePointer<Sample>,
      UnsafePointer<Int32>, Int, Int, Int, Int
    ) -> Void, step: Int
  ) {
    let (first, width, count, rows, most) = (3, 40, 29, 16 / step, 6)
    let read = (0..<rows).map { RowOperationTests.samples(Sample.self, width * step, seed: $0) }
    let spans = (0..<count).map { (first: first + $0, weights: Self.weights(1 + $0 % most)) }
    let numbers = spans.flatMap { span in
      [Int32(span.first), Int32(span.weights.count)] + span.weights
        + [Int32](repeating: 77, count: most - span.weights.count)
    }
    var woven = [Sample](repeating: 0, count: 16 * width)
    var made = [Sample](repeating: 3, count: rows * (count * step + 1))
    made.withUnsafeMutableBufferPointer { made in
      let targets = (0..<rows).compactMap { row in made.baseAddress.map { $0 + row * (count * step + 1) } }
      RowOperationTests.withPointers(read, 0) {
        weigh(targets, $0, &woven, numbers, 2 + most, first, width, count)
      }
    }
    var expected: [Sample] = []
    for row in read {
      for span in spans {
        for channel in 0..<step {
          let samples = span.weights.indices.map { tap in row[(span.first - first + tap) * step + channel] }
          expected.append(Self.weighed(samples, span.weights))
        }
      }
      expected.append(3)
    }
    #expect(made == expected, "\(Sample.self) \(step)")
  }

  @Test(arguments: 0..<sets.count) func meansOfTwoAlongRows(set: Int) {
    let operations = Self.sets[set]
    check(operations.stretch_8, step: 4, whole: 256)
    check(operations.stretch_16, step: 4, whole: 65536)
    check(operations.stretch_gray_8, step: 1, whole: 256)
    check(operations.stretch_gray_16, step: 1, whole: 65536)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger>(
    _ stretch: (
      UnsafeMutablePointer<Sum>, UnsafePointer<Sample>, UnsafePointer<UInt32>, UnsafePointer<Sum>, Int
    ) -> Void,
    step: Int, whole: Int
  ) {
    var row = RowOperationTests.samples(Sample.self, 50 * step, seed: step)
    row.replaceSubrange(0..<2 * step, with: repeatElement(.max, count: 2 * step))
    for count in RowOperationTests.lengths {
      let pairs = (0..<count).map { ($0 % 50, min($0 % 50 + 1, 49)) }
      let weights = (0..<count).map { $0 * 4001 % (whole + 1) }
      var made = [Sum](repeating: 3, count: count * step + 1)
      stretch(
        &made, row, pairs.flatMap { [UInt32($0.0), UInt32($0.1)] },
        weights.flatMap { repeatElement(Sum($0), count: step) }, count)
      let expected = (0..<count * step).map { at in
        let (pair, weight) = (pairs[at / step], weights[at / step])
        func sample(_ pixel: Int) -> Int { Int(row[pixel * step + at % step]) }
        return Sum(sample(pair.0) * (whole - weight) + sample(pair.1) * weight)
      }
      #expect(made == expected + [3], "\(Sample.self) \(step) \(count)")
    }
  }

  @Test(arguments: 0..<sets.count) func meansOfTwoRows(set: Int) {
    check(Self.sets[set].mix_rows_8, whole: 256)
    check(Self.sets[set].mix_rows_16, whole: 65536)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger>(
    _ mix: (UnsafeMutablePointer<Sample>, UnsafePointer<Sum>, UnsafePointer<Sum>, UInt32, Int) -> Void, whole: UInt64
  ) {
    // No sum is more than the greatest sample has.
    let most = UInt64(Sample.max) * whole
    for count in RowOperationTests.lengths {
      let sums = (0..<2).map { seed in
        RowOperationTests.samples(Sum.self, count, seed: seed).enumerated().map { place, sum in
          place == 5 ? Sum(most) : Sum(UInt64(sum) % (most + 1))
        }
      }
      for weight in [0, 1, whole / 2, whole - 1, whole] {
        var made = [Sample](repeating: 3, count: count + 1)
        mix(&made, sums[0], sums[1], UInt32(weight), count)
        let expected = zip(sums[0], sums[1]).map { upper, lower in
          Sample((UInt64(upper) * (whole - weight) + UInt64(lower) * weight + whole * whole / 2) / (whole * whole))
        }
        #expect(made == expected + [3], "\(Sample.self) \(count) \(weight)")
      }
    }
  }

  @Test(arguments: 0..<sets.count) func halves(set: Int) {
    let operations = Self.sets[set]
    check(operations.halve_pixels_8, step: 4)
    check(operations.halve_pixels_16, step: 4)
    check(operations.halve_gray_8, step: 1)
    check(operations.halve_gray_16, step: 1)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ halve: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int) -> Void, step: Int
  ) {
    for count in RowOperationTests.lengths {
      let rows = (0..<2).map { seed in
        // Some pixels as bright as can be.
        RowOperationTests.samples(Sample.self, 2 * count * step, seed: count + seed).enumerated().map { place, sample in
          place / (2 * step) % 5 == 0 ? .max : sample
        }
      }
      var made = [Sample](repeating: 3, count: count * step + 1)
      halve(&made, rows[0], rows[1], count)
      let expected = (0..<count * step).map { at in
        let first = at / step * 2 * step + at % step
        let sum = rows.reduce(UInt64(2)) { $0 + UInt64($1[first]) + UInt64($1[first + step]) }
        return Sample(sum / 4)
      }
      #expect(made == expected + [3], "\(Sample.self) \(step) \(count)")
    }
  }
}
