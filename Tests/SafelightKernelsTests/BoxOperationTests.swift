import CKernelRows
import Testing

/// Sums that slide, in C, against plain sums, for each set of instructions that the processor has.
@Suite struct BoxOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  @Test(arguments: 0..<sets.count) func sumsOfColumns(set: Int) {
    let operations = Self.sets[set]
    check(operations.slide_8)
    check(operations.slide_16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ slide: (
      UnsafeMutablePointer<UInt32>, UnsafePointer<UInt32>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int
    ) -> Void
  ) {
    for count in RowOperationTests.lengths {
      let enters = RowOperationTests.samples(Sample.self, count, seed: count)
      let leaves = RowOperationTests.samples(Sample.self, count, seed: count + 1)
      let above = zip(leaves, 0...).map { UInt32($0) + UInt32($1) * 1000 }
      var made = [UInt32](repeating: 3, count: count + 1)
      slide(&made, above, enters, leaves, count)
      let expected = (0..<count).map { above[$0] + UInt32(enters[$0]) - UInt32(leaves[$0]) }
      #expect(made == expected + [3], "\(Sample.self) \(count)")
    }
  }

  /// The sizes at which another precision or another width of sums begins are among them, with the greatest samples.
  @Test(arguments: 0..<sets.count, [1, 4]) func meansAlongRows(set: Int, step: Int) {
    let operations = Self.sets[set]
    for size in [1, 3, 101, 103, 255, 1001] {
      check(operations.row_mean_8, size, step)
      if size <= 255 { check(operations.row_mean_16, size, step) }
      check(operations.row_mean_16_wide, size, step)
    }
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger, Total: FixedWidthInteger>(
    _ average: (UnsafeMutablePointer<Sample>, UnsafeMutablePointer<Total>, UnsafePointer<UInt32>, Int, Int, Int) ->
      Void,
    _ size: Int, _ step: Int
  ) {
    for pixels in [0, 1, 2, 3, 5, 16, 33, 67] {
      let count = pixels * step
      for isFull in [false, true] {
        let samples = RowOperationTests.samples(Sample.self, count + (size - 1) * step, seed: size + count)
        let sums = samples.map { UInt32(isFull ? .max : $0) * UInt32(size) }
        var made = [Sample](repeating: 3, count: count + 1)
        var totals = [Total](repeating: 0, count: count)
        average(&made, &totals, sums, size, step, count)
        let area = size * size
        let expected = (0..<count).map { place in
          let total = (0..<size).reduce(0) { $0 + Int(sums[place + $1 * step]) }
          return Sample((total + area / 2) / area)
        }
        #expect(made == expected + [3], "\(Sample.self) \(Total.self) \(size) \(step) \(pixels)")
      }
    }
  }
}
