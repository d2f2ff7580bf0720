package import SafelightImage

/// The positions that a picture of coordinates gives, of 16 bits, red for columns and green for rows.
package struct WarpCoordinates: Hashable, Sendable {
  /// The pixels for which a sample of 1 stands, and those for one of 0, in 2⁻⁴⁰ pixels.
  let scale, first: SIMD2<Int64>
  /// The picture; nil for a twin, which is given its pixels.
  let picture: CoordinatePicture?

  init(scale: SIMD2<Int64>, first: SIMD2<Int64>) {
    (self.scale, self.first) = (scale, first)
    picture = nil
  }

  /// `steps` samples stand for a pixel; with 0 all samples stand for the source, of `size`, from edge to edge.
  package init(_ picture: CoordinatePicture, steps: Int, size: Size) {
    self.picture = picture
    let one = (1 as Int64) << 40
    if steps > 0 {
      (scale, first) = (SIMD2(repeating: one / Int64(steps)), SIMD2(repeating: 0))
    } else {
      // Rounded down, so that the greatest sample lies inside.
      scale = SIMD2(Int64(size.width) << 40 / 65535, Int64(size.height) << 40 / 65535)
      first = SIMD2(repeating: -one / 2)
    }
  }

  /// Returns the position for samples of red and green, rounded to 2 to the power of `shift` − 40 pixels.
  @inline(__always)
  func position(_ across: UInt16, _ down: UInt16, shift: Int32) -> SIMD2<Int64> {
    let half = (1 as Int64) << (shift - 1)
    return SIMD2(
      (scale.x &* Int64(across) &+ first.x &+ half) >> Int64(shift),
      (scale.y &* Int64(down) &+ first.y &+ half) >> Int64(shift))
  }

  /// Returns the least rectangle that is known to hold the positions of the pixels of `region`.
  func bounds(of region: Region, isNearest: Bool) -> (x: ClosedRange<Int>, y: ClosedRange<Int>)? {
    guard let range = picture?.range(in: region) else { return nil }
    let low = position(range.low.x, range.low.y, shift: isNearest ? 40 : 32)
    let high = position(range.high.x, range.high.y, shift: isNearest ? 40 : 32)
    return (Int(low.x)...Int(high.x), Int(low.y)...Int(high.y))
  }
}

/// A picture of coordinates, with the range of these in each of its blocks.
package struct CoordinatePicture: Hashable, Sendable {
  /// The least and the greatest samples of red and green.
  struct Range: Hashable, Sendable {
    var low = SIMD2<UInt16>(repeating: .max)
    var high = SIMD2<UInt16>(repeating: 0)

    mutating func take(_ low: SIMD2<UInt16>, _ high: SIMD2<UInt16>) {
      self.low = pointwiseMin(self.low, low)
      self.high = pointwiseMax(self.high, high)
    }
  }

  /// The picture, of four samples of 16 bits a pixel.
  package let image: Image
  private let blocks: [Range]

  /// The columns and rows of a block.
  private static let edge = 64

  /// Nil for a picture of other samples.
  package init?(_ image: Image) {
    guard image.pixelFormat == .rgba16Uint else { return nil }
    self.image = image
    blocks = Region(size: image.size).tiles(edge: Self.edge).map { Self.range(of: image, in: $0) }
  }

  /// Returns a range that holds all samples of `region`: of small ones the least.
  func range(in region: Region) -> Range {
    guard region.size.area > Self.edge * Self.edge else { return Self.range(of: image, in: region) }
    let columns = (image.size.width + Self.edge - 1) / Self.edge
    var range = Range()
    for row in region.y / Self.edge...(region.y + region.size.height - 1) / Self.edge {
      for column in region.x / Self.edge...(region.x + region.size.width - 1) / Self.edge {
        let block = blocks[row * columns + column]
        range.take(block.low, block.high)
      }
    }
    return range
  }

  private static func range(of image: Image, in region: Region) -> Range {
    var range = Range()
    unsafe image.bytes.withUnsafeBytes { bytes in
      for y in region.y..<region.y + region.size.height {
        for x in region.x..<region.x + region.size.width {
          let place = y * image.bytesPerRow + x * image.pixelFormat.bytesPerPixel
          let pair = unsafe SIMD2(
            bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self),
            bytes.loadUnaligned(fromByteOffset: place + 2, as: UInt16.self))
          range.take(pair, pair)
        }
      }
    }
    return range
  }
}
