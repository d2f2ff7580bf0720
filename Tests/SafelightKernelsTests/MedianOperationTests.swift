import CKernelRows
import Testing

/// The medians in C against sorted lists, for each set of instructions that the processor has.
@Suite struct MedianOperationTests {
  /// Returns the medians of squares of `rows`, each of which has `radius` pixels more on both sides.
  private static func medians<Sample: Comparable>(_ rows: [[Sample]], step: Int, count: Int) -> [Sample] {
    (0..<count).map { place in
      let around = rows.flatMap { row in (0..<rows.count).map { row[place + $0 * step] } }
      return around.sorted()[around.count / 2]
    }
  }

  @Test(arguments: 0..<sets.count, [1, 4]) func rowsByChance(set: Int, step: Int) {
    let operations = RowOperationTests.sets[set]
    checkThree(operations.median_3_8, step)
    checkThree(operations.median_3_16, step)
    checkFive(operations.sort_5_8, operations.median_5_8, step)
    checkFive(operations.sort_5_16, operations.median_5_16, step)
    for radius in [0, 1, 3, 7] {
      checkAny(operations.median_8, radius, step)
      checkAny(operations.median_16, radius, step)
    }
  }

  private func checkThree<Sample: FixedWidthInteger & UnsignedInteger>(
    _ median: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int, Int
    ) -> Void, _ step: Int
  ) {
    for count in RowOperationTests.lengths {
      let rows = (0..<3).map { RowOperationTests.samples(Sample.self, count + 2 * step, seed: 3 * count + $0) }
      var made = [Sample](repeating: 3, count: count + 1)
      RowOperationTests.withPointers(rows, step) { median(&made, $0[0], $0[1], $0[2], step, count) }
      #expect(made == Self.medians(rows, step: step, count: count) + [3], "\(Sample.self) \(count)")
    }
  }

  private func checkFive<Sample: FixedWidthInteger & UnsignedInteger>(
    _ sort: (UnsafeMutablePointer<Sample>, Int, UnsafePointer<UnsafePointer<Sample>>, Int) -> Void,
    _ median: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, Int, Int, Int) -> Void, _ step: Int
  ) {
    for count in RowOperationTests.lengths {
      let width = count + 4 * step
      let rows = (0..<6).map { RowOperationTests.samples(Sample.self, width, seed: 6 * count + $0) }
      let stride = width + 3
      var sorted = [Sample](repeating: 7, count: 10 * stride)
      RowOperationTests.withPointers(rows, 0) { sort(&sorted, stride, $0, width) }
      for half in 0..<2 {
        for rank in 0..<5 {
          let column = (0..<width).map { place in (half..<half + 5).map { rows[$0][place] }.sorted()[rank] }
          let first = (5 * half + rank) * stride
          #expect(Array(sorted[first..<first + width]) == column && sorted[first + width] == 7)
        }
        var made = [Sample](repeating: 3, count: count + 1)
        sorted.withUnsafeBufferPointer { sorted in
          guard let base = sorted.baseAddress else { return }
          median(&made, base + 5 * half * stride + 2 * step, stride, step, count)
        }
        let expected = Self.medians(Array(rows[half..<half + 5]), step: step, count: count)
        #expect(made == expected + [3], "\(Sample.self) \(count)")
      }
    }
  }

  private func checkAny<Sample: FixedWidthInteger & UnsignedInteger>(
    _ median: (UnsafeMutablePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>, Int, Int, Int) -> Void,
    _ radius: Int, _ step: Int
  ) {
    for count in [1, 31, 32, 64, 130] {
      let rows = (0...2 * radius).map { RowOperationTests.samples(Sample.self, count + 2 * radius * step, seed: $0) }
      var made = [Sample](repeating: 3, count: count + 1)
      RowOperationTests.withPointers(rows, radius * step) { median(&made, $0, radius, step, count) }
      #expect(made == Self.medians(rows, step: step, count: count) + [3], "\(Sample.self) \(radius) \(count)")
    }
  }

  /// A network of minima and maxima that is right for all zeros and ones is right for all numbers.
  @Test(arguments: 0..<sets.count) func allZerosAndOnes(set: Int) {
    let operations = RowOperationTests.sets[set]
    let three = (0..<3).map { row in
      (0..<512 * 3).map { place in
        let (square, column) = (place / 3, place % 3)
        return UInt8(square >> (3 * column + row) & 1)
      }
    }
    var made = [UInt8](repeating: 3, count: 512 * 3 - 2)
    RowOperationTests.withPointers(three, 1) { operations.median_3_8(&made, $0[0], $0[1], $0[2], 1, made.count) }
    #expect(made == Self.medians(three, step: 1, count: made.count))

    // Each of five sorted columns has between none and five ones.
    let powers = [1, 6, 36, 216, 1296]
    let width = 7776 * 5
    let five = (0..<5).map { rank in
      (0..<width).map { place in
        let ones = place / 5 / powers[place % 5] % 6
        return UInt8(ones >= 5 - rank ? 1 : 0)
      }
    }
    let sorted = five.flatMap(\.self)
    made = [UInt8](repeating: 3, count: width - 4)
    sorted.withUnsafeBufferPointer { sorted in
      if let base = sorted.baseAddress { operations.median_5_8(&made, base + 2, width, 1, made.count) }
    }
    for place in 0..<made.count {
      let ones = five.reduce(0) { $0 + $1[place..<place + 5].reduce(0, +) }
      if made[place] != (ones >= 13 ? 1 : 0) { Issue.record("the columns from \(place) on give \(made[place])") }
    }
  }

  private static var sets: [CKernelRows] { RowOperationTests.sets }
}
