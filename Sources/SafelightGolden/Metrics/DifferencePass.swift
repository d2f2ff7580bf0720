import SafelightImage

/// One pass over two pictures' samples: sums for each channel, and each pixel's greatest difference.
///
/// Rows have no padding, so a picture is one row of pixels of four samples or one. Samples that no file stores are
/// zeroed on both sides.
struct DifferencePass {
  private let expected: Image
  private let actual: Image
  private let samplesPerPixel: Int
  private(set) var values: [UInt16]
  private var lanes: [ChannelSums]

  init(_ expected: Image, _ actual: Image) {
    self.expected = expected
    self.actual = actual
    samplesPerPixel = expected.pixelFormat.samplesPerPixel
    values = [UInt16](repeating: 0, count: expected.size.area)
    lanes = [ChannelSums](repeating: ChannelSums(), count: samplesPerPixel)
  }

  /// Returns the sums of each sample of a pixel, in memory order.
  mutating func sums() -> [ChannelSums] {
    let keep = (0..<samplesPerPixel).map { expected.channels.sampleIndices.contains($0) ? UInt16.max : 0 }
    switch expected.depth {
    case .bits8: walkBytes(keep)
    case .bits16: walkWords(keep)
    }
    return lanes
  }

  // MARK: 8 bits, sixteen samples at a time

  private typealias Bytes = SIMD16<UInt8>
  private typealias Words = SIMD8<UInt16>

  private mutating func walkBytes(_ keep: [UInt16]) {
    var mask = Bytes(repeating: 0)
    for lane in 0..<16 { mask[lane] = UInt8(truncatingIfNeeded: keep[lane % samplesPerPixel]) }
    let chunks = expected.bytes.count / 16
    // 128 differences of at most 255 fit a signed word.
    for first in stride(from: 0, to: chunks, by: 128) { addBlock(first..<min(first + 128, chunks), mask) }
    for index in (chunks * 16)..<expected.bytes.count where keep[index % samplesPerPixel] != 0 {
      add(expected.value(at: index), actual.value(at: index), at: index)
    }
  }

  /// Adds 128 chunks at most. Samples of even and of odd index are summed as words: a mask and a shift away.
  private mutating func addBlock(_ chunks: Range<Int>, _ mask: Bytes) {
    var (signedEven, signedOdd) = (Words(repeating: 0), Words(repeating: 0))
    var (absoluteEven, absoluteOdd) = (Words(repeating: 0), Words(repeating: 0))
    var squared = (SIMD4<UInt32>(), SIMD4<UInt32>(), SIMD4<UInt32>(), SIMD4<UInt32>())
    var greatest = Bytes(repeating: 0)
    let isGray = samplesPerPixel == 1
    let low = Words(repeating: 0xFF)
    unsafe expected.bytes.withUnsafeBytes { a in
      unsafe actual.bytes.withUnsafeBytes { b in
        unsafe values.withUnsafeMutableBytes { map in
          for chunk in chunks {
            let x = unsafe a.loadUnaligned(fromByteOffset: 16 * chunk, as: Bytes.self) & mask
            let y = unsafe b.loadUnaligned(fromByteOffset: 16 * chunk, as: Bytes.self) & mask
            let (xs, ys) = unsafe (unsafeBitCast(x, to: Words.self), unsafeBitCast(y, to: Words.self))
            signedEven &+= (ys & low) &- (xs & low)
            signedOdd &+= (ys &>> 8) &- (xs &>> 8)
            let distance = pointwiseMax(x, y) &- pointwiseMin(x, y)
            greatest = pointwiseMax(greatest, distance)
            let distances = unsafe unsafeBitCast(distance, to: Words.self)
            let (even, odd) = (distances & low, distances &>> 8)
            absoluteEven &+= even
            absoluteOdd &+= odd
            let (squaresEven, squaresOdd) = unsafe (
              unsafeBitCast(even &* even, to: SIMD4<UInt32>.self), unsafeBitCast(odd &* odd, to: SIMD4<UInt32>.self)
            )
            squared.0 &+= squaresEven & 0xFFFF
            squared.1 &+= squaresOdd & 0xFFFF
            squared.2 &+= squaresEven &>> 16
            squared.3 &+= squaresOdd &>> 16
            if isGray {
              let wide = SIMD16<UInt16>(truncatingIfNeeded: distance)
              unsafe map.storeBytes(of: wide, toByteOffset: 32 * chunk, as: SIMD16<UInt16>.self)
            } else {
              let pairs = unsafe unsafeBitCast(pointwiseMax(even, odd), to: SIMD4<UInt32>.self)
              let pixels = pointwiseMax(pairs & 0xFFFF, pairs &>> 16)
              unsafe map.storeBytes(
                of: SIMD4<UInt16>(truncatingIfNeeded: pixels), toByteOffset: 8 * chunk, as: SIMD4<UInt16>.self)
            }
          }
        }
      }
    }
    for lane in 0..<16 {
      let (sample, word) = (lane % samplesPerPixel, lane / 2)
      let isEven = lane % 2 == 0
      lanes[sample].signed += Int(Int16(bitPattern: (isEven ? signedEven : signedOdd)[word]))
      lanes[sample].absolute += Int((isEven ? absoluteEven : absoluteOdd)[word])
      let squares = [squared.0, squared.1, squared.2, squared.3][lane % 4]
      lanes[sample].squared += Int(squares[lane / 4])
      lanes[sample].maximum = max(lanes[sample].maximum, Int(greatest[lane]))
    }
  }

  // MARK: 16 bits, a pixel at a time

  private mutating func walkWords(_ keep: [UInt16]) {
    if samplesPerPixel == 1 {
      for index in values.indices { add(expected.value(at: index), actual.value(at: index), at: index) }
      return
    }
    let mask = SIMD4<UInt16>(keep[0], keep[1], keep[2], keep[3])
    var (signed, absolute, squared) = (SIMD4<Int64>(), SIMD4<Int64>(), SIMD4<Int64>())
    var greatest = SIMD4<UInt16>()
    unsafe expected.bytes.withUnsafeBytes { a in
      unsafe actual.bytes.withUnsafeBytes { b in
        for pixel in values.indices {
          let x = unsafe a.loadUnaligned(fromByteOffset: 8 * pixel, as: SIMD4<UInt16>.self) & mask
          let y = unsafe b.loadUnaligned(fromByteOffset: 8 * pixel, as: SIMD4<UInt16>.self) & mask
          if x == y { continue }
          let difference = SIMD4<Int64>(truncatingIfNeeded: y) &- SIMD4<Int64>(truncatingIfNeeded: x)
          let distance = pointwiseMax(x, y) &- pointwiseMin(x, y)
          signed &+= difference
          absolute &+= SIMD4<Int64>(truncatingIfNeeded: distance)
          squared &+= difference &* difference
          greatest = pointwiseMax(greatest, distance)
          values[pixel] = distance.max()
        }
      }
    }
    for sample in 0..<4 {
      lanes[sample] = ChannelSums(
        signed: Int(signed[sample]), absolute: Int(absolute[sample]), squared: Int(squared[sample]),
        maximum: Int(greatest[sample]))
    }
  }

  private mutating func add(_ expected: Int, _ actual: Int, at index: Int) {
    let (pixel, sample) = (index / samplesPerPixel, index % samplesPerPixel)
    let difference = actual - expected
    let distance = abs(difference)
    lanes[sample].signed += difference
    lanes[sample].absolute += distance
    lanes[sample].squared += distance * distance
    lanes[sample].maximum = max(lanes[sample].maximum, distance)
    values[pixel] = max(values[pixel], UInt16(distance))
  }
}

/// The greatest difference of the samples in each pixel.
struct DifferenceMap: Sendable {
  let size: Size
  /// The differences, row by row; empty if no pixel differs.
  let values: [UInt16]
  let maximum: Int

  /// Returns the sums over each channel, and the map.
  static func measure(_ expected: Image, _ actual: Image) -> ([ChannelSums], DifferenceMap) {
    let samples = expected.channels.sampleIndices
    guard !expected.bytes.hasSameBytes(as: actual.bytes) else {
      return (samples.map { _ in ChannelSums() }, DifferenceMap(size: expected.size, values: [], maximum: 0))
    }
    var pass = DifferencePass(expected, actual)
    let sums = pass.sums().enumerated().filter { samples.contains($0.offset) }.map(\.element)
    let maximum = sums.map(\.maximum).max() ?? 0
    return (sums, DifferenceMap(size: expected.size, values: maximum == 0 ? [] : pass.values, maximum: maximum))
  }

  func over(_ k: Int) -> Int {
    guard k < maximum else { return 0 }
    // Sixteen short sums at a time, none of more numbers than it can count.
    let limit = SIMD16<UInt16>(repeating: UInt16(k))
    let chunks = values.count / 16
    var count = 0
    unsafe values.withUnsafeBytes { bytes in
      for first in stride(from: 0, to: chunks, by: 32768) {
        var sums = SIMD16<UInt16>()
        for chunk in first..<min(first + 32768, chunks) {
          let row = unsafe bytes.loadUnaligned(fromByteOffset: 32 * chunk, as: SIMD16<UInt16>.self)
          sums &+= SIMD16(repeating: 0).replacing(with: 1, where: row .> limit)
        }
        for lane in 0..<16 { count += Int(sums[lane]) }
      }
    }
    return values[(16 * chunks)...].reduce(count) { $0 + (Int($1) > k ? 1 : 0) }
  }

  /// Returns the first pixels in scan order, at most `limit`, whose value is `difference`; none if that is 0.
  func places(differingBy difference: Int, limit: Int) -> [Int] {
    guard difference > 0 else { return [] }
    let wanted = UInt16(difference)
    var places: [Int] = []
    var start = values.startIndex
    while places.count < limit, let next = values[start...].firstIndex(of: wanted) {
      places.append(next)
      start = next + 1
    }
    return places
  }

  /// Returns the greatest value below `difference`, or 0 if there is none.
  func greatest(below difference: Int) -> Int { values.reduce(0) { Int($1) < difference ? max($0, Int($1)) : $0 } }
}

/// The sums over one channel, of integers and therefore the same in any order.
struct ChannelSums: Hashable, Sendable {
  /// The sum of actual minus expected.
  var signed = 0
  var absolute = 0
  var squared = 0
  /// The greatest absolute difference.
  var maximum = 0
}

extension Image {
  /// Returns the sample of `index` in memory order.
  func value(at index: Int) -> Int {
    switch depth {
    case .bits8: Int(bytes[index])
    case .bits16: Int(bytes[2 * index]) | Int(bytes[2 * index + 1]) << 8
    }
  }
}
