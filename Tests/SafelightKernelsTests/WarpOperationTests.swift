import CKernelRows
import Testing

/// Warps in C against plain integers, for each set of instructions that the processor has.
@Suite struct WarpOperationTests {
  private static var sets: [CKernelRows] { RowOperationTests.sets }

  /// A quotient, rounded down.
  private static func floor(_ number: Int, _ divisor: Int) -> Int {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }

  @Test(arguments: 0..<sets.count, [Int32(32), 40]) func linesAreRounded(set: Int, shift: Int32) {
    let (first, step) = (-123_456_789_012_345, 987_654_321_098)
    for count in [1, 7, 8, 9, 64, 100] {
      var places = [Int32](repeating: 0, count: count + 7)
      Self.sets[set].place_line(&places, Int64(first), Int64(step), shift, count)
      let expected = (0..<count).map { Int32((first + step * $0 + 1 << (Int(shift) - 1)) >> Int(shift)) }
      #expect(places.prefix(count) == expected[...])
    }
  }

  @Test(arguments: 0..<sets.count, [Int32(0), 8]) func quotientsAreRounded(set: Int, shift: Int32) {
    let most = 1 << (22 + Int(shift))
    // Halves and whole numbers; negative ones; divisors that become negative; quotients that are too large.
    let lines: [(firsts: [Int], steps: [Int])] = [
      ([-20, 7, 2], [1, 3, 0]),
      (
        [-0x800_0000_0000_0000, 0x400_0000_0000_0000, 0x800_0000_0000], [0x20_0000_0000_0000, -0x1000, -0x20_0000_0000]
      ),
      ([0x4_0000_0000_0000, -0x4_0000_0000_0000, 100], [0, 0, -9]),
      ([987_654_321_987, -55_555_555_555, 0x200_0000_0000], [-7_777_777, 3, -0x2_0000_0000]),
    ]
    for (firsts, steps) in lines {
      let count = 100
      var (columns, rows) = ([Int32](repeating: 0, count: count + 7), [Int32](repeating: 0, count: count + 7))
      Self.sets[set].place_quotients(&columns, &rows, firsts.map { Int64($0) }, steps.map { Int64($0) }, shift, count)
      for place in 0..<count {
        let numbers = zip(firsts, steps).map { $0 + $1 * place }
        for (axis, made) in [columns, rows].enumerated() {
          let divisor = numbers[2]
          guard divisor > 0 else {
            #expect(made[place] == .min)
            continue
          }
          // In parts, so that all fits 64 bits.
          let added = shift == 0 ? divisor >> 1 : 0
          let whole = Self.floor(numbers[axis] + added, divisor)
          let rest = numbers[axis] + added - whole * divisor
          let part = shift == 0 ? 0 : Self.floor(rest * 256 + divisor >> 1, divisor)
          let limit = most >> Int(shift)
          let expected = whole >= limit ? most : whole < -limit ? -most : whole << Int(shift) + part
          #expect(Int(made[place]) == expected, "\(firsts) \(steps) \(place)")
        }
      }
    }
  }

  @Test(arguments: 0..<sets.count) func pixelsAreMadeOfThoseAround(set: Int) {
    for edge in Int32(0)..<3 {
      for taps in [Int32(1), 2, 4, 6] {
        check(Self.sets[set].warp_8, step: 4, edge, taps)
        check(Self.sets[set].warp_16, step: 4, edge, taps)
        check(Self.sets[set].warp_gray_8, step: 1, edge, taps)
        check(Self.sets[set].warp_gray_16, step: 1, edge, taps)
      }
    }
  }

  private func check<Sample: FixedWidthInteger & UnsignedInteger>(
    _ warp: (
      UnsafeMutablePointer<Sample>, UnsafePointer<CKernelWarp>, UnsafePointer<Int32>, UnsafePointer<Int32>, Int
    ) -> Void, step: Int, _ edge: Int32, _ taps: Int32
  ) {
    // Smaller than the largest square.
    let (width, height, count) = (5, 7, 80)
    let samples = RowOperationTests.samples(Sample.self, width * height * step, seed: 5)
    let color = (0..<step).map { Sample(truncatingIfNeeded: 0x9c3f >> $0) }
    let unit = taps == 1 ? 1 : 256
    var columns = (0..<count).map { Int32(($0 * 7919 + 13) % (unit * 20) - unit * 8) }
    var rows = (0..<count).map { Int32(($0 * 6101 + 5) % (unit * 24) - unit * 9) }
    (columns[9], rows[9]) = (.min, .min)
    let entries = Int(taps + 3) / 4 * 4
    let weights = (0..<256 * entries).map { place -> Int16 in
      let (part, tap) = (place / entries, place % entries)
      if tap >= taps { return 0 }
      return tap == 0 ? Int16(1024 - (Int(taps) - 1) * (part % 90 - 40)) : Int16(part % 90 - 40)
    }
    var made = [Sample](repeating: 3, count: count * step + 1)
    samples.withUnsafeBytes { pixels in
      color.withUnsafeBytes { color in
        weights.withUnsafeBufferPointer { weights in
          guard let first = pixels.baseAddress, let color = color.baseAddress else { return }
          var picture = CKernelWarp(
            pixels: first, stride: width * step * MemoryLayout<Sample>.size, left: 0, top: 0, width: Int32(width),
            height: Int32(height), edge: edge, taps: taps, color: color, weights: weights.baseAddress)
          warp(&made, &picture, columns, rows, count)
        }
      }
    }
    func seen(_ at: Int, _ count: Int) -> Int? {
      if (0..<count).contains(at) { return at }
      let rest = { (period: Int) in (at % period + period) % period }
      switch edge {
      case 0: return nil
      case 1: return min(max(at, 0), count - 1)
      default: return min(rest(2 * count - 2), 2 * count - 2 - rest(2 * count - 2))
      }
    }
    func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
      guard let x = seen(x, width), let y = seen(y, height) else { return Int(color[channel]) }
      return Int(samples[(y * width + x) * step + channel])
    }
    var expected: [Sample] = []
    for place in 0..<count {
      let (x, y) = (Int(columns[place]), Int(rows[place]))
      for channel in 0..<step {
        if columns[place] == .min {
          expected.append(color[channel])
        } else if taps == 1 {
          expected.append(Sample(sample(x, y, channel)))
        } else {
          var sum = taps == 2 ? 1 << 15 : 1 << 19
          for row in 0..<Int(taps) {
            for column in 0..<Int(taps) {
              func weight(_ part: Int, _ tap: Int) -> Int {
                taps == 2 ? (tap == 0 ? 256 - part : part) : Int(weights[part * entries + tap])
              }
              let first = Int(taps) / 2 - 1
              sum +=
                weight(x & 255, column) * weight(y & 255, row)
                * sample(x >> 8 + column - first, y >> 8 + row - first, channel)
            }
          }
          expected.append(Sample(clamping: sum >> (taps == 2 ? 16 : 20)))
        }
      }
    }
    #expect(made == expected + [3], "\(Sample.self) of \(step), edge \(edge), \(taps) taps")
  }
}
