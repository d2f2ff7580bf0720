package import SafelightImage

/// A picture of colors that lie over one another, transparent where there is none; to be laid over frames.
package struct LaidColors: Sendable {
  private let image: ImageDescriptor
  private var pixels: [SIMD4<UInt16>]

  /// Makes a transparent picture of `size`, for frames of the depth and the meaning of `frame`.
  package init(size: Size, for frame: ImageDescriptor) {
    image = Self.descriptor(of: size, for: frame)
    pixels = [SIMD4<UInt16>](repeating: .zero, count: size.area)
  }

  /// Returns the size and the meaning of such a picture.
  package static func descriptor(of size: Size, for frame: ImageDescriptor) -> ImageDescriptor {
    ImageDescriptor(size: size, channels: .rgba, depth: frame.depth, color: frame.color)
  }

  /// Lays a color, which ``check(_:_:of:)`` has admitted, over the pixels of `area`, whose alpha is multiplied by the
  /// covered part of each, from 0 to 65535; over all of them without `coverage`. What lies outside is cut off.
  package mutating func lay(_ color: String, over area: Region, coverage: [UInt16]? = nil) {
    let color = NamedColor.drawn(color).samples(in: image)
    let maximum: UInt32 = image.depth == .bits8 ? 255 : 65535
    let visible = area.intersection(Region(size: image.size))
    for y in visible.y..<visible.y + visible.size.height {
      for x in visible.x..<visible.x + visible.size.width {
        var front = color
        if let coverage {
          let part = UInt32(coverage[(y - area.y) * area.size.width + x - area.x])
          if part == 0 { continue }
          front.w = (front.w * part + 32767) / 65535
        }
        let place = y * image.size.width + x
        let made = front.over(SIMD4<UInt32>(truncatingIfNeeded: pixels[place]), maximum: maximum)
        pixels[place] = SIMD4<UInt16>(truncatingIfNeeded: made)
      }
    }
  }

  /// The picture.
  package var picture: Image {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(image.size.area * image.pixelFormat.bytesPerPixel)
    for pixel in pixels {
      for channel in 0..<4 {
        bytes.append(UInt8(truncatingIfNeeded: pixel[channel]))
        if image.depth == .bits16 { bytes.append(UInt8(truncatingIfNeeded: pixel[channel] >> 8)) }
      }
    }
    return Image(size: image.size, channels: image.channels, depth: image.depth, bytes: bytes, color: image.color)
  }

  /// Checks that the parameter `name` of a filter names a color; it may be empty if it is optional.
  package static func check(
    _ text: String, _ name: String, of filter: String, isOptional: Bool = false
  ) throws(SafelightError) {
    try NamedColor.check(text, of: filter, parameter: name, isOptional: isOptional)
  }

  /// Refuses colors around gray over gray frames.
  package static func check(_ text: String, over frame: ImageDescriptor, of filter: String) throws(SafelightError) {
    try NamedColor.check(text, over: frame, of: filter)
  }
}
