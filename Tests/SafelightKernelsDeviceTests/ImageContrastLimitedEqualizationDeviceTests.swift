import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageContrastLimitedEqualizationDeviceTests {
  /// A picture, and what is done to it.
  private struct Case: Sendable {
    let size: Size
    let rule: ExpectedContrastLimited
    let input: SyntheticImage
    let countsLuma: Bool

    init(_ size: Size, _ columns: Int, _ rows: Int, _ clip: Double, _ input: SyntheticImage, luma: Bool = false) {
      self.size = size
      rule = ExpectedContrastLimited(columns: columns, rows: rows, clipLimit: clip)
      self.input = input
      countsLuma = luma
    }

    var name: String {
      "\(input) \(size), \(rule.columns)×\(rule.rows) tiles, limit \(rule.clipLimit), luma \(countsLuma)"
    }

    /// In 16 bits each tile and plane has 65536 entries: few of them, but once as many as there can be.
    func isTried(_ format: PixelFormat) -> Bool {
      format.bytesPerSample == 1 || rule.columns * rule.rows <= 8 || (format == .r16Uint && size == Size(17, 31))
    }
  }

  /// Smaller than the grid, divided by it in both directions, in one, in none; a pixel in many places, a part in
  /// several threadgroups.
  private static let cases = [
    Case(Size(1, 1), 8, 8, 40, .noise), Case(Size(1, 9), 4, 2, 2, .noise), Case(Size(3, 5), 7, 8, 0, .noise),
    Case(Size(17, 31), 8, 8, 40, .noise), Case(Size(17, 31), 3, 5, 0.5, .ramp, luma: true),
    Case(Size(64, 64), 8, 8, 2, .noise), Case(Size(64, 64), 4, 2, 0, .ramp), Case(Size(65, 63), 1, 1, 40, .noise),
    Case(Size(64, 63), 16, 16, 3.7, .noise, luma: true), Case(Size(130, 5), 2, 1, 40, .noise),
    Case(Size(65, 63), 5, 7, 0, .noise), Case(Size(1300, 66), 13, 3, 1, .ramp), Case(Size(70, 71), 2, 3, 1, .hotPixel),
  ]

  private static let known = KnownBytes()

  @Test(arguments: TestDevice.all, Picture.allFormats)
  func everySizeGridAndLimit(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    guard batch.has(format) else { return }
    for one in Self.cases where one.isTried(format) {
      let picture = Picture(one.input, one.size, format)
      let source = try batch.source(picture)
      let kernel = try ImageContrastLimitedEqualization(
        device: batch.device, columns: one.rule.columns, rows: one.rule.rows, clipLimit: one.rule.clipLimit,
        channels: one.countsLuma ? .luma : .each)
      for form in batch.forms(format) {
        let readback = try batch.result(like: source) {
          kernel.encode(to: batch.buffer, source: source, destination: $0, form: form)
        }
        batch.expect(readback, format, "\(one.name), \(format)", knownAs: Self.known) {
          one.rule.equalized(picture, luma: one.countsLuma)
        }
      }
    }
    try batch.check()
  }

  @Test func moreTilesThanTablesTrap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let kernel = try ImageContrastLimitedEqualization(device: device, columns: 16, rows: 5)
      let texture = try device.makeTexture(Size(1, 1), .r16Uint)
      kernel.encode(
        to: device.makeCommandQueue().makeCommandBuffer(), source: texture,
        destination: try device.makeTexture(Size(1, 1), .r16Uint))
    }
    expectStop(result, saying: "use at most 64 for 16 bits")
  }
}

/// CLAHE as OpenCV's documentation and arithmetic define it: the lengthened picture made in memory, every tile counted
/// there.
private struct ExpectedContrastLimited {
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
      let (left, right, a) = neighbors(index % size.width, tileWidth, columns)
      let (upper, lower, b) = neighbors(index / size.width, tileHeight, rows)
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

  private func neighbors(_ place: Int, _ tile: Int, _ tiles: Int) -> (Int, Int, Float) {
    let middle = Float(place) * (1 / Float(tile)) - 0.5
    let first = Int(middle.rounded(.down))
    return (max(first, 0), min(first + 1, tiles - 1), middle - Float(first))
  }

  /// Each color of a picture by itself, or its luma.
  func equalized(_ picture: Picture, luma countsLuma: Bool) -> [Int] {
    let (size, maximum) = (picture.size, picture.format.maximum)
    let count = picture.format.samplesPerPixel
    if countsLuma && count == 4 {
      let luma = picture.luma
      let made = equalized(luma, size, maximum: maximum)
      return picture.samples.enumerated().map { index, value in
        index % 4 == 3 ? value : min(max(value + made[index / 4] - luma[index / 4], 0), maximum)
      }
    }
    let made = (0..<min(count, 3)).map { equalized(picture.channel($0), size, maximum: maximum) }
    return picture.samples.enumerated().map { index, value in
      index % count < made.count ? made[index % count][index / count] : value
    }
  }
}
