public import SafelightImage

/// How the pixels of a shared buffer lie in memory, by the kernel's codes (drm_fourcc.h).
///
/// The kernel names channels from the highest bit of a little-endian word down: `argb8888` is blue, green, red, alpha in memory.
public enum DRMFormat: UInt32, Sendable, CaseIterable, CustomStringConvertible {
  /// One byte: grey, or a luma plane.
  case r8 = 0x2020_3852
  /// Two bytes: a chroma plane, blue difference first.
  case gr88 = 0x3838_5247
  /// Blue, green, red, alpha.
  case argb8888 = 0x3432_5241
  /// Blue, green, red and a byte that means nothing: opaque.
  case xrgb8888 = 0x3432_5258
  /// Red, green, blue, alpha.
  case abgr8888 = 0x3432_4241
  /// Red, green, blue and a byte that means nothing: opaque.
  case xbgr8888 = 0x3432_4258
  /// Two planes: luma, then chroma of half the width and height, blue difference first.
  case nv12 = 0x3231_564e

  /// The number of planes: 1 or 2.
  public var planeCount: Int { self == .nv12 ? 2 : 1 }

  /// The format of a plane by itself; a format of one plane is its own.
  public func plane(_ index: Int) -> DRMFormat {
    trap(unless: index >= 0 && index < planeCount, "\(self) has planes 0 to \(planeCount - 1), not \(index)")
    return self == .nv12 ? index == 0 ? .r8 : .gr88 : self
  }

  /// Columns and rows of a plane of a picture of `size`; an odd picture's chroma covers its edge.
  public func size(ofPlane index: Int, in size: Size) -> Size {
    self == .nv12 && index == 1 ? size.dividedCovering(Size(2, 2)) : size
  }

  /// Throws where a picture of `size` is beyond what the interfaces to shared memory count: 32 bits with a sign.
  func checkExtent(of size: Size) throws(SafelightError) {
    let limit = Int(Int32.max)
    // The widest pixel takes 4 bytes; a product of two such numbers does not overflow.
    guard size.width <= limit / 4, size.height <= limit else {
      throw SafelightError(
        .input, "dma-buf of \(size) \(self)", why: "its columns or rows are beyond what EGL and the kernel count",
        remedy: "share pictures of at most \(limit / 4) columns and \(limit) rows, in tiles")
    }
  }

  /// How a texture holds a pixel of a plane, in the order in which it lies in the buffer.
  public func pixelFormat(ofPlane index: Int) -> PixelFormat {
    switch plane(index) {
    case .r8, .nv12: .r8Unorm
    case .gr88: .rg8Unorm
    case .argb8888, .xrgb8888: .bgra8Unorm
    case .abgr8888, .xbgr8888: .rgba8Unorm
    }
  }

  /// True where the fourth byte of a pixel means nothing and is read as opaque.
  public var isOpaque: Bool { self == .xrgb8888 || self == .xbgr8888 }

  /// The characters of the code, such as `AR24` or `R8`.
  public var description: String {
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    return String(decoding: characters.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }
}
