/// The kind of a picture's samples.
package struct PictureKind: Hashable, Sendable, CustomStringConvertible {
  package let channels: Channels
  package let depth: SampleDepth

  /// The kind of pictures like `image`.
  package init(_ image: ImageDescriptor) { (channels, depth) = (image.channels, image.depth) }

  private init(_ channels: Channels, _ depth: SampleDepth) { (self.channels, self.depth) = (channels, depth) }

  /// The kind in messages: `gray of 8 bits`, `RGB with alpha of 16 bits`.
  package var description: String {
    "\(channels.isGray ? "gray" : "RGB")\(channels.hasAlpha ? " with alpha" : "") of \(depth.rawValue) bits"
  }

  /// The same without alpha.
  package var opaque: PictureKind { PictureKind(channels.isGray ? .gray : .rgb, depth) }

  /// Returns the smallest kind to which pictures of both can be promoted.
  package func union(_ other: PictureKind) -> PictureKind {
    let isGray = channels.isGray && other.channels.isGray
    let hasAlpha = channels.hasAlpha || other.channels.hasAlpha
    return PictureKind(
      isGray ? hasAlpha ? .grayAlpha : .gray : hasAlpha ? .rgba : .rgb,
      depth == .bits16 || other.depth == .bits16 ? .bits16 : .bits8)
  }
}

extension ImageDescriptor {
  /// Returns the descriptor of the same picture as one of `kind`, which must hold it.
  package func promoted(to kind: PictureKind) -> ImageDescriptor {
    var color = color
    if kind.channels.hasAlpha && !channels.hasAlpha { color.alpha = .straight }
    return ImageDescriptor(size: size, channels: kind.channels, depth: kind.depth, color: color)
  }
}

extension Image {
  /// Returns the same picture as one of `kind`, which must hold it: gray as equal red, green and blue, without alpha as
  /// opaque, 8 bits as 16.
  package func promoted(to kind: PictureKind) -> Image {
    let own = PictureKind(descriptor)
    if own == kind { return self }
    trap(unless: own.union(kind) == kind, "a picture that is \(own) cannot become \(kind)")
    let deep = depth == kind.depth ? self : of16Bits
    return Image(
      descriptor.promoted(to: kind), bytes: channels == .gray && kind.channels != .gray ? deep.spread : deep.bytes)
  }

  /// The same picture in 16 bits: v becomes 257 v, which is v of 255 in 65535.
  package var of16Bits: Image {
    Image(size: size, channels: channels, depth: .bits16, bytes: bytes.twice, color: color)
  }

  /// The samples of a gray picture, each as red, green and blue, with an opaque fourth.
  private var spread: [UInt8] {
    let width = depth.rawValue / 8
    var spread = [UInt8](repeating: 0xFF, count: 4 * bytes.count)
    for place in bytes.indices {
      let first = place / width * 4 * width + place % width
      for sample in 0..<3 { spread[first + sample * width] = bytes[place] }
    }
    return spread
  }
}

extension [UInt8] {
  /// Each byte twice, which makes samples of 16 bits of samples of 8.
  package var twice: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 2 * count) { made, used in
      for place in indices {
        unsafe made[2 * place] = self[place]
        unsafe made[2 * place + 1] = self[place]
      }
      used = 2 * count
    }
  }
}
