import SafelightImage

/// CLAHE as OpenCV's documentation and arithmetic define it: the lengthened picture made in memory, every tile counted there.
struct ExpectedContrastLimited {
  let columns: Int
  let rows: Int
  let clipLimit: Double

  /// One plane of `size` with samples up to `maximum`.
  func equalized(_ plane: [Int], _ size: Size, maximum: Int) -> [Int] {
    let isWhole = size.width % columns == 0 && size.height % rows == 0
    let wide = isWhole ? size.width : size.width + columns - size.width % columns
    let high = isWhole ? size.height : size.height + rows - size.height % rows
    let (tileWidth, tileHeight) = (wide / columns, high / rows)
    var tables: [[Int]] = []
    for row in 0..<rows {
      for column in 0..<columns {
        var counts = [Int](repeating: 0, count: maximum + 1)
        for y in row * tileHeight..<(row + 1) * tileHeight {
          for x in column * tileWidth..<(column + 1) * tileWidth {
            counts[plane[reflected(y, size.height) * size.width + reflected(x, size.width)]] += 1
          }
        }
        tables.append(table(clipped(counts, area: tileWidth * tileHeight), area: tileWidth * tileHeight))
      }
    }
    return plane.indices.map { index in
      let (left, right, a) = neighbours(index % size.width, tileWidth, columns)
      let (upper, lower, b) = neighbours(index / size.width, tileHeight, rows)
      func entry(_ row: Int, _ column: Int) -> Float { Float(tables[row * columns + column][plane[index]]) }
      let above = entry(upper, left) * (1 - a) + entry(upper, right) * a
      let below = entry(lower, left) * (1 - a) + entry(lower, right) * a
      return min(Int((above * (1 - b) + below * b).rounded(.toNearestOrEven)), maximum)
    }
  }

  private func reflected(_ place: Int, _ length: Int) -> Int {
    if length == 1 { return 0 }
    var place = place
    while place < 0 || place >= length { place = place < 0 ? -place : 2 * (length - 1) - place }
    return place
  }

  private func clipped(_ counts: [Int], area: Int) -> [Int] {
    if clipLimit == 0 { return counts }
    let limit = max(Int(clipLimit * Double(area) / Double(counts.count)), 1)
    let excess = counts.map { max($0 - limit, 0) }.reduce(0, +)
    var result = counts.map { min($0, limit) + excess / counts.count }
    let rest = excess % counts.count
    if rest > 0 {
      let step = max(counts.count / rest, 1)
      for number in 0..<rest { result[number * step] += 1 }
    }
    return result
  }

  private func table(_ counts: [Int], area: Int) -> [Int] {
    let scale = Float(counts.count - 1) / Float(area)
    var sum = 0
    return counts.map { count in
      sum += count
      return min(Int((Float(sum) * scale).rounded(.toNearestOrEven)), counts.count - 1)
    }
  }

  private func neighbours(_ place: Int, _ tile: Int, _ tiles: Int) -> (Int, Int, Float) {
    let middle = Float(place) * (1 / Float(tile)) - 0.5
    let first = Int(middle.rounded(.down))
    return (max(first, 0), min(first + 1, tiles - 1), middle - Float(first))
  }
}

extension ExpectedContrastLimited {
  /// The samples of pixels in the order red, green, blue, alpha; each colour by itself, or their luma.
  func equalized(_ samples: [Int], samplesPerPixel: Int, _ size: Size, maximum: Int, luma countsLuma: Bool) -> [Int] {
    var result = samples
    if countsLuma && samplesPerPixel == 4 {
      let luma: [Int] = (0..<size.area).map { pixel in
        let (red, green, blue) = (samples[pixel * 4], samples[pixel * 4 + 1], samples[pixel * 4 + 2])
        return (19595 * red + 38470 * green + 7471 * blue + 32768) / 65536
      }
      for (pixel, value) in equalized(luma, size, maximum: maximum).enumerated() {
        for index in pixel * 4..<pixel * 4 + 3 {
          result[index] = min(max(result[index] + value - luma[pixel], 0), maximum)
        }
      }
      return result
    }
    for channel in 0..<min(samplesPerPixel, 3) {
      let plane = stride(from: channel, to: samples.count, by: samplesPerPixel).map { samples[$0] }
      for (pixel, value) in equalized(plane, size, maximum: maximum).enumerated() {
        result[pixel * samplesPerPixel + channel] = value
      }
    }
    return result
  }
}
