import SafelightImage

/// One number for each pixel, row by row.
struct Plane: Sendable {
  let width: Int
  let height: Int
  var values: [Double]

  /// The treatment of what lies beyond the border.
  enum Border {
    /// The pixel on the border repeats.
    case clamp
    /// The result has only the pixels whose whole surroundings exist.
    case none
  }
}

extension Plane {
  /// Fills a plane with `value` of each index.
  init(_ width: Int, _ height: Int, _ value: (Int) -> Double) {
    self.init(width: width, height: height, values: (0..<width * height).map(value))
  }

  func combined(_ other: Plane, _ value: (Double, Double) -> Double) -> Plane {
    Plane(width: width, height: height, values: zip(values, other.values).map(value))
  }

  /// Correlates with `across` along the rows and `down` along the columns, both of odd length.
  func filtered(_ across: [Double], _ down: [Double], _ border: Border) -> Plane {
    filteredAcross(across, border).filteredDown(down, border)
  }

  private func filteredAcross(_ taps: [Double], _ border: Border) -> Plane {
    let radius = border == .clamp ? taps.count / 2 : 0
    let columns = width + 2 * radius - taps.count + 1
    var result: [Double] = []
    result.reserveCapacity(columns * height)
    for y in 0..<height {
      let row = values[(y * width)..<((y + 1) * width)]
      let padded =
        [Double](repeating: values[y * width], count: radius) + row
        + [Double](repeating: values[(y + 1) * width - 1], count: radius)
      var sums = [Double](repeating: 0, count: columns)
      for (tap, weight) in taps.enumerated() { Self.add(padded[tap..<(tap + columns)], times: weight, to: &sums) }
      result += sums
    }
    return Plane(width: columns, height: height, values: result)
  }

  private func filteredDown(_ taps: [Double], _ border: Border) -> Plane {
    let radius = border == .clamp ? taps.count / 2 : 0
    let rows = height + 2 * radius - taps.count + 1
    var result: [Double] = []
    result.reserveCapacity(width * rows)
    for y in 0..<rows {
      var sums = [Double](repeating: 0, count: width)
      for (tap, weight) in taps.enumerated() {
        let source = min(max(y + tap - radius, 0), height - 1)
        Self.add(values[(source * width)..<((source + 1) * width)], times: weight, to: &sums)
      }
      result += sums
    }
    return Plane(width: width, height: rows, values: result)
  }

  /// Adds without iterators, so that debug builds, as in tests, do not take minutes.
  private static func add(_ row: ArraySlice<Double>, times weight: Double, to sums: inout [Double]) {
    trap(unless: row.count == sums.count, "a row and its sums must be equally long")
    unsafe row.withUnsafeBufferPointer { row in
      unsafe sums.withUnsafeMutableBufferPointer { sums in
        var x = 0
        while x < row.count {
          unsafe sums[x] += weight * row[x]
          x += 1
        }
      }
    }
  }

  /// The mean of each 2 × 2 pixels; a lone last row or column counts twice.
  var halved: Plane {
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    return Plane(columns, rows) { index in
      let (x, y) = (2 * (index % columns), 2 * (index / columns))
      let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
      return
        (values[y * width + x] + values[below * width + x] + values[y * width + right] + values[below * width + right])
        / 4
    }
  }
}

extension ImageDifference {
  /// Returns `sample` of every pixel of both pictures; behind the mask both have the expected one.
  func planes(_ sample: Int) -> (expected: Plane, actual: Plane) { (expected.plane(sample), compared.plane(sample)) }

  /// The luma of both pictures, Y = 0.299 R + 0.587 G + 0.114 B, unrounded, or their gray.
  var lumaPlanes: (expected: Plane, actual: Plane) {
    func luma(_ image: Image) -> Plane {
      if image.channels.isGray { return image.plane(0) }
      let (red, green, blue) = (image.plane(0), image.plane(1), image.plane(2))
      return Plane(red.width, red.height) {
        0.299 * red.values[$0] + 0.587 * green.values[$0] + 0.114 * blue.values[$0]
      }
    }
    return (luma(expected), luma(compared))
  }

  /// The actual picture, with the expected one's pixels behind the mask.
  private var compared: Image { mask?.hiding(in: actual, behind: expected) ?? actual }
}

extension Image {
  fileprivate func plane(_ sample: Int) -> Plane {
    let stride = pixelFormat.samplesPerPixel
    return Plane(size.width, size.height) { Double(value(at: $0 * stride + sample)) }
  }
}

extension [Double] {
  /// The same weights with the sum 1.
  var normalized: [Double] {
    let sum = reduce(0, +)
    return map { $0 / sum }
  }
}
