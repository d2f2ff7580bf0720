import CKernelRows
import Testing

/// Means by the distance of colors, in C, against the rule, for each set of instructions that the processor has.
@Suite struct BilateralOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  @Test(arguments: 0..<sets.count) func meansOfPixels(set: Int) {
    let operations = Self.sets[set]
    check(operations.bilateral_8, channels: 4)
    check(operations.bilateral_16, channels: 4)
    check(operations.bilateral_gray_8, channels: 1)
    check(operations.bilateral_gray_16, channels: 1)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ weigh: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<UnsafePointer<Sample>>,
      UnsafePointer<UnsafePointer<UInt32>>, Int, Int
    ) -> Void, channels: Int
  ) {
    // Weights by chance, among them the least and the greatest that 253 places can have.
    let tables = (0..<253).map { table in
      RowOperationTests.samples(UInt16.self, 766, seed: table).map { UInt32(max(1, min($0, 65534))) }
    }
    for (count, taps) in RowOperationTests.lengths.map({ ($0, 3) }) + [(17, 253), (8, 1)] {
      let rows = (0...taps).map { RowOperationTests.samples(Sample.self, channels * count, seed: $0 + count) }
      var made = [Sample](repeating: 3, count: channels * count + 1)
      RowOperationTests.withPointers(rows, 0) { rows in
        RowOperationTests.withPointers(Array(tables.prefix(taps)), 0) { tables in
          weigh(&made, rows[0], rows + 1, tables, taps, count)
        }
      }
      let expected = (0..<count).flatMap { pixel in
        means(rows.map { Array($0[channels * pixel..<channels * (pixel + 1)]) }, tables)
      }
      #expect(made == expected + [3], "\(Sample.self) \(count) \(taps)")
    }
  }

  /// The pixel that the first of `pixels` becomes, from the others.
  private func means<Sample: FixedWidthInteger & UnsignedInteger>(
    _ pixels: [[Sample]], _ tables: [[UInt32]]
  ) -> [Sample] {
    var sums = pixels[0].map { _ in UInt64(0) }
    var whole: UInt64 = 0
    for (other, table) in zip(pixels.dropFirst(), tables) {
      let apart = zip(pixels[0], other).map { Int($0 > $1 ? $0 - $1 : $1 - $0) }
      let sum = apart.count == 1 ? 3 * apart[0] : apart[0] + apart[1] + apart[2]
      let weight = UInt64(table[Sample.bitWidth == 8 ? sum : (sum + 128) / 257])
      whole += weight
      for channel in sums.indices { sums[channel] += weight * UInt64(other[channel]) }
    }
    return sums.map { Sample(($0 + whole / 2) / whole) }
  }
}
