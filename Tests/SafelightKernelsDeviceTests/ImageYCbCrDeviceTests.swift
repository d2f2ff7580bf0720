import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageYCbCrDeviceTests {
  static let layouts = PixelLayout.allCases.filter(\.isYCbCr)

  /// A few descriptions for each layout; together all of them, several times.
  private static func colors(
    _ layout: PixelLayout, _ sitings: [ChromaSiting] = [.left, .center, .topLeft]
  ) -> [ColorDescription] {
    let all = ColorMatrix.allCases.filter(\.isConvertible).flatMap { matrix in
      [ColorRange.full, .limited].flatMap { range in
        sitings.map { ColorDescription(matrix: matrix, range: range, siting: $0) }
      }
    }
    let number = layouts.firstIndex(of: layout) ?? 0
    return all.enumerated().filter { ($0.offset + number) % 4 == 0 }.map(\.element)
  }

  private static let sizes = [Size(1, 1), Size(1, 9), Size(17, 31), Size(64, 5)]

  private static func noise(_ layout: PixelLayout, _ size: Size) -> [[Int]] {
    let mask = layout.yCbCr?.isBiPlanar == true ? layout.bits == 10 ? ~63 : ~0 : (1 << layout.bits) - 1
    return layout.planeFormats.enumerated().map { index, format in
      // Every plane another one.
      let size = layout.planeSize(index, of: size)
      let samples = Picture(Size(size.width, size.height + index), format).samples
      return samples.dropFirst(index * size.width * format.samplesPerPixel).map { $0 & mask }
    }
  }

  /// Makes textures of a layout's planes, of other formats if given, that hold `samples` if given.
  private static func planes(
    _ layout: PixelLayout, _ size: Size, _ batch: Batch, _ formats: [PixelFormat]? = nil, samples: [[Int]]? = nil
  ) throws -> [Texture] {
    try (formats ?? layout.planeFormats).enumerated().map { index, format in
      let size = layout.planeSize(index, of: size)
      guard let samples else { return try batch.device.makeTexture(size, format) }
      return try batch.source(Picture(size, format, samples: samples[index]))
    }
  }

  private static func format(_ layout: PixelLayout) -> PixelFormat { layout.bits == 8 ? .rgba8Unorm : .rgba16Uint }

  /// Records a conversion to RGB.
  private static func picture(
    _ layout: PixelLayout, _ color: ColorDescription, _ planes: [Texture], _ size: Size, _ batch: Batch
  ) throws -> Readback {
    let target = try batch.device.makeTexture(size, format(layout))
    try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
      .encode(to: batch.buffer, planes: planes, destination: target)
    return batch.blit { $0.read(target) }
  }

  /// Records a conversion to planes of other formats than the layout's, if given.
  private static func planes(
    _ layout: PixelLayout, _ color: ColorDescription, of source: Texture, _ batch: Batch,
    _ formats: [PixelFormat]? = nil
  ) throws -> [Texture] {
    let planes = try planes(layout, source.size, batch, formats)
    try ImageRGBToYCbCr(device: batch.device, layout: layout, color: color)
      .encode(to: batch.buffer, source: source, planes: planes)
    return planes
  }

  @Test(arguments: TestDevice.all, layouts)
  func planesBecomePictures(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    for size in Self.sizes {
      let noise = Self.noise(layout, size)
      let planes = try Self.planes(layout, size, batch, samples: noise)
      for color in Self.colors(layout, ChromaSiting.allCases.filter { ![.unspecified, .other].contains($0) }) {
        let readback = try Self.picture(layout, color, planes, size, batch)
        batch.expect(readback, Self.format(layout), "\(layout) \(color) \(size)") {
          try ExpectedYCbCr(layout, color).picture(noise, size)
        }
      }
    }
    try batch.check()
  }

  /// Samples of ten and twelve bits lie on the right of words whose upper bits nobody promises to be clear.
  @Test(arguments: TestDevice.all, layouts.filter { [10, 12].contains($0.bits) && $0.yCbCr?.isBiPlanar == false })
  func wordsAboveTheLargestSampleCountAsIt(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    let (size, color) = (Size(65, 9), ColorDescription(matrix: .bt709, range: .limited))
    let largest = (1 << layout.bits) - 1
    let words = layout.planeFormats.enumerated().map { index, format in
      Picture(layout.planeSize(index, of: size), format).samples.enumerated().map { place, word in
        place % 2 == 0 ? word & largest : place % 5 == 1 ? 4 * largest + 3 : word
      }
    }
    let planes = try Self.planes(layout, size, batch, samples: words)
    batch.expect(try Self.picture(layout, color, planes, size, batch), .rgba16Uint, "\(layout)") {
      try ExpectedYCbCr(layout, color).picture(words.map { $0.map { min($0, largest) } }, size)
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all, layouts)
  func picturesBecomePlanes(_ test: TestDevice, _ layout: PixelLayout) throws {
    let batch = try Batch(test)
    for picture in Self.sizes.map({ Picture($0, Self.format(layout)) }) {
      let source = try batch.source(picture)
      for color in Self.colors(layout) {
        let planes = try Self.planes(layout, color, of: source, batch)
        let expected = try ExpectedYCbCr(layout, color).planes(picture.samples, picture.size)
        for (index, plane) in planes.enumerated() {
          let name = "\(layout) \(color) \(picture), plane \(index)"
          batch.expect(batch.blit { $0.read(plane) }, plane.pixelFormat, name) { expected[index] }
        }
      }
    }
    try batch.check()
  }

  /// Normalized words, one channel, alpha from a picture, blue first.
  @Test(
    arguments: TestDevice.all,
    [
      (.yCbCr420BiPlanar16, [.r16Unorm, .rg16Unorm], .rgba16Unorm, .r16Uint),
      (.yCbCr422Planar8, [.r8Unorm, .r8Unorm, .r8Unorm], .bgra8Unorm, .r8Unorm),
    ] as [(PixelLayout, normalized: [PixelFormat], target: PixelFormat, gray: PixelFormat)])
  func otherFormatsHoldTheSameSamples(
    _ test: TestDevice, _ formats: (PixelLayout, normalized: [PixelFormat], target: PixelFormat, gray: PixelFormat)
  ) throws {
    let batch = try Batch(test)
    let (layout, normalized, target, gray) = formats
    guard batch.device.canRead(target) else { return }
    let (color, size) = (ColorDescription(matrix: .bt709, range: .limited), Size(17, 9))
    let expected = try ExpectedYCbCr(layout, color)
    let noise = Self.noise(layout, size)
    let planes = try Self.planes(layout, size, batch, normalized, samples: noise)
    let (picture, grays) = (Picture(size, target), Picture(size, gray))
    let source = try batch.source(picture)
    let kernel = try ImageYCbCrToRGB(device: batch.device, layout: layout, color: color)
    for (format, alpha) in [(target, Optional(source)), (gray, nil)] {
      let texture = try batch.device.makeTexture(size, format)
      kernel.encode(to: batch.buffer, planes: planes, alpha: alpha, destination: texture)
      batch.expect(batch.blit { $0.read(texture) }, format, "to \(format)") {
        let made = expected.picture(noise, size).enumerated().map { $0 % 4 == 3 ? picture.samples[$0] : $1 }
        return format == gray ? stride(from: 0, to: made.count, by: 4).map { made[$0] } : made
      }
    }
    for (source, colors) in [
      (source, picture.samples), (try batch.source(grays), grays.samples.flatMap { [$0, $0, $0, 0] }),
    ] {
      let planes = try Self.planes(layout, color, of: source, batch, normalized)
      for (index, samples) in expected.planes(colors, size).enumerated() {
        let readback = batch.blit { $0.read(planes[index]) }
        batch.expect(readback, normalized[index], "from \(source.pixelFormat), plane \(index)") { samples }
      }
    }
    try batch.check()
  }
}

/// Conversions between RGB and Y'CbCr by their documented rule: coefficients from whole fractions, chroma by distances,
/// one pixel at a time.
private struct ExpectedYCbCr {
  private let layout: YCbCrLayout
  private let color: ColorDescription
  private let place: (column: Int, row: Int)

  init(_ layout: PixelLayout, _ color: ColorDescription) throws {
    self.layout = try #require(layout.yCbCr)
    self.color = color
    place = Self.places[color.siting] ?? (0, 1)
  }

  /// Of 10000.
  private var red: Int {
    [.bt601: 2990, .bt709: 2126, .bt2020: 2627, .fcc: 3000, .smpte240M: 2120, .yCgCo: 2500][color.matrix] ?? 0
  }
  private var blue: Int {
    [.bt601: 1140, .bt709: 722, .bt2020: 593, .fcc: 1100, .smpte240M: 870, .yCgCo: 2500][color.matrix] ?? 0
  }
  private var isYCgCo: Bool { color.matrix == .yCgCo }
  private var green: Int { 10000 - red - blue }

  private var white: Int { layout.bits == 8 ? 255 : 65535 }
  private var isFull: Bool { color.range == .full }
  private var unit: Int { [8: 1, 10: 4, 12: 16, 16: 256][layout.bits] ?? 0 }
  private var zero: Int { isFull ? 0 : 16 * unit }
  private var largest: Int { [8: 255, 10: 1023, 12: 4095, 16: 65535][layout.bits] ?? 0 }
  private var lumaReach: Int { isFull ? largest : 219 * unit }
  private var chromaReach: Int { isFull ? largest : (isYCgCo ? 219 : 224) * unit }

  /// The nearest 2⁻¹⁹.
  private func steps(_ above: Int, _ below: Int) -> Int {
    let magnitude = (2 * abs(above) * 524_288 + below) / (2 * below)
    return above < 0 ? -magnitude : magnitude
  }

  private func floorDivided(_ value: Int) -> Int { (value + (1 << 22)) >> 23 }

  // MARK: Chroma

  private var step: Size { layout.subsampling.step }

  /// The place of chroma in two columns and two rows, in halves of a pixel. Sitings that are not listed lie left.
  private static let places: [ChromaSiting: (column: Int, row: Int)] = [
    .topLeft: (0, 0), .top: (1, 0), .topRight: (2, 0), .center: (1, 1), .right: (2, 1), .bottomLeft: (0, 2),
    .bottom: (1, 2), .bottomRight: (2, 2),
  ]

  /// Twice the distance of a pixel from a chroma sample.
  private func distance(_ pixel: Int, _ sample: Int, _ step: Int, _ place: Int) -> Int {
    step == 1 ? abs(2 * (pixel - sample)) : abs(2 * pixel - 4 * sample - place)
  }

  private func clamped(_ index: Int, _ count: Int) -> Int { min(max(index, 0), count - 1) }

  // MARK: To RGB

  /// Red, green, blue and opaque alpha of planes, whose samples are as in their words.
  func picture(_ planes: [[Int]], _ size: Size) -> [Int] {
    let chromaSize = size.dividedCovering(step)
    // Ten and twelve bits count on the left of their words.
    let raise = [10: 64, 12: 16][layout.bits] ?? 1
    let shift = layout.isBiPlanar ? 1 : raise
    func difference(_ number: Int, _ x: Int, _ y: Int) -> Int {
      var sum = 0
      for row in (y / step.height - 1)...(y / step.height + 1) {
        let down = max(0, 4 - (step.height == 1 ? 2 : 1) * distance(y, row, step.height, place.row))
        for column in (x / step.width - 1)...(x / step.width + 1) {
          let across = max(0, 4 - (step.width == 1 ? 2 : 1) * distance(x, column, step.width, place.column))
          let index = clamped(row, chromaSize.height) * chromaSize.width + clamped(column, chromaSize.width)
          let sample = planes.count == 3 ? planes[1 + number][index] : planes[1][2 * index + number]
          sum += across * down * sample * shift
        }
      }
      return sum - 16 * 128 * unit * raise
    }
    let light = steps(white, lumaReach * raise)
    let below = chromaReach * raise * 10000
    let (redOfR, blueOfB) = (steps(2 * (10000 - red) * white, below), steps(2 * (10000 - blue) * white, below))
    let greenOfB = steps(-2 * (10000 - blue) * blue * white, below * green)
    let greenOfR = steps(-2 * (10000 - red) * red * white, below * green)
    let one = steps(white, chromaReach * raise)
    var result: [Int] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let l = light * 16 * (planes[0][y * size.width + x] * shift - zero * raise)
        let (b, r) = (difference(0, x, y), difference(1, x, y))
        let sums =
          isYCgCo
          ? [l - one * b + one * r, l + one * b, l - one * b - one * r]
          : [l + redOfR * r, l + greenOfB * b + greenOfR * r, l + blueOfB * b]
        for sum in sums {
          result.append(min(max(floorDivided(sum), 0), white))
        }
        result.append(white)
      }
    }
    return result
  }

  // MARK: To planes

  /// The planes of red, green, blue and an alpha that does not count.
  func planes(_ picture: [Int], _ size: Size) -> [[Int]] {
    let shift = layout.bits == 10 && layout.isBiPlanar ? 64 : 1
    func made(_ row: [Int], _ zero: Int, _ sums: [Int]) -> Int {
      let sum = zip(row, sums).reduce(0) { $0 + $1.0 * $1.1 }
      return min(max(floorDivided(sum) + zero, 0), largest) * shift
    }
    func row(_ r: (Int, Int), _ b: (Int, Int), sum: Int) -> [Int] {
      let (r, b) = (steps(r.0, r.1), steps(b.0, b.1))
      return [r, sum - r - b, b]
    }
    let luma = row(
      (red * lumaReach, 10000 * white), (blue * lumaReach, 10000 * white), sum: steps(lumaReach, white))
    let half = (chromaReach, 2 * white)
    let quarter = (-chromaReach, 4 * white)
    let toBlue =
      isYCgCo
      ? row(quarter, quarter, sum: 0) : row((-red * chromaReach, 2 * (10000 - blue) * white), half, sum: 0)
    let toRed = row(
      half, isYCgCo ? (-chromaReach, 2 * white) : (-blue * chromaReach, 2 * (10000 - red) * white), sum: 0)

    let light = (0..<size.area).map { pixel in made(luma, zero, (0..<3).map { 16 * picture[4 * pixel + $0] }) }
    let chromaSize = size.dividedCovering(step)
    var pairs: [(Int, Int)] = []
    for row in 0..<chromaSize.height {
      for column in 0..<chromaSize.width {
        var sums = [0, 0, 0]
        for y in (row * step.height - 1)...(row * step.height + 1) {
          let down = weight(distance(y, row, step.height, place.row), step.height, isOn: place.row == 0)
          for x in (column * step.width - 1)...(column * step.width + 1) {
            let across = weight(distance(x, column, step.width, place.column), step.width, isOn: place.column == 0)
            let pixel = clamped(y, size.height) * size.width + clamped(x, size.width)
            for channel in 0..<3 { sums[channel] += down * across * picture[4 * pixel + channel] }
          }
        }
        pairs.append((made(toBlue, 128 * unit, sums), made(toRed, 128 * unit, sums)))
      }
    }
    return layout.isBiPlanar ? [light, pairs.flatMap { [$0.0, $0.1] }] : [light, pairs.map(\.0), pairs.map(\.1)]
  }

  /// Quarters by twice the distance.
  private func weight(_ distance: Int, _ step: Int, isOn: Bool) -> Int {
    if step == 1 { return distance == 0 ? 4 : 0 }
    return isOn ? [0: 2, 2: 1][distance] ?? 0 : distance == 1 ? 2 : 0
  }
}
