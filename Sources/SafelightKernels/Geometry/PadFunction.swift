internal import SafelightImage
internal import SafelightShaders

/// A picture with columns and rows around it, or a part of it.
package struct Padding: Hashable, Sendable {
  /// The columns to the left and the rows above; below 0 where as many of the picture are cut off.
  let left, top: Int
  /// The columns and rows of all.
  let size: Size
  /// The way to make the added pixels.
  let edge: ImagePad.Edge

  /// Returns whether rows around a picture of `whole` show it from below, or again.
  func repeatsRows(of whole: Size) -> Bool { edge.repeats && (top > 0 || size.height - top > whole.height) }

  /// Returns the rectangle of a picture of `whole` of which pixels are seen in `region`.
  func source(of region: Region, in whole: Size) -> Region {
    let (x, y) = (region.x - left, region.y - top)
    let columns = edge.span(of: x...x + region.size.width - 1, in: whole.width)
    let rows = edge.span(of: y...y + region.size.height - 1, in: whole.height)
    return Region(from: (columns.lowerBound, rows.lowerBound), through: (columns.upperBound, rows.upperBound))
  }
}

extension ImagePad.Edge {
  /// True if pixels far from an edge are seen beyond it.
  fileprivate var repeats: Bool { self == .mirror || self == .wrap }

  /// Returns the columns or rows of a picture of `count` that are seen at `places`.
  func span(of places: ClosedRange<Int>, in count: Int) -> ClosedRange<Int> {
    var all = [places.lowerBound, places.upperBound]
    // A picture and its mirror image show everything.
    if repeats { all += places.lowerBound..<places.lowerBound + min(places.count, 2 * count) }
    let seen = all.map { self.seen(at: $0, of: count) }
    return (seen.min() ?? 0)...(seen.max() ?? 0)
  }

  /// Returns the column or row of a picture of `count` that is seen at `place`; around it in a color, the nearest.
  func seen(at place: Int, of count: Int) -> Int {
    let period = self == .mirror ? max(2 * count - 2, 1) : count
    let rest = (place % period + period) % period
    return switch self {
    case .color, .clamp: min(max(place, 0), count - 1)
    case .mirror: min(rest, period - rest)
    case .wrap: rest
    }
  }
}

extension Pass {
  /// Puts columns and rows around `picture`, for one edge of a color.
  static func padding(_ picture: PassPicture, _ padding: Padding, _ color: NamedColor) -> Pass {
    let samples = color.samples(in: picture.image)
    return Pass(
      PadFunction(edge: padding.edge),
      uniforms: .words(
        [padding.left, padding.top, picture.size.width, picture.size.height] + (0..<4).map { Int(samples[$0]) }),
      inputs: [.source(.padded(padding))])
  }
}

/// Takes each pixel from the picture, or from around it.
private struct PadFunction: BuiltInPassFunction {
  let edge: ImagePad.Edge

  var name: String { "pad" }
  var constants: [ShaderAssembly.Constant] { [.init("EDGE", ImagePad.Edge.allCases.firstIndex(of: edge) ?? 0)] }

  func make(_ memory: PassMemory) {
    switch memory.output.pixelFormat.bytesPerPixel {
    case 1: make(memory, UInt8.self)
    case 2: make(memory, UInt16.self)
    case 4: make(memory, UInt32.self)
    default: make(memory, UInt64.self)
    }
  }

  /// Makes pixels that have the size of `Pixel`.
  private func make<Pixel: FixedWidthInteger & BitwiseCopyable>(_ memory: PassMemory, _ type: Pixel.Type) {
    let (source, output, region) = (memory.inputs[0], memory.output, memory.region)
    let words = memory.uniforms.map { Int(Int32(bitPattern: $0)) }
    let (left, top, size) = (words[0], words[1], Size(words[2], words[3]))
    let bits = 8 * output.pixelFormat.bytesPerSample
    let color = (0..<output.step).reduce(Pixel(0)) { $0 | Pixel(truncatingIfNeeded: words[4 + $1]) << (bits * $1) }
    let columns = region.x..<region.x + region.size.width
    let inside = (left..<left + size.width).clamped(to: columns)
    for y in region.y..<region.y + region.size.height {
      let row = edge.seen(at: y - top, of: size.height)
      let made = unsafe output.pixel(x: region.x, y: y).assumingMemoryBound(to: Pixel.self)
      if edge == .color && row != y - top {
        unsafe made.update(repeating: color, count: columns.count)
        continue
      }
      for columns in [columns.lowerBound..<inside.lowerBound, inside.upperBound..<columns.upperBound] {
        for x in columns {
          let column = edge.seen(at: x - left, of: size.width)
          unsafe made[x - region.x] =
            edge == .color ? color : source.pixel(x: column, y: row).load(as: Pixel.self)
        }
      }
      if inside.isEmpty { continue }
      let first = unsafe source.pixel(x: inside.lowerBound - left, y: row).assumingMemoryBound(to: Pixel.self)
      unsafe (made + (inside.lowerBound - region.x)).update(from: first, count: inside.count)
    }
  }
}
