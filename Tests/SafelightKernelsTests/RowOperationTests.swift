import CKernelRows
import Testing

/// The operations in C on rows against plain lines, for each set of instructions that the processor has.
@Suite struct RowOperationTests {
  /// All sets, the best first.
  static var sets: [CKernelRows] {
    (0...).lazy.map { ckernel_rows($0) }.prefix { $0 != nil }.compactMap { $0?.pointee }
  }

  /// Around the sizes of all blocks, from one to several.
  static let lengths = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 95, 96, 127, 128, 129, 200]

  @Test func thereIsAlwaysABaseline() {
    #expect(Self.sets.last.map { String(cString: $0.name) } == "baseline")
  }

  /// A sum of whole 256ths or 65536ths, whose weights on both sides of the middle together are 1.
  private static func weights(_ radius: Int, whole: UInt32) -> [UInt32] {
    let side = (0..<radius).map { UInt32($0 % 3) * whole / UInt32(4 * radius) }
    return [whole - 2 * side.reduce(0, +)] + side
  }

  @Test(arguments: 0..<sets.count, [0, 1, 2, 6, 40]) func sumsOfRows(set: Int, radius: Int) {
    let operations = Self.sets[set]
    check(operations.sum_rows_8, radius, whole: 256)
    check(operations.sum_rows_8_wide, radius, whole: 65536)
    check(operations.sum_rows_16, radius, whole: 65536)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger, Sum: FixedWidthInteger & UnsignedInteger>(
    _ sum: (
      UnsafeMutablePointer<Sum>, UnsafePointer<UnsafePointer<Sample>>, UnsafePointer<UInt32>, Int, Int
    ) -> Void, _ radius: Int, whole: UInt32
  ) {
    let weights = Self.weights(radius, whole: whole)
    for count in Self.lengths {
      for shift in 0..<3 {
        let rows = (0...2 * radius).map { row in Self.samples(Sample.self, count + shift, seed: row) }
        // A sample behind the last shows that no more are written.
        var made = [Sum](repeating: 0xAB, count: count + 1)
        Self.withPointers(rows, shift) { sum(&made, $0, weights, radius, count) }
        let expected = (0..<count).map { column in
          (-radius...radius).reduce(UInt64(0)) { sum, far in
            sum + UInt64(rows[radius + far][column + shift]) * UInt64(weights[abs(far)])
          }
        }
        #expect(made.map { UInt64($0) } == expected + [0xAB], "\(Sample.self) \(radius) \(count) \(shift)")
      }
    }
  }

  static func withPointers<Sample>(
    _ rows: [[Sample]], _ shift: Int, _ known: [UnsafePointer<Sample>] = [],
    _ body: (UnsafePointer<UnsafePointer<Sample>>) -> Void
  ) {
    guard let row = rows.first else { return body(known) }
    row.withUnsafeBufferPointer { samples in
      guard let base = samples.baseAddress else { return }
      Self.withPointers(Array(rows.dropFirst()), shift, known + [base + shift], body)
    }
  }

  @Test(arguments: 0..<sets.count) func sumsOfChannels(set: Int) {
    check(Self.sets[set].add_channels_8)
    check(Self.sets[set].add_channels_16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ add: (UnsafeMutablePointer<UInt32>, UnsafePointer<Sample>, Int32, Int) -> UInt32
  ) {
    for count in Self.lengths + [4095, 4113, 65536] {
      var pixels = Self.samples(Sample.self, 4 * count, seed: count)
      if count == 65536 { pixels = [Sample](repeating: .max, count: 4 * count) }
      for place in stride(from: 3, to: min(pixels.count, 1000), by: 12) { pixels[place] = 0 }
      for all in [false, true] {
        let seen = (0..<count).filter { all || pixels[4 * $0 + 3] > 0 }
        var sums: [UInt32] = [1, 2, 3, 4, 5]
        let counted = add(&sums, pixels, all ? 1 : 0, count)
        let expected = (0..<4).map { channel in
          seen.reduce(UInt32(channel + 1)) { $0 + UInt32(pixels[4 * $1 + channel]) }
        }
        #expect(sums == expected + [5] && counted == seen.count, "\(Sample.self) \(count) \(all)")
      }
    }
  }

  @Test(arguments: 0..<sets.count) func tables(set: Int) {
    let entries = Self.samples(UInt8.self, 1024, seed: 3)
    let tables = entries.enumerated().map { UInt32($1) << UInt32(8 * ($0 / 256)) }
    for count in Self.lengths {
      let pixels = Self.samples(UInt8.self, 4 * count, seed: count)
      var made = [UInt8](repeating: 3, count: 4 * count + 1)
      Self.sets[set].look_up_8(&made, pixels, tables, count)
      #expect(made == pixels.enumerated().map { entries[256 * ($0 % 4) + Int($1)] } + [3])
    }
  }

  @Test(arguments: 0..<sets.count) func lumaAndGradients(set: Int) {
    let operations = Self.sets[set]
    check(operations.luma_8, operations.gradient_8, operations.spread_8)
    check(operations.luma_16, operations.gradient_16, operations.spread_16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ luma: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, Int) -> Void,
    _ gradient: (
      UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int
    ) -> Void,
    _ spread: (UnsafeMutablePointer<Sample>, UnsafePointer<Sample>, UnsafePointer<Sample>, Int) -> Void
  ) {
    for count in Self.lengths {
      let pixels = Self.samples(Sample.self, 4 * count, seed: count)
      var made = [Sample](repeating: 3, count: count + 1)
      luma(&made, pixels, count)
      let expected = (0..<count).map { place in
        let factors: [UInt64] = [19595, 38470, 7471]
        let sum = (0..<3).reduce(UInt64(32768)) { $0 + UInt64(pixels[4 * place + $1]) * factors[$1] }
        return Sample(sum >> 16)
      }
      #expect(made == expected + [3])

      let rows = (0..<3).map { Self.samples(Sample.self, count + 2, seed: 3 * count + $0) }
      made = [Sample](repeating: 3, count: count + 1)
      Self.withPointers(rows, 1) { gradient(&made, $0[0], $0[1], $0[2], count) }
      let roots = (1..<count + 1).map { x in
        func at(_ row: Int, _ column: Int) -> Int { Int(rows[row][x + column]) }
        let corners = (at(2, 1) - at(0, -1), at(0, 1) - at(2, -1))
        let across = corners.0 + corners.1 + 2 * (at(1, 1) - at(1, -1))
        let down = corners.0 - corners.1 + 2 * (at(2, 0) - at(0, 0))
        let square = across * across + down * down
        var root = Int(Double(square).squareRoot())
        while root * root > square { root -= 1 }
        while (root + 1) * (root + 1) <= square { root += 1 }
        return Sample(clamping: root)
      }
      #expect(made == roots + [3])

      let grays = Self.samples(Sample.self, count, seed: count + 1)
      made = [Sample](repeating: 3, count: 4 * count + 1)
      spread(&made, grays, pixels, count)
      let spreadOut: [Sample] = (0..<4 * count).map { $0 % 4 == 3 ? pixels[$0] : grays[$0 / 4] } + [3]
      #expect(made == spreadOut)
    }
  }

  @Test(arguments: 0..<sets.count) func reversals(set: Int) {
    let operations = Self.sets[set]
    check(operations.reverse_1)
    check(operations.reverse_2)
    check(operations.reverse_4)
    check(operations.reverse_8)
  }

  private func check<Pixel: FixedWidthInteger & UnsignedInteger>(
    _ reverse: (UnsafeMutablePointer<Pixel>, UnsafePointer<Pixel>, Int) -> Void
  ) {
    for count in Self.lengths {
      let pixels = Self.samples(Pixel.self, count, seed: count)
      var made = [Pixel](repeating: 3, count: count + 1)
      reverse(&made, pixels, count)
      #expect(made == pixels.reversed() + [3])
    }
  }

  @Test(arguments: 0..<sets.count) func turns(set: Int) {
    check(Self.sets[set].turn_4)
    check(Self.sets[set].turn_8)
  }

  private func check<Pixel: FixedWidthInteger & UnsignedInteger>(
    _ turn: (UnsafeMutablePointer<Pixel>, Int, UnsafePointer<Pixel>, Int, Int, Int) -> Void
  ) {
    for (columns, rows) in [(1, 1), (3, 9), (4, 4), (9, 3), (8, 12), (13, 7)] {
      let pixels = Self.samples(Pixel.self, columns * (rows + 2), seed: columns)
      for (isFalling, isBackwards) in [(false, false), (true, false), (false, true), (true, true)] {
        // One more column, which stays.
        let stride = columns + 1
        var made = [Pixel](repeating: 3, count: stride * rows)
        made.withUnsafeMutableBufferPointer { made in
          pixels.withUnsafeBufferPointer { pixels in
            guard let to = made.baseAddress, let from = pixels.baseAddress else { return }
            turn(
              isFalling ? to + stride * (rows - 1) : to, isFalling ? -stride : stride,
              isBackwards ? from + (rows + 2) * (columns - 1) : from, isBackwards ? -(rows + 2) : rows + 2, columns,
              rows)
          }
        }
        let expected = (0..<stride * rows).map { place -> Pixel in
          let (x, y) = (place % stride, place / stride)
          if x == columns { return 3 }
          return pixels[(rows + 2) * (isBackwards ? columns - 1 - x : x) + (isFalling ? rows - 1 - y : y)]
        }
        #expect(made == expected, "\(columns) \(rows) \(isFalling) \(isBackwards)")
      }
    }
  }

  /// Values by chance, with many that are least or greatest.
  static func samples<Sample: FixedWidthInteger & UnsignedInteger>(
    _ type: Sample.Type, _ count: Int, seed: Int
  ) -> [Sample] {
    var state = UInt64(seed + 1) &* 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 61 < 3 ? (state >> 60 & 1 == 0 ? .min : .max) : Sample(truncatingIfNeeded: state >> 33)
    }
  }

  @Test(arguments: 0..<sets.count) func halves(set: Int) {
    let operations = Self.sets[set]
    for count in Self.lengths {
      // A word behind the last shows that no more are written.
      var upper = [UInt16](repeating: 7, count: count + 1)
      var lower = upper
      let words = Self.samples(UInt16.self, count, seed: count)
      operations.halve_16(&upper, &lower, words, count)
      let upperBytes: [UInt16] = words.map { $0 >> 8 } + [7]
      let lowerBytes: [UInt16] = words.map { $0 & 255 } + [7]
      #expect(upper == upperBytes && lower == lowerBytes)

      let longs = Self.samples(UInt32.self, count, seed: count)
      operations.halve_32(&upper, &lower, longs, count)
      let upperWords: [UInt16] = longs.map { UInt16($0 >> 16) } + [7]
      let lowerWords: [UInt16] = longs.map { UInt16(truncatingIfNeeded: $0) } + [7]
      #expect(upper == upperWords && lower == lowerWords)
    }
  }

  @Test(arguments: 0..<sets.count, [0, 1, 2, 6, 40]) func sumsAlongRows(set: Int, radius: Int) {
    let operations = Self.sets[set]
    check(operations.sum_row_8, radius, half: 8)
    check(operations.sum_row_8_wide, radius, half: 16, most: 255 * 65536)
    check(operations.sum_row_16, radius, half: 16)
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ sum: (
      UnsafeMutablePointer<Sample>, UnsafePointer<UInt16>, UnsafePointer<UInt16>, UnsafePointer<UInt32>, Int, Int, Int
    ) -> Void, _ radius: Int, half: Int, most: UInt64? = nil
  ) {
    let weights = Self.weights(radius, whole: 1 << half)
    let mask: UInt64 = (1 << half) - 1
    let most = most ?? mask << half
    for step in [1, 4] {
      for count in Self.lengths where count > 0 {
        let border = radius * step
        let numbers = Self.samples(UInt32.self, count + 2 * border, seed: count)
        let sums: [UInt64] = numbers.map { UInt64($0) * most / 0xFFFF_FFFF }
        let upper: [UInt16] = sums.map { UInt16($0 >> half) }
        let lower: [UInt16] = sums.map { UInt16($0 & mask) }
        var made = [Sample](repeating: 3, count: count + 1)
        upper.withUnsafeBufferPointer { upper in
          lower.withUnsafeBufferPointer { lower in
            guard let first = upper.baseAddress, let second = lower.baseAddress else { return }
            sum(&made, first + border, second + border, weights, radius, step, count)
          }
        }
        let expected = (0..<count).map { place in
          let total = (-radius...radius).reduce(UInt64(1) << (2 * half - 1)) { sum, far in
            sum + sums[place + border + far * step] * UInt64(weights[abs(far)])
          }
          return Sample(truncatingIfNeeded: total >> (2 * half))
        }
        #expect(made == expected + [3], "\(Sample.self) \(radius) \(step) \(count)")
      }
    }
  }
}
