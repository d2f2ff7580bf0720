import SafelightImage
import SafelightKernels

/// Pixels as plain integers, four channels each, for what a rendering must leave by its documentation.
struct Raster {
  var size: Size
  /// Row by row.
  var pixels: [SIMD4<Int>]
  let maximum: Int

  /// Grey stands for red, green and blue alike, and is opaque.
  init(_ picture: Picture) {
    size = picture.size
    maximum = picture.format.maximum
    let (samples, opaque) = (picture.samples, picture.format.maximum)
    if picture.format.samplesPerPixel == 1 {
      pixels = samples.map { SIMD4($0, $0, $0, opaque) }
    } else {
      pixels = (0..<picture.size.area).map {
        SIMD4(samples[4 * $0], samples[4 * $0 + 1], samples[4 * $0 + 2], samples[4 * $0 + 3])
      }
    }
  }

  subscript(x: Int, y: Int) -> SIMD4<Int> {
    get { pixels[y * size.width + x] }
    set { pixels[y * size.width + x] = newValue }
  }

  /// As the bytes of pixels of `format`.
  func samples(_ format: PixelFormat) -> [Int] {
    pixels.flatMap { pixel in (0..<format.samplesPerPixel).map { pixel[$0] } }
  }

  private func filled(_ size: Size, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<Int>) -> Raster {
    var raster = self
    raster.size = size
    raster.pixels = (0..<size.area).map { pixel($0 % size.width, $0 / size.width) }
    return raster
  }
}

// MARK: Turns

extension Raster {
  private var transposed: Raster { filled(Size(size.height, size.width)) { self[$1, $0] } }
  private var mirrored: Raster { filled(size) { self[size.width - 1 - $0, $1] } }
  private var reversed: Raster { filled(size) { self[size.width - 1 - $0, size.height - 1 - $1] } }

  /// Upright, by the words of Exif 2.32, tag 274: each turn from two mirrors.
  func upright(_ orientation: Orientation) -> Raster {
    switch orientation {
    case .up: self
    case .upMirrored: mirrored
    case .down: reversed
    case .downMirrored: reversed.mirrored
    case .leftMirrored: transposed
    case .right: transposed.mirrored
    case .rightMirrored: transposed.reversed
    case .left: transposed.reversed.mirrored
    }
  }
}

// MARK: Scales

extension Raster {
  func scaled(to new: Size, _ filter: ImageRenderer.Filter) -> Raster {
    filled(new) { pixel($0, $1, of: new, filter) }
  }

  /// One pixel of this picture scaled to `new`.
  func pixel(_ x: Int, _ y: Int, of new: Size, _ filter: ImageRenderer.Filter) -> SIMD4<Int> {
    switch filter {
    case .nearest:
      return self[(2 * x + 1) * size.width / (2 * new.width), (2 * y + 1) * size.height / (2 * new.height)]
    case .linear:
      var sum = SIMD4<Int>()
      for (u, p) in Self.neighbours(x, size.width, new.width) {
        for (v, q) in Self.neighbours(y, size.height, new.height) { sum &+= self[u, v] &* (p * q) }
      }
      return (sum &+ 32768) / 65536
    case .area:
      let spread = maximum == 255 ? 256 : 1
      var means = SIMD4<Int>()
      for v in Self.cells(y, size.height, new.height) {
        var sum = SIMD4<Int>()
        for u in Self.cells(x, size.width, new.width) { sum &+= self[u, v] &* spread }
        means &+= (2 &* sum &+ size.width) / (2 * size.width)
      }
      let mean = (2 &* means &+ size.height) / (2 * size.height)
      return (mean &+ spread / 2) / spread
    }
  }

  /// The two pixels around a centre and their weights in 1/256.
  private static func neighbours(_ index: Int, _ old: Int, _ new: Int) -> [(Int, Int)] {
    let position = Double(2 * index + 1) * Double(old) / Double(2 * new) - 0.5
    let low = Int(position.rounded(.down))
    // (position − low) · 256 rounded half up, from the fraction itself: a Double may miss a half.
    let rest = (2 * index + 1) * old - new - low * 2 * new
    let weight = (512 * rest + 2 * new) / (4 * new)
    return [(low, 256 - weight), (low + 1, weight)].map { (max(0, min(old - 1, $0.0)), $0.1) }
  }

  /// `old` equal parts of a pixel's side, each by the pixel of the source that it lies in.
  private static func cells(_ index: Int, _ old: Int, _ new: Int) -> [Int] {
    (index * old..<(index + 1) * old).map { $0 / new }
  }
}

// MARK: Painting

extension Raster {
  /// Paints a picture of the size of its bounds, and leaves out what lies outside.
  mutating func paint(_ picture: Raster, x: Int, y: Int, _ blend: ImageRenderer.Blend) {
    for v in 0..<picture.size.height where (0..<size.height).contains(y + v) {
      for u in 0..<picture.size.width where (0..<size.width).contains(x + u) {
        let front = picture[u, v]
        self[x + u, y + v] = blend == .copy ? front : Self.over(front, self[x + u, y + v], maximum)
      }
    }
  }

  static func over(_ front: SIMD4<Int>, _ back: SIMD4<Int>, _ maximum: Int) -> SIMD4<Int> {
    let share = (2 * back.w * (maximum - front.w) + maximum) / (2 * maximum)
    let alpha = front.w + share
    guard alpha > 0 else { return back }
    func mixed(_ a: Int, _ b: Int) -> Int { (2 * (front.w * a + share * b) + alpha) / (2 * alpha) }
    return SIMD4(mixed(front.x, back.x), mixed(front.y, back.y), mixed(front.z, back.z), alpha)
  }
}
