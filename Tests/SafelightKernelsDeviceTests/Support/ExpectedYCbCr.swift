import SafelightImage

/// Conversions between RGB and Y'CbCr by their documented rule: coefficients from whole fractions, chroma by distances, one pixel at a time.
struct ExpectedYCbCr {
  let layout: YCbCrLayout
  let color: ColorDescription

  /// Of 10000.
  private var red: Int { [.bt601: 2990, .bt709: 2126, .bt2020: 2627][color.matrix] ?? 0 }
  private var blue: Int { [.bt601: 1140, .bt709: 722, .bt2020: 593][color.matrix] ?? 0 }
  private var green: Int { 10000 - red - blue }

  private var white: Int { layout.bits == 8 ? 255 : 65535 }
  private var isFull: Bool { color.range == .full }
  private var unit: Int { [8: 1, 10: 4, 12: 16, 16: 256][layout.bits] ?? 0 }
  private var zero: Int { isFull ? 0 : 16 * unit }
  private var largest: Int { [8: 255, 10: 1023, 12: 4095, 16: 65535][layout.bits] ?? 0 }
  private var lumaReach: Int { isFull ? largest : 219 * unit }
  private var chromaReach: Int { isFull ? largest : 224 * unit }

  /// The nearest 2⁻¹⁹.
  private func steps(_ above: Int, _ below: Int) -> Int {
    let magnitude = (2 * abs(above) * 524_288 + below) / (2 * below)
    return above < 0 ? -magnitude : magnitude
  }

  private func floorDivided(_ value: Int) -> Int { (value + (1 << 22)) >> 23 }

  // MARK: Chroma

  private var step: Size { layout.subsampling.step }
  /// Where chroma lies among two columns and two rows, in halves of a pixel.
  private var column: Int {
    [.center, .top, .bottom].contains(color.siting)
      ? 1 : [.right, .topRight, .bottomRight].contains(color.siting) ? 2 : 0
  }
  private var row: Int {
    [.topLeft, .top, .topRight].contains(color.siting)
      ? 0 : [.bottomLeft, .bottom, .bottomRight].contains(color.siting) ? 2 : 1
  }
  private var isOnColumn: Bool { column == 0 }
  private var isOnRow: Bool { row == 0 }

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
        for column in (x / step.width - 1)...(x / step.width + 1) {
          let across = max(0, 4 - (step.width == 1 ? 2 : 1) * distance(x, column, step.width, self.column))
          let down = max(0, 4 - (step.height == 1 ? 2 : 1) * distance(y, row, step.height, self.row))
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
    var result: [Int] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let l = light * 16 * (planes[0][y * size.width + x] * shift - zero * raise)
        let (b, r) = (difference(0, x, y), difference(1, x, y))
        for sum in [l + redOfR * r, l + greenOfB * b + greenOfR * r, l + blueOfB * b] {
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
    let toBlue = row((-red * chromaReach, 2 * (10000 - blue) * white), half, sum: 0)
    let toRed = row(half, (-blue * chromaReach, 2 * (10000 - red) * white), sum: 0)

    let light = (0..<size.area).map { pixel in made(luma, zero, (0..<3).map { 16 * picture[4 * pixel + $0] }) }
    let chromaSize = size.dividedCovering(step)
    var pairs: [(Int, Int)] = []
    for row in 0..<chromaSize.height {
      for column in 0..<chromaSize.width {
        var sums = [0, 0, 0]
        for y in (row * step.height - 1)...(row * step.height + 1) {
          for x in (column * step.width - 1)...(column * step.width + 1) {
            let weight =
              weight(distance(x, column, step.width, self.column), step.width, isOnColumn)
              * weight(distance(y, row, step.height, self.row), step.height, isOnRow)
            let pixel = clamped(y, size.height) * size.width + clamped(x, size.width)
            for channel in 0..<3 { sums[channel] += weight * picture[4 * pixel + channel] }
          }
        }
        pairs.append((made(toBlue, 128 * unit, sums), made(toRed, 128 * unit, sums)))
      }
    }
    return layout.isBiPlanar ? [light, pairs.flatMap { [$0.0, $0.1] }] : [light, pairs.map(\.0), pairs.map(\.1)]
  }

  /// Quarters by twice the distance.
  private func weight(_ distance: Int, _ step: Int, _ isOn: Bool) -> Int {
    if step == 1 { return distance == 0 ? 4 : 0 }
    return isOn ? [0: 2, 2: 1][distance] ?? 0 : distance == 1 ? 2 : 0
  }
}
