import SafelightGPU
import SafelightImage
import SafelightKernels
import Testing

/// Pixels as plain integers, four samples each, for what a rendering must leave by its documentation.
///
/// Loops over plain arrays: vectors are slow where tests are not optimized.
struct Raster {
  var size: Size
  /// Row by row.
  var samples: [Int]
  let maximum: Int

  /// Gray stands for red, green and blue alike, and is opaque.
  init(_ picture: Picture) {
    size = picture.size
    maximum = picture.format.maximum
    samples = picture.samples
    if picture.format.samplesPerPixel == 1 { samples = samples.flatMap { [$0, $0, $0, picture.format.maximum] } }
  }

  /// As those of a picture in `format`.
  func samples(_ format: PixelFormat) -> [Int] {
    if format.samplesPerPixel == 4 { return samples }
    return stride(from: 0, to: samples.count, by: 4).map { samples[$0] }
  }

  /// A raster of pixels from their places.
  private func filled(_ size: Size, _ place: (_ x: Int, _ y: Int) -> (x: Int, y: Int)) -> Raster {
    var raster = self
    raster.size = size
    raster.samples = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let from = place(x, y)
        let index = 4 * (from.y * self.size.width + from.x)
        raster.samples += samples[index..<index + 4]
      }
    }
    return raster
  }

  // MARK: Turns

  private var transposed: Raster { filled(Size(size.height, size.width)) { ($1, $0) } }
  private var mirrored: Raster { filled(size) { (size.width - 1 - $0, $1) } }
  private var reversed: Raster { filled(size) { (size.width - 1 - $0, size.height - 1 - $1) } }

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

  // MARK: Scales

  /// The part of the raster scaled to `new` that lies in `columns` and `rows`; all of it where nil.
  func scaled(
    to new: Size, _ filter: ImageRenderer.Filter, columns: Range<Int>? = nil, rows: Range<Int>? = nil
  ) -> Raster {
    let whole = maximum == 255 ? 256 : 65536
    let columns = (columns ?? 0..<new.width).map { Self.sources($0, size.width, new.width, filter, whole) }
    let rows = (rows ?? 0..<new.height).map { Self.sources($0, size.height, new.height, filter, whole) }
    // 8-bit means have bits to spare between the two steps.
    let spread = filter == .area && maximum == 255 ? 256 : 1
    var result = self
    result.size = Size(columns.count, rows.count)
    result.samples = []
    for row in rows {
      for column in columns {
        for channel in 0..<4 {
          var sum = 0
          for (y, weight) in row {
            var line = 0
            for (x, weight) in column { line += weight * spread * samples[4 * (y * size.width + x) + channel] }
            sum += weight * (filter == .area ? Self.rounded(line, size.width) : line)
          }
          let mean = Self.rounded(sum, filter == .area ? size.height : filter == .linear ? whole * whole : 1)
          result.samples.append((mean + spread / 2) / spread)
        }
      }
    }
    return result
  }

  /// Divided, halves upward.
  private static func rounded(_ value: Int, _ divisor: Int) -> Int { (2 * value + divisor) / (2 * divisor) }

  /// The pixels of `old` that pixel `index` of `new` is made from, and their weights; those of `linear` together are
  /// `whole`.
  private static func sources(
    _ index: Int, _ old: Int, _ new: Int, _ filter: ImageRenderer.Filter, _ whole: Int
  ) -> [(Int, Int)] {
    switch filter {
    case .nearest: return [((2 * index + 1) * old / (2 * new), 1)]
    case .linear:
      // From the first center of old, in 1 / 2new; what lies before it or behind the last is that of the edge.
      let distance = max(0, min((2 * index + 1) * old - new, 2 * new * (old - 1)))
      let (part, rest) = (whole * (distance % (2 * new))).quotientAndRemainder(dividingBy: 2 * new)
      // Halves to even.
      let second = rest > new || rest == new && !part.isMultiple(of: 2) ? part + 1 : part
      let low = distance / (2 * new)
      return [(low, whole - second), (min(low + 1, old - 1), second)]
    case .area:
      let (begin, end) = (index * old, (index + 1) * old)
      return (begin / new...(end - 1) / new).map { ($0, min(($0 + 1) * new, end) - max($0 * new, begin)) }
    }
  }

  // MARK: Painting

  /// Paints a picture of the size of its bounds, and leaves out what lies outside.
  mutating func paint(_ picture: Raster, x: Int, y: Int, _ blend: ImageRenderer.Blend) {
    for v in 0..<picture.size.height where (0..<size.height).contains(y + v) {
      for u in 0..<picture.size.width where (0..<size.width).contains(x + u) {
        let from = 4 * (v * picture.size.width + u)
        let index = 4 * ((y + v) * size.width + x + u)
        let front = picture.samples[from..<from + 4]
        let pixel = blend == .copy ? front : Self.over(Array(front), Array(samples[index..<index + 4]), maximum)[...]
        samples.replaceSubrange(index..<index + 4, with: pixel)
      }
    }
  }

  private static func over(_ front: [Int], _ back: [Int], _ maximum: Int) -> [Int] {
    let share = rounded(back[3] * (maximum - front[3]), maximum)
    let alpha = front[3] + share
    if alpha == 0 { return back }
    return (0..<3).map { rounded(front[3] * front[$0] + share * back[$0], alpha) } + [alpha]
  }
}

/// One rendering of a test: what is drawn, and how.
struct RenderingCase: CustomStringConvertible {
  var source: Picture
  var bounds: Region
  var orientation = Orientation.up
  var filter = ImageRenderer.Filter.nearest
  var blend = ImageRenderer.Blend.copy

  var description: String { "\(source) \(orientation) \(filter) \(blend) in \(bounds)" }

  /// Paints what the rendering must leave.
  func paint(in destination: inout Raster) {
    let picture = Raster(source).upright(orientation).scaled(to: bounds.size, filter)
    destination.paint(picture, x: bounds.x, y: bounds.y, blend)
  }
}

extension Batch {
  /// Renders `cases` one after the other over `start`, to a texture of `format`, and expects what they must leave.
  @discardableResult func render(
    _ cases: [RenderingCase], over start: Picture, _ format: PixelFormat, sourceFormat: PixelFormat? = nil,
    with renderer: ImageRenderer, pipeline: PipelineKind = .automatic, knownAs known: KnownBytes = KnownBytes()
  ) throws -> Readback {
    let destination = try source(start, as: format)
    for rendering in cases {
      try renderer.render(
        source(rendering.source, as: sourceFormat), to: destination, commandBuffer: buffer, bounds: rendering.bounds,
        orientation: rendering.orientation, filter: rendering.filter, blend: rendering.blend, pipeline: pipeline)
    }
    let readback = blit { $0.read(destination) }
    expect(readback, format, "\(cases) over \(start) of \(format.rawValue)", knownAs: known) {
      var raster = Raster(start)
      for rendering in cases { rendering.paint(in: &raster) }
      return raster.samples(format)
    }
    return readback
  }
}
