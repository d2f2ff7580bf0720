import SafelightImage

/// Small opaque copies of pictures for people to look at: eight bits, exact box averages.
package enum Thumbnail {
  /// The size of a copy of a picture of `size` that fits `box` and keeps its proportions; small pictures grow by whole
  /// factors.
  package static func size(of size: Size, within box: Size) -> Size {
    if size.width <= box.width && size.height <= box.height {
      let factor = min(box.width / size.width, box.height / size.height)
      return Size(size.width * factor, size.height * factor)
    }
    // The side that touches the box decides; compared by cross-multiplication, so that nothing is rounded before.
    if size.width * box.height >= size.height * box.width {
      return Size(box.width, max(1, (size.height * box.width + size.width / 2) / size.width))
    }
    return Size(max(1, (size.width * box.height + size.height / 2) / size.height), box.height)
  }

  /// Copies `image`, fitted into `box`. Transparent parts show a checker of greys.
  package static func make(of image: Image, within box: Size) -> Image {
    let target = size(of: image.size, within: box)
    return if target.width >= image.size.width && target.height >= image.size.height {
      render(target, sums: Sums(image).enlarged(to: target), weight: 1)
    } else {
      render(target, sums: Sums(image).reduced(to: target), weight: UInt64(image.size.area))
    }
  }

  /// Divides sums of premultiplied colour and alpha by their common `weight`, once and rounded, over the checker.
  private static func render(_ size: Size, sums: [UInt64], weight: UInt64) -> Image {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * 4)
    let whole = 255 * weight
    for y in 0..<size.height {
      for x in 0..<size.width {
        let first = (y * size.width + x) * 4
        let clear = (whole - sums[first + 3]) * ((x / 8 + y / 8).isMultiple(of: 2) ? 102 : 144)
        for sample in 0..<3 { bytes.append(UInt8((sums[first + sample] + clear + whole / 2) / whole)) }
        bytes.append(255)
      }
    }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }
}

/// Four values a pixel: red, green and blue times alpha, and alpha; each colour at most 255 × 255, alpha at most 255.
///
/// Averages must weigh colours by their alpha, or the hidden colour of transparent pixels would bleed out.
private struct Sums {
  let size: Size
  private let format: PixelFormat
  private let hasAlpha: Bool
  private let bytes: [UInt8]

  init(_ image: Image) {
    size = image.size
    format = image.pixelFormat
    hasAlpha = image.channels.hasAlpha
    bytes = image.bytes
  }

  /// A sample in eight bits.
  private func sample(_ index: Int) -> UInt64 {
    guard format.bytesPerSample == 2 else { return UInt64(bytes[index]) }
    let value = UInt64(bytes[index * 2]) | UInt64(bytes[index * 2 + 1]) << 8
    return (value * 255 + 32767) / 65535
  }

  private func pixel(x: Int, y: Int) -> (red: UInt64, green: UInt64, blue: UInt64, alpha: UInt64) {
    let first = (y * size.width + x) * format.samplesPerPixel
    guard format.samplesPerPixel == 4 else {
      let gray = sample(first) * 255
      return (gray, gray, gray, 255)
    }
    let alpha = hasAlpha ? sample(first + 3) : 255
    return (sample(first) * alpha, sample(first + 1) * alpha, sample(first + 2) * alpha, alpha)
  }

  /// Every pixel repeated.
  func enlarged(to target: Size) -> [UInt64] {
    var sums: [UInt64] = []
    sums.reserveCapacity(target.area * 4)
    for y in 0..<target.height {
      for x in 0..<target.width {
        let pixel = pixel(x: x * size.width / target.width, y: y * size.height / target.height)
        sums += [pixel.red, pixel.green, pixel.blue, pixel.alpha]
      }
    }
    return sums
  }

  /// Every target pixel the sum of what it covers, in parts of which each source pixel has `target.area`, and the
  /// target pixel `size.area`.
  func reduced(to target: Size) -> [UInt64] {
    var sums = [UInt64](repeating: 0, count: target.area * 4)
    var row = [UInt64](repeating: 0, count: target.width * 4)
    for y in 0..<size.height {
      for index in row.indices { row[index] = 0 }
      for x in 0..<size.width {
        let pixel = pixel(x: x, y: y)
        Self.forEachOverlap(of: x, sources: size.width, targets: target.width) { column, weight in
          row[column * 4] += pixel.red * weight
          row[column * 4 + 1] += pixel.green * weight
          row[column * 4 + 2] += pixel.blue * weight
          row[column * 4 + 3] += pixel.alpha * weight
        }
      }
      Self.forEachOverlap(of: y, sources: size.height, targets: target.height) { line, weight in
        let first = line * row.count
        for index in row.indices { sums[first + index] += row[index] * weight }
      }
    }
    return sums
  }

  /// The targets that source `index` meets, and how much of the source lies in each, in parts of `targets`.
  private static func forEachOverlap(of index: Int, sources: Int, targets: Int, _ body: (Int, UInt64) -> Void) {
    let start = index * targets
    let end = start + targets
    var target = start / sources
    while target * sources < end {
      let overlap = min(end, (target + 1) * sources) - max(start, target * sources)
      body(target, UInt64(overlap))
      target += 1
    }
  }
}
